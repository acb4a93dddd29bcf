"""Implement the commands of `python -m course_utils` and the Makefile; `command_line.py` has their options and help."""

import argparse
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from course_utils.paths import COURSE, INSTALLED, NOTEBOOKS, SOLUTIONS

NBVAL = ["-p", "nbval.plugin", "--nbval-lax", "--nbval-cell-timeout=600"]
ROAD, DIVES = (
    [f"notebooks/solutions/{path.name}" for path in sorted(SOLUTIONS.glob(names))]
    for names in ("0*.ipynb", "[1-9]*.ipynb")
)
LAB = ["lab"] if (COURSE / "lab").is_dir() else []  # missing in some copies
TESTS = ["-m", "pytest", "-q", "-n", "4", "-m", "not slow", "tests", *LAB]
SLOW = ["-m", "pytest", "-q", "-n", "4", "-m", "slow", "tests", *LAB]  # two of the four wait for a browser
STEPS = {  # the steps of `check` -> Python's arguments
    "format": ["-m", "ruff", "format", "--check", "--quiet", "."],
    "lint": ["-m", "ruff", "check", "--quiet", "."],
    "layers": ["-c", "from importlinter.cli import lint_imports_command as main; main(['--no-cache', '--no-logo'])"],
    "types": ["-m", "mypy"],
    "tests": [*TESTS, *ROAD, *NBVAL],
    "learner": ["-m", "course_utils", "progress"],
}
IF_ASKED = {"slow": SLOW}  # runs by name, or with --full
TOOLS = {  # the packages that a step needs besides the course's requirements
    "format": ["ruff"], "lint": ["ruff"], "layers": ["importlinter"], "types": ["mypy"],
    "tests": ["pytest", "xdist"], "slow": ["pytest", "xdist"], "dives": ["pytest", "xdist"],
}  # fmt: skip
INSTALL = 'python -m pip install -c constraints.txt -e ".[dev]"'
FULL = {  # added or replaced with --full
    "tests": [*TESTS, *ROAD, *NBVAL, "--full"],
    "slow": [*SLOW, "--full"],
    "dives": ["-m", "pytest", "-q", "-n", "2", *DIVES, *NBVAL],
    "mutants": ["-m", "tests.quality", "--seeds", "3"],
}
if LAB:
    FULL["blind"] = ["-m", "lab.blind"]


if INSTALLED:
    STEPS, IF_ASKED, FULL = {"learner": STEPS["learner"]}, {}, {}


def lab(options: argparse.Namespace, rest: list[str]) -> int:
    if INSTALLED and (status := bring_notebooks()):
        return status
    offer_answers([COURSE, NOTEBOOKS, Path.home() / "Downloads"])
    arguments = [str(NOTEBOOKS), f"--LabApp.default_url=/lab/tree/{notebook_to_open()}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")  # in a container
    if not any(argument.startswith(("--debug", "--log-level", "--ServerApp.log_level")) for argument in rest):
        arguments.append("--log-level=WARN")  # prints its address and problems
    arguments += [argument for argument in rest if argument != "--"]
    return serve(["jupyterlab", *arguments])


def bring_notebooks() -> int:
    """Write an installed course's notebooks; after a new version, build them again around the learner's work."""
    from course_utils.files import write_atomically
    from course_utils.material.backups import copy_notebooks
    from course_utils.paths import SOURCES, learners_record

    stamp = learners_record() / "notebooks-of"
    version = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(SOURCES.glob("*")))).hexdigest()
    if stamp.exists() and stamp.read_text("utf-8", "replace") == version:
        return 0
    print(f"Writing the notebooks into {NOTEBOOKS} ...", flush=True)
    if any(NOTEBOOKS.iterdir()):
        copy_notebooks(COURSE)
    if status := subprocess.run([sys.executable, "-m", "course_utils", "notebooks"], cwd=COURSE).returncode:
        return status
    for program in SOURCES.parent.glob("*.py"):
        shutil.copy(program, NOTEBOOKS)
    try:
        write_atomically(stamp, version)
    except OSError as error:
        print(f"Not recorded: {error.strerror or error}. The next `lab` writes the notebooks again.", file=sys.stderr)
    return 0


