"""Wrappers around an answer, one for each thing that is asked of every call, and what they look with."""

import copy
import functools
import inspect
import pickle
import random
import sys
from collections.abc import Callable, Collection, Iterator
from typing import Any

import numpy as np

from course_utils.tests.case import unchanged


class Complaint(Exception):
    """(what was returned, what is wrong with the call)."""


def watched(
    answer: Callable,
    signature: inspect.Signature,
    returns: Callable[[Any], str],
    changes: Collection[str],
    new: Callable[[Any], Any],
) -> Callable:
    """The answer; each call must return the right type, leave its arguments alone, and hand out arrays of its own.

    Args:
        signature: of the reference.
        returns: result -> "" or what is wrong with its type.
        changes: the parameters whose arguments may be changed.
        new: result -> the parts of it that must be new.
    """

    @functools.wraps(answer)
    def called(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        before = {name: snapshot(one) for name, one in given.items() if name not in changes}
        spoil_freed_memory(given)
        result = answer(*args, **kwargs)
        changed = (
            f"its argument `{name}` was changed"
            for name in before
            if not unchanged(snapshot(given[name]), before[name])
        )
        complaint = returns(result) or next(changed, "") or shared(new(result), given)
        if complaint:
            raise Complaint(result, complaint)
        return result

    return called


def recorded(answer: Callable, handed: list[tuple[Any, Any]], new: Callable[[Any], Any]) -> Callable:
    """The answer; what it hands out is put into `handed`, with a snapshot as it was then."""

    @functools.wraps(answer)
    def called(*args, **kwargs):
        result = answer(*args, **kwargs)
        part = new(result)
        handed.append((part, snapshot(part)))
        return result

    return called


def scribble(result: Any) -> None:
    """Write into what was returned, as a caller may."""
    for array in arrays(result):
        if array.flags.writeable and array.dtype.kind in "iufb":
            array.fill(7)


class global_seeds:
    """Within the block the global generators begin at `seed`; afterwards they are as they were."""

    def __init__(self, seed: int):
        self.seed = seed

    def __enter__(self) -> None:
        self.before = random.getstate(), np.random.get_state(), torch() and torch().get_rng_state()  # noqa: NPY002
        random.seed(self.seed)
        np.random.seed(self.seed)  # noqa: NPY002 - the legacy generator is what this looks for
        if torch():
            torch().default_generator.manual_seed(self.seed)  # of the processor alone: the others are slow to ask

    def __exit__(self, *_) -> None:
        random.setstate(self.before[0])
        np.random.set_state(self.before[1])  # noqa: NPY002
        if torch():
            torch().set_rng_state(self.before[2])


# --- what a call is given and returns ---------------------------------------------------------------------------------


def torch() -> Any:
    """torch, if anybody has imported it."""
    return sys.modules.get("torch")


def snapshot(value: Any) -> Any:
    """A copy to compare with later; of a network its weights, its modes, and which weights learn."""
    if isinstance(value, np.random.Generator):
        return ("generator",)  # to be drawn from is what it is for
    if torch() is not None and isinstance(value, torch().nn.Module):
        modes = [layer.training for layer in value.modules()], [one.requires_grad for one in value.parameters()]
        return (*modes, {name: one.detach().numpy().copy() for name, one in value.state_dict().items()})
    if torch() is not None and isinstance(value, torch().Tensor):
        plain = value.detach().cpu()
        return (plain.float() if value.dtype == torch().bfloat16 else plain).numpy().copy()
    if isinstance(value, list):
        return [snapshot(one) for one in value]
    if isinstance(value, tuple):
        return tuple(snapshot(one) for one in value)
    if isinstance(value, dict):
        return {key: snapshot(one) for key, one in value.items()}
    if value is None or isinstance(value, np.ndarray | np.generic | int | float | str | bytes | complex):
        return copy.copy(value)
    try:
        return type(value).__name__, pickle.dumps(value)  # a node with its tree, a state, a dataclass
    except Exception:
        return type(value).__name__  # a function: nothing to look at


def leaves(value: Any) -> Iterator[Any]:
    """What it holds, where it is a list, a tuple or a dictionary."""
    if isinstance(value, list | tuple | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from leaves(one)
    else:
        yield value


def arrays(value: Any) -> Iterator[np.ndarray]:
    """The arrays in it, tensors as arrays."""
    for one in leaves(value):
        if isinstance(one, np.ndarray):
            yield one
        elif torch() is not None and isinstance(one, torch().Tensor) and one.dtype != torch().bfloat16:
            yield one.detach().numpy()


def spoil_freed_memory(arguments: dict[str, Any]) -> None:
    """What an array of an argument's size finds in memory is NaN: an answer that reads what it never wrote is seen.

    (numpy keeps a few small blocks of each size for its next arrays; here all of them are written full, and given back.)
    """
    for size in {array.size * width for array in arrays(arguments) for width in (4, 8)}:
        if size <= 1 << 16:
            _ = [np.full(size, 255, dtype=np.uint8) for _ in range(8)]


def overlap(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether writing into one changes the other."""
    return bool(one.size and other.size) and np.may_share_memory(one, other) and np.shares_memory(one, other)


def shared(result: Any, arguments: dict[str, Any]) -> str:
    """ "" or a sentence: the result shares memory with an argument, or with another part of itself."""
    mine = list(arrays(result))
    for name, value in arguments.items():
        if any(overlap(one, other) for one in mine for other in arrays(value)):
            return f"what it returns shares its numbers with its argument `{name}`: writing into one changes the other"
    if any(overlap(one, other) for i, one in enumerate(mine) for other in mine[:i]):
        return "what it returns shares its numbers with another part of the result: writing into one changes the other"
    return ""


def common(one: list[Any], other: list[Any]) -> bool:
    """Whether what two lots of calls returned holds an array or a list in common."""
    lists = {id(value) for value in one if isinstance(value, list)}
    here = list(arrays(one))
    return any(id(value) in lists for value in other if isinstance(value, list)) or any(
        overlap(a, b) for b in arrays(other) for a in here
    )
