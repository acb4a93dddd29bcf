"""Is everything here that the notebooks need? Says in one sentence what is missing and how to fix it."""

import importlib.metadata
import sys

from course_utils.material.first_cell import requirements
from course_utils.paths import INSTALLED, command, record_folder

MEND = f"close JupyterLab and start it again with `{command('lab')}`"


def problems() -> list[str]:
    """One sentence for each thing that is missing; [] if nothing is."""
    found = []
    if sys.version_info < (3, 11):  # noqa: UP036 (a kernel of another environment may be older)
        found.append(f"This kernel runs Python {sys.version.split()[0]}, but the course needs 3.11 or later: {MEND}.")
    for requirement in [] if INSTALLED else requirements():  # pip or the browser tab has seen to it
        name, _, lowest = requirement.partition(",")[0].partition(">=")
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
            f"Your progress can't be recorded ({error.strerror}: {folder}): free some space or fix its permissions."
        )
    return found


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split("+")[0].split(".") if part.isdigit()]


def report() -> None:
    """Print what is missing, or that nothing is."""
    found = problems()
    for sentence in found:
        print(sentence)
    python, torch = sys.version.split()[0], importlib.metadata.version("torch")
    if not found:
        print(f"Everything is here: Python {python}, {'a small torch' if torch == '0.0' else f'PyTorch {torch}'}.")
