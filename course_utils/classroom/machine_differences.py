"""What a learner's machine has and this one lacks, in words.

`helper_cells` decides whether a helper cell's error counts.
"""

import re
import sys
from collections.abc import Iterable

from course_utils.answers.program import Program
from course_utils.answers.running import Raised
from course_utils.names import parsed

NEWER = re.compile(  # lines that Python reads since 3.12
    r"""
    ^\s*(?:def|class)\s+\w+\[  # type parameters
    | ^\s*type\s+\w+(?:\[[^]]*])?\s*=
    | \bf(["'])[^"'{}\n]*\{[^{}"'\n]*\1[^"'\n]*\1[^}"'\n]*\}  # quotes within the same quotes of an f-string
    """,
    re.MULTILINE | re.VERBOSE,
)
FILE = re.compile(
    r"^(?:FileNotFoundError|NotADirectoryError): .*?['`]+([^'`]+)['`]|^Exception: File `+'(.+?)'`+ not found"
)
MODULE = re.compile(r"^ModuleNotFoundError: No module named '(\w+)")
DIFFERENCES = [  # what an error says -> what this machine lacks
    (r"^(?:FileNotFoundError|NotADirectoryError): (.*)", "this machine has no such file or folder: {}"),
    (r"^(?:Import|ModuleNotFound)Error: No module named '([\w.]+)'", "this machine has no {}, which its cells import"),
    (r"^(?:Import|ModuleNotFound)Error: ([^;]*)", "this machine can't import what its cells import: {}"),
    (r"^AttributeError: module '([\w.]+)' has no attribute '(\w+)'",
     "this machine's {} has no `{}`: is its version another one?"),
    (r"^AttributeError: .*was removed ", "this machine has another version of a library"),
    (r"not compiled with CUDA|CUDA device|CUDA GPUs|NVIDIA driver|support for mps|MPS backend|accelerator device",
     "this machine has no GPU, on which its cells compute"),
    (r"^\w*Error: '?(\S+?)'? is not a valid package style", "this machine's Matplotlib has no style {}"),
    (r"^(?:PermissionError|OSError: \[Errno 30\]):?(.*)", "its cells may not write or read where they want to:{}"),
    (r"^(?:URLError|gaierror|Connection\w*|ConnectTimeout|TimeoutError)\b"
     "|Network is unreachable|[Nn]ame resolution|name or service not known",
     "its cells use the network, which is closed here"),
    (r"^UsageError: \w+ magic function `(%+\w+)", "this machine has no {}, which an extension brings"),
    (r"cannot open shared object file|^\w*Error: unsupported locale",
     "this machine lacks a library or a language that its cells use"),
    (r"can't start new thread|^BlockingIOError: ", "its cells begin more threads or processes than they may here"),
]  # fmt: skip
CELL_ENDED = "a cell that it needs did not run to its end here"
ENVIRONMENT = re.compile(r"<frozen os>|[/\\]os\.py")  # where `os.environ` raises
ASKED = re.compile(r"\bgetenv\(|\benviron\.get\(")


def machine_difference(raised: Iterable[Raised], files: Iterable[str] = ()) -> str:
    """What this machine lacks, by the first error that tells; "" if none does.

    Args:
        files: what was handed in and is not run.
    """
    for error in raised:
        if lack := _lack(error, files):
            return f"{lack}; {error.sentence}"
    return ""


def _lack(raised: Raised, files: Iterable[str]) -> str:
    if wanted := FILE.match(raised.text):
        name = wanted[1] or wanted[2]
        handed_in = [file for file in files if _last(file) == _last(name)]
        if handed_in:
            return f"its cells read {handed_in[0]}, which was handed in and does not lie where they run"
        return f"this machine has no file or folder {name}"
    if module := MODULE.match(raised.text):
        handed_in = [file for file in files if _last(file) == f"{module[1]}.py"]
        if handed_in:
            return f"its cells import {module[1]}; {handed_in[0]} was handed in, and is not run"
    if raised.text.startswith("KeyError: ") and ENVIRONMENT.search(raised.origin):
        return f"this machine's environment has no {raised.text.removeprefix('KeyError: ')}"
    if "NoneType" in raised.text and ASKED.search(raised.origin):
        return "this machine's environment lacks something that its cells ask for"
    for pattern, sentence in DIFFERENCES:
        if error := re.search(pattern, raised.text):
            return sentence.format(*(group.strip() for group in error.groups()))
    return ""


def in_words(raised: Raised, files: Iterable[str] = ()) -> str:
    """A helper cell's error: what this machine lacks, or else that the cell did not run to its end."""
    return machine_difference([raised], files) or f"{CELL_ENDED}; {raised.sentence}"


def newer_python(program: Program) -> str:
    """Which of an answer's cells only a newer Python reads, in words; "" if there is none."""
    version = "{}.{}".format(*sys.version_info)
    for cell in (*program.helpers, program.answer):
        if parsed(cell.python) is None and _numbers(cell.version) > sys.version_info[:2]:
            return f"this machine's Python {version} can't read {cell.place}, which was saved by Python {cell.version}"
        if parsed(cell.python) is None and sys.version_info < (3, 12) and NEWER.search(cell.python):
            return f"this machine's Python {version} can't read {cell.place}, which a newer one may"
    return ""


def _last(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])
