"""The command line: every command with its options and its help.

`docs/commands.md` is made from this module and the Makefile.
"""

import argparse
import re
import shlex
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_utils import commands, limits
from course_utils.commands import FULL, IF_ASKED, STEPS
from course_utils.learner import update
from course_utils.paths import COURSE, INSTALLED, command

GROUPS = {
    "Learn": ("lab", "check", "progress", "reset", "list", "update"),
    "Play": ("play", "match", "train", "compare", "page"),
    "Teach": ("assignment", "grade", "sample", "site"),
    "Work on the course": ("setup", "notebooks", "mutants", "bench", "experiments"),
}
NEED_A_CLONE = ("setup", "update", "mutants", "bench", "experiments", "assignment", "site")
PASS_ON = {"lab": "JupyterLab", "play": "Voila", "bench": "`python -m lab`", "mutants": "`python -m tests.quality`"}
GAME = "the game: tictactoe, connect_four, connect_n:4x5x3 (4 rows, 5 columns, 3 in a row), or your own as module:Class"


# --- types of options ------------------------------------------------------------------------------------------------


def whole(least: int, most: int) -> Callable[[str], int]:
    """The type of an option that takes a whole number within these limits."""

    def number(text: str) -> int:
        value = int(text) if text.strip().removeprefix("-").isdecimal() and len(text) < 30 else text
        try:
            return limits.whole("it", value, least, most)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return number


one_or_more, not_negative = whole(1, 1_000_000), whole(0, 1_000_000)
seed = whole(0, 2**63 - 1)
processes = whole(1, 1024)


def even(text: str) -> int:
    if whole(2, 1_000_000)(text) % 2:
        raise argparse.ArgumentTypeError(f"must be an even number, because each opening is played twice, not {text}")
    return int(text)


def minutes(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"must be a number of minutes, not {text}")
    return number


def players(text: str) -> str:
    """The type of `train --workers`: "ray" or a number of processes."""
    return text if text == "ray" else str(whole(0, 1024)(text))


