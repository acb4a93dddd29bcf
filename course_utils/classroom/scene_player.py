"""The answer's end of a check: it plays the judge's scenes in the process where a learner's cells have run.

Requests and replies are lines of JSON, one reply for each request. Nothing here knows what is expected, or which
answer is right. See `remote_stage` for the other end.
"""

import importlib
import json
from typing import IO, Any

from course_utils.answers.running import answer_in
from course_utils.deadline import TookTooLong
from course_utils.tests.stage import Calls, LocalStage
from course_utils.tests.values import serialized, serialized_error
from course_utils.tests.watch import Complaint


def serve(
    requests: IO[bytes],
    replies: IO[bytes],
    namespace: dict[str, Any],
    exercise: str,
    check: str,
    names: dict[str, str],
    expression: str,
) -> None:
    """Play scenes until the judge hangs up.

    Args:
        namespace: what the learner's cells have made, in which `expression` is the answer.
        check: the module with the rest of the exercise's check.
        names: name in a scene -> the module that it comes from, see `stripped_course.StrippedCourse.prepare`.
    """
    asked = importlib.import_module(check).ASKED
    values = {name: _imported(name, module) for name, module in names.items()}
    answer = answer_in(namespace, exercise, expression)
    player = ScenePlayer(LocalStage(Calls(names=values, exercise=exercise, **asked), answer), requests, replies)
    player.reply({"begun": True})
    player.play_all()


def _imported(name: str, module: str) -> Any:
    if module.startswith("module "):
        return importlib.import_module(module.removeprefix("module "))
    return getattr(importlib.import_module(module), name)


class ScenePlayer:
    """Does what each request says."""

    def __init__(self, stage: LocalStage, requests: IO[bytes], replies: IO[bytes]):
        self.stage, self.requests, self.replies = stage, requests, replies

    def play_all(self, until: str = "") -> None:
        """Reply to each request, up to and without the next one for `until`."""
        for line in self.requests:
            request = json.loads(line)
            if request["do"] == until:
                return
            self.reply(self._limited(request) if request["do"] == "limited" else self._value(request))

    def reply(self, reply: dict[str, Any]) -> None:
        self.replies.write(json.dumps(reply).encode() + b"\n")
        self.replies.flush()

    def _limited(self, request: dict[str, Any]) -> dict[str, Any]:
        """Play the requests up to "end" with the settings of a fresh process, within a time limit."""
        self.reply({"begun": True})
        try:
            self.stage.limited(request["seconds"], lambda: self.play_all("end"))
        except TookTooLong:
            return {"late": True, "printed": self.stage.printed}
        return {"printed": self.stage.printed}

    def _value(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return {"value": serialized(getattr(self.stage, request.pop("do"))(**request))}
        except Complaint as wrong:
            value, complaint = wrong.args
            return {"complaint": complaint, "value": serialized(value)}
        except TookTooLong:
            raise
        except BaseException as error:
            return serialized_error(error)
