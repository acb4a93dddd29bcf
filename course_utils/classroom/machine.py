"""What of a learner's machine this one lacks, in words. Whether a helper cell's error counts is for `helper_cells.py`."""

import re
import sys
from collections.abc import Iterable

from course_utils.answers.program import Program
from course_utils.answers.running import Raised
from course_utils.names import parsed

NEWER = re.compile(  # lines that Python reads since 3.12: type parameters, and quotes within the same quotes of an f-string
    r"""^\s*(?:def|class)\s+\w+\[|^\s*type\s+\w+(?:\[[^]]*])?\s*=|\bf(["'])[^"'{}\n]*\{[^{}"'\n]*\1[^"'\n]*\1[^}"'\n]*\}""",
    re.MULTILINE,
)
FILE = re.compile(
    r"^(?:FileNotFoundError|NotADirectoryError): .*?['`]+([^'`]+)['`]|^Exception: File `+'(.+?)'`+ not found"
)
MODULE = re.compile(r"^ModuleNotFoundError: No module named '(\w+)")
DIFFERS = [  # what is raised where a machine is another one -> what this one lacks
    (r"^(?:FileNotFoundError|NotADirectoryError): (.*)", "this machine has no such file or folder: {}"),
    (r"^(?:Import|ModuleNotFound)Error: No module named '([\w.]+)'", "this machine has no {}, which its cells import"),
    (r"^(?:Import|ModuleNotFound)Error: ([^;]*)", "this machine can't import what its cells import: {}"),
    (r"^AttributeError: module '([\w.]+)' has no attribute '(\w+)'", "this machine's {} has no `{}`: is its version another one?"),
    (r"^AttributeError: .*was removed ", "this machine has another version of a library"),
    (r"not compiled with CUDA|CUDA device|CUDA GPUs|NVIDIA driver|support for mps|MPS backend|accelerator device", "this machine has no GPU, on which its cells compute"),
    (r"^\w*Error: '?(\S+?)'? is not a valid package style", "this machine's Matplotlib has no style {}"),
    (r"^(?:PermissionError|OSError: \[Errno 30\]):?(.*)", "its cells may not write or read where they want to:{}"),
    (r"^(?:URLError|gaierror|Connection\w*|ConnectTimeout|TimeoutError)\b|Network is unreachable|[Nn]ame resolution|name or service not known", "its cells use the network, which is closed here"),
    (r"^UsageError: \w+ magic function `(%+\w+)", "this machine has no {}, which an extension brings"),
    (r"cannot open shared object file|^\w*Error: unsupported locale", "this machine lacks a library or a language that its cells use"),
    (r"can't start new thread|^BlockingIOError: ", "its cells begin more threads or processes than they may here"),
]  # fmt: skip
CELL_ENDED = "a cell that it needs did not run to its end here"
ENVIRONMENT = re.compile(r"<frozen os>|[/\\]os\.py")  # where `os.environ` raises
ASKED = re.compile(r"\bgetenv\(|\benviron\.get\(")


def differs(raised: Iterable[Raised], files: Iterable[str] = ()) -> str:
    """What this machine lacks, as the first says that says so; "" if none does.

    Args:
        files: what was handed in and is not run.
    """
    for error in raised:
        if what := _lack(error, files):
            return f"{what}; {error.sentence}"
    return ""


def _lack(raised: Raised, files: Iterable[str]) -> str:
    if asked := FILE.match(raised.text):
        name = asked[1] or asked[2]
        beside = [one for one in files if _last(one) == _last(name)]
        there = f"its cells read {beside[0]}, which was handed in and does not lie where they run" if beside else ""
        return there or f"this machine has no file or folder {name}"
    if (module := MODULE.match(raised.text)) and (
        beside := [path for path in files if _last(path) == f"{module[1]}.py"]
    ):
        return f"its cells import {module[1]}; {beside[0]} was handed in, and is not run"
    if raised.text.startswith("KeyError: ") and ENVIRONMENT.search(raised.origin):
        return f"this machine's environment has no {raised.text.removeprefix('KeyError: ')}"
    if "NoneType" in raised.text and ASKED.search(raised.origin):
        return "this machine's environment lacks something that its cells ask for"
    for pattern, says in DIFFERS:
        if found := re.search(pattern, raised.text):
            return says.format(*(group.strip() for group in found.groups()))
    return ""


def said_of(raised: Raised, files: Iterable[str] = ()) -> str:
    """Of an error of a helper cell, whatever it says: what this machine lacks, or that the cell did not run to its end."""
    return differs([raised], files) or f"{CELL_ENDED}; {raised.sentence}"


def newer_python(program: Program) -> str:
    """Which of an answer's cells only a newer Python reads, in words; "" if there is none."""
    here = "{}.{}".format(*sys.version_info)
    for cell in (*program.helpers, program.answer):
        if parsed(cell.python) is None and _numbers(cell.version) > sys.version_info[:2]:
            return f"this machine's Python {here} can't read {cell.place}, which was saved by Python {cell.version}"
        if parsed(cell.python) is None and sys.version_info < (3, 12) and NEWER.search(cell.python):
            return f"this machine's Python {here} can't read {cell.place}, which a newer one may"
    return ""


def _last(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
