"""A learner's answer that raises later, in the middle of something else: whose fault it was, and how to go on."""

import copy
import dataclasses
import functools
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

from course_utils.deadline import TookTooLong, within
from course_utils.exercise.registry import EXERCISES
from course_utils.exercise.versions import using
from course_utils.paths import PACKAGE


class YourAnswerFailed(Exception):
    """An answer of the learner's that passed its check raised later."""


def guarded(name: str, function: Callable) -> Callable:
    """The learner's function; an error of its own ends in one sentence that names it. One that comes from what it was handed (a callback,
    a network, a game) passes through as it is."""

    @functools.wraps(function)
    def guarded(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except (YourAnswerFailed, NotImplementedError):
            raise
        except Exception as error:
            if not _is_its_own(error, name, function, (*args, *kwargs.values())):
                raise
            if _raises_too(EXERCISES[name].reference, args, kwargs):
                # the outermost has the last word: what it calls in turn is not what went wrong
                error.__notes__ = [_its_call(name)]
                raise
            if isinstance(error, ValueError):  # may be part of the contract, as it is for `play`: keep its type
                if not getattr(error, "__notes__", None):
                    error.add_note(f"(raised inside your {name}; {way_out(name)})")
                raise
            sentence = f"your {name} passed its check but now raised {type(error).__name__}: {error}; {way_out(name)}"
            raise YourAnswerFailed(sentence) from error

    return guarded


def _is_its_own(error: Exception, name: str, function: Callable, handed: tuple) -> bool:
    """Whether below the answer's last line there are only libraries and the course's own code, and among them no network or function that
    the answer was handed."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    own = {f"<your {name}>", f"<before your {name}>", getattr(code, "co_filename", "")}
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    files = [frame.f_code.co_filename for frame in frames]
    last = max((place for place, file in enumerate(files) if file in own), default=0)  # 0: it can't be called like this
    below = [file for file in files[last + 1 :] if not file.startswith(LIBRARIES)]
    asked = [frame.f_locals.get("self") for frame in frames[last + 1 :]]
    asked_for = [getattr(one, "__self__", one) for one in handed if callable(one)]
    if any(one is other for one in asked_for for other in asked if other is not None):
        return False
    return all(file.startswith(f"{PACKAGE}{os.sep}") for file in below)


LIBRARIES = (
    *(f"{place}{os.sep}{lib}" for place in {sys.prefix, sys.base_prefix} for lib in ("lib", "Lib")),
    "<frozen",
    "<__array_function__",
)


def _its_call(name: str) -> str:
    return f"(With these arguments the course's own {name} fails, too: where do they come from?)"


def way_out(name: str) -> str:
    return f'to go on with ours: from course_utils import mine; mine.use_ours("{name}")'


def _raises_too(reference: Callable, args: tuple, kwargs: dict) -> bool:
    """Whether ours can't be called like this, either: then the fault is the caller's. It is asked on copies of plain data, and for a second."""
    if not all(map(_is_plain, (*args, *kwargs.values()))):
        return False
    import numpy as np  # not above: commands that need none of it begin at once

    args, kwargs = copy.deepcopy((args, kwargs))
    try:
        with using({}), np.errstate(all="ignore"):
            within(1, lambda: reference(*args, **kwargs))
    except TookTooLong:
        return False
    except Exception:
        return True
    return False


def _is_plain(value: Any) -> bool:
    """Whether it can be copied and asked about, and nothing happens: numbers, texts, arrays, and what is made of them, such as a state."""
    if isinstance(value, tuple | list):
        return all(map(_is_plain, value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        frozen = value.__dataclass_params__.frozen  # type: ignore[attr-defined]  # each dataclass has them
        return frozen and all(_is_plain(getattr(value, one.name)) for one in dataclasses.fields(value))
    return value is None or isinstance(value, bool | int | float | str) or type(value).__module__ == "numpy"
