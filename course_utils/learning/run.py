"""A training run in a folder: progress bar, metrics, state after every iteration, resumed where it stopped."""

import json
import time
from pathlib import Path

import torch
from tqdm.auto import tqdm

from course_utils.files import write_atomically
from course_utils.games import make_game
from course_utils.learning.training import Training, TrainingConfig, train_alphazero
from course_utils.networks.checkpoint import save_network


def train_in_folder(out: Path, game_name: str, minutes: float, seed: int, **overrides) -> Training:
    """Train until the iterations are done or `minutes` are over; Ctrl-C stops it, too, and loses at most one iteration.

    `out` then holds `state.pt` (to resume from), `metrics.json` and `<game>.pt` (the agent).

    Raises:
        ValueError: no such game; or `out` holds a damaged state, or one of another game.
    """
    torch.set_num_threads(1)  # two threads are slower than one on networks this small
    game = make_game(game_name)
    state = out / "state.pt"
    if state.exists():
        training = Training.resume(state)
        if training.game.name != game_name:
            raise ValueError(f"{state} is a run of {training.game.name}, not of {game_name}: choose another folder")
    else:
        training = Training.start(game, TrainingConfig(**overrides), seed)
    deadline = time.monotonic() + 60 * minutes
    bar = tqdm(total=training.config.iterations, initial=len(training.history), unit="iteration")

    def after_iteration(run: Training) -> bool:
        latest = run.history[-1]
        run.save(state)
        write_atomically(out / "metrics.json", json.dumps(run.history, indent=1))
        save_network(out / f"{game_name}.pt", run.champion, game_name)
        bar.set_postfix(policy_loss=f"{latest['policy_loss']:.2f}", value_loss=f"{latest['value_loss']:.2f}")
        bar.update()
        return time.monotonic() > deadline

    try:
        train_alphazero(training, after_iteration)
    except KeyboardInterrupt:
        print(f"Stopped. The same command goes on from iteration {len(training.history) + 1}.")
    finally:
        bar.close()
    return training
