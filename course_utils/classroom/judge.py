"""The judge's end: it has the check, makes the scenes, and knows what must come of them; the process that has the answer plays them."""

import contextlib
import json
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

from course_utils.deadline import TookTooLong
from course_utils.platform import PATIENCE
from course_utils.tests.values import unpacked, unpacked_error
from course_utils.tests.watch import Complaint

LONGEST, MOST = (
    1 << 20,
    8 << 20,
)  # bytes that are read of a reply, and of all of them: right answers send 15 and 49 kB at most
LONGEST_PRINTED = 2000  # characters
LOOK = 0.5  # seconds between two looks at the other process
SLACK = 10  # seconds of a clock beyond what an answer has: its process may be one of many


class Gone(Exception):
    """The process of the answer has ended, says nothing, or something that is no reply."""


class There:
    """A stage (`tests.stage.Stage`) in another process.

    Attributes:
        gone: why nothing comes from there any more; "" while it does.
    """

    def __init__(self, connection: socket.socket, lives: Callable[[], bool] = lambda: True):
        """
        Args:
            lives: whether the process at the other end does.
        """
        self.printed, self.gone, self.late, self.unread, self.inside = "", "", False, b"", False
        self.read = 0  # bytes of all replies
        self.ends = float("inf")  # of a clock, for what is being played
        self.connection, self.lives = connection, lives
        connection.settimeout(LOOK)

    def run_cell(self, text: str, seconds: float) -> list[list[str]]:
        """What it raised: (kind, message, traceback) of each exception."""
        self.ends = time.monotonic() + seconds
        raised = self._ask({"do": "cell", "text": text}).get("raised")
        if not isinstance(raised, list) or not all(isinstance(one, list) and len(one) == 3 for one in raised):
            raise self._lost("it hands over what is no reply")
        return [[str(text) for text in one] for one in raised]

    def begin(self, seconds: float = 60, **request: Any) -> None:
        """The check."""
        self.ends = time.monotonic() + seconds
        self._ask({"do": "check", **request})

    def close(self) -> None:
        self.connection.close()

    # --- what a stage does

    def problem(self) -> str:
        return str(self._value("problem"))

    def limited(self, seconds: float, function: Callable[[], Any]) -> Any:
        self.printed, self.ends = "", time.monotonic() + PATIENCE * seconds + SLACK
        self._ask({"do": "limited", "seconds": seconds})
        self.inside = True
        try:
            return function()
        finally:
            if self.inside:
                with contextlib.suppress(Gone, TookTooLong):
                    self.printed = str(self._ask({"do": "end"}).get("printed", ""))[:LONGEST_PRINTED]
            self.inside = False

    def play(self, lines: str) -> Any:
        return self._value("play", lines=lines)

    def watched(self, lines: str, chance: int | None = None) -> Any:
        return self._value("watched", lines=lines, chance=chance)

    def memory(self, scenes: Sequence[str]) -> tuple[str, str]:
        sentence, lines = self._value("memory", scenes=list(scenes))
        return str(sentence), str(lines)

    def signature(self, scenes: Sequence[str]) -> str:
        return str(self._value("signature", scenes=list(scenes)))

    # --- what is said and heard

    def _value(self, do: str, **request: Any) -> Any:
        """What came of it. Raises whatever was raised there."""
        said = self._ask({"do": do, **request})
        if "raised" in said:
            raise unpacked_error(said)
        try:
            value = unpacked(said.get("value"))
        except (ValueError, RecursionError) as error:
            raise self._lost(f"it hands over what is not a value ({error})") from None
        if "complaint" in said:
            raise Complaint(value, str(said["complaint"])[:1000])
        return value

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.gone:
            raise Gone(self.gone)
        try:
            self._send(json.dumps(request).encode() + b"\n")
            said = json.loads(self._line())
        except TimeoutError:
            self.late = True
            raise self._lost("it came to no end") from None
        except OSError:
            raise self._lost("Python ended") from None
        except (ValueError, RecursionError):
            raise self._lost("it hands over what is not JSON") from None
        if not isinstance(said, dict):
            raise self._lost("it hands over what is no reply")
        if said.get("late"):
            self.inside, self.printed = False, str(said.get("printed", ""))[:LONGEST_PRINTED]
            raise TookTooLong
        return said

    def _line(self) -> bytes:
        while b"\n" not in self.unread:
            try:
                piece = self.connection.recv(1 << 16)
            except TimeoutError:
                self._still_there()
                continue
            if not piece:
                raise OSError
            self.unread += piece
            self.read += len(piece)
            if len(self.unread) > LONGEST or self.read > MOST:
                raise self._lost("it hands over more than any answer needs")
        line, _, self.unread = self.unread.partition(b"\n")
        return line

    def _send(self, text: bytes) -> None:
        while text:
            try:
                text = text[self.connection.send(text) :]
            except TimeoutError:
                self._still_there()

    def _still_there(self) -> None:
        if time.monotonic() > self.ends:
            raise TimeoutError
        if not self.lives():
            raise OSError

    def _lost(self, why: str) -> Gone:
        self.gone = why
        self.close()
        return Gone(why)