def offer_answers(places: list[Path]) -> None:
    """Offer to import the newest file of answers in these folders, unless the learner was asked about it before."""
    from course_utils.files import Damaged, read_whole, trouble
    from course_utils.learner import travel
    from course_utils.paths import learners_record

    for path in travel.new_files(places, learners_record())[:1]:
        print(
            f"Found a file of answers, {path}, saved on {datetime.fromtimestamp(path.stat().st_mtime):%d %B %Y, %H:%M}."
        )
        print(travel.RUNS)
        if not sys.stdin.isatty():
            print("Take it in with the buttons at the end of the notebook Welcome.")
            return
        try:
            if input("Take it in? Copies of what it replaces are kept. [y/N] ").strip().lower() in ("y", "yes"):
                print(travel.take_in(read_whole(path, travel.MOST), NOTEBOOKS, learners_record()))
            else:
                print(
                    "The file stays where it is. You can take it in at any time with the buttons at the end of the "
                    "notebook Welcome."
                )
                travel.note(travel.fingerprint_of(path), learners_record())
        except EOFError:
            print("Nothing is changed, because there was no answer.", file=sys.stderr)
        except Damaged as error:
            print(f"Nothing is changed: {error}.", file=sys.stderr)
        except (travel.CannotTakeIn, OSError) as error:
            print(f"Nothing is changed. {trouble(error)}", file=sys.stderr)


