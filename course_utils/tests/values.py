"""Values as JSON: what comes of a scene travels from the process of an answer to the one that judges it. Nothing else than plain data does."""

import base64
import builtins
import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.tests.case import plain

DEEPEST = 20  # lists within lists
LONGEST = 2000  # characters of how an object is shown, or of an error's message
PLAIN_KINDS = "biufcSU"  # of numpy's types: what can be kept as bytes


class Foreign:
    """An object that is no plain data, as it was shown where it is."""

    text = ""

    def __repr__(self) -> str:
        return self.text


def serialized(value: Any, depth: int = 0) -> Any:
    """A value as `json.dumps` takes it; of what is no plain data its kind and its looks."""
    with contextlib.suppress(TypeError, RuntimeError):  # of a tensor that numpy has no type for
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
            return [serialized(one, depth + 1) for one in value]
        if isinstance(value, tuple):
            return {"tuple": [serialized(one, depth + 1) for one in value]}
        if isinstance(value, dict):
            return {"dict": [[serialized(key, depth + 1), serialized(one, depth + 1)] for key, one in value.items()]}
        if isinstance(value, set | frozenset):
            return {"set": [serialized(one, depth + 1) for one in value]}
    try:
        text = repr(value)[:LONGEST]
    except Exception as error:
        text = f"<something that can't be shown: {type(error).__name__}>"
    return {"object": type(value).__name__, "text": text}


def deserialized(said: Any) -> Any:
    """What was serialized.

    Raises:
        ValueError: this is nothing that `serialized` makes.
    """
    match said:
        case None | bool() | int() | float() | str():
            return said
        case list():
            return [deserialized(one) for one in said]
        case {"tuple": list(ones)}:
            return tuple(map(deserialized, ones))
        case {"dict": list(pairs)}:
            return _made(lambda: {deserialized(key): deserialized(one) for key, one in pairs})
        case {"set": list(ones)}:
            return _made(lambda: set(map(deserialized, ones)))
        case {"array": str(kind), "shape": list(shape), "data": str(data)}:
            return _made(lambda: _array(kind, shape, data))
        case {"number": str(kind), "data": str(data)}:
            return _made(lambda: _array(kind, [], data)[()])
        case {"object": str(kind), "text": str(text)}:
            return type(kind if kind.isidentifier() else "object", (Foreign,), {"text": text})()
    raise ValueError("what came back is not a value")


def _made(make: Callable[[], Any]) -> Any:
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
    """An exception, with what it says of where it came from (see `stage.placed`)."""
    notes = [str(note)[:LONGEST] for note in getattr(error, "__notes__", [])][:3]
    bases = [base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins" and base is not object]
    try:
        message = str(error)[:LONGEST]
    except Exception:
        message = ""
    names = ("learners_line", "kinds", "origin", "in_torch")
    line, kinds, origin, in_torch = (getattr(error, name, "") for name in names)
    return {"raised": type(error).__name__, "bases": bases, "message": message, "notes": notes, "line": line,
            "kinds": kinds, "origin": origin, "torch": in_torch}  # fmt: skip


def deserialized_error(said: dict[str, Any]) -> Exception | SystemExit | GeneratorExit:
    """An exception of the same name, kind and message. Of kinds that end a program only those that an answer is known to raise."""
    known = [getattr(builtins, str(name), None) for name in said.get("bases", [])]
    kinds = [one for one in known if isinstance(one, type) and issubclass(one, Exception | SystemExit | GeneratorExit)]
    own = [one for one in kinds if not any(other is not one and issubclass(other, one) for other in kinds)]
    name, message = str(said.get("raised", "")), str(said.get("message", ""))[:LONGEST]
    try:
        kind = own[0] if len(own) == 1 and own[0].__name__ == name else type(name, tuple(own) or (Exception,), {})
        error = kind(message)
    except (TypeError, ValueError):  # one that is made otherwise: UnicodeDecodeError
        error = type(name if name.isidentifier() else "Exception", (Exception,), {})(message)
    if isinstance(error, KeyError):  # which shows its argument's repr
        error = type("KeyError", (KeyError,), {"__str__": lambda self: message})(message)
    error.__notes__ = [str(note) for note in said.get("notes", [])]
    error.learners_line, error.kinds = str(said.get("line", ""))[:LONGEST], str(said.get("kinds", ""))[:LONGEST]
    error.origin, error.in_torch = str(said.get("origin", ""))[:LONGEST], bool(said.get("torch"))
    return error
