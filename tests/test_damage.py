"""Files that were damaged on their way: whoever reads one says so in a sentence of its own, or has read what was
written.
"""

import copy
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
import torch

from course_utils import pictures, record
from course_utils.answers import stubs
from course_utils.classroom import batch
from course_utils.classroom.grading import Row
from course_utils.files import Damaged
from course_utils.games import ConnectN, TicTacToe
from course_utils.learner import travel
from course_utils.learning import rollout_games
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.material import build, merging, source_files
from course_utils.networks import checkpoint
from course_utils.networks.checkpoint import CheckpointError, load_network, save_network
from course_utils.networks.policy_value import make_network
from course_utils.networks.resnet import make_resnet
from course_utils.networks.wide import make_wide
from tests.tab_torch import small

GAME = TicTacToe()
TIMES = 30  # as many of each reader in `make check`
NOTEBOOK = "01_the_game.ipynb"


@dataclass
class Reader:
    """What reads a kind of file.

    Attributes:
        write: (path, seed) -> writes a valid one; two seeds give different ones.
        read: path -> what it holds, to be compared; None: "there is nothing to be read".
        refuses: the exception that says in a sentence what is wrong.
    """

    write: Callable[[Path, int], None]
    read: Callable[[Path], Any]
    refuses: type[Exception] = CheckpointError


def plain(value: Any) -> Any:
    """The same for arrays, networks and whatever holds them."""
    if isinstance(value, torch.nn.Module):
        return plain([value.config, value.settings, value.state_dict()])
    if isinstance(value, torch.Tensor | small.Tensor | np.ndarray):
        return np.asarray(value).dtype.str, np.shape(value), np.asarray(value).tobytes()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def write_agent(path, seed, make=make_network, game=GAME, **sizes):
    save_network(path, make(game, seed, **sizes), game.name)


def write_state(path, seed):
    config = TrainingConfig(iterations=2, games=2, simulations=2, steps=2, batch=8, buffer=40)
    from course_utils.learning.training import train_alphazero

    run = Run.start(GAME, config, seed)
    train_alphazero(run)
    run.save(path)


def read_state(path):
    run = Run.resume(path, GAME)
    parts = [run.network, run.latest, run.optimizer.state_dict(), vars(run.buffer.examples)]
    return plain([*parts, run.rng.bit_generator.state, asdict(run.config), run.history, run.seed, run.steps])


def read_in_the_tab(path):
    checkpoint.torch = small
    try:
        return plain(checkpoint.read(path))
    finally:
        checkpoint.torch = torch


def write_record(path, seed):
    record.save(record.Answer("backup", f"def backup(leaf, value):\n    return {seed}", 3, 10, True), path.parent)
    (path.parent / "answers" / "backup.json").rename(path)


def write_rows(path, seed):
    row = Row("ada", "03_puct_search", "backup", "partial", 7 + seed, 10, "", code="def backup(): ...", told={"a": [1]})
    batch.save(path.parent, "ada", {"backup": "key"}, [row])
    batch._path(path.parent, "ada").rename(path)


def read_rows(path):
    there = batch._path(path.parent, "ada")
    shutil.copy(path, there)
    rows = batch.load(path.parent, "ada", {"backup": "key"})
    return [vars(row) for row in rows.values()] or None


def write_games(path, seed):
    rng = np.random.default_rng(seed)
    rollout_games.save_games(path, [rollout_games.rollout_game(GAME, 2, rng) for _ in range(2)])


def read_games(path):
    shutil.copy(path, rollout_games.DATA / "some.npz")
    return plain(list(rollout_games.load_games("some")))


ANSWER = "# {}\n" + stubs.reference("winner")
COURSE = build.build(source_files.sources("01")[0])


def write_answers(path, seed):
    notebooks, folder = path.parent / f"work{seed}", path.parent / f"record{seed}"
    notebooks.mkdir(exist_ok=True)
    notebook = copy.deepcopy(COURSE)
    next(cell for cell in notebook.cells if cell.metadata.get("exercise") == "winner").source = ANSWER.format(seed)
    (notebooks / NOTEBOOK).write_text(merging.to_text(notebook), "utf-8")
    (notebooks / "own.ipynb").write_text(merging.to_text(nbformat.v4.new_notebook()), "utf-8")
    record.save(record.Answer("winner", ANSWER.format(seed), 3, 3, True), folder)
    (folder / "agents").mkdir(exist_ok=True)
    (folder / "agents" / "tictactoe.pt").write_bytes(bytes(range(200)))
    path.write_bytes(travel.pack(notebooks, folder))


