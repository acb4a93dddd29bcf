"""A training run in a folder: progress bar, metrics, state after every iteration, resumed where it stopped."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch
from filelock import FileLock, Timeout
from tqdm.auto import tqdm

from course_utils.files import clear_unfinished, write_atomically
from course_utils.games import Game, address
from course_utils.games.batched import make_batched
from course_utils.learning.config import config_for
from course_utils.learning.engine import train
from course_utils.learning.grades import KINDS, LOSING, grader
from course_utils.learning.run import Run
from course_utils.learning.workers import Workers, hire
from course_utils.limits import number
from course_utils.networks.checkpoint import save_network
from course_utils.paths import command
from course_utils.search.on_device import DeviceGame

SNAPSHOT_EVERY = 2  # iterations, of a run that is not long
SNAPSHOTS = 40  # of a run at most; in Connect Four one takes 2 MB


BAR = "{n_fmt} of {total_fmt} iterations |{bar}| {elapsed}{postfix}"


class CannotGoOn(OSError):
    """A run that stops because of the machine; the message says why, and from where it goes on."""


def train_in_folder(
    out: Path,
    game: Game,
    minutes: float,
    seed: int | None = None,
    *,
    lockstep: bool = False,
    workers: int | str | Workers | None = None,
    device: str = "cpu",
    **changes,
) -> Run:
    """Train until the iterations are done or `minutes` are over.

    Ctrl-C stops it, too, and loses at most the iteration under way; so does SIGKILL at any moment. `out` holds
    `state.pt` (to resume from), `metrics.json`, `<game>.pt` (the agent) and `snapshots/` of the agent on its way (of a
    long run not all: `between_snapshots`); the last three are made from the state, which is written first.

    Args:
        seed: None: that of the run which goes on, or 0.
        lockstep, changes: as for `config_for`, for a run that begins. In a run that goes on only `iterations`
            counts: it may be made longer.
        workers: as for `hire`. A run that begins has a part for each of those who play ahead.
        device: as for `train`. On another than "cpu" one process plays, if nothing else is said.

    Raises:
        ValueError: `out` holds a damaged state, one of another game or seed, or one of games that are not played in
            lock step; another process trains there; there is no such device.
        CannotGoOn: the folder can't be written, or a process that played was killed. What was saved last stands.
    """
    check_device(device, game, workers)
    minutes = number("minutes", minutes, endless=True)
    workers = 1 if workers is None and device != "cpu" else workers
    torch.set_num_threads(1)  # two threads are slower than one on networks this small
    saved = 0  # iterations

    def save(run: Run, state: bool = True) -> None:
        nonlocal saved
        with writing_into(out):
            if state:
                run.save(out / "state.pt")
            saved = len(run.history)
            if run.history:
                write_atomically(out / "metrics.json", json.dumps(run.history, indent=1))
                save_network(out / f"{game.name}.pt", run.network, game.name)
                every = between_snapshots(saved)
                if saved % every == 0:
                    save_network(out / "snapshots" / f"{saved:04}.pt", run.network, game.name)
                for path in (out / "snapshots").glob("[0-9]*.pt"):
                    if path.stem.isdecimal() and int(path.stem) % every:
                        path.unlink(missing_ok=True)

    def after_iteration(run: Run) -> bool:
        save(run)
        latest = run.history[-1]
        losses = {name: latest[name] for name in ("policy_loss", "value_loss") if latest[name] is not None}
        bar.update()
        bar.set_postfix_str(", ".join([to_go(bar, deadline), *(f"{name} {loss:.2f}" for name, loss in losses.items())]))
        return time.monotonic() > deadline

    try:
        with hire(workers) as hired, alone_in(out):
            run = start_or_resume(out / "state.pt", game, seed, lockstep, changes, hired.count if hired.ahead else 1)
            saved = len(run.history)
            with writing_into(out):
                clear_unfinished(out)
                clear_unfinished(out / "snapshots")
            save(run, state=not (out / "state.pt").exists())  # of a run that was killed, the other files may be older
            deadline = time.monotonic() + 60 * minutes
            with tqdm(total=run.config.iterations, initial=saved, bar_format=BAR) as bar:
                try:
                    train(run, after_iteration, workers=hired, device=device)
                except KeyboardInterrupt:
                    run = Run.resume(out / "state.pt", game)  # not one that stands between two steps
                    save(run, state=False)
                    bar.write(f"Stopped. The same command goes on from iteration {saved + 1}.")
    except BrokenExecutor:
        reason = "a process that played was killed, perhaps because the memory ran out"
    except OSError as error:
        reason = str(error)
    else:
        return run
    raise CannotGoOn(f"{reason}. What was saved is safe: the same command goes on from iteration {saved + 1}")


def to_go(bar: tqdm, deadline: float) -> str:
    """Say how long the run will still take, and whether its iterations or its minutes will end it."""
    numbers = bar.format_dict
    seconds_each = numbers["elapsed"] / (bar.n - bar.initial)
    iterations, minutes = seconds_each * (bar.total - bar.n), max(0.0, deadline - time.monotonic())
    if iterations <= minutes:
        return f"{tqdm.format_interval(iterations)} to go"
    return f"{tqdm.format_interval(minutes)} to go, when the minutes are over"


def what_came_of_it(run: Run, out: Path) -> str:
    """Say where the agent of a run is, how strong it is if that takes a second or two, and how to play against it."""
    game, path = run.game, out / f"{run.game.name}.pt"
    if not run.history:
        return f"No iteration was finished, so {out} holds no agent yet."
    played = sum(entry["games"] for entry in run.history)
    lines = [f"{path} is the agent after {len(run.history)} iterations and {played:,} games."]
    if grade := grader(game):
        grades = grade(run.network)
        lost = grades.pop(LOSING, None)
        shares = ", ".join(f"{share:.1%} {how}" for how, share in grades.items() if how not in KINDS)
        lines.append(f"Right in positions where some move loses value: {shares}.")
        if lost is not None:
            lines.append(f"Alone it loses {lost:.0f} of all games that can be played against it.")
    lines.append(f"Play against it: {command('play', game=address(game), terminal=True, against=path)}")
    return "\n".join(lines)


def between_snapshots(iterations: int) -> int:
    """The iterations between two snapshots after so many: doubled whenever there would be more than `SNAPSHOTS`."""
    every = SNAPSHOT_EVERY
    while iterations // every > SNAPSHOTS:
        every *= 2
    return every


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """As long as no other process does the same; the system notices if this one is killed.

    Raises ValueError: another does.
    """
    lock = FileLock(folder / "run.lock", timeout=0)
    with writing_into(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire()
        except Timeout:
            raise ValueError(f"another process trains in {folder}: wait for it, or choose another folder") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def writing_into(folder: Path) -> Iterator[None]:
    """Raises CannotGoOn: the system does not let us write."""
    try:
        yield
    except OSError as error:
        raise CannotGoOn(f"can't write into {folder}: {error.strerror or error}") from None


def check_device(device: str, game: Game, workers: int | str | Workers | None) -> None:
    """Raises ValueError: this game can't be played there."""
    if device == "cpu":
        return
    if device != "cuda":
        raise ValueError(f"a device is cpu or cuda, not {device}")
    if not torch.cuda.is_available():
        raise ValueError("DEVICE=cuda needs a GPU that PyTorch can use, and finds none: leave DEVICE out")
    if workers == "ray":
        raise ValueError("DEVICE=cuda is for processes of this machine: leave WORKERS=ray out")
    DeviceGame(make_batched(game), device)


def start_or_resume(state: Path, game: Game, seed: int | None, lockstep: bool, changes: dict, parts: int = 1) -> Run:
    """The run saved at `state`, or a new one, of at least so many parts, if there is none.

    Raises ValueError: it is damaged, or another run.
    """
    if not state.exists():
        config = config_for(game, lockstep=lockstep, **changes)
        return Run.start(game, replace(config, parts=max(config.parts, min(parts, config.games))), seed or 0)
    run = Run.resume(state, game)
    if lockstep and not run.config.lockstep:
        raise ValueError(f"{state} is a training run of {game.name}, one game at a time: choose another folder")
    if seed not in (None, run.seed):
        raise ValueError(f"{state} is a run with seed {run.seed}, not {seed}: choose another folder")
    if "iterations" in changes:
        run.config = replace(run.config, iterations=changes["iterations"])
    return run
