"""A training run in a folder: progress bar, metrics, state after every iteration, resumed where it stopped."""

import json
import time
from dataclasses import replace
from pathlib import Path

import torch
from tqdm.auto import tqdm

from course_utils.files import write_atomically
from course_utils.games import Game, make_game
from course_utils.games.tictactoe import TicTacToe
from course_utils.learning.batched_training import PRESETS, BatchedTraining, BatchedTrainingConfig, train_batched
from course_utils.learning.training import Training, TrainingConfig, train_alphazero
from course_utils.networks.checkpoint import read, save_network

SNAPSHOT_EVERY = 2  # iterations of a batched run


def train_in_folder(
    out: Path,
    game_name: str,
    minutes: float,
    seed: int,
    *,
    batched: bool | None = None,
    workers: int | None = None,
    **overrides,
) -> Training | BatchedTraining:
    """Train until the iterations are done or `minutes` are over; Ctrl-C stops it, too, and loses at most one iteration.

    `out` then holds `state.pt` (to resume from), `metrics.json` and `<game>.pt` (the agent); a batched run leaves `snapshots/`
    of the agent on its way, too.

    Args:
        batched: whether to play many games at once; without, training is that of notebook 08. None: all but tic-tac-toe.
        workers: as for `train_batched`.
        overrides: fields of `TrainingConfig` or `BatchedTrainingConfig`, for a run that begins. In a run that goes on only
            `iterations` counts: it may be made longer.

    Raises:
        ValueError: no such game; or `out` holds a damaged state, or one of another game or kind of training.
    """
    torch.set_num_threads(1)  # two threads are slower than one on networks this small
    game = make_game(game_name)
    batched = not isinstance(game, TicTacToe) if batched is None else batched
    training = start_or_resume(out / "state.pt", game, batched, seed, overrides)
    deadline = time.monotonic() + 60 * minutes
    bar = tqdm(total=training.config.iterations, initial=len(training.history), unit="iteration")

    def after_iteration(run: Training | BatchedTraining) -> bool:
        latest = run.history[-1]
        agent = run.average if batched else run.champion
        run.save(out / "state.pt")
        write_atomically(out / "metrics.json", json.dumps(run.history, indent=1))
        save_network(out / f"{game_name}.pt", agent, game_name)
        if batched and latest["iteration"] % SNAPSHOT_EVERY == 0:
            save_network(out / "snapshots" / f"{latest['iteration']:04}.pt", agent, game_name)
        losses = {name: latest[name] for name in ("policy_loss", "value_loss") if latest[name] is not None}
        bar.set_postfix({name: f"{loss:.2f}" for name, loss in losses.items()})
        bar.update()
        return time.monotonic() > deadline

    try:
        if batched:
            train_batched(training, after_iteration, workers=workers)
        else:
            train_alphazero(training, after_iteration)
    except KeyboardInterrupt:
        print(f"Stopped. The same command goes on from iteration {len(training.history) + 1}.")
    finally:
        bar.close()
    return training


def start_or_resume(state: Path, game: Game, batched: bool, seed: int, overrides: dict) -> Training | BatchedTraining:
    """The run saved at `state`, or a new one if there is none. Raises ValueError: it is damaged, or another kind of run."""
    kind = BatchedTraining if batched else Training
    if not state.exists():
        config = PRESETS.get(game.name, BatchedTrainingConfig()) if batched else TrainingConfig()
        return kind.start(game, replace(config, **overrides), seed)
    found = read(state)
    if found.get("game") != game.name or ("batched_training" in found) != batched:
        how = " in batches" if "batched_training" in found else ""
        raise ValueError(f"{state} is a training run of {found.get('game')}{how}: choose another folder")
    training = kind.resume(state)
    if "iterations" in overrides:
        training.config = replace(training.config, iterations=overrides["iterations"])
    return training
