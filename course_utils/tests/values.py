"""Serialize values and exceptions to JSON: the answer's process sends them to the process that judges it.

Only plain data crosses that border.
"""

import base64
import builtins
import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.tests.case import plain

DEEPEST = 20  # levels of nested lists
LONGEST = 2000  # characters of an object's repr, or of an error's message
PLAIN_KINDS = "biufcSU"  # kinds of numpy dtypes that can be sent as bytes


class Foreign:
    """Stand in for an object that is not plain data, with its repr from the other process."""

    text = ""

    def __repr__(self) -> str:
        return self.text


def serialized(value: Any, depth: int = 0) -> Any:
    """Turn a value into plain JSON data; an object that is not plain data into its type's name and its repr."""
    with contextlib.suppress(TypeError, RuntimeError):  # numpy lacks some of torch's dtypes
        value = plain(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in PLAIN_KINDS:
        kind = "array" if isinstance(value, np.ndarray) else "number"
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode()
        return {kind: value.dtype.str, "shape": list(np.shape(value)), "data": data}
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str(value)
    if depth < DEEPEST:
        if isinstance(value, list):
            return [serialized(entry, depth + 1) for entry in value]
        if isinstance(value, tuple):
            return {"tuple": [serialized(entry, depth + 1) for entry in value]}
        if isinstance(value, dict):
            return {
                "dict": [[serialized(key, depth + 1), serialized(entry, depth + 1)] for key, entry in value.items()]
            }
        if isinstance(value, set | frozenset):
            return {"set": [serialized(entry, depth + 1) for entry in value]}
    try:
        text = repr(value)[:LONGEST]
    except Exception as error:
        text = f"<something that can't be shown: {type(error).__name__}>"
    return {"object": type(value).__name__, "text": text}


def deserialized(message: Any) -> Any:
    """Turn the data that `serialized` returned back into a value.

    Raises:
        ValueError: `serialized` does not return such data.
    """
    match message:
        case None | bool() | int() | float() | str():
            return message
        case list():
            return [deserialized(entry) for entry in message]
        case {"tuple": list(entries)}:
            return tuple(map(deserialized, entries))
        case {"dict": list(pairs)}:
            return _made(lambda: {deserialized(key): deserialized(entry) for key, entry in pairs})
        case {"set": list(entries)}:
            return _made(lambda: set(map(deserialized, entries)))
        case {"array": str(kind), "shape": list(shape), "data": str(data)}:
            return _made(lambda: _array(kind, shape, data))
        case {"number": str(kind), "data": str(data)}:
            return _made(lambda: _array(kind, [], data)[()])
        case {"object": str(kind), "text": str(text)}:
            return type(kind if kind.isidentifier() else "object", (Foreign,), {"text": text})()
    raise ValueError("what came back is not a value")


def _made(make: Callable[[], Any]) -> Any:
    """Call `make`, and turn a TypeError into a ValueError."""
    try:
        return make()
    except (TypeError, ValueError) as error:
        raise ValueError(f"what came back is not a value: {error}") from None


def _array(kind: str, shape: list, data: str) -> np.ndarray:
    dtype = np.dtype(kind)
    if dtype.kind not in PLAIN_KINDS:
        raise ValueError(f"arrays of {dtype}")
    return np.frombuffer(base64.b64decode(data, validate=True), dtype).reshape(shape).copy()


def serialized_error(error: BaseException) -> dict[str, Any]:
    """Turn an exception into plain data, with the location that `stage.placed` noted in it."""
    notes = [str(note)[:LONGEST] for note in getattr(error, "__notes__", [])][:3]
    bases = [base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins" and base is not object]
    try:
        message = str(error)[:LONGEST]
    except Exception:
        message = ""
    names = ("learners_line", "kinds", "origin", "in_torch")
    line, kinds, origin, in_torch = (getattr(error, name, "") for name in names)
    place = {"line": line, "kinds": kinds, "origin": origin, "torch": in_torch}
    return {"raised": type(error).__name__, "bases": bases, "message": message, "notes": notes} | place


def deserialized_error(reply: dict[str, Any]) -> Exception | SystemExit | GeneratorExit:
    """Rebuild an exception of the same name, bases and message. It never derives from KeyboardInterrupt."""
    builtin = [getattr(builtins, str(name), None) for name in reply.get("bases", [])]
    allowed = Exception | SystemExit | GeneratorExit
    bases = [base for base in builtin if isinstance(base, type) and issubclass(base, allowed)]
    own = [base for base in bases if not any(below is not base and issubclass(below, base) for below in bases)]
    name, message = str(reply.get("raised", "")), str(reply.get("message", ""))[:LONGEST]
    try:
        kind = own[0] if len(own) == 1 and own[0].__name__ == name else type(name, tuple(own) or (Exception,), {})
        error = kind(message)
    except (TypeError, ValueError):  # UnicodeDecodeError, say, takes more arguments
        error = type(name if name.isidentifier() else "Exception", (Exception,), {})(message)
    if isinstance(error, KeyError):  # its `str` is the argument's repr
        error = type("KeyError", (KeyError,), {"__str__": lambda self: message})(message)
    error.__notes__ = [str(note) for note in reply.get("notes", [])]
    error.learners_line, error.kinds = str(reply.get("line", ""))[:LONGEST], str(reply.get("kinds", ""))[:LONGEST]
    error.origin, error.in_torch = str(reply.get("origin", ""))[:LONGEST], bool(reply.get("torch"))
    return error