def place(text: str) -> Path:
    """The type of an option that names a file or folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("is empty: name a file or folder")
    return Path(text)


# --- the parser ------------------------------------------------------------------------------------------------------


class Command(argparse.ArgumentParser):
    """The parser of one command, which lists its arguments in `arguments`."""

    def __init__(self, *args: Any, **more: Any):
        self.arguments: list[argparse.Action] = []
        super().__init__(*args, **more)

    def add_argument(self, *args: Any, **more: Any) -> argparse.Action:
        action = super().add_argument(*args, **more)
        self.arguments.append(action)
        return action


class Course(argparse.ArgumentParser):
    """The parser of the whole command line, whose help lists the commands by group."""

    def format_help(self) -> str:
        subparsers = commands_of(self)
        width = max(len(command(name)) for name in subparsers)
        lines = [f"usage: {self.prog} COMMAND [OPTIONS]", "", str(self.description)]
        for group, names in GROUPS.items():
            rows = [(command(name), subparsers[name].get_default("help")) for name in names if name in subparsers]
            lines += ["", group, *(f"  {call:{width}}  {sentence}" for call, sentence in rows)] if rows else []
        lines += ["", f"Options of a command: {self.prog} COMMAND --help"]
        lines += [] if INSTALLED else ["Everything on one page: docs/commands.md"]
        return "\n".join(lines) + "\n"


def parser() -> Course:
    course = Course(
        prog="alphazero-course" if INSTALLED else "python -m course_utils", description="Build AlphaZero from nothing."
    )
    add_to(course)
    return course


def commands_of(parser: argparse.ArgumentParser) -> dict[str, Command]:
    """The parser of each command, by name."""
    return vars(parser)["commands"]


def add_to(parser: argparse.ArgumentParser) -> None:
    """Add every command with its options.

    A command has a sentence of help, and may have details, paragraphs that only its own help and docs/commands.md show,
    and examples: the words that follow the program's name.
    """
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Command)
    vars(parser)["commands"] = subparsers.choices

    def add(name: str, run: Callable, help: str, details: str = "", examples: tuple = (), **more: Any):
        if INSTALLED and name in NEED_A_CLONE:
            return argparse.ArgumentParser()
        paragraphs = [
            textwrap.fill(text, 100, break_on_hyphens=False) for text in (help, *details.split("\n\n")) if text
        ]
        shown = [f"  {parser.prog} {example}" for example in examples]
        sub = subparsers.add_parser(
            name,
            help=help,
            description="\n\n".join(paragraphs),
            epilog="\n".join(["for example:", *shown]) if shown else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **more,
        )
        sub.set_defaults(run=run, help=help, details=details, examples=examples, parser=parser)
        return sub

    add_learning(add)
    add_playing(add)
    add_teaching(add)
    add_development(add)


def add_learning(add: Callable) -> None:
    add("lab", commands.lab, "Open the course in JupyterLab, where you last worked.",
        "The first time, this makes an environment in .venv, which takes a few minutes.",
        ("lab", "lab --no-browser --port=9000"))  # fmt: skip
    check = add("check", commands.check, "Run the tests, and grade the exercises that you have filled in.",
        "The step `learner` grades your exercises only, in seconds. The step `slow` covers the pages, updates "
        "and a whole class, "
        "and runs only when you ask for it.",
        ("check", "check --only learner", "check --only format lint layers types"))  # fmt: skip
    check.add_argument(
        "--only", nargs="+", choices={**STEPS, **IF_ASKED, **FULL}, default=(), metavar="STEP",
        help=f"run only these steps, of {', '.join([*STEPS, *IF_ASKED])}",
    )  # fmt: skip
    check.add_argument(
        "--full", action="store_true",
        help="run the thorough tests, the solutions of the deep dives and the score of the checks, too; takes hours",
    )  # fmt: skip
    add("progress", commands.progress, "Grade what you have filled in, and show how far you are.")
    reset = add("reset", commands.reset_exercise, "Put one exercise back to its empty stub.",
        "A copy of the notebook as it was goes to .course/backups.", ("reset backup",))  # fmt: skip
    reset.add_argument("exercise", help="the name of its function")
    listing = add("list", commands.list_exercises, "List the exercises with their points and minutes.")
    listing.add_argument("--json", action="store_true", help="print JSON")
    add("update", update.main, "Fetch the newest version of the course. Your answers, cells and outputs stay.",
        "Save and close your notebooks first. The notebooks as they were go to .course/backups, which keeps "
        "the ten newest copies.")  # fmt: skip


def add_playing(add: Callable) -> None:
    playing = add("play", commands.play, "Open the boards and the search microscopes on a page without a notebook.",
        "The command prints the page's address. The address holds a token and works on your computer only.\n\n"
        "With --terminal you play in the terminal instead: type the number of a cell or column, `undo` or `quit`.",
        ("play", "play --game connect_four", "play --terminal --against uct:100"))  # fmt: skip
    playing.add_argument("--game", default="", help=f"{GAME}; without it, tictactoe and connect_four")
    playing.add_argument("--terminal", action="store_true", help="play in the terminal")
    playing.add_argument(
        "--against", default="", metavar="AGENT", help="in the terminal: your opponent, named as for `match` "
        "(default: the shipped agent)"
    )  # fmt: skip
    playing.add_argument(
        "--simulations", type=not_negative, default=50, help="in the terminal: the opponent's simulations a "
        "move (default: 50)"
    )  # fmt: skip
    playing.add_argument("--second", action="store_true", help="in the terminal: let the opponent begin")
    playing.add_argument(
        "--seed", type=seed, default=0, help="in the terminal: the seed of an opponent that plays by chance"
    )

    matching = add("match", commands.play_match, "Let agents play each other, and count the results.",
        "Agents are `random`, `greedy` (wins or blocks, else random), `minimax`, `minimax:4` (four moves "
        "deep), `uct:100` (100 rollouts), "
        "`mine` (the agent that you kept), the shipped `tictactoe` and `connect_four`, and checkpoint files. "
        "A number after a colon sets the "
        "simulations of one agent (`mine:200`). `+prove` after the name of a network's agent lets its search "
        "prove what it can "
        "(`tictactoe+prove`).\n\n"
        "The games start from different random openings, each played twice with sides exchanged. In "
        "tic-tac-toe some openings are lost by force, "
        "and the table counts the games lost for that reason. With more than two agents, the command adds "
        "their Elo.\n\n"
        "With --run the checkpoints of a training run play, and show how the run became stronger.",
        ("match tictactoe uct:100", "match mine:200 mine:50 greedy --games 200", "match --run runs/tictactoe "
        "--out curve.png"))  # fmt: skip
    matching.add_argument(
        "agents", nargs="*", metavar="AGENT", help="two agents or more; with --run, the run's opponents"
    )
    matching.add_argument("--game", default="", help=f"{GAME}; without it, the game that the agents play")
    matching.add_argument(
        "--simulations", type=not_negative, default=50, help="simulations a move, for agents without a number "
        "of their own (default: 50; 0 is the network alone)"
    )  # fmt: skip
    matching.add_argument("--games", type=even, default=100, help="the games of each pair (default: 100)")
    matching.add_argument(
        "--seed", type=seed, default=0, help="the seed of the openings and of agents that play by chance"
    )
    matching.add_argument(
        "--run", dest="run_folder", metavar="FOLDER", type=place, help="let the checkpoints of this training run play"
    )
    matching.add_argument("--out", type=place, help="with --run: draw the result into this file (.png, .svg or .pdf)")

    train = add("train", commands.train_agent, "Train an agent without a notebook.",
        "You can stop a run at any time, and the same command goes on from there. At the end the command says "
        "where the agent is, how strong it is, and how to "
        "play against it. A run keeps at most 40 snapshots (80 MB in Connect Four).\n\n"
        "`connect_four` with 160 iterations takes about ten minutes on two cores, or twenty without AVX-512.\n\n"
        "Processes and a cluster help in large games. With two workers, two processes play while this process "
        "learns; tic-tac-toe gains from one at most. "
        "`ray` uses all cores of this machine, or the cluster at the address in RAY_ADDRESS.",
        ("train --out runs/x --minutes 5", "train --game connect_four --iterations "
        "160", "train --game connect_n:4x5x3"))  # fmt: skip
    train.add_argument("--game", default="tictactoe", help=GAME)
    train.add_argument("--out", type=place, help="the folder of the run (default: runs/ and the game's name)")
    train.add_argument("--minutes", type=minutes, help="stop after this time (default: 5, or 600 with --iterations)")
    train.add_argument("--iterations", type=one_or_more, help="the length of the whole run, in iterations")
    train.add_argument("--seed", type=seed, help="the seed of a new run (default: 0)")
    train.add_argument(
        "--batched",
        action="store_true",
        help="play many games in lock step in tic-tac-toe, too; Connect Four always does",
    )
    train.add_argument(
        "--device", default="cpu", help="where the search runs: cpu, or cuda for a GPU (learning stays on the CPU)"
    )
    train.add_argument("--workers", type=players, help="who plays: a number of processes, or `ray` for a cluster")

    comparing = add("compare", commands.compare, "Put an agent into one table with the course's agents and "
    "published results.",
        "", ("compare runs/tictactoe/tictactoe.pt", "compare runs/x/connect_four.pt --simulations 0 100 "
        "400"))  # fmt: skip
    comparing.add_argument("agent", type=place, help="its checkpoint file")
    comparing.add_argument("--game", default="", help=f"{GAME}; without it, the game that the checkpoint names")
    comparing.add_argument(
        "--simulations", type=not_negative, nargs="+", default=(0, 100), help="simulations a move (default: 0 100)"
    )
    comparing.add_argument(
        "--positions",
        type=place,
        help='also test its values on this file of lines "moves score", with columns counted from 1',
    )

    paging = add("page", commands.page, "Write your agent's page: one file to send, which opens in any "
    "browser, offline.",
        "Others can play your agent, watch its search, see how it learned and what is proven about it, read "
        "your functions, and drop another agent's page on it for "
        "a match. Beside it the command writes my_alphazero.py, your AlphaZero in one Python file, which "
        "needs only NumPy and PyTorch.\n\n"
        "Until you have kept an agent, the page has the course's own agents.",
        ('page --by "Ada"', "page --agent runs/x/tictactoe.pt --out share"))  # fmt: skip
    paging.add_argument("--out", type=place, default=Path("page"), help="the folder to write into (default: page)")
    paging.add_argument("--agent", type=place, help="a checkpoint (default: the agent that you kept)")
    paging.add_argument("--by", help="the name on the page")
    paging.add_argument("--no-functions", action="store_true", help="leave your functions out of the page")


def add_teaching(add: Callable) -> None:
    assigning = add("assignment", commands.make_assignment, "Write a class's copy of the course, without solutions.",
        "", ('assignment --only "03 04" --out ../week3', "assignment --road main --out ../term"))  # fmt: skip
    assigning.add_argument(
        "--out", type=place, default=Path("assignment"), help="a new or empty folder (default: assignment)"
    )
    grading = add("grade", commands.grade_class, "Grade a class's notebooks, and write marks and feedback.",
        "If you interrupt it, the same command goes on from there. A second run grades only what has changed. "
        "docs/instructor.md explains all of it.",
        ('grade --only "03 04" --submissions ../handed-in --out ../grades',))  # fmt: skip
    grading.add_argument(
        "--submissions", type=place, required=True, help="a folder with a folder of notebooks for each learner"
    )
    grading.add_argument(
        "--out",
        type=place,
        default=Path("grades"),
        help="the folder for grades, feedback and the class page (default: grades)",
    )
    grading.add_argument(
        "--only",
        default="",
        help='count only these notebooks and exercises, such as "04 backup"; without it, the notebooks handed in',
    )
    grading.add_argument("--road", default="", help='"main" leaves the deep dives out')
    grading.add_argument(
        "--roster", type=place, help="Canvas's exported gradebook or Moodle's list of participants, as CSV"
    )
    grading.add_argument(
        "--seed", default="", help="the hidden seed (default: the one that this copy of the course keeps)"
    )
    grading.add_argument(
        "--workers", type=processes, default=2, help="grade this many submissions at a time (default: 2)"
    )
    grading.add_argument(
        "--unprotected",
        action="store_true",
        help="grade even if nothing keeps submissions from your files and the network",
    )
    sampling = add(
        "sample",
        commands.make_sample,
        "Write three small submissions, so that you can try `grade`.",
        "",
        ("sample --out ../sample",),
    )
    sampling.add_argument("--out", type=place, default=Path("sample"), help="a new or empty folder (default: sample)")
    siting = add("site", commands.write_site, "Write the web site: pages to read, and the course itself in a "
    "browser tab.",
        "Put the folder on any web server, or look at it here: `python -m http.server --directory site`. In "
        "the tab, notebooks and progress stay in the browser's "
        "storage. A small torch replaces PyTorch there, and a notebook that needs more (convolutions) says so "
        "at its top.\n\n"
        "The command installs JupyterLite and Sphinx the first time.",
        ("site", 'site --only "03 04" --out ../week3-site'))  # fmt: skip
    siting.add_argument("--out", type=place, default=Path("site"), help="the folder to write into (default: site)")
    siting.add_argument(
        "--pyodide",
        type=place,
        help="copy Pyodide's files from this folder; without it, the tab fetches them from Pyodide's server",
    )
    for sub, which in ((assigning, ""), (siting, "for a class, without solutions: ")):
        sub.add_argument("--only", default="", help=f'{which}only these notebooks and exercises, such as "04 backup"')
        sub.add_argument("--road", default="", help=f'{which}"main" leaves the deep dives out')
        sub.add_argument("--hidden", action="store_true", help=f"{which}leave the checks of these notebooks out, too")


def add_development(add: Callable) -> None:
    add("setup", lambda *_: 0, "Make .venv with everything that the course needs.")
    notebooks = add("notebooks", commands.build_notebooks, "Build the notebooks and the generated pages "
    "again. Your answers, cells and outputs stay.",
        "", ("notebooks", "notebooks --execute --only 03"))  # fmt: skip
    notebooks.set_defaults(commands_page=commands_page)  # it is built as well
    notebooks.add_argument("--no-solutions", action="store_true", help="leave the folded solutions out")
    notebooks.add_argument("--execute", action="store_true", help="run the solutions, too, and keep their outputs")
    notebooks.add_argument("--only", default="", help="only the notebooks whose names begin with this")
    add("mutants", commands.mutants, "Measure how well the graded checks tell right answers from wrong ones.",
        "It sends wrong answers, right answers and machine-made mutants through every check and prints the "
        "score. docs/checks.md explains the score.",
        ("mutants --seeds 3", "mutants --only backup --messages"), add_help=False)  # fmt: skip
    add("bench", commands.bench, "Measure the search's speed and the shipped agents' strength again.",
        "docs/performance.md names the commands for everything else that was "
        "measured.", ("bench",), add_help=False)  # fmt: skip
    experiments = add("experiments", commands.experiments, "Run the recorded experiments again.",
        "They belong to the notebook 'The laboratory' and to docs/results.md. An interrupted experiment resumes.",
        ("experiments --only ladder --quick",))  # fmt: skip
    experiments.add_argument("--only", default="", help="the experiments with this word in their names (default: all)")
    experiments.add_argument(
        "--quick", action="store_true", help="run a small version, which takes about a minute and is not saved"
    )


# --- docs/commands.md ------------------------------------------------------------------------------------------------


def variables(makefile: str) -> dict[str, dict[str, str]]:
    """The Makefile's variable for each option or argument of a command.

    Returns:
        command -> option or argument -> "OUT=", "FULL=1" or "SOLUTIONS=no".
    """
    options: dict[str, dict[str, str]] = {}
    for target, recipe in re.findall(r"^(\w+):\n\t@\$\(COURSE\) (\w.*)$", makefile, re.MULTILINE):
        sets = options[target] = {}
        for kind, option, name in re.findall(r"\(call (option|list|flag|unless),([\w-]+),([A-Z]+)\)", recipe):
            sets[f"--{option}"] = f"{name}={dict(flag='1', unless='no').get(kind, '')}"
        for option, name in re.findall(r"(--[\w-]+ )?\$\(call one,\$\((?:or \$\()?([A-Z]+)", recipe):
            sets[option.strip() or name.lower()] = f"{name}="
        for name in re.findall(r"(?<!or) \$\(([A-Z]+)\)", recipe):
            sets[name.lower()] = f"{name}="
        for name in re.findall(r"\$\(([A-Z]+_ARGS)\)", recipe):
            sets["..."] = f"{name}="
    return options


def with_make(words: str, sets: dict[str, str]) -> str:
    """An example as it is written with make: "match a b --games 4" becomes `make match AGENTS="a b" GAMES=4`."""
    name, *rest = shlex.split(words)
    values: dict[str, list[str]] = {}
    key = next((argument for argument in sets if not argument.startswith("-") and argument != "..."), "...")
    for word in rest:
        option = word if word in sets else None
        if option:
            key = option
        values.setdefault(key, [])
        if not option:
            values[key].append(word)
    settings = [f"{sets[option]}{make_word(' '.join(given))}" for option, given in values.items()]
    return " ".join(["make", name, *settings])


def make_word(text: str) -> str:
    return f'"{text}"' if re.search(r"\s", text) else text


def commands_page() -> str:
    """docs/commands.md."""
    by_command = variables((COURSE / "Makefile").read_text("utf-8"))
    subparsers = commands_of(parser())
    lines = [
        "<!-- Made from course_utils/command_line.py and the Makefile by `make notebooks`; edit those. -->",
        "# Commands",
        "",
        "`make help` lists the commands. On Windows, and wherever make is missing, write `python -m "
        "course_utils` in place of `make`, and options in place of variables:",
        "`make check ONLY=learner` becomes `python -m course_utils check --only learner`. If you installed "
        "the course with pip, the program is called `alphazero-course`.",
    ]
    for group, names in GROUPS.items():
        lines += ["", f"## {group}"]
        for name in names:
            lines += ["", *section(name, subparsers[name], by_command[name])]
    return "\n".join(lines) + "\n"


def section(name: str, sub: Command, sets: dict[str, str]) -> list[str]:
    """The part of docs/commands.md about one command."""
    lines = [f"### make {name}", "", sub.get_default("help")]
    for paragraph in filter(None, sub.get_default("details").split("\n\n")):
        lines += ["", paragraph]
    if examples := sub.get_default("examples"):
        lines += ["", "```", *(with_make(example, sets) for example in examples), "```"]
    rows = []
    for action in sub.arguments:
        if action.dest != "help":
            option = action.option_strings[0] if action.option_strings else action.dest
            shown = f"`{option}`" if action.option_strings else f"`{str(action.metavar or action.dest).upper()}`"
            rows.append(f"| `{sets[option]}` | {shown} | {action.help} |")
    if "..." in sets:
        rows.append(f"| `{sets['...']}` | | further arguments, for {PASS_ON[name]} |")
    return lines + (["", "| with make | without | |", "|---|---|---|", *rows] if rows else [])
