"""Register callbacks that add something below the report of a failed check.

`course_utils.ui` registers them here, because `course_utils.tests` can't import it.
"""

from collections.abc import Callable
from typing import Any

Watcher = Callable[[str, Callable], Any]  # (exercise, answer) -> what a notebook displays; None: nothing

_watchers: list[Watcher] = []


def offer(watcher: Watcher) -> None:
    """Register a callback for every check that fails in a notebook."""
    if watcher not in _watchers:
        _watchers.append(watcher)


def offered() -> list[Watcher]:
    return list(_watchers)