def read_answers(path):
    """All that is there after it was taken in. Where it is refused, nothing has changed."""
    home, folder = path.parent / "home", path.parent / "home-record"
    for place in (home, folder):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
    (home / NOTEBOOK).write_text(merging.to_text(COURSE), "utf-8")

    def everything():
        files = [path for place in (home, folder) for path in place.rglob("*") if path.is_file()]
        return {path: path.read_bytes() for path in files if path.name != travel.SEEN}

    before = everything()
    try:
        travel.take_in(path.read_bytes(), home, folder)
    except travel.CannotTakeIn:
        assert everything() == before
        raise
    return everything()


READERS = {
    "an agent": Reader(write_agent, lambda path: plain(load_network(path, GAME.name))),
    "a wide agent": Reader(
        lambda path, seed: write_agent(path, seed, make_wide, widths=(8, 8), mirror=True),
        lambda path: plain(load_network(path, GAME.name)),
    ),
    "a residual agent": Reader(
        lambda path, seed: write_agent(path, seed, make_resnet, ConnectN(3, 4, 3), blocks=1, channels=4),
        lambda path: plain(load_network(path, "connect_3_on_3x4")),
    ),
    "an agent in the tab": Reader(write_agent, read_in_the_tab),
    "a training run": Reader(write_state, read_state),
    "answers": Reader(write_answers, read_answers, travel.CannotTakeIn),
    "a record": Reader(write_record, lambda path: record.parse(path.read_bytes()), Damaged),
    "graded rows": Reader(write_rows, read_rows),
    "recorded games": Reader(write_games, read_games, ValueError),
    "a picture": Reader(
        lambda path, seed: pictures.keep_picture(
            path.name.removesuffix(".json"), {"image/png": "iVBOR", "text": str(seed)}
        ),
        lambda path: pictures.latest_picture(path.name.removesuffix(".json")) or None,
    ),
}


def damage(rng: np.random.Generator, content: bytes, foreign: bytes) -> bytes:
    """Up to three times: some bits flipped, a piece cut out, the end cut off, bytes put in, a piece of another such
    file in its place.
    """
    for _ in range(rng.integers(1, 4)):
        at, length = int(rng.integers(len(content) + 1)), int(rng.integers(1, 40))
        match rng.integers(5):
            case 0:
                changed = bytes(
                    byte ^ (1 << int(rng.integers(8))) for byte in content[at : at + int(rng.integers(1, 4))]
                )
                content = content[:at] + changed + content[at + len(changed) :]
            case 1:
                content = content[:at] + content[at + length :]
            case 2:
                content = content[:at] if rng.integers(4) == 0 else content
            case 3:
                content = content[:at] + rng.bytes(length) + content[at:]
            case 4:
                length *= int(rng.integers(1, 30))
                content = content[:at] + foreign[at : at + length] + content[at + length :]
    return content


@pytest.mark.parametrize("times", [TIMES, pytest.param(1000, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_refused_in_a_sentence_or_read_as_it_was_written(name, times, tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "_folder", lambda: tmp_path)
    monkeypatch.setattr(rollout_games, "DATA", tmp_path)
    reader, path = READERS[name], tmp_path / "0.json"
    for seed in (0, 1):
        reader.write(tmp_path / f"{seed}.json", seed)
    content, foreign = path.read_bytes(), (tmp_path / "1.json").read_bytes()
    wanted, rewritten = (
        reader.read(path),
        reader.read(tmp_path / "1.json"),
    )  # of which all that differs may have come over
    assert wanted != rewritten and None not in (wanted, rewritten)
    rng, refused = np.random.default_rng(0), 0
    for number in range(times):
        path.write_bytes(damage(rng, content, foreign))
        try:
            result = reader.read(path)
        except reader.refuses as error:
            assert str(error) and "\n" not in str(error)
            result = None
        refused += result is None
        assert result is None or result in (wanted, rewritten), f"damage number {number} was not noticed"
    assert refused > times / 2
