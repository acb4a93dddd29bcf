"""What limits the speed of training: the steps of an iteration by themselves, and iterations by 0 to 32 workers.

Connect Four with a small network, and few simulations and steps, so that it takes minutes. A model is fitted to the
parts (`course_utils.learning.scaling`), and tested on the whole iterations.

Seconds are those of processor time, of each process by itself, so that it makes no difference how many cores the
machine has, and waiting for one does not count (what else it does may still slow the arithmetic): an iteration is as
long as what must be done one after the other, with a core for each worker.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from course_utils.exercise import using
from course_utils.games import ConnectFour
from course_utils.learning.config import config_for
from course_utils.learning.engine import learn
from course_utils.learning.examples import Examples
from course_utils.learning.run import Run
from course_utils.learning.scaling import beside_others, fit_costs, iteration_seconds, measured_seconds
from course_utils.learning.workers import games_of, play_batch
from course_utils.networks.checkpoint import to_bytes
from course_utils.results import Result, Row, table
from lab.command import command
from lab.shown import each, table_of

GAME = ConnectFour()
SHORT = dict(
    network="resnet",
    blocks=3,
    channels=32,
    first_simulations=None,
    simulations=16,
    opening_share=0.0,
    steps=20,
    batch=256,
)
ALONE = {
    8: 8,
    16: 4,
    32: 3,
    64: 2,
    128: 1,
    256: 1,
    512: 1,
}  # games side by side in one process: how often, with other seeds each time
GAMES = 256  # of an iteration
WORKERS = (0, 1, 2, 4, 8, 16, 32)


def begun(seed: int) -> Run:
    return Run.start(GAME, config_for(GAME, games=GAMES, **SHORT), seed)


def cpu(since: float = 0.0) -> float:
    """Seconds of processor time of this process, in all its threads."""
    return time.process_time() - since


def requests(run: Run, parts: int, games: int) -> list[tuple]:
    """The arguments of `play_batch` for so many games, in so many parts."""
    config, weights = replace(run.config, games=games, parts=parts), to_bytes(run.network.state_dict())
    settings = run.lockstep_settings()
    return [(GAME, config, weights, games_of(config, part), (run.seed, part), settings) for part in range(parts)]


def returned(weights: bytes, games: Examples) -> Examples:
    """Return the games, as a worker that plays in no time."""
    return games


def finish(run: Run, games: list[Examples], losses: list[dict]) -> None:
    """Do the learner's work between the games of two iterations."""
    run.keep(games)
    run.log(games, losses, None, None, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "state.pt")


@command("scaling")
def scaling(rounds=3, seeds=(0,)) -> Iterator[Row]:
    """Seconds of self-play by games, of learning, saving and sending; and of iterations with 0 to 32 workers."""
    [seed] = seeds
    # all of them play here, one part after the other if there are more parts
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        for waiting in [pool.submit(time.sleep, 1) for _ in range(os.cpu_count() or 1)]:
            waiting.result()  # they start
        for number in range(rounds):
            for count, times in ALONE.items():
                parts = [play_batch(*request) for request in requests(begun(seed), times, times * count)]
                seconds = sum(seconds for _, seconds in parts) / times
                simulations = sum(len(games) for games, _ in parts) * SHORT["simulations"] / times
                yield dict(part="play", games=count, seconds=seconds, simulations=simulations, round=number)
                if count == GAMES:
                    [(usual, _)] = parts
            for name, seconds in learner_costs(seed, usual, pool):
                yield dict(part=name, games=GAMES, seconds=seconds, round=number)
            for workers in WORKERS:
                for name, seconds in iteration(begun(seed), usual, workers, pool):
                    yield dict(part="iteration", games=GAMES, workers=workers, name=name, seconds=seconds, round=number)


def learner_costs(seed: int, games: Examples, pool: Executor) -> Iterator[tuple[str, float]]:
    """(name, seconds) of all that is not self-play."""
    run = begun(seed)
    finish(run, [games], [])  # warm
    learn(run)
    began = cpu()
    learn(run)
    yield "learn", cpu(began)
    began = cpu()
    finish(run, [games], [])
    yield "rest", cpu(began)
    weights, times = to_bytes(run.network.state_dict()), 50
    began = cpu()
    for future in [pool.submit(returned, weights, games[:100]) for _ in range(times)]:
        future.result()
    yield "send", cpu(began) / times


def iteration(run: Run, before: Examples, workers: int, pool: Executor) -> Iterator[tuple[str, float]]:
    """An iteration as `engine.train` does it: (name, seconds) of what the learner does, and of each worker's part."""
    run.keep([before])
    learn(run)  # warm
    began = cpu()
    batches = requests(run, max(1, workers), GAMES)
    playing = [pool.submit(play_batch, *request) for request in batches] if workers else []
    yield "sent", cpu(began)
    results = [] if workers else [play_batch(*request) for request in batches]
    began = cpu()
    losses = learn(run)
    yield "learned", cpu(began)
    began = cpu()
    results += [future.result() for future in playing]
    finish(run, [games for games, _ in results], losses)
    yield "finished", cpu(began)
    for number, (_, seconds) in enumerate(results):
        yield f"part {number}", seconds


@table_of("scaling")
def predicted_iterations(result: Result) -> str:
    """Games per second by workers: predicted by the model of the notebook 'Scaling out', and measured."""
    lines = []
    with using({}):
        alone = fit_costs(result.rows)
        beside = beside_others(alone, result.where(part="iteration", workers=1))
        for count in each(result.where(part="iteration"), "workers"):
            rows = result.where(part="iteration", workers=count)
            games = rows[0]["games"]
            predicted = iteration_seconds(count, games, beside if count else alone)
            measured, average = measured_seconds(rows)
            heads = {
                "predicted": predicted,
                "measured": measured,
                "if all workers were as fast as the average": average,
            }
            lines.append({"workers": count} | {head: f"{games / seconds:.0f}" for head, seconds in heads.items()})
    return table(lines)
