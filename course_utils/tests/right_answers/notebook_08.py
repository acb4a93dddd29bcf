"""Right answers of notebook 08, written as learners might."""

import copy
import time

import numpy as np
import torch
from torch import nn

from course_utils.agents import SearchAgent
from course_utils.learning.arena import Score, play_game, random_openings
from course_utils.learning.arena import gate as gate_reference
from course_utils.learning.examples import Examples
from course_utils.learning.self_play import self_play_game
from course_utils.learning.training import alphazero_loss, train_step
from course_utils.networks.policy_value import TorchNetwork


def loss_by_cross_entropy(value, logits, target_value, target_policy):
    return nn.MSELoss()(value, target_value), nn.CrossEntropyLoss()(logits, target_policy)


def loss_by_logsumexp(value, logits, target_value, target_policy):
    batch = value.shape[0]
    difference = target_value.reshape(-1, 1) - value.reshape(-1, 1)
    log_probabilities = logits - torch.logsumexp(logits, dim=-1, keepdim=True)
    return (difference**2).sum() / batch, -torch.einsum("ba,ba->", target_policy, log_probabilities) / batch


def loss_by_a_loop(value, logits, target_value, target_policy):
    value_losses, policy_losses = [], []
    for v, row, z, pi in zip(value, logits, target_value, target_policy):
        value_losses.append((z - v) ** 2)
        policy_losses.append(-torch.dot(pi, torch.log_softmax(row, dim=0)))
    return torch.stack(value_losses).mean(), torch.stack(policy_losses).mean()


def step_in_another_order(net, optimizer, planes, policy, value):
    optimizer.zero_grad()
    net.train()
    planes, policy, value = map(torch.as_tensor, (planes, policy, value))
    v, logits = net(planes)
    losses = alphazero_loss(v, logits, value, policy)
    sum(losses).backward()
    optimizer.step()
    return dict(zip(("value", "policy"), (float(loss.detach()) for loss in losses)))


def step_with_two_backward_passes(net, optimizer, planes, policy, value):
    if not net.training:
        net.train(True)
    for parameter in net.parameters():
        parameter.grad = None
    v, logits = net(torch.tensor(planes))
    value_loss, policy_loss = alphazero_loss(v, logits, torch.tensor(value), torch.tensor(policy))
    value_loss.backward(retain_graph=True)
    policy_loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return {"policy": policy_loss.item(), "value": value_loss.item()}


def gate_by_counting(game, candidate, champion, openings, threshold=0.55):
    wins = draws = losses = 0
    for opening in openings:
        for side in (-1, 1):
            outcome = side * play_game(game, {side: candidate, -side: champion}, opening)
            if outcome > 0:
                wins += 1
            elif outcome < 0:
                losses += 1
            else:
                draws += 1
    if wins + losses == 0:
        return False, Score(wins, draws, losses)
    return wins / (wins + losses) >= threshold, Score(wins, draws, losses)


def gate_with_numpy(game, candidate, champion, openings, threshold=0.55):
    first = np.array([play_game(game, {1: candidate, -1: champion}, opening) for opening in openings])
    second = -np.array([play_game(game, {1: champion, -1: candidate}, opening) for opening in openings])
    results = np.concatenate([first, second])
    decided = results[results != 0]
    share = (decided > 0).mean() if len(decided) else 0.0
    return share >= threshold, (int((results > 0).sum()), int((results == 0).sum()), int((results < 0).sum()))


def loop_with_for(run, callback=None):
    game, config, rng, buffer = run.game, run.config, run.rng, run.buffer
    for _ in range(len(run.history), config.iterations):
        start = time.time()
        games = []
        for _ in range(config.games):
            examples = self_play_game(
                game,
                TorchNetwork(run.champion),
                rng,
                simulations=config.simulations,
                c_puct=config.c_puct,
                exploratory_plies=config.exploratory_plies,
                noise_alpha=config.noise_alpha,
                noise_fraction=config.noise_fraction,
            )
            games.append(examples)
            buffer.add(examples, game)
        run.set_learning_rate()
        losses = []
        for _ in range(config.steps):
            planes, policy, value = buffer.sample(config.batch, rng)
            losses.append(train_step(run.candidate, run.optimizer, planes, policy, value))
        accepted, score = gate_reference(
            game,
            run.agent(run.candidate, config.gate_simulations),
            run.agent(run.champion, config.gate_simulations),
            random_openings(game, config.gate_openings, config.gate_plies, rng),
            threshold=config.gate_threshold,
        )
        if accepted:
            run.champion = copy.deepcopy(run.candidate)
        run.log(games, losses, accepted, score, time.time() - start)
        if callback and callback(run):
            break


def loop_with_its_own_agents(training, callback=None):
    config = training.config
    while True:
        if len(training.history) >= config.iterations:
            return None
        began = time.perf_counter()
        frozen = copy.deepcopy(training.champion)
        settings = {
            "simulations": config.simulations,
            "c_puct": config.c_puct,
            "exploratory_plies": config.exploratory_plies,
            "noise_alpha": config.noise_alpha,
            "noise_fraction": config.noise_fraction,
        }
        games = [
            self_play_game(training.game, TorchNetwork(frozen), training.rng, **settings) for _ in range(config.games)
        ]
        for game in games:
            for example in game:
                forms = training.game.symmetries(example.planes, example.policy)
                planes, policies = zip(*forms)
                training.buffer.add(Examples.of_game(planes, policies, [example.value] * len(forms)))
        training.set_learning_rate()
        losses = []
        while len(losses) < config.steps:
            batch = training.buffer.sample(config.batch, training.rng)
            losses.append(train_step(training.candidate, training.optimizer, *batch))
        players = [
            SearchAgent(training.game, TorchNetwork(net), config.gate_simulations, config.c_puct)
            for net in (training.candidate, frozen)
        ]
        openings = random_openings(training.game, config.gate_openings, config.gate_plies, training.rng)
        accepted, score = gate_reference(training.game, *players, openings, config.gate_threshold)
        if accepted:
            with torch.no_grad():
                for mine, theirs in zip(training.champion.parameters(), training.candidate.parameters()):
                    mine.copy_(theirs)
        training.log(games, losses, accepted, score, time.perf_counter() - began)
        if callback is not None and callback(training) is True:
            return None


RIGHT = {
    "alphazero_loss": [loss_by_cross_entropy, loss_by_logsumexp, loss_by_a_loop],
    "train_step": [step_in_another_order, step_with_two_backward_passes],
    "gate": [gate_by_counting, gate_with_numpy],
    "train_alphazero": [loop_with_for, loop_with_its_own_agents],
}
