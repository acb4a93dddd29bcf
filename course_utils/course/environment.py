"""Is everything here that the notebooks need? Says in one sentence what is missing and how to fix it."""

import importlib.metadata
import sys
import tomllib

from course_utils.paths import COURSE, record_folder
from course_utils.platform import TORCH

MEND = "close JupyterLab and start it again with `make lab` (or `python -m course_utils lab`)"


def problems() -> list[str]:
    """One sentence for each thing that is missing; [] if nothing is."""
    found = []
    if sys.version_info < (3, 11):  # noqa: UP036 (a kernel of another environment may be older)
        found.append(f"This kernel runs Python {sys.version.split()[0]}, but the course needs 3.11 or later: {MEND}.")
    for requirement in _wanted():
        name, _, lowest = requirement.partition(">=")
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found.append(f"The package {name} is missing: {MEND}.")
            continue
        if _numbers(version) < _numbers(lowest):
            found.append(f"The package {name} is version {version}, but the course needs {lowest} or later: {MEND}.")
    try:
        folder = record_folder()
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / "probe"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        found.append(
            f"Your progress can't be recorded ({error.strerror}: {folder}): free some space or mend its permissions."
        )
    return found


def _wanted() -> list[str]:
    """What the course's own folder asks for; whoever installed the course otherwise, as pip or a browser tab, has seen to it."""
    project = COURSE / "pyproject.toml"
    return tomllib.loads(project.read_text("utf-8"))["project"]["dependencies"] if project.exists() else []


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split("+")[0].split(".") if part.isdigit()]


def report() -> None:
    """Print what is missing, or that nothing is."""
    found = problems()
    for sentence in found:
        print(sentence)
    python = f"Python {sys.version.split()[0]}"
    if not found and TORCH:
        print(f"Everything is here: {python}, PyTorch {importlib.metadata.version('torch')}.")
    elif not found:
        print(f"{python} is here, and no PyTorch: a notebook that needs it says so at its top.")
