"""A learner's answer that raises later, in the middle of something else: whose fault it was, and how to go on."""

import copy
import functools
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, Literal

from course_utils.deadline import TookTooLong, within
from course_utils.exercise.registry import EXERCISES
from course_utils.exercise.versions import using
from course_utils.paths import PACKAGE


class YourAnswerFailed(Exception):
    """An answer of the learner's that passed its check raised later."""


def guarded(name: str, function: Callable) -> Callable:
    """Wrap a learner's function, so that its own errors become one sentence that names it.

    Errors of its arguments (a callback, a network, a game) pass through unchanged.
    """

    @functools.wraps(function)
    def guarded(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (YourAnswerFailed, NotImplementedError):
            raise
        except Exception as error:
            if not _is_its_own(error, name, function, (*args, *kwargs.values())):
                raise
            reference_error = _of_ours(EXERCISES[name].reference, args, kwargs)
            if reference_error == "raises":
                # only the outermost note is kept, because the functions that it calls are not at fault
                error.__notes__ = [_its_call(name)]
            if reference_error != "returns":
                raise
            if isinstance(error, ValueError):  # may be part of the contract, as it is for `play`: keep its type
                if not getattr(error, "__notes__", None):
                    error.add_note(f"(raised inside your {name}; {way_out(name)})")
                raise
            sentence = f"your {name} passed its check but now raised {type(error).__name__}: {error}; {way_out(name)}"
            raise YourAnswerFailed(sentence) from error

    return guarded


def _is_its_own(error: Exception, name: str, function: Callable, handed: tuple) -> bool:
    """Whether an error is the answer's own: below its last frame there are only libraries and the course's code, and
    none of its arguments.
    """
    code = getattr(inspect.unwrap(function), "__code__", None)
    own = {f"<your {name}>", f"<before your {name}>", getattr(code, "co_filename", "")}
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    files = [frame.f_code.co_filename for frame in frames]
    last = max((place for place, file in enumerate(files) if file in own), default=0)  # 0: it can't be called like this
    below = [file for file in files[last + 1 :] if not file.startswith(LIBRARIES)]
    asked = [frame.f_locals.get("self") for frame in frames[last + 1 :]]
    asked_for = [getattr(argument, "__self__", argument) for argument in handed if callable(argument)]
    if any(owner is seen for owner in asked_for for seen in asked if seen is not None):
        return False
    return all(file.startswith(f"{PACKAGE}{os.sep}") for file in below)


LIBRARIES = (
    *(f"{place}{os.sep}{lib}" for place in {sys.prefix, sys.base_prefix} for lib in ("lib", "Lib")),
    "<frozen",
    "<__array_function__",
)


def _its_call(name: str) -> str:
    return f"(The course's own {name} fails with these arguments, too: where do they come from?)"


def way_out(name: str) -> str:
    return f'to use the course version instead, run: from course_utils import mine; mine.use_ours("{name}")'


def _of_ours(reference: Callable, args: tuple, kwargs: dict) -> Literal["returns", "raises", "unknown"]:
    """What the course's version does with copies of these arguments: where it raises, too, the caller is at fault.

    Unknown where an argument can't be copied or must not be called, or where a second is not enough.
    """
    if not all(map(_may_be_called, (*args, *kwargs.values()))):
        return "unknown"
    import numpy as np  # not above: commands that need none of it begin at once

    try:
        args, kwargs = copy.deepcopy((args, kwargs))
    except Exception:  # whatever has no copy
        return "unknown"
    try:
        with using({}), np.errstate(all="ignore"):
            within(1, lambda: reference(*args, **kwargs))
    except TookTooLong:
        return "unknown"
    except Exception:
        return "raises"
    return "returns"


def _may_be_called(value: Any) -> bool:
    """Whether calling it once more has no effect elsewhere: the course's functions, networks and what holds their
    arguments by `partial`.

    What can't be called is only read.
    """
    if isinstance(value, functools.partial):
        return all(map(_may_be_called, (value.func, *value.args, *value.keywords.values())))
    function = inspect.unwrap(value) if callable(value) else value
    if inspect.ismethod(function):
        return False
    kind = function if inspect.isfunction(function) or isinstance(function, type) else type(function)
    return not callable(value) or kind.__module__.split(".")[0] in (PACKAGE.name, "torch", "numpy")
