"""Expert iteration (Anthony, Tian and Barber 2017) on Connect Four: a search judges many different positions, and a new network learns it all.

Self-play learns from the positions of its own good games, and from how they end. Here the positions are as different as they can be:
random moves, then those of the network's policy, with a random one now and then. What is learned is what a search by the network
thinks of each. The next generation's network begins with random weights, learns from all that, and is the expert of the one after.
"""

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from benchmarks.command import command
from benchmarks.connect_four import GAME, config_like
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_openings, batched_sample, choose_by_puct
from course_utils.learning.engine import learn
from course_utils.learning.examples import Examples
from course_utils.learning.players import hire, network_with
from course_utils.learning.training import Run, TrainingConfig, config_for
from course_utils.networks import Network
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.checkpoint import load_network, save_network, to_bytes
from course_utils.networks.fast import fast_inference
from course_utils.search.batched import ROOT, batched_masked_policy

BATCHED = make_batched(GAME)
SIDE_BY_SIDE = 2048  # games, or positions that are searched
CHANCE = 0.2  # of the moves after an opening are random ones
FALLS = 100  # steps in which the learning rate falls


def different_positions(network: Network, count: int, plies: int, rng: np.random.Generator) -> np.ndarray:
    """So many different positions [count, ...], none of them over, the emptier boards first.

    They are from games that begin with up to `plies` random moves (one in ten with none), and go on by the network's policy, but for CHANCE.
    """

    def begun(games: int) -> np.ndarray:
        return batched_openings(BATCHED, games, share=0.9, plies=plies, rng=rng)[0]

    states, found = begun(SIDE_BY_SIDE), BATCHED.initial(0)
    while len(found) < count:
        met = [found]
        for _ in range(1 + (count - len(found)) // SIDE_BY_SIDE):
            met.append(states)
            _, logits = network(BATCHED.encode(states))
            legal = BATCHED.legal(states)
            share = (1 - CHANCE) * batched_masked_policy(logits, legal) + CHANCE * legal / legal.sum(1, keepdims=True)
            states = BATCHED.play(states, batched_sample(share, np.zeros(len(states), bool), rng))
            over, _ = BATCHED.outcome(states)
            states = np.concatenate([states[~over], begun(int(over.sum()))])
        found = np.unique(np.concatenate(met), axis=0)
    chosen = rng.permutation(found)[:count]
    return chosen[np.argsort(stones(chosen), kind="stable")]


def stones(states: np.ndarray) -> np.ndarray:
    """How many lie on each board. int64 [batch]."""
    return np.count_nonzero(BATCHED.encode(states), axis=(1, 2, 3))


def judged_by_search(
    config: TrainingConfig, weights: bytes, value_weight: float, states: np.ndarray
) -> tuple[Examples, float]:
    """What a search without noise thinks of positions, by whichever process. Returns (examples, seconds of processor time).

    The value is the mean value of the most visited move, the policy `completed_policy`.
    """
    began = time.process_time()
    network = CachedNetwork(fast_inference(network_with(weights, GAME, config)))
    policies, values = [], []
    for first in range(0, len(states), SIDE_BY_SIDE):
        asked = states[first : first + SIDE_BY_SIDE]
        _, policy, favorite, tree = choose_by_puct(
            BATCHED,
            network,
            config.simulations,
            np.random.default_rng(0),  # of its moves, which nobody plays
            asked,
            np.zeros(len(asked), bool),
            c_puct=config.c_puct,
            noise=lambda prior, legal, rng: prior,
            value_weight=value_weight,
        )
        Q = tree.W[:, ROOT] / np.maximum(tree.N[:, ROOT], 1)
        policies.append(policy)
        values.append(Q[np.arange(len(asked)), favorite])
    planes, value = BATCHED.encode(states).astype(bool), np.concatenate(values).astype(np.float32)
    examples = Examples(planes, np.concatenate(policies).astype(np.float32), value, value, stones(states), 0)
    return examples, time.process_time() - began


def learned(known: list[Examples], config: TrainingConfig, looks: float, seed: int) -> tuple[Run, list[dict]]:
    """A network from random weights that has looked `looks` times at each example. Returns (its run, the losses at the end)."""
    run = Run.start(GAME, config, seed)
    run.buffer.capacity = sum(map(len, known))
    for examples in known:
        run.buffer.add(examples)
    steps = max(1, round(looks * len(run.buffer) / config.batch / FALLS))
    run.config = replace(config, steps=steps)
    losses: list[dict] = []
    last_rate = config.last_learning_rate or config.learning_rate / 10
    for rate in np.linspace(config.learning_rate, last_rate, FALLS):
        for group in run.optimizer.param_groups:
            group["lr"] = rate
        losses = learn(run)
    return run, losses


@command("expert_iteration")
def expert_iteration(
    out=Path("runs/generations"),
    agent=Path("runs/seeds/160-1/connect_four.pt"),
    positions=(600_000, 1_000_000),
    looks=(17.0, 10.0),
    simulations=100,
    plies=16,
    value_weight=0.1,
    widths=(512, 256, 128),
    seed=1,
    workers=2,
) -> None:
    """Generation by generation: so many new POSITIONS, judged by searches, and a new network that LOOKS so often at those of all generations.

    The first expert is AGENT. The searches are shared by WORKERS processes, or done by this one; then this one learns alone.
    """
    torch.set_num_threads(1)
    expert, known = load_network(agent, GAME.name), []
    new = config_for(GAME, widths=tuple(widths))
    with hire(workers) as players:
        for generation, (count, often) in enumerate(zip(positions, looks, strict=True), start=1):
            cpu, rng = time.process_time(), np.random.default_rng([seed, generation])
            states = different_positions(CachedNetwork(fast_inference(expert)), count, plies, rng)
            searching = time.process_time() - cpu
            config, size = config_like(expert, simulations=simulations), 10 * SIDE_BY_SIDE
            arguments = config, players.share(to_bytes(expert.state_dict())), value_weight
            parts = [
                players.begin(judged_by_search, *arguments, states[first : first + size])
                for first in range(0, count, size)
            ]
            for part in parts:
                examples, seconds = part.result()
                known.append(examples)
                searching += seconds
            cpu = time.process_time()
            run, losses = learned(known, new, often, seed)
            expert = run.champion
            save_network(out / f"{generation}.pt", expert, GAME.name)
            happened = dict(generation=generation, positions=count, searching=searching)
            happened |= dict(learning=time.process_time() - cpu, steps=run.steps)
            happened |= {
                f"{name}_loss": float(np.mean([loss[name] for loss in losses])) for name in ("policy", "value")
            }
            print(json.dumps(happened), flush=True)
