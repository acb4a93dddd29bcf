"""Expert iteration (Anthony, Tian and Barber 2017) on Connect Four: searches evaluate many different positions, and a network learns what they think.

Self-play learns from the positions of its own good games, and from how they end. Here the positions are as different as they can be:
random moves, then those of the network's policy, with a random one now and then; the less sure the network is of one, the rather it is
taken. A search by the network evaluates each, and while the next ones are evaluated, the network learns from the latest. If wished, it learns
from games of its own, too, whose ends say what a search does not see: those of `openings_school`.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import torch
from torch import nn

from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_openings, batched_sample, completed_policy
from course_utils.learning.config import EngineConfig, config_for
from course_utils.learning.engine import learn
from course_utils.learning.exam import best_moves, load_positions, searched_moves
from course_utils.learning.examples import Examples, join
from course_utils.learning.run import Run
from course_utils.learning.workers import hire, network_with
from course_utils.networks import Network
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.checkpoint import load_network, save_network, to_bytes
from course_utils.networks.fast import FoldedNetwork, fast_inference
from course_utils.paths import COURSE
from course_utils.results import Row
from course_utils.search.batched import ROOT, batched_masked_policy, batched_search
from course_utils.search.gumbel import batched_gumbel_search
from lab.command import command
from lab.connect_four import GAME, config_like, shares_kept, trained
from lab.research.openings_school import School, play_school

BATCHED = make_batched(GAME)
SIDE_BY_SIDE = 2048  # positions that are searched
EARLY = 14  # stones; before, positions are searched more
ALIKE = dict(plies=(8, 8, 16, 24), chances=(0.02, 0.1, 0.2, 0.2), simulations=64)
GENERATIONS = (  # of `half_hour`: the settings of one after the other, each guided by the one before
    dict(
        **ALIKE,
        guided=6,
        widths=(256, 192, 128),
        iterations=30,
        games=480,
        early_simulations=128,
        guide_simulations=64,
        played=160,
        looks=12.0,
        positions=800_000,
    ),
    dict(
        **ALIKE,
        guided=5,
        widths=(512, 384, 192),
        iterations=19,
        games=400,
        early_simulations=200,
        guide_simulations=100,
        inner=16,
        looks=2.5,
        positions=3_000_000,
        falls_after=0.4,
    ),
)


def different_positions(
    network: Network, games: int, plies: int, chance: float, sure: float, rng: np.random.Generator
) -> np.ndarray:
    """Positions [count, ...] of so many games, no two equal, none of them over, the emptier boards first.

    The games begin with up to `plies` random moves (one in ten with none), and go on by the network's policy, but for a share `chance` of
    random moves. A position of which the network thinks v is taken with the probability 1 - (1 - sure) * v^2.
    """
    states, met = batched_openings(BATCHED, games, share=0.9, plies=plies, rng=rng)[0], []
    while len(states) > 0:
        value, logits = network(BATCHED.encode(states))
        met.append(states[rng.random(len(states)) >= (1 - sure) * value**2])
        legal = BATCHED.legal(states)
        share = (1 - chance) * batched_masked_policy(logits, legal) + chance * legal / legal.sum(1, keepdims=True)
        states = BATCHED.play(states, batched_sample(share, np.zeros(len(states), bool), rng))
        over, _ = BATCHED.outcome(states)
        states = states[~over]
    found = np.unique(np.concatenate(met), axis=0)
    return found[np.argsort(stones(found), kind="stable")]


def stones(states: np.ndarray) -> np.ndarray:
    """How many lie on each board. int64 [batch]."""
    return np.count_nonzero(BATCHED.encode(states), axis=(1, 2, 3))


def evaluated_by_search(
    network: Network, states: np.ndarray, simulations: int, c_puct: float, value_weight: float, inner: int = 0
) -> Examples:
    """What a search without noise thinks of positions: the value is the mean value of the most visited move, the policy `completed_policy`.

    With `inner` also what it thinks of all positions in its tree that were gone on from so many times (Veness et al. 2009, TreeStrap):
    each is evaluated by the part of the search below it. They come after the given ones; none of them is there twice.
    """
    _, tree = batched_search(BATCHED, states, network, simulations, c_puct, return_tree=True)
    games, nodes = np.arange(len(states)), np.full(len(states), ROOT)
    if inner:
        below = np.argwhere(tree.N[:, ROOT + 1 :].sum(axis=2) >= inner) + [0, ROOT + 1]
        _, different = np.unique(tree.states[tuple(below.T)], axis=0, return_index=True)
        games, nodes = np.concatenate([games, below[different, 0]]), np.concatenate([nodes, below[different, 1]])
    N, W, P, legal = (part[games, nodes] for part in (tree.N, tree.W, tree.P, tree.legal))
    policy, favorite, Q = completed_policy(N, W, P, legal, value_weight), N.argmax(axis=1), W / np.maximum(N, 1)
    value = Q[np.arange(len(Q)), favorite].astype(np.float32)
    found = tree.states[games, nodes]
    return Examples(BATCHED.encode(found).astype(bool), policy.astype(np.float32), value, value, stones(found), games=0)


def evaluate_games(
    config: EngineConfig,
    weights: bytes,
    seed: tuple[int, ...],
    games: int,
    plies: int,
    chance: float,
    sure: float,
    early_simulations: int,
    value_weight: float,
    inner: int,
) -> tuple[Examples, float]:
    """Positions of so many games, evaluated, by whichever process. Returns (examples, seconds of processor time)."""
    began = time.process_time()
    network = CachedNetwork(fast_inference(network_with(weights, GAME, config)))
    states = different_positions(network, games, plies, chance, sure, np.random.default_rng(seed))
    early = int(np.searchsorted(stones(states), EARLY))
    evaluated = [
        evaluated_by_search(
            network, group[first : first + SIDE_BY_SIDE], simulations, config.c_puct, value_weight, inner
        )
        for group, simulations in ((states[:early], early_simulations), (states[early:], config.simulations))
        for first in range(0, len(group), SIDE_BY_SIDE)
    ]
    return replace(join(evaluated), games=games), time.process_time() - began


def beginning(agent: nn.Module, widths: tuple[int, ...] | None, simulations: int, rate: float, seed: int) -> Run:
    """An agent's network in a run that goes on; or, with `widths`, a new one with random weights."""
    changes = dict(
        simulations=simulations,
        first_simulations=None,
        learning_rate=rate,
        window=None,
        root_share=0.3,
        noise_fraction=0.25,
    )  # the last two for whole games
    if widths is not None:
        return Run.start(GAME, config_for(GAME, widths=widths, mirror=True, symmetries="none", **changes), seed)
    run = Run.start(GAME, config_like(agent, **changes), seed)
    for net in (run.network, run.latest):
        net.load_state_dict(agent.state_dict())
    run.steps = 100_000  # the average is under way
    return run


