"""The judge's end of a check: the process of the answer plays scenes, and this one knows their results."""

import contextlib
import json
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

from course_utils.deadline import TookTooLong
from course_utils.platform import PATIENCE
from course_utils.tests.values import deserialized, deserialized_error
from course_utils.tests.watch import Complaint

MAX_REPLY, MAX_REPLIES = 1 << 20, 8 << 20  # bytes of one reply and of all: right answers send 15 and 49 kB at most
MAX_PRINTED = 2000  # characters
LOOK = 0.5  # seconds between two looks at the answer's process
SLACK = 10  # seconds of a clock beyond what an answer has: its process may be one of many
START = 60  # seconds of a clock until the check must have begun


class AnswerGone(Exception):
    """The answer's process has ended, is silent, or sends something that is not a reply."""


class RemoteStage:
    """A stage (`tests.stage.Stage`) in another process, to which this one talks in lines of JSON. See `scene_player`.

    Attributes:
        gone: why nothing more comes from there; "" while it does.
        out_of_time: whether that is because a reply took too long.
    """

    def __init__(self, connection: socket.socket, lives: Callable[[], bool] = lambda: True):
        """
        Args:
            lives: whether the other process is still there.
        """
        self.printed, self.gone, self.out_of_time = "", "", False
        self.connection, self.lives = connection, lives
        self.unread, self.bytes_read = b"", 0
        self.ends = float("inf")  # of a clock, for the current request
        self.inside = False  # whether a `limited` has begun over there
        connection.settimeout(LOOK)

    # --- before the check

    def run_cell(self, text: str, seconds: float) -> list[list[str]]:
        """Returns what it raised: (kind, message, traceback) of each exception."""
        self.ends = time.monotonic() + seconds
        raised = self._ask({"do": "cell", "text": text}).get("raised")
        if not isinstance(raised, list) or not all(isinstance(error, list) and len(error) == 3 for error in raised):
            raise self._lost("it hands over what is no reply")
        return [[str(text) for text in error] for error in raised]

    def begin_check(self, **request: Any) -> None:
        """Takes the arguments of `scene_player.serve`."""
        self.ends = time.monotonic() + START
        self._ask({"do": "check", **request})

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
                with contextlib.suppress(AnswerGone, TookTooLong):
                    self.printed = str(self._ask({"do": "end"}).get("printed", ""))[:MAX_PRINTED]
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

    # --- requests and replies

    def _value(self, do: str, **request: Any) -> Any:
        """The value that the other process returns. Raises whatever was raised there."""
        reply = self._ask({"do": do, **request})
        if "raised" in reply:
            raise deserialized_error(reply)
        try:
            value = deserialized(reply.get("value"))
        except (ValueError, RecursionError) as error:
            raise self._lost(f"it hands over what is not a value ({error})") from None
        if "complaint" in reply:
            raise Complaint(value, str(reply["complaint"])[:1000])
        return value

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        if self.gone:
            raise AnswerGone(self.gone)
        try:
            self._send(json.dumps(request).encode() + b"\n")
            reply = json.loads(self._line())
        except TimeoutError:
            self.out_of_time = True
            raise self._lost("it came to no end") from None
        except OSError:
            raise self._lost("Python ended") from None
        except (ValueError, RecursionError):
            raise self._lost("it hands over what is not JSON") from None
        if not isinstance(reply, dict):
            raise self._lost("it hands over what is no reply")
        if reply.get("late"):
            self.inside, self.printed = False, str(reply.get("printed", ""))[:MAX_PRINTED]
            raise TookTooLong
        return reply

    def _send(self, text: bytes) -> None:
        while text:
            try:
                text = text[self.connection.send(text) :]
            except TimeoutError:
                self._wait_on()

    def _line(self) -> bytes:
        while b"\n" not in self.unread:
            try:
                piece = self.connection.recv(1 << 16)
            except TimeoutError:
                self._wait_on()
                continue
            if not piece:
                raise OSError
            if time.monotonic() > self.ends:  # it sends byte by byte
                raise TimeoutError
            self.unread += piece
            self.bytes_read += len(piece)
            if len(self.unread) > MAX_REPLY or self.bytes_read > MAX_REPLIES:
                raise self._lost("it hands over more than any answer needs")
        line, _, self.unread = self.unread.partition(b"\n")
        return line

    def _wait_on(self) -> None:
        """Raises TimeoutError or OSError: there is nothing to wait for."""
        if time.monotonic() > self.ends:
            raise TimeoutError
        if not self.lives():
            raise OSError

    def _lost(self, why: str) -> AnswerGone:
        self.gone = why
        return AnswerGone(why)
