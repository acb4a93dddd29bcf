"""Save, reset and compare the global settings and random generators of Python, NumPy and torch.

An answer must leave them as they are.
"""

import contextlib
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from course_utils.platform import DEEPEST


class Setting(NamedTuple):
    """Hold the accessors of one global setting."""

    name: str  # as a message calls it
    read: Callable[[], Any]
    write: Callable[[Any], object]
    fresh: Any = None  # its value when a check begins; None: left as it is


_ERRORS, _PRINTING = np.geterr(), np.get_printoptions()


def settings() -> list[Setting]:
    """List the global settings; torch's only where torch is imported."""
    of_numpy = [
        Setting("Python's global generator (`random`)", random.getstate, random.setstate),
        Setting("numpy's global generator", np.random.get_state, np.random.set_state),
        Setting("numpy's error settings", np.geterr, lambda errors: np.seterr(**errors), _ERRORS),
        Setting(
            "numpy's print options", np.get_printoptions, lambda options: np.set_printoptions(**options), _PRINTING
        ),
        Setting("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
    ]
    torch = sys.modules.get("torch")
    if torch is None:
        return of_numpy
    computes, anomalies = torch.is_grad_enabled, torch.is_anomaly_enabled
    return [
        *of_numpy,
        Setting("torch's global generator", torch.get_rng_state, torch.set_rng_state),
        Setting("torch's default dtype", torch.get_default_dtype, torch.set_default_dtype, torch.float32),
        Setting("whether torch computes gradients", computes, torch.set_grad_enabled, True),
        Setting("whether torch looks for anomalies", anomalies, torch.autograd.set_detect_anomaly, False),
        Setting("how many threads torch has", torch.get_num_threads, torch.set_num_threads),
    ]


def seed_generators() -> None:
    """Seed the global generators, so that an answer which uses them gets the same numbers in every run."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    if torch := sys.modules.get("torch"):
        torch.default_generator.manual_seed(0)


@contextlib.contextmanager
def clean_room() -> Iterator[None]:
    """Reset the global settings to their defaults and seed the generators; restore all of them afterwards."""
    saved = [(setting, setting.read()) for setting in settings()]
    for setting, _ in saved:
        if setting.fresh is not None:
            setting.write(setting.fresh)
    seed_generators()
    sys.setrecursionlimit(DEEPEST)
    try:
        yield
    finally:
        for setting, value in saved:
            setting.write(value)


def changed_by(call: Callable[[], Any]) -> tuple[Any, str]:
    """Return (the call's result, the name of the first global setting that the call changed or "")."""
    with np.errstate(**_ERRORS), warnings.catch_warnings(action="ignore"):
        before = [(setting, plain(setting.read())) for setting in settings()]
        result = call()
        return result, next((setting.name for setting, value in before if plain(setting.read()) != value), "")


def plain(value: Any) -> Any:
    """Turn a setting's value into something comparable: an array or a tensor into its bytes."""
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return {key: str(entry) for key, entry in value.items()}
    return bytes(memoryview(value.numpy() if hasattr(value, "numpy") else value)) if hasattr(value, "shape") else value