@command("expert_iteration")
def expert_iteration(
    out=Path("runs/expert"),
    agent=Path("runs/seeds/160-1/connect_four.pt"),
    guided=0,
    widths=(512, 256, 128),
    iterations=200,
    games=1024,
    plies=(8, 16),
    chances=(0.2, 0.2),
    sure=0.4,
    simulations=100,
    early_simulations=100,
    guide_simulations=16,
    value_weight=0.1,
    inner=0,
    played=0,
    looks=16.0,
    positions=2_000_000,
    rate=4e-3,
    last_rate=2e-4,
    falls_after=0.5,
    seed=1,
    workers=2,
) -> Run:
    """AGENT goes on learning. Or a new network of WIDTHS learns, and evaluates for itself after so many iterations GUIDED by AGENT.

    In each iteration positions of GAMES games for each of PLIES and CHANCES, those of which the network is sure with the probability SURE,
    are evaluated by WORKERS processes or this one, with SIMULATIONS each, or EARLY_SIMULATIONS where there are fewer than 14 stones, or by AGENT
    with GUIDE_SIMULATIONS; with INNER also those in their trees that were gone on from so many times. Meanwhile LOOKS times as many
    examples as came in the last one are learned from, of the latest POSITIONS. Once the network evaluates for itself, it also plays twice PLAYED
    games as `lift` does, half as deep from ply 20 on. After the share FALLS_AFTER of the iterations the learning
    rate falls from RATE to LAST_RATE in a straight line. OUT keeps the network, and the run as it stands, which is returned: it goes on from there.
    """
    torch.set_num_threads(1)
    state = out / "state.pt"
    school = School(
        simulations=simulations, late_simulations=simulations // 2, value_weight=value_weight, play_learned=True
    )
    guide = load_network(agent, GAME.name)
    sizes = tuple(widths) if guided else None
    run = Run.resume(state, GAME) if state.exists() else beginning(guide, sizes, simulations, rate, seed)
    run.buffer.capacity = positions
    with hire(workers) as hired:
        while len(run.history) < iterations:
            began, cpu, number = time.perf_counter(), time.process_time(), len(run.history)
            alone = number >= guided
            weights = hired.share(to_bytes((run.network if alone else guide).state_dict()))
            config = run.config if alone else config_like(guide, simulations=guide_simulations)
            early = early_simulations if alone else guide_simulations
            orders = [
                hired.begin(
                    evaluate_games,
                    config,
                    weights,
                    (seed, number, part),
                    games,
                    most,
                    chance,
                    sure,
                    early,
                    value_weight,
                    inner,
                )
                for part, (most, chance) in enumerate(zip(plies, chances, strict=True))
            ]
            if alone and played:
                orders += [
                    hired.begin(
                        play_school, config, school, weights, 1.0, played, None, (seed, number, len(plies) + part)
                    )
                    for part in range(2)
                ]
            latest = run.history[-1]["examples"] if run.history else 0
            fallen = max(0.0, (number + 1) / iterations - falls_after) / (1 - falls_after)
            for group in run.optimizer.param_groups:
                group["lr"] = rate + (last_rate - rate) * fallen
            run.config = replace(run.config, iterations=iterations, steps=round(looks * latest / run.config.batch))
            losses = learn(run)
            parts, seconds = zip(*((done[0], done[-1]) for done in (order.result() for order in orders)), strict=True)
            run.keep(parts)
            cpu = time.process_time() - cpu + (sum(seconds) if hired.count else 0.0)
            run.log(parts, losses, None, None, time.perf_counter() - began, cpu)
            run.save(state)
            save_network(out / f"{GAME.name}.pt", run.network, GAME.name)
            told = ("iteration", "seconds", "cpu_seconds", "examples", "policy_loss", "value_loss")
            print(json.dumps({name: run.history[-1][name] for name in told}), flush=True)
    return run


