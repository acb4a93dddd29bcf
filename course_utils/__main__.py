"""`python -m course_utils <command>`: everything the Makefile does, on any machine with Python 3.11.

This module imports nothing but the standard library until the environment `.venv` stands; then it goes on inside it.
"""

import argparse
import hashlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from course_utils.paths import COURSE

VENV = COURSE / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "course-stamp"  # empty while the environment is being made
REQUIREMENTS = ("pyproject.toml", "constraints.txt")
MARKER = "COURSE_READY"  # set by the caller where the environment is managed by others: conda, Binder
NEWER = ("python3.14", "python3.13", "python3.12", "python3.11")


class CannotSetUp(Exception):
    """There is no environment to go on in; the message says in a sentence what to do about it."""


def runs(python: object, code: str) -> bool:
    quiet = subprocess.DEVNULL
    return subprocess.run([str(python), "-c", code], stdout=quiet, stderr=quiet).returncode == 0


def lacking() -> str:
    """What has to be installed before an environment can be made with this Python, in one sentence; "" if nothing."""
    version = sys.version.split()[0]
    if sys.version_info < (3, 11):  # noqa: UP036 (whoever has an older Python gets this far)
        newer = next((name for name in NEWER if shutil.which(name) and runs(name, "")), None)
        mend = (
            f"you have one, so say `make lab PYTHON={newer}` or `{newer} -m course_utils lab`"
            if newer
            else "install one from python.org, conda-forge or your system's packages"
        )
        return f"The course needs Python 3.11 or later, and this is {version}: {mend}."
    parts = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if not parts:
        return ""
    package = "python{}.{}-venv".format(*sys.version_info)
    return (
        f"This Python, {sys.executable}, lacks {' and '.join(parts)}, without which no environment can be made: install "
        f"{package} (on Debian and Ubuntu `sudo apt install {package}`), or use a Python from python.org or conda-forge."
    )


def wanted_stamp() -> str:
    content = b"".join((COURSE / name).read_bytes() for name in REQUIREMENTS)
    return hashlib.sha256(content).hexdigest()


def set_up() -> None:
    """Make `.venv` with all that the course needs, unless it already stands and the requirements are the same.

    One that was left half made, or whose Python is gone or has changed, is made anew.

    Raises:
        CannotSetUp: something has to be installed first, or a step failed.
    """
    stamp = STAMP.read_text() if STAMP.exists() else None
    up_to_date = stamp == wanted_stamp()
    sound = PYTHON.exists() and runs(PYTHON, "import pip" if up_to_date else "import pip._internal.cli.main")
    if sound and up_to_date:
        return
    begin_anew = not sound or stamp == ""
    if begin_anew and lacking():
        raise CannotSetUp(lacking())
    print("Setting up .venv (once; it downloads PyTorch and JupyterLab, which takes some minutes) ...", flush=True)
    if begin_anew:
        run_step([sys.executable, "-m", "venv", "--clear", str(VENV)], "Is the disk full, or the folder not yours?")
        STAMP.write_text("")
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    install = [*pip, "--constraint", str(COURSE / "constraints.txt"), "--editable", f"{COURSE}[dev]"]
    run_step(install, "Is the network reachable, and the disk not full?")
    STAMP.write_text(wanted_stamp())


def run_step(command: list[str], question: str) -> None:
    status = subprocess.run(command).returncode
    if status:
        raise CannotSetUp(
            f"Setting up failed: {' '.join(command[:4])} ... ended with {status}. {question} "
            "Run the same command again when that is fixed: nothing is lost."
        )


def rerun_in_environment() -> int:
    """Run the same command with the environment's Python. This process becomes that one, so that it is the one who is signalled."""
    command = [str(PYTHON), "-m", "course_utils", *sys.argv[1:]]
    os.chdir(COURSE)
    if os.name == "posix":
        return os.execv(PYTHON, command)
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for the other, which ends in its own time
    return subprocess.run(command).returncode


def main() -> int:
    if MARKER not in os.environ:  # an older Python will do here, once `.venv` stands
        try:
            set_up()
        except CannotSetUp as error:
            print(error, file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("Interrupted; the same command goes on from here.", file=sys.stderr)
            return 130
        if Path(sys.prefix) != VENV:
            return rerun_in_environment()
    elif sys.version_info < (3, 11):  # noqa: UP036
        print(lacking(), file=sys.stderr)
        return 1
    from course_utils.course import commands

    parser = argparse.ArgumentParser(prog="python -m course_utils", description="Build AlphaZero from nothing.")
    commands.add_to(parser)
    options, rest = parser.parse_known_args()
    if rest and options.command not in ("lab", "play", "bench", "mutants"):
        parser.error(f"unknown: {' '.join(rest)}")
    try:
        status = options.run(options, rest)
        sys.stdout.flush()
    except BrokenPipeError:
        if options.command not in ("list", "progress"):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever reads has seen enough, as `head` has
        return 0
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
