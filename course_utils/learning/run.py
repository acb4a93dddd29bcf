"""A training run in a folder: progress bar, metrics, state after every iteration, resumed where it stopped."""

import json
import time
from dataclasses import replace
from pathlib import Path

import torch
from tqdm.auto import tqdm

from course_utils.files import write_atomically
from course_utils.games import Game
from course_utils.learning.engine import train
from course_utils.learning.training import Run, config_for
from course_utils.networks.checkpoint import save_network

SNAPSHOT_EVERY = 2  # iterations


def train_in_folder(
    out: Path,
    game: Game,
    minutes: float,
    seed: int,
    *,
    lockstep: bool = False,
    workers: int | None = None,
    **changes,
) -> Run:
    """Train until the iterations are done or `minutes` are over; Ctrl-C stops it, too, and loses at most one iteration.

    `out` then holds `state.pt` (to resume from), `metrics.json`, `<game>.pt` (the agent) and `snapshots/` of the agent on its way.

    Args:
        lockstep, changes: as for `config_for`, for a run that begins. In a run that goes on only `iterations`
            counts: it may be made longer.
        workers: as for `train`.

    Raises:
        ValueError: `out` holds a damaged state, one of another game, or one of games that are not played in lock step.
    """
    torch.set_num_threads(1)  # two threads are slower than one on networks this small
    run = start_or_resume(out / "state.pt", game, seed, lockstep, changes)
    deadline = time.monotonic() + 60 * minutes
    bar = tqdm(total=run.config.iterations, initial=len(run.history), unit="iteration")

    def after_iteration(run: Run) -> bool:
        latest = run.history[-1]
        run.save(out / "state.pt")
        write_atomically(out / "metrics.json", json.dumps(run.history, indent=1))
        save_network(out / f"{game.name}.pt", run.champion, game.name)
        if latest["iteration"] % SNAPSHOT_EVERY == 0:
            save_network(out / "snapshots" / f"{latest['iteration']:04}.pt", run.champion, game.name)
        losses = {name: latest[name] for name in ("policy_loss", "value_loss") if latest[name] is not None}
        bar.set_postfix({name: f"{loss:.2f}" for name, loss in losses.items()})
        bar.update()
        return time.monotonic() > deadline

    try:
        train(run, after_iteration, workers=workers)
    except KeyboardInterrupt:
        print(f"Stopped. The same command goes on from iteration {len(run.history) + 1}.")
    finally:
        bar.close()
    return run


def start_or_resume(state: Path, game: Game, seed: int, lockstep: bool, changes: dict) -> Run:
    """The run saved at `state`, or a new one if there is none. Raises ValueError: it is damaged, or another kind of run."""
    if not state.exists():
        return Run.start(game, config_for(game, lockstep=lockstep, **changes), seed)
    run = Run.resume(state, game)
    if lockstep and not run.config.lockstep:
        raise ValueError(f"{state} is a training run of {game.name}, one game at a time: choose another folder")
    if "iterations" in changes:
        run.config = replace(run.config, iterations=changes["iterations"])
    return run