@command("connect_four_half_hour")
def half_hour(
    simulations=(0, 100, 400), iterations=160, seeds=(1, 2, 3), into=Path("runs/half_hour"), workers=2, begun=()
) -> Iterator[Row]:
    """From random weights: a run of so many ITERATIONS of the course's training, and two generations of expert iteration; what each takes, and its share of value-keeping moves.

    Minutes are counted as in `connect_four_course`, from the beginning. The parts of a run are kept in the folder INTO, and gone on with.
    """
    positions = load_positions()
    for seed in seeds:
        if any(row["seed"] == seed for row in begun):
            continue
        out = into / f"0-{seed}"
        minutes = trained(out, minutes=600, seed=seed, iterations=iterations)[-1]["cpu_seconds"] / 120
        found: list[Row] = []
        for number in range(len(GENERATIONS) + 1):
            if number:
                agent, out = COURSE / out / f"{GAME.name}.pt", into / f"{number}-{seed}"
                settings = GENERATIONS[number - 1]
                run = expert_iteration(
                    out=COURSE / out, agent=agent, seed=seed + number - 1, workers=workers, **settings
                )
                minutes += run.cpu_seconds / 120
            network = FoldedNetwork(load_network(COURSE / out / f"{GAME.name}.pt", GAME.name))
            for searched in simulations:
                chosen = searched_moves(GAME, network, positions, searched)
                head = dict(seed=seed, generation=number, minutes=round(minutes, 2), simulations=searched)
                found += shares_kept(positions, chosen, **head)
        yield from found


@command("connect_four_half_hour_searches")
def half_hour_searches(simulations=100, seeds=(1, 2, 3), into=Path("runs/half_hour")) -> Iterator[Row]:
    """The networks that `half_hour` left in the folder INTO, each with as many simulations by PUCT and by Gumbel search."""
    positions = load_positions()
    states = BATCHED.from_states([position.state for position in positions])
    for seed, generation in product(seeds, range(len(GENERATIONS) + 1)):
        left = COURSE / into / f"{generation}-{seed}" / f"{GAME.name}.pt"
        network = FoldedNetwork(load_network(left, GAME.name))
        chosen = {
            "PUCT": best_moves(BATCHED, states, network, simulations),
            "Gumbel": batched_gumbel_search(BATCHED, states, network, simulations).actions,
        }
        for search, moves in chosen.items():
            yield from shares_kept(
                positions, moves, seed=seed, generation=generation, simulations=simulations, search=search
            )
