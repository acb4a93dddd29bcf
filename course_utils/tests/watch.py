"""Wrap an answer to check each of its calls: types, changed arguments, and memory shared with the caller."""

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
    """Report a bad call: (the result, what is wrong with the call)."""


def watched(
    answer: Callable,
    signature: inspect.Signature,
    returns: Callable[[Any], str],
    changes: Collection[str],
    new: Callable[[Any], Any],
) -> Callable:
    """Wrap an answer: each call must return the right type, leave its arguments alone, and return arrays of its own.

    Args:
        signature: of the reference.
        returns: result -> "" or what is wrong with its type.
        changes: the parameters whose arguments may be changed.
        new: result -> the arrays in it that must be new.
    """

    @functools.wraps(answer)
    def called(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        before = {name: snapshot(value) for name, value in given.items() if name not in changes}
        spoil_freed_memory(given)
        result = answer(*args, **kwargs)
        changed = (name for name in before if not unchanged(snapshot(given[name]), before[name]))
        changes_one = next((f"its argument `{name}` was changed" for name in changed), "")
        complaint = returns(result) or changes_one or shared(new(result), given)
        if complaint:
            raise Complaint(result, complaint)
        return result

    return called


def recorded(answer: Callable, results: list[tuple[Any, Any]], new: Callable[[Any], Any]) -> Callable:
    """Wrap an answer: append each result to `results`, with a snapshot of it."""

    @functools.wraps(answer)
    def called(*args, **kwargs):
        result = answer(*args, **kwargs)
        fresh = new(result)
        results.append((fresh, snapshot(fresh)))
        return result

    return called


def scribble(result: Any) -> None:
    """Overwrite the arrays in a result, as a caller may."""
    for array in arrays(result):
        if array.flags.writeable and array.dtype.kind in "iufb":
            array.fill(7)


class global_seeds:
    """Seed the global generators within the block, and restore them afterwards."""

    def __init__(self, seed: int):
        self.seed = seed

    def __enter__(self) -> None:
        self.before = random.getstate(), np.random.get_state(), torch() and torch().get_rng_state()  # noqa: NPY002
        random.seed(self.seed)
        np.random.seed(self.seed)  # noqa: NPY002 (the legacy generator on purpose)
        if torch():
            # the CPU's generator alone: seeding the others is slow
            torch().default_generator.manual_seed(self.seed)

    def __exit__(self, *_) -> None:
        random.setstate(self.before[0])
        np.random.set_state(self.before[1])  # noqa: NPY002
        if torch():
            torch().set_rng_state(self.before[2])


# --- arguments and results --------------------------------------------------------------------------------------------


def torch() -> Any:
    """Return torch if it is imported; else None."""
    return sys.modules.get("torch")


def snapshot(value: Any) -> Any:
    """Copy a value to compare with later; of a network, its weights, its modes, and which weights are trained."""
    if isinstance(value, np.random.Generator):
        return ("generator",)  # drawing from a generator is no change
    if torch() is not None and isinstance(value, torch().nn.Module):
        modes = [layer.training for layer in value.modules()]
        trained = [weights.requires_grad for weights in value.parameters()]
        return modes, trained, {name: weights.detach().numpy().copy() for name, weights in value.state_dict().items()}
    if torch() is not None and isinstance(value, torch().Tensor):
        plain = value.detach().cpu()
        return (plain.float() if value.dtype == torch().bfloat16 else plain).numpy().copy()
    if isinstance(value, list):
        return [snapshot(entry) for entry in value]
    if isinstance(value, tuple):
        return tuple(snapshot(entry) for entry in value)
    if isinstance(value, dict):
        return {key: snapshot(entry) for key, entry in value.items()}
    if value is None or isinstance(value, np.ndarray | np.generic | int | float | str | bytes | complex):
        return copy.copy(value)
    try:
        return type(value).__name__, pickle.dumps(value)  # a node with its tree, a state, a dataclass
    except Exception:
        return type(value).__name__  # a function, say, has no state to compare


def leaves(value: Any) -> Iterator[Any]:
    """Yield the values inside nested lists, tuples and dictionaries."""
    if isinstance(value, list | tuple | dict):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from leaves(entry)
    else:
        yield value


def arrays(value: Any) -> Iterator[np.ndarray]:
    """Yield the arrays in a value, and its tensors as arrays."""
    for leaf in leaves(value):
        if isinstance(leaf, np.ndarray):
            yield leaf
        elif torch() is not None and isinstance(leaf, torch().Tensor) and leaf.dtype != torch().bfloat16:
            yield leaf.detach().numpy()


def spoil_freed_memory(arguments: dict[str, Any]) -> None:
    """Fill freed memory with NaN, so that an answer that reads an array it never wrote gets caught.

    numpy caches a few small blocks of each size for its next arrays. This fills those of the arguments' sizes.
    """
    for size in {array.size * width for array in arrays(arguments) for width in (4, 8)}:
        if size <= 1 << 16:
            _ = [np.full(size, 255, dtype=np.uint8) for _ in range(8)]


def overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Check whether two arrays share memory, so that writing into one changes the other."""
    return bool(a.size and b.size) and np.may_share_memory(a, b) and np.shares_memory(a, b)


def shared(result: Any, arguments: dict[str, Any]) -> str:
    """Say whether the result shares memory with an argument, or with another part of itself; "" if it does not."""
    returned = list(arrays(result))
    for name, value in arguments.items():
        if any(overlap(array, given) for array in returned for given in arrays(value)):
            return f"what it returns shares its numbers with its argument `{name}`: writing into one changes the other"
    if any(overlap(array, earlier) for i, array in enumerate(returned) for earlier in returned[:i]):
        return "what it returns shares its numbers with another part of the result: writing into one changes the other"
    return ""


def common(first: list[Any], second: list[Any]) -> bool:
    """Check whether the results of two series of calls share an array or a list."""
    lists = {id(value) for value in first if isinstance(value, list)}
    if any(id(value) in lists for value in second if isinstance(value, list)):
        return True
    earlier = list(arrays(first))
    return any(overlap(a, b) for b in arrays(second) for a in earlier)
