"""Run `python -m course_utils <command>`: everything the Makefile does, on any machine with Python 3.11.

This module imports only the standard library until the environment `.venv` exists, and then continues inside it.
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

from course_utils.paths import COURSE, INSTALLED

VENV = COURSE / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "course-stamp"  # empty while the environment is being made
REQUIREMENTS = ("pyproject.toml", "constraints.txt")
MARKER = "COURSE_READY"  # set by the caller where the environment is managed by others: conda, Binder
SMALL_TORCH = "https://download.pytorch.org/whl/cpu"  # PyTorch's index of builds without a graphics card's libraries
NEWER = ("python3.14", "python3.13", "python3.12", "python3.11")


class CannotSetUp(Exception):
    """The environment can't be created; the message is a sentence that says what to do."""


def runs(python: object, code: str) -> bool:
    quiet = subprocess.DEVNULL
    return subprocess.run([str(python), "-c", code], stdout=quiet, stderr=quiet).returncode == 0


def lacking() -> str:
    """A sentence that says what must be installed before this Python can create an environment; "" if nothing."""
    version = sys.version.split()[0]
    if sys.version_info < (3, 11):  # noqa: UP036 (an older Python gets this far)
        newer = next((name for name in NEWER if shutil.which(name) and runs(name, "")), None)
        mend = (
            f"run `make lab PYTHON={newer}` or `{newer} -m course_utils lab`"
            if newer
            else "install one from python.org, conda-forge or your system's packages"
        )
        return f"The course needs Python 3.11 or later, and this is {version}: {mend}."
    parts = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if not parts:
        return ""
    package = "python{}.{}-venv".format(*sys.version_info)
    return (
        f"This Python, {sys.executable}, lacks {' and '.join(parts)}, and without these no environment can be "
        "created: install "
        f"{package} (on Debian and Ubuntu `sudo apt install {package}`), or use a Python from python.org or "
        "conda-forge."
    )


def wanted_stamp() -> str:
    content = b"".join((COURSE / name).read_bytes() for name in REQUIREMENTS)
    return hashlib.sha256(content).hexdigest()


def set_up() -> None:
    """Create `.venv` with all requirements, unless it exists and the requirements have not changed.

    An environment that is incomplete, or whose Python is missing or different, is created again.

    Raises:
        CannotSetUp: something must be installed first, or a step failed.
    """
    stamp = STAMP.read_text("utf-8", "replace") if STAMP.exists() else None
    up_to_date = stamp == wanted_stamp()
    sound = PYTHON.exists() and runs(PYTHON, "import pip" if up_to_date else "import pip._internal.cli.main")
    if sound and up_to_date:
        return
    begin_anew = not sound or stamp == ""
    if begin_anew and lacking():
        raise CannotSetUp(lacking())
    print("Setting up .venv (once; it downloads PyTorch and JupyterLab, which takes a few minutes) ...", flush=True)
    if begin_anew:
        run_step([sys.executable, "-m", "venv", "--clear", str(VENV)], "Is the disk full, or the folder not yours?")
        STAMP.write_text("")
    if needs_small_torch() and not bring_small_torch():
        print(
            "PyTorch's small build can't be fetched, so the ordinary build is installed. It is larger, and otherwise "
            "the same.",
            flush=True,
        )
    install = ["--constraint", str(COURSE / "constraints.txt"), "--editable", f"{COURSE}[dev]"]
    uv = uv_installs()
    if not uv or subprocess.run([*uv, *install]).returncode:  # uv ignores pip's settings, such as a mirror
        run_step([*pip_installs(), *install], "Is the network reachable, and the disk not full?")
    STAMP.write_text(wanted_stamp())