def notebook_to_open() -> str:
    """The file name of the notebook with the exercise that was tried last; the first notebook if none was tried.

    If several notebooks contain the exercise, we take those that are begun, and of these the one that was saved last.
    """
    from course_utils import record
    from course_utils.paths import learners_record

    paths = sorted(NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
    last = record.latest(learners_record())
    holding = [path for path in paths if f'"exercise": "{last}"' in path.read_text("utf-8", "replace")]
    if len(holding) > 1:
        holding = [path for path in holding if is_begun(path, last)] or holding[:1]
    return max(holding, key=lambda path: path.stat().st_mtime, default=paths[0] if paths else Path()).name


def is_begun(path: Path, exercise: str) -> bool:
    """Whether a notebook's cell of this exercise has been changed."""
    from course_utils.answers.cells import cells_of
    from course_utils.answers.notebook_file import read_notebook
    from course_utils.answers.stubs import SourceError

    try:
        cells = cells_of(path.name, read_notebook(path).cells)
    except (OSError, SourceError):
        return False
    return any(cell.exercise == exercise and not cell.untouched() for cell in cells)


def play(options: argparse.Namespace, rest: list[str]) -> int:
    """Show boards and microscopes on a page: Voila runs a notebook and hides its cells."""
    import nbformat

    from course_utils.files import write_atomically
    from course_utils.games import GAMES, make_game
    from course_utils.paths import learners_record

    if options.terminal:
        from course_utils.playing import terminal

        return terminal.main(options, rest)
    try:
        make_game(options.game or "tictactoe")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    games = [options.game] if options.game else list(GAMES)
    cells = ["from course_utils import ui", *(f"ui.play({game!r})" for game in games)]
    cells += [f"ui.microscope({game!r})" for game in games if game in GAMES]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    page = learners_record() / "play.ipynb"  # in this folder, the kernel uses the learner's functions
    write_atomically(page, nbformat.writes(notebook))
    arguments = [str(page), *(argument for argument in rest if argument != "--")]
    return serve(["course_utils.playing.board_page", *arguments])


def page(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils.paths import learners_record

    given = {"--out": options.out, "--agent": options.agent, "--by": options.by}
    arguments = [word for name, value in given.items() if value is not None for word in (name, str(value))]
    arguments += ["--no-functions"] * options.no_functions
    environment = {**os.environ, "COURSE_RECORD": str(learners_record())}
    return subprocess.run(
        [sys.executable, "-m", "course_utils.learner.keepsake", *arguments], env=environment
    ).returncode


def write_site(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils.authoring.book import build_book
    from course_utils.authoring.site import CannotBuild, install, write_lab
    from course_utils.material.handout import Handout, must_be_empty

    try:
        of_a_class = options.only or options.road or options.hidden
        handout = Handout.of(options.only, options.road, options.hidden) if of_a_class else None
        if handout:
            must_be_empty(options.out)
        install()
        write_lab(options.out / "lab", options.pyodide, handout)
        build_book(options.out, handout)
    except (CannotBuild, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{options.out} holds {handout or 'the course, to read and in a browser tab'}.")
    print(f"Put it on a web server, or look at it here: python -m http.server --directory {options.out}")
    return 0


def serve(module: list[str]) -> int:
    """Run a module until Ctrl-C, with the course's Jupyter settings."""
    try:
        return subprocess.run([sys.executable, "-m", *module], cwd=COURSE, env=jupyters_environment()).returncode
    except KeyboardInterrupt:
        return 0  # Ctrl-C is the normal way to end it


def jupyters_environment() -> dict[str, str]:
    """The environment variables with which Jupyter finds the course's settings and `contents.py`."""
    places = [str(Path(__file__).parent / "learner" / "jupyter"), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    return {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, places))}


def check(options: argparse.Namespace, rest: list[str]) -> int:
    """Run every step, even after a failure. The exit status says whether a step failed."""
    steps = {**STEPS, **(IF_ASKED if options.only else {}), **(FULL if options.full else {})}
    if beyond := [name for name in options.only if name not in steps]:
        print(f"{' and '.join(beyond)} run only with FULL=1 (--full)", file=sys.stderr)
        return 2
    steps = {name: arguments for name, arguments in steps.items() if name in (options.only or steps)}
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}  # use UTF-8 on Windows, too
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # without caches, a hundred processes would compile the course
    failed = []
    for name, arguments in steps.items():
        print(f"== {name}", flush=True)
        if missing := [tool for tool in TOOLS.get(name, ()) if importlib.util.find_spec(tool) is None]:
            print(f"{name} needs {' and '.join(missing)}: install it with `{INSTALL}`", file=sys.stderr)
            failed.append(name)
        elif subprocess.run([sys.executable, *arguments], cwd=COURSE, env=environment).returncode:
            failed.append(name)
    if "tests" in steps and LAB:  # lists results that are older than their code, which is no failure
        subprocess.run([sys.executable, "-m", "lab.provenance"], cwd=COURSE, env=environment)
    if "tests" in steps and "slow" not in steps:
        print("Not tested: the slow tests, which include the pages. Run make check ONLY=slow for these, as CI does.")
    print(f"check: {'failed: ' + ', '.join(failed) if failed else 'no step failed'}")
    return 1 if failed else 0


def build_notebooks(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils.answers.stubs import SourceError
    from course_utils.authoring import pages
    from course_utils.authoring.write import build_all, changed_in_all

    try:
        changed = changed_in_all()
        written = build_all(folded_solutions=not options.no_solutions, execute=options.execute, only=options.only)
        if not INSTALLED:
            pages.write(options.commands_page())
    except SourceError as error:
        print(error, file=sys.stderr)
        return 1
    for name, cells in changed.items():
        print(f"{name}: your changes to {len(cells)} of the course's cells are kept: {'; '.join(cells)}")
    print(f"Built {len(written)} notebooks.")
    return 0


def list_exercises(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils.material.manifest import manifest
    from course_utils.tables import Table

    entries = manifest()
    if options.json:
        print(json.dumps(entries, indent=1))
    else:
        rows = [
            (entry["notebook"], entry["name"], entry["points"], entry["minutes"], "extra" * entry["extra"])
            for entry in entries
        ]
        print(Table(("notebook", "exercise", "points", "minutes", ""), rows))
    return 0


def progress(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils import record
    from course_utils.learner.progress import exercise_states
    from course_utils.paths import learners_record

    damaged = record.damaged(learners_record())  # an exercise that passes below is recorded again
    count = Counter[str]()
    for notebook, states in groupby(exercise_states(), key=attrgetter("notebook")):
        count += print_notebook(notebook, states)
    if count["done"] + count["wrong"]:
        print(f"{count['done']} done, {count['wrong']} wrong, {count['to do']} to do")
    else:
        print(f"{numbered(count['to do'], 'exercise')} to do. Nothing was graded, because none is filled in yet.")
    for exercise in damaged:
        answer = record.load(exercise, learners_record())
        if answer is None or not answer.source:
            print(record.said_of_damage(exercise))
    return 1 if count["wrong"] else 0


def print_notebook(notebook: str, states: Iterable) -> Counter[str]:
    """Print a line for each exercise as soon as it is graded, and one for the others.

    Returns the count of each status.
    """
    count, waiting = Counter[str](), []
    for state in states:
        if state.status == "to do":
            waiting.append(f"{state.exercise} ({state.detail})" if state.detail else state.exercise)
        else:
            if count.total() == count["to do"]:  # this is the first graded exercise
                print(notebook)
            print(f"  {state.status:5}  {state.exercise}  {state.detail}".rstrip(), flush=True)
        count[state.status] += 1
    if count.total() == count["to do"]:
        print(f"{notebook:24} {len(waiting)} to do", flush=True)
    elif waiting:
        print(f"  to do  {', '.join(waiting)}", flush=True)
    return count


def reset_exercise(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils.answers.stubs import SourceError
    from course_utils.learner.progress import reset

    try:
        paths, copies, others = reset(options.exercise)
    except (ValueError, SourceError) as error:
        print(error, file=sys.stderr)
        return 1
    places = " and ".join(str(path.relative_to(COURSE)) for path in paths)
    print(f"{options.exercise} is a stub again in {places}. If you have it open, reload it.")
    if others:
        print(
            f"Other cells still define {options.exercise}, and one of these counts as your answer: {'; '.join(others)}"
        )
    print(f"Copies of your notebooks as they were are in {copies.relative_to(COURSE)}.")
    return 0


def grade_class(options: argparse.Namespace, rest: list[str]) -> int:
    if not hasattr(os, "fork"):
        print("`grade` needs Linux or macOS: on Windows use WSL, or the container of docs/grading.md.", file=sys.stderr)
        return 1
    from course_utils.classroom import whole_class
    from course_utils.classroom.walls import isolation

    if not isolation().bwrap and not options.unprotected:
        print(isolation().refusal, file=sys.stderr)
        return 1
    folder, out = options.submissions, options.out
    try:
        if out.resolve().is_relative_to(folder.resolve()):
            raise ValueError(
                f"OUT={out} is inside SUBMISSIONS, where each folder belongs to a learner. Name a folder outside of it"
            )
        classroom = whole_class.read_class(folder, options.roster)
        for note in classroom.notes:
            print(textwrap.shorten(note, 600, placeholder=" ..."), file=sys.stderr)
        graded = whole_class.grade_class(
            classroom, out, options.only, options.seed, options.workers, options.road, progress=_on_standard_error
        )
        notes = graded.write_reports(out)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The same command goes on from here.", file=sys.stderr)
        return 130
    print(*graded.faults, sep="\n", end="\n" * bool(graded.faults))
    rows = [row for rows in graded.handed_in for row in rows if row.exercise]
    counts = Counter(row.status for row in rows).most_common()
    exercises = len({row.exercise for row in rows})
    print(f"{numbered(len(graded.handed_in), 'submission')}, {numbered(exercises, 'exercise')} each.")
    print(f"Of {numbered(len(rows), 'answer')}: {', '.join(f'{number} {status}' for status, number in counts)}.")
    waiting = graded.waiting
    marks, learners = numbered(sum(waiting), "mark"), numbered(len(waiting), "learner")
    empty = f" {marks} of {learners} and their totals stay empty until you decide." if waiting else ""
    print(f"Begin with {out / 'class.html'}.{empty}")
    warnings = [sentence for sentence in isolation().sentences if sentence.startswith("NOT")]
    for sentence in notes[len(graded.faults) :] + warnings:
        print(textwrap.shorten(sentence, 600, placeholder=" ... (class.html has all of it)"))
    return 0


def _on_standard_error(text: str) -> None:
    print(text, file=sys.stderr)


def numbered(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def make_assignment(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils.classroom.assignment import write_assignment
    from course_utils.material.handout import Handout

    try:
        handout = Handout.of(options.only, options.road, options.hidden)
        write_assignment(options.out, handout)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{options.out} holds {handout}")
    return 0


def make_sample(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils.classroom.sample import write_sample

    try:
        learners = write_sample(options.out)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{options.out} holds the notebooks of {', '.join(learners)}. Grade them with `make grade`.")
    return 0


def mutants(options: argparse.Namespace, rest: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "tests.quality", *rest], cwd=COURSE).returncode


def bench(options: argparse.Namespace, rest: list[str]) -> int:
    return subprocess.run([sys.executable, "-m", "lab", *rest], cwd=COURSE).returncode


def experiments(options: argparse.Namespace, rest: list[str]) -> int:
    words = ["--only", options.only] + ["--quick"] * options.quick
    return subprocess.run([sys.executable, "-m", "lab", "experiments", *words], cwd=COURSE).returncode


def compare(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils.playing.compare import main

    return main(options, rest)


def play_match(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils.playing.match import main

    return main(options, rest)


# The signals that end a run: Ctrl-C, `kill`, and a closed terminal (which Windows does not report).
ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def train_agent(options: argparse.Namespace, rest: list[str]) -> int:
    from course_utils.learning.folder import train_in_folder, what_came_of_it
    from course_utils.playing.opponents import checked_game

    stopped: list[int] = []

    def stop(number: int, frame: Any) -> None:  # `kill` ends a background run like Ctrl-C
        stopped.append(number)
        raise KeyboardInterrupt

    for number in ENDING:
        if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:  # `nohup` ignores SIGHUP
            signal.signal(number, stop)
    changes = {"iterations": options.iterations} if options.iterations else {}
    minutes = options.minutes if options.minutes is not None else 600 if options.iterations else 5
    lockstep = options.batched or options.workers is not None or options.device != "cpu"
    try:
        game, where = checked_game(options.game), dict(workers=options.workers, device=options.device)
        out = options.out or Path("runs", game.name)
        run = train_in_folder(out, game, minutes, options.seed, lockstep=lockstep, **where, **changes)
        if not stopped:
            print(what_came_of_it(run, out))
    except ValueError as error:  # an unknown game, a damaged state
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. Everything that was saved is safe.", file=sys.stderr)
    return 128 + stopped[0] if stopped else 0  # so that a command after && does not start
