"""The answer's end: in the kernel where a learner's cells have run, it plays the scenes that the judge sends, and says what came of them.

Requests and replies are lines of JSON, one reply for each request. Nothing here knows what is expected, nor who is right.
"""

import importlib
import json
from typing import IO, Any

from course_utils.answers.running import answer_in
from course_utils.deadline import TookTooLong
from course_utils.tests.stage import Calls, Here
from course_utils.tests.values import packed, packed_error
from course_utils.tests.watch import Complaint


def serve(
    requests: IO[bytes],
    replies: IO[bytes],
    namespace: dict[str, Any],
    exercise: str,
    own: str,
    homes: dict[str, str],
    expression: str,
) -> None:
    """Until the judge hangs up.

    Args:
        own: the module with what is left of the exercise's check.
        homes: name in a scene -> the module that it comes from, see `package.Package.prepare`.
        namespace: what the learner's cells have made, in which `expression` is the answer.
    """
    asked = importlib.import_module(own).ASKED
    names = {name: _found(name, home) for name, home in homes.items()}
    answer = answer_in(namespace, exercise, expression)
    stage = Here(Calls(names=names, exercise=exercise, **asked), answer)
    answering = Answering(stage, requests, replies)
    answering._say({"begun": True})
    answering.go_on()


def _found(name: str, home: str) -> Any:
    if home.startswith("module "):
        return importlib.import_module(home.removeprefix("module "))
    return getattr(importlib.import_module(home), name)


class Answering:
    """What is asked for, one after the other."""

    def __init__(self, stage: Here, requests: IO[bytes], replies: IO[bytes]):
        self.stage, self.requests, self.replies = stage, requests, replies

    def go_on(self, until: str = "") -> None:
        """Reply to each request, up to and without one for `until`."""
        for line in self.requests:
            request = json.loads(line)
            if request["do"] == until:
                return
            self._say(self._limited(request) if request["do"] == "limited" else self._reply(request))

    def _say(self, reply: dict[str, Any]) -> None:
        self.replies.write(json.dumps(reply).encode() + b"\n")
        self.replies.flush()

    def _limited(self, request: dict[str, Any]) -> dict[str, Any]:
        """What is asked for up to "end", in a clean room and with so much time."""
        self._say({"begun": True})
        try:
            self.stage.limited(request["seconds"], lambda: self.go_on("end"))
        except TookTooLong:
            return {"late": True, "printed": self.stage.printed}
        return {"printed": self.stage.printed}

    def _reply(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"value": packed(getattr(self.stage, request.pop("do"))(**request))}
        except Complaint as wrong:
            value, complaint = wrong.args
            return {"complaint": complaint, "value": packed(value)}
        except TookTooLong:
            raise
        except BaseException as error:
            return packed_error(error)
