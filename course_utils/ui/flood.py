"""Many printed lines in a browser tab: each would be a message of its own to the page, and a thousand of them freeze
it.

The first lines of a cell are shown at once. After them, what is printed within a tenth of a second goes in one message.
"""

import sys
import time
from typing import Any

from IPython import get_ipython

AT_ONCE = 50  # pieces of text of a cell
PAUSE = 0.1  # seconds


def install() -> None:
    """Does nothing but in a tab, whose streams send each piece of text by themselves."""
    if (shell := get_ipython()) is not None and hasattr(sys.stdout, "publish_stream_callback"):
        Joined(shell)


class Joined:
    """Text that waits is shown before anything else is, and when the cell ends."""

    def __init__(self, shell: Any):
        kind: Any = type(sys.stdout)
        self.send = kind.write
        self.waiting: list[tuple[Any, str]] = []
        self.pieces, self.sent = 0, 0.0
        kind.write = lambda stream, text: self.write(stream, text)
        shell.events.register("pre_run_cell", self.begin)
        shell.events.register("post_run_cell", self.flush)
        for of, name in (
            (shell.display_pub, "publish"),
            (shell.display_pub, "clear_output"),
            (shell.displayhook, "start_displayhook"),
        ):
            setattr(of, name, self.flushing(getattr(of, name)))

    def begin(self, *_: object) -> None:
        self.pieces = 0

    def write(self, stream: Any, text: str) -> None:
        if self.waiting and self.waiting[0][0] is not stream:
            self.flush()
        self.waiting.append((stream, text))
        self.pieces += 1
        if self.pieces <= AT_ONCE or time.monotonic() - self.sent >= PAUSE:
            self.flush()

    def flush(self, *_: object) -> None:
        waiting, self.waiting = self.waiting, []
        if waiting:
            self.sent = time.monotonic()
            self.send(waiting[0][0], "".join(text for _, text in waiting))

    def flushing(self, function):
        def after_what_waits(*arguments, **options):
            self.flush()
            return function(*arguments, **options)

        return after_what_waits
