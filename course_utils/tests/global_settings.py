"""What belongs to everybody: settings and generators of Python, NumPy and torch. An answer leaves them as they are."""

import contextlib
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from course_utils.platform import DEEPEST


class Setting(NamedTuple):
    name: str  # as a message calls it
    read: Callable[[], Any]
    write: Callable[[Any], object]
    fresh: Any = None  # what a check begins with; None: as it is


_ERRORS, _PRINTING = np.geterr(), np.get_printoptions()


def settings() -> list[Setting]:
    found = [
        Setting("Python's global generator (`random`)", random.getstate, random.setstate),
        Setting("numpy's global generator", np.random.get_state, np.random.set_state),
        Setting("numpy's error settings", np.geterr, lambda errors: np.seterr(**errors), _ERRORS),
        Setting("numpy's print options", np.get_printoptions, lambda kept: np.set_printoptions(**kept), _PRINTING),
        Setting("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
    ]
    torch = sys.modules.get("torch")
    if torch is None:
        return found
    computes, anomalies = torch.is_grad_enabled, torch.is_anomaly_enabled
    return [
        *found,
        Setting("torch's global generator", torch.get_rng_state, torch.set_rng_state),
        Setting("torch's default dtype", torch.get_default_dtype, torch.set_default_dtype, torch.float32),
        Setting("whether torch computes gradients", computes, torch.set_grad_enabled, True),
        Setting("whether torch looks for anomalies", anomalies, torch.autograd.set_detect_anomaly, False),
        Setting("how many threads torch has", torch.get_num_threads, torch.set_num_threads),
    ]


def seed_generators() -> None:
    """An answer that draws from them gets the same in every run."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    if torch := sys.modules.get("torch"):
        torch.default_generator.manual_seed(0)


@contextlib.contextmanager
def clean_room() -> Iterator[None]:
    """Within the block they are as Python, numpy and torch begin, and generators the same each time; then as they were."""
    kept = [(one, one.read()) for one in settings()]
    for one, _ in kept:
        if one.fresh is not None:
            one.write(one.fresh)
    seed_generators()
    sys.setrecursionlimit(DEEPEST)
    try:
        yield
    finally:
        for one, value in kept:
            one.write(value)


def changed_by(call: Callable[[], Any]) -> tuple[Any, str]:
    """(what it returns, the name of what it has changed for everybody or "")."""
    with np.errstate(**_ERRORS), warnings.catch_warnings(action="ignore"):
        before = [(one, plain(one.read())) for one in settings()]
        result = call()
        return result, next((one.name for one, value in before if plain(one.read()) != value), "")


def plain(value: Any) -> Any:
    """What can be compared: of an array or a tensor its bytes."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return {key: str(one) for key, one in value.items()}
    return bytes(memoryview(value.numpy() if hasattr(value, "numpy") else value)) if hasattr(value, "shape") else value
