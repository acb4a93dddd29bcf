"""Check the types of results: each function takes a result and returns "" or a sentence that says what is wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.tests.case import show


def _described(result: Any) -> str:
    """Describe a result as "0.5 of type float"; a long one by its type alone."""
    text, kind = show(result), type(result).__name__
    return f"{text} of type {kind}" if len(text) < 40 else f"something of type {kind}"


def whole_number(result: Any) -> str:
    """Expect an int of Python or numpy."""
    good = isinstance(result, int | np.integer) and not isinstance(result, bool)
    return "" if good else f"expected an int, got {_described(result)}"


def whole_numbers(result: Any) -> str:
    """Expect a list of ints."""
    if type(result) is not list:
        return f"expected a list, got {_described(result)}"
    odd = [entry for entry in result if whole_number(entry)]
    return f"expected ints in the list, got {_described(odd[0])}" if odd else ""


def true_or_false(result: Any) -> str:
    """Expect a bool of Python or numpy."""
    return "" if type(result) in (bool, np.bool_) else f"expected True or False, got {show(result)}"


def number(result: Any) -> str:
    """Expect a number, Python's or numpy's; not a bool."""
    good = isinstance(result, float | int | np.floating | np.integer) and not isinstance(result, bool)
    return "" if good else f"expected one number, got {_described(result)}"


def nothing(result: Any) -> str:
    """Expect None."""
    return "" if result is None else f"expected None, got {show(result)}"


def array(dtype: str = "") -> Callable[[Any], str]:
    """Expect a numpy array, of this dtype or kind ("float", "int", "bool", "numbers") if given."""

    def complaint(result: Any) -> str:
        if not isinstance(result, np.ndarray):
            return f"expected a numpy array, got {_described(result)}"
        kinds = {"float": "f", "int": "iu", "bool": "b", "numbers": "fiu"}
        good = not dtype or (result.dtype.kind in kinds[dtype] if dtype in kinds else result.dtype == np.dtype(dtype))
        return "" if good else f"expected an array of {dtype}, got one of {result.dtype}"

    return complaint
