"""Grade the exercises in the learner's notebooks, and reset one of them."""

import multiprocessing
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from course_utils import record
from course_utils.answers.cells import Cell, cells_of, find
from course_utils.answers.notebook_file import read_notebook
from course_utils.answers.program import Program, programs_of
from course_utils.answers.running import WANTS_A_SHELL, raised_by, run, run_in_a_shell
from course_utils.answers.stubs import SourceError
from course_utils.exercise import EXERCISES, Made
from course_utils.files import write_atomically
from course_utils.material.backups import copy_notebooks
from course_utils.material.build import build
from course_utils.material.given_lines import given_to
from course_utils.material.manifest import homes
from course_utils.material.merging import recognize, to_text
from course_utils.material.source_files import sources
from course_utils.paths import NOTEBOOKS, command, learners_record
from course_utils.tests.grade import NOT_WRITTEN
from course_utils.tests.learner import grade_program, keep
from course_utils.tests.render import in_short


@dataclass(frozen=True)
class Status:
    notebook: str
    exercise: str
    status: str  # "done", "to do" or "wrong"
    detail: str = ""


def exercise_states(folder: Path = NOTEBOOKS) -> Iterator[Status]:
    """Grade every filled exercise cell in a folder's notebooks, under any file name, and record the results."""
    cells: list[Cell] = []
    # the file that was saved last takes precedence
    for path in sorted(folder.glob("*.ipynb"), key=lambda path: path.stat().st_mtime):
        try:
            cells += cells_of(path.stem, read_notebook(path).cells)
        except (OSError, SourceError):
            why = f"{path.name} can't be read. Move it away, and `{command('notebooks')}` makes a new one"
            yield Status(path.stem, "-", "wrong", why)
    candidates = find(cells)
    with Grader() as grader:
        for name, source in homes().items():
            versions = programs_of(cells, name, candidates.get(name, []), given_to(name))
            still_open = Status(source.name, name, "to do", "an extra" * (name in source.extras))
            yield _state(still_open, versions, grader)


def _state(still_open: Status, versions: list[Program], grader: "Grader") -> Status:
    """The status of an exercise. Of several versions the best counts, as in `make grade`."""
    states = []
    for program in versions:
        states.append(grader.state(still_open.exercise, program))
        if states[-1].status == "done":
            return states[-1]
    return states[0] if states and states[0].status != "to do" else still_open


class Grader:
    """A subprocess in which learners' cells run. It is replaced if an answer ends it or exceeds its time limit."""

    limits = {"a cell that it needs, or its own,": 60, "its check": 300}  # seconds of wall-clock time

    def __init__(self):
        self.process: Any = None

    def __enter__(self) -> "Grader":
        return self

    def __exit__(self, *_) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None

    def state(self, name: str, program: Program) -> Status:
        if self.process is None:
            spawn = multiprocessing.get_context("spawn")
            self.pipe, end = spawn.Pipe()
            self.process = spawn.Process(target=_grade_in_turn, args=(end,))
            self.process.start()
            end.close()
            self.pipe.recv()  # the subprocess has loaded the course
        self.pipe.send((name, program))
        reply: Status | str | None = None
        for stage, seconds in self.limits.items():
            try:
                reply = (
                    self.pipe.recv()
                    if self.pipe.poll(seconds)
                    else f"{stage} took longer than {seconds} seconds: is there a loop that never ends?"
                )
            except (EOFError, OSError):
                reply = f"{stage} ended Python: does it call os._exit?"
            if isinstance(reply, str):
                self.__exit__()
                return Status(program.answer.notebook, name, "wrong", reply)
        assert isinstance(reply, Status)
        return reply


def _grade_in_turn(pipe: Connection) -> None:
    """The subprocess's loop: send a message once the cells of an answer have run, and then the status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    from IPython.core import interactiveshell  # noqa: F401 - which takes a second

    pipe.send(None)
    while True:
        name, program = pipe.recv()
        made = run(program, name)
        pipe.send(None)
        pipe.send(_graded(name, program, made))


def _graded(name: str, program: Program, made: Made) -> Status:
    report = grade_program(name, program, made)
    if not report.passed and WANTS_A_SHELL.search(program.learners):
        shells = run_in_a_shell(program, name)
        again = grade_program(name, program, None, shells.function)
        made, report = (shells, again) if again.passed else (made, report)
    notes = "".join(f"; {error.sentence}" for error in raised_by(program, made)[:3])
    if made.function is None and not program.is_guess(name):
        return Status(program.answer.notebook, name, "wrong", f"its cell defines no function called {name}{notes}")
    if report.problem == NOT_WRITTEN or (report.problem and program.is_guess(name)):
        return Status(program.answer.notebook, name, "to do")
    if report.runs_alone and report.outcomes:
        try:
            keep(report, program.source(name), learners_record())
        except OSError as error:
            notes += f"; not recorded: {error.strerror or error}"
    return Status(program.answer.notebook, name, "done" if report.passed else "wrong", in_short(report) + notes)


def reset(exercise: str) -> tuple[list[Path], Path, list[str]]:
    """Put an exercise back to its stub in the learner's notebooks, remove marked copies of its cell, and delete its
    record.

    Returns:
        (the exercise's notebooks, the folder with the copies, the first lines of cells that still define the name).

    Raises:
        ValueError: there is no such exercise, or no notebook for it.
        SourceError: the notebook can't be read.
    """
    if exercise not in EXERCISES:
        raise ValueError(f"no exercise is called {exercise!r}; there are {', '.join(EXERCISES)}")
    holding = {NOTEBOOKS / f"{source.name}.ipynb": source for source in sources() if exercise in source.exercises}
    notebooks = {path: read_notebook(path) for path in holding if path.exists()}
    if not notebooks:
        raise ValueError(f"there is no {next(iter(holding)).name}: `{command('notebooks')}` makes it")
    copies = copy_notebooks(NOTEBOOKS.parent)
    for path, notebook in notebooks.items():
        _put_back_stub(exercise, notebook, build(holding[path]))
        write_atomically(path, to_text(notebook))
    record.forget(exercise, learners_record())
    cells = [cell for path, notebook in notebooks.items() for cell in cells_of(path.stem, notebook.cells)]
    others = [cell for cell in find(cells).get(exercise, []) if not cell.untouched(exercise)]
    return [*notebooks], copies, [cell.source.strip().splitlines()[0] for cell in others]


def _put_back_stub(exercise: str, notebook: Any, fresh: Any) -> None:
    """Put the stub of `fresh` in place of the exercise's cells, or else above its check, or at the notebook's end."""
    stands = recognize(fresh, notebook)
    stub = next(cell for cell in fresh.cells if cell.metadata.get("exercise") == exercise)
    marked = [
        cell.number
        for cell in cells_of("", notebook.cells)
        if cell.kind == "code" and (stands.get(cell.number) is stub or cell.marked == exercise)
    ]
    check = (number for number, fresh_cell in stands.items() if fresh_cell.metadata.get("check") == exercise)
    place = marked[0] if marked else next(check, len(notebook.cells))
    kept = [(number, cell) for number, cell in enumerate(notebook.cells) if number not in marked]
    notebook.cells = [*(cell for n, cell in kept if n < place), stub, *(cell for n, cell in kept if n >= place)]
