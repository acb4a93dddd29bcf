"""Types of what an answer returns: each function takes the result, and gives "" or a sentence that says what is wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.tests.case import show


def _what(result: Any) -> str:
    """ "0.5 of type float"; of something long its type alone."""
    text, kind = show(result), type(result).__name__
    return f"{text} of type {kind}" if len(text) < 40 else f"something of type {kind}"


def whole_number(result: Any) -> str:
    """Python's or numpy's."""
    good = isinstance(result, int | np.integer) and not isinstance(result, bool)
    return "" if good else f"expected an int, got {_what(result)}"


def whole_numbers(result: Any) -> str:
    """A list of them."""
    if type(result) is not list:
        return f"expected a list, got {_what(result)}"
    odd = [one for one in result if whole_number(one)]
    return f"expected ints in the list, got {_what(odd[0])}" if odd else ""


def true_or_false(result: Any) -> str:
    return "" if type(result) in (bool, np.bool_) else f"expected True or False, got {show(result)}"


def number(result: Any) -> str:
    """A float, or what behaves as one."""
    good = isinstance(result, float | int | np.floating | np.integer) and not isinstance(result, bool)
    return "" if good else f"expected one number, got {_what(result)}"


def nothing(result: Any) -> str:
    return "" if result is None else f"expected None, got {show(result)}"


def array(dtype: str = "") -> Callable[[Any], str]:
    """A numpy array, of this dtype or kind ("float", "int", "bool", "numbers") if one is named."""

    def complaint(result: Any) -> str:
        if not isinstance(result, np.ndarray):
            return f"expected a numpy array, got {_what(result)}"
        kinds = {"float": "f", "int": "iu", "bool": "b", "numbers": "fiu"}
        good = not dtype or (result.dtype.kind in kinds[dtype] if dtype in kinds else result.dtype == np.dtype(dtype))
        return "" if good else f"expected an array of {dtype}, got one of {result.dtype}"

    return complaint
