"""AlphaZero's training: the loss, a step, and the loop of self-play, learning and the gate. Silver et al. 2017, 2018."""

import time
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from course_utils.exercise import exercise
from course_utils.learning.arena import gate, random_openings
from course_utils.learning.config import TrainingConfig, config_for
from course_utils.learning.run import Run
from course_utils.learning.self_play import self_play_game
from course_utils.networks.policy_value import TorchNetwork

__all__ = ["Run", "TrainingConfig", "alphazero_loss", "config_for", "train_alphazero", "train_step"]  # for a notebook


@exercise("05")
def alphazero_loss(
    value: torch.Tensor,
    logits: torch.Tensor,
    target_value: torch.Tensor,
    target_policy: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """AlphaZero's loss in two parts, each a mean over the batch: (z - v)^2 and -pi . log p.

    value, target_value: [batch].
    logits, target_policy: [batch, num_actions]; p is the softmax of the logits.
    Returns (value loss, policy loss), two scalars; large logits must not make them infinite.
    (Silver et al. 2017, equation 1.)
    """
    value_loss = F.mse_loss(value, target_value)
    policy_loss = -(target_policy * F.log_softmax(logits, dim=1)).sum(dim=1).mean()
    return value_loss, policy_loss


@exercise("05")
def train_step(
    net: nn.Module,
    optimizer: torch.optim.Optimizer,
    planes: np.ndarray,
    policy: np.ndarray,
    value: np.ndarray,
) -> dict[str, float]:
    """One step of gradient descent on one batch, in training mode.

    net: planes -> (value [batch], logits [batch, num_actions]). Old gradients must not count.
    planes: float32 [batch, planes, rows, columns].
    policy: float32 [batch, num_actions], the search's. value: float32 [batch], the outcomes.
    Returns {"value": ..., "policy": ...}: both parts of the loss before the step, as floats.
    """
    net.train()
    predicted_value, logits = net(torch.from_numpy(planes))
    value_loss, policy_loss = alphazero_loss(predicted_value, logits, torch.from_numpy(value), torch.from_numpy(policy))
    optimizer.zero_grad()
    (value_loss + policy_loss).backward()
    optimizer.step()
    return {"value": value_loss.item(), "policy": policy_loss.item()}


@exercise("05")
def train_alphazero(run: Run, callback: Callable[[Run], bool | None] | None = None) -> None:
    """All of AlphaZero on one page. Until the history has `config.iterations` entries:

    1. Call `run.set_learning_rate()`.
    2. `self_play_game`: the champion plays `config.games` games, which go into the buffer in
       all their symmetric forms.
    3. `train_step`: the candidate takes `config.steps` steps, each on a batch drawn afresh.
    4. `gate`: candidate and champion meet, from openings drawn afresh. If the candidate
       passes, copy its weights into the champion.
    5. Call `run.log(...)` and, if there is one, `callback(run)`; stop if that returns True.

    All chance comes from `run.rng`.
    """
    # begin given
    game, config, rng, buffer = run.game, run.config, run.rng, run.buffer
    settings = run.settings()  # of `self_play_game`
    # end given
    while len(run.history) < config.iterations:
        began = time.perf_counter()
        run.set_learning_rate()

        network = TorchNetwork(run.champion)
        games = [self_play_game(game, network, rng, **settings) for _ in range(config.games)]
        for examples in games:
            buffer.add(examples, game)

        batches = (buffer.sample(config.batch, rng) for _ in range(config.steps))
        losses = [train_step(run.candidate, run.optimizer, *batch) for batch in batches]

        candidate = run.agent(run.candidate, config.gate_simulations)
        champion = run.agent(run.champion, config.gate_simulations)
        openings = random_openings(game, config.gate_openings, config.gate_plies, rng)
        accepted, score = gate(game, candidate, champion, openings, config.gate_threshold)
        if accepted:
            run.champion.load_state_dict(run.candidate.state_dict())

        run.log(games, losses, accepted, score, time.perf_counter() - began)
        if callback is not None and callback(run):
            return
