"""The engine: the loop of `train_alphazero`, with the parts that a config may exchange.

Two players of games: `self_play_game`, one game after the other; or `batched_self_play`, many in lock step, in other processes, while
this one learns from the games of the iterations before. Two ways to promote: the gate; or the *average*, in which the champion is the
average of the candidate's weights over its latest steps. It is steadier than the candidate and rarely worse, so it needs no examination.
"""

import io
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import torch
from torch import nn

from course_utils.exercise import adopt, exercise, sources_in_force
from course_utils.games import Game
from course_utils.games.batched import make_batched
from course_utils.learning.arena import Score, gate, random_openings
from course_utils.learning.batched_self_play import batched_self_play
from course_utils.learning.examples import Examples
from course_utils.learning.self_play import self_play_game
from course_utils.learning.training import Run, TrainingConfig, new_network, train_step
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.checkpoint import to_bytes
from course_utils.networks.fast import fast_inference, fast_learning
from course_utils.networks.policy_value import TorchNetwork


def train(run: Run, callback: Callable[[Run], bool | None] | None = None, *, workers: int | None = None) -> None:
    """Go on until the history has `config.iterations` entries, from wherever it stands.

    With the default config this is `train_alphazero`, to the last bit.

    Args:
        callback: called with `run` after each iteration; training stops early if it returns True.
        workers: how many processes play the games in lock step; None: one a core, at most `config.parts`; 0: this one plays, too.
            Whoever plays, the games are the same.
    """
    if workers is None:
        workers = min(run.config.parts, os.cpu_count() or 1)
    with worker_pool(workers if run.config.lockstep else 0) as pool:
        while len(run.history) < run.config.iterations:
            iteration(run, pool)
            if callback is not None and callback(run):
                return


def iteration(run: Run, pool: Executor | None) -> None:
    config, began, cpu = run.config, time.perf_counter(), time.process_time()
    run.set_learning_rate()
    if config.lockstep:
        playing = play_in_lockstep(run, pool)
        losses = learn(run)  # meanwhile, from what was played before
        games = [part.result()[0] for part in playing]
        cpu -= sum(part.result()[1] for part in playing) if pool is not None else 0.0
        run.keep(games)
    else:
        network = TorchNetwork(run.champion)
        games = [self_play_game(run.game, network, run.rng, **run.settings()) for _ in range(config.games)]
        run.keep(games)
        losses = learn(run)
    accepted, score = pass_gate(run) if config.promotion == "gate" else (None, None)
    run.log(games, losses, accepted, score, time.perf_counter() - began, time.process_time() - cpu)


# --- learning and promotion ------------------------------------------------------------------------------------------


def learn(run: Run) -> list[dict[str, float]]:
    """The steps of an iteration; with "average", the champion follows each of them. Returns their losses."""
    if not len(run.buffer):
        return []  # the first games are still being played
    net, losses = fast_learning(run.candidate), []
    for _ in range(run.config.steps):
        losses.append(train_step(net, run.optimizer, *run.sample()))
        run.steps += 1
        if run.config.promotion == "average":
            keep = min(run.config.average, (1 + run.steps) / (10 + run.steps))
            update_average(run.champion, run.candidate, keep)
    return losses


def pass_gate(run: Run) -> tuple[bool, Score]:
    """Let the candidate take the champion's place if it is good enough. Returns (whether it was, its score)."""
    config = run.config
    candidate, champion = (run.agent(net, config.gate_simulations) for net in (run.candidate, run.champion))
    openings = random_openings(run.game, config.gate_openings, config.gate_plies, run.rng)
    accepted, score = gate(run.game, candidate, champion, openings, config.gate_threshold)
    if accepted:
        run.champion.load_state_dict(run.candidate.state_dict())
    return accepted, score


@exercise("10")
@torch.no_grad()
def update_average(average: nn.Module, net: nn.Module, keep: float) -> None:
    """average = keep * average + (1 - keep) * net, batch norm's statistics included.

    Every weight takes part, frozen ones, too; whole numbers (batch norm's counter) are copied. `average` keeps tensors of its own,
    and `net` stays as it is.
    """
    for mean, latest in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
        if mean.is_floating_point():
            mean.lerp_(latest, 1 - keep)
        else:
            mean.copy_(latest)


# --- games in lock step, played by this process or by others -----------------------------------------------------------


def play_in_lockstep(run: Run, pool: Executor | None) -> list[Future]:
    """Begin the games of an iteration, in `config.parts` parts. Each result is (examples, seconds of processor time)."""
    config, weights = run.config, to_bytes(run.champion.state_dict())
    names = ("search", "opening_share", "opening_plies", "blunder_margin", "root_share")
    settings = run.settings() | {name: getattr(config, name) for name in names}
    parts = []
    for part in range(config.parts):
        games = config.games * (part + 1) // config.parts - config.games * part // config.parts
        seed = (run.seed, len(run.history), part)
        parts.append(submit(pool, play_part, run.game, config, weights, games, seed, settings))
    return parts


def play_part(
    game: Game, config: TrainingConfig, weights: bytes, games: int, seed: tuple[int, ...], settings: dict
) -> tuple[Examples, float]:
    """Self-play, for another process: `games` games at once. Returns (examples, seconds of processor time)."""
    began = time.process_time()
    net = new_network(game, config, seed=0)
    net.load_state_dict(torch.load(io.BytesIO(weights), weights_only=True))
    network = fast_inference(net)
    if config.network == "resnet":  # the small network answers sooner than the memory would
        network = CachedNetwork(network)
    rng = np.random.default_rng(seed)
    examples = batched_self_play(make_batched(game), network, games, rng, lockstep=games, **settings)
    return replace(examples, planes=examples.planes.astype(bool)), time.process_time() - began


def submit(pool: Executor | None, work: Callable, *arguments) -> Future:
    """`pool.submit`; without a pool the work is done at once."""
    if pool is not None:
        return pool.submit(work, *arguments)
    done: Future = Future()
    done.set_result(work(*arguments))
    return done


@contextmanager
def worker_pool(workers: int) -> Iterator[Executor | None]:
    """Processes that play by the learner's functions, as this one does. None if there are to be none."""
    if workers == 0:
        yield None
        return
    spawn = multiprocessing.get_context("spawn")  # a fork would copy torch's threads in whatever state they are
    pool = ProcessPoolExecutor(workers, spawn, initializer=become_worker, initargs=(sources_in_force(),))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def become_worker(sources: dict[str, str]) -> None:
    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that learns
    adopt(sources)
