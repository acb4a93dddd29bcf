"""`python -m course_utils <command>`: everything the Makefile does, on any machine with Python 3.11.

This module imports nothing but the standard library until the environment `.venv` stands; then it goes on inside it.
"""

import argparse
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from course_utils.paths import ROOT

VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "course-stamp"
REQUIREMENTS = ("pyproject.toml", "constraints.txt")
MARKER = "COURSE_READY"  # set by the caller where the environment is managed by others: conda, Binder


def wanted_stamp() -> str:
    content = b"".join((ROOT / name).read_bytes() for name in REQUIREMENTS)
    return hashlib.sha256(content).hexdigest()


def set_up() -> None:
    """Make `.venv` with all that the course needs, unless it already stands and the requirements are the same."""
    if PYTHON.exists() and STAMP.exists() and STAMP.read_text() == wanted_stamp():
        return
    print("Setting up .venv (once; it downloads PyTorch and JupyterLab, which takes some minutes) ...", flush=True)
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--constraint", str(ROOT / "constraints.txt"), "--editable", f"{ROOT}[dev]"], check=True)
    STAMP.write_text(wanted_stamp())


def rerun_in_environment() -> int:
    """Run the same command with the environment's Python."""
    return subprocess.run([str(PYTHON), "-m", "course_utils", *sys.argv[1:]], cwd=ROOT).returncode


def main() -> int:
    if sys.version_info < (3, 11):  # noqa: UP036 (whoever has an older Python gets this far)
        print(f"The course needs Python 3.11 or later; this is {sys.version.split()[0]}.", file=sys.stderr)
        return 2
    if MARKER not in os.environ:
        try:
            set_up()
        except subprocess.CalledProcessError as error:
            print(
                f"Setting up failed: {' '.join(map(str, error.cmd[:4]))} ... ended with {error.returncode}.",
                file=sys.stderr,
            )
            print("Is the network reachable? Run the same command again: nothing is lost.", file=sys.stderr)
            return 1
        if Path(sys.prefix) != VENV:
            return rerun_in_environment()
    from course_utils.course import commands

    parser = argparse.ArgumentParser(prog="python -m course_utils", description="Build AlphaZero from nothing.")
    commands.add_to(parser)
    options, rest = parser.parse_known_args()
    if rest and options.command not in ("lab", "bench"):
        parser.error(f"unknown: {' '.join(rest)}")
    return options.run(options, rest)


if __name__ == "__main__":
    sys.exit(main())