def pip_installs() -> list[str]:
    return [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def uv_installs() -> list[str]:
    """The command with which uv installs, which is faster; [] without uv."""
    uv = shutil.which("uv")
    return [uv, "pip", "install", "--quiet", "--python", str(PYTHON)] if uv else []


def needs_small_torch() -> bool:
    """Whether to install the small build of PyTorch.

    On Linux the default build contains gigabytes of NVIDIA's libraries.
    """
    return sys.platform == "linux" and not shutil.which("nvidia-smi") and not Path("/dev/nvidiactl").exists()


def bring_small_torch() -> bool:
    """Install the small build of PyTorch unless it is installed, and return whether that succeeded."""
    print("No NVIDIA graphics card was found, so PyTorch's small build for processors is installed.", flush=True)
    arguments = [SMALL_TORCH, "--no-deps", "--constraint", str(COURSE / "constraints.txt"), "torch"]
    impatient = {**os.environ, "UV_HTTP_TIMEOUT": "15", "UV_HTTP_RETRIES": "1"}
    commands = [[*pip_installs(), "--timeout", "15", "--retries", "1", "--index-url", *arguments]]
    if uv := uv_installs():
        commands.insert(0, [*uv, "--default-index", *arguments])
    quiet = subprocess.DEVNULL
    return any(
        subprocess.run(command, env=impatient, stdout=quiet, stderr=quiet).returncode == 0 for command in commands
    )


def run_step(command: list[str], question: str) -> None:
    status = subprocess.run(command).returncode
    if status:
        raise CannotSetUp(
            f"Setting up failed: {' '.join(command[:4])} ... ended with {status}. {question} "
            "Fix that and run the same command again. Nothing is lost."
        )


def rerun_in_environment() -> int:
    """Run the same command with the environment's Python."""
    os.chdir(COURSE)
    return become([str(PYTHON), "-m", "course_utils", *sys.argv[1:]])


def become(command: list[str]) -> int:
    """Replace this process with a command, so that signals reach the command."""
    if os.name == "posix":
        return os.execv(command[0], command)
    signal.signal(signal.SIGINT, lambda *_: None)  # the subprocess handles Ctrl-C
    return subprocess.run(command).returncode


def lab_in_folder(arguments: list[str]) -> int:
    """Run `alphazero-course lab [FOLDER]` of an installed course, in the current folder by default."""
    named = bool(arguments) and not arguments[0].startswith("-")
    folder = Path(arguments[0]) if named else COURSE
    others = list(folder.glob("[!.]*")) if not (folder / ".course").exists() else []
    if others or (folder.exists() and not folder.is_dir()):
        print(
            f"{folder} contains other files. Choose a folder for the course alone: alphazero-course lab my-course",
            file=sys.stderr,
        )
        return 1
    try:
        (folder / "notebooks").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        print(f"{folder} can't be the course's folder ({error.strerror}). Name another folder", file=sys.stderr)
        return 1
    try:
        (folder / ".course").mkdir(exist_ok=True)
    except OSError as error:
        print(f"What you pass will not be recorded: {error.strerror} ({folder / '.course'}).", file=sys.stderr)
    os.chdir(folder)
    os.environ[MARKER] = "1"
    return become([sys.executable, "-m", "course_utils", "lab", *arguments[named:]])


def parse_arguments() -> tuple[argparse.Namespace, list[str]]:
    """Parse the command line into options and arguments to pass on.

    Exits after help or an error. Needs only Python 3.11.
    """
    from course_utils import command_line

    parser = command_line.parser()
    options, rest = parser.parse_known_args()
    if rest and options.command not in command_line.PASS_ON:
        parser.error(f"unknown: {' '.join(rest)}")
    return options, rest


def main() -> int:
    for stream in (sys.stdout, sys.stderr):  # a terminal whose encoding lacks a letter shows an escape instead
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if INSTALLED and sys.argv[1:2] == ["lab"] and MARKER not in os.environ:
        return lab_in_folder(sys.argv[2:])
    if MARKER not in os.environ and not INSTALLED:  # an older Python is enough here once `.venv` exists
        if sys.version_info >= (3, 11):  # noqa: UP036
            parse_arguments()  # help and errors come before the installation
        try:
            set_up()
        except CannotSetUp as error:
            print(error, file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print("Interrupted. Run the same command to continue from here.", file=sys.stderr)
            return 130
        if Path(sys.prefix) != VENV:
            return rerun_in_environment()
    elif sys.version_info < (3, 11):  # noqa: UP036
        print(lacking(), file=sys.stderr)
        return 1
    # Without this package, jsonschema (imported by nbformat) skips parsing a grammar, which takes over a second.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # None: not installed
    from course_utils.files import trouble

    options, rest = parse_arguments()
    if sys.stdout is None:  # closed by the shell: >&-
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115 (for as long as the process lives)
    try:
        status = options.run(options, rest)
        sys.stdout.flush()
    except BrokenPipeError:
        print_nowhere()  # the reader, such as `head`, has ended
        return 0 if options.command in ("list", "progress") else 128 + 13  # the status of a program that SIGPIPE ends
    except OSError as error:
        elsewhere = error.filename is not None or error.strerror is None or can_print()
        reason = trouble(error) if elsewhere else f"can't write its output ({error.strerror})"
        kept = (
            "" if error.strerror is None else ". What was saved before is unchanged."
        )  # other errors say it themselves
        print(f"{options.command} stopped: {reason}{kept}", file=sys.stderr)
        return 1
    except MemoryError:
        print(
            f"{options.command} stopped: it needs more memory than is free. Ask for fewer simulations, games or "
            "workers.",
            file=sys.stderr,
        )
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    return status


def can_print() -> bool:
    """Whether we can print an empty line; if not, standard output is redirected to nowhere."""
    try:
        print(flush=True)
    except OSError:
        print_nowhere()
        return False
    return True


def print_nowhere() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
