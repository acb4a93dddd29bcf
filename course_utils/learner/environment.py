"""Check that everything is installed that the notebooks need, and say how to fix what is missing."""

import importlib.metadata
import sys

from course_utils.material.first_cell import requirements
from course_utils.paths import INSTALLED, command, record_folder

REPAIR = f"close JupyterLab and start it again with `{command('lab')}`"


def problems() -> list[str]:
    """A sentence for each thing that is missing; [] if nothing is."""
    sentences = []
    if sys.version_info < (3, 11):  # noqa: UP036 (a kernel of another environment may be older)
        sentences.append(
            f"This kernel runs Python {sys.version.split()[0]}, but the course needs 3.11 or later: {REPAIR}."
        )
    for requirement in [] if INSTALLED else requirements():  # pip or the browser tab has seen to it
        name, _, lowest = requirement.partition(",")[0].partition(">=")
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            sentences.append(f"The package {name} is missing: {REPAIR}.")
            continue
        if _numbers(version) < _numbers(lowest):
            sentences.append(
                f"The package {name} is version {version}, but the course needs {lowest} or later: {REPAIR}."
            )
    try:
        folder = record_folder()
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / "probe"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        sentences.append(
            f"Your progress can't be recorded ({error.strerror}: {folder}): free some space or fix its permissions."
        )
    return sentences


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split("+")[0].split(".") if number.isdigit()]


def report() -> None:
    """Print what is missing, or that everything is there."""
    sentences = problems()
    for sentence in sentences:
        print(sentence)
    python, torch = sys.version.split()[0], importlib.metadata.version("torch")
    if not sentences:
        print(f"Everything is here: Python {python}, {'a small torch' if torch == '0.0' else f'PyTorch {torch}'}.")
