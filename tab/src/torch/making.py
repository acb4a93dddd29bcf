"""New tensors."""

import math

import numpy as np

from . import settings
from .dtypes import float32, in_numpy
from .tensor import Tensor


def tensor(data, dtype=None, requires_grad: bool = False, device=None) -> Tensor:
    """A copy, of anything that is like an array. Numbers with a point become float32, unless they come from NumPy."""
    if isinstance(data, list | tuple) and any(isinstance(item, Tensor) for item in data):
        data = [item.item() if isinstance(item, Tensor) and item.ndim == 0 else np.asarray(item) for item in data]
    array = np.array(data.array if isinstance(data, Tensor) else data, dtype=in_numpy(dtype))
    if array.dtype == object or array.dtype.kind in "US":
        raise TypeError(f"can't make a tensor of {type(data).__name__} with entries that are no numbers")
    if dtype is None and array.dtype == np.float64 and not _from_numpy(data):
        array = array.astype(np.float32)
    return Tensor(array, requires_grad)


def _from_numpy(data) -> bool:
    if isinstance(data, list | tuple) and data:
        return _from_numpy(data[0])
    return isinstance(data, np.ndarray | np.generic | Tensor)


def from_numpy(array: np.ndarray) -> Tensor:
    """Not a copy: both are the same numbers."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    made = Tensor(array)
    made.dtype  # noqa: B018 - raises TypeError: texts, objects
    return made


def as_tensor(data, dtype=None, device=None) -> Tensor:
    made = data if isinstance(data, Tensor) else from_numpy(data) if isinstance(data, np.ndarray) else tensor(data)
    return made if dtype is None else made.to(dtype)


asarray = as_tensor


def FloatTensor(data) -> Tensor:
    return tensor(data, float32)


def _new(shape, number, dtype, requires_grad: bool) -> Tensor:
    shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int | np.integer) else shape
    kind = in_numpy(dtype) or np.dtype(np.float32 if isinstance(number, float) else np.asarray(number).dtype)
    one = np.asarray(number, kind)
    array = np.broadcast_to(one, shape) if settings.without_memory else np.full(shape, one)
    return Tensor(array, requires_grad)


def zeros(*shape, dtype=None, requires_grad: bool = False, device=None) -> Tensor:
    return _new(shape, 0.0, dtype, requires_grad)


def ones(*shape, dtype=None, requires_grad: bool = False, device=None) -> Tensor:
    return _new(shape, 1.0, dtype, requires_grad)


empty = zeros


def full(shape, fill_value, dtype=None, requires_grad: bool = False, device=None) -> Tensor:
    return _new((shape,) if isinstance(shape, int) else tuple(shape), fill_value, dtype, requires_grad)


def zeros_like(like: Tensor, dtype=None, requires_grad: bool = False) -> Tensor:
    return _new(tuple(like.shape), 0.0, dtype or like.dtype, requires_grad)


def ones_like(like: Tensor, dtype=None, requires_grad: bool = False) -> Tensor:
    return _new(tuple(like.shape), 1.0, dtype or like.dtype, requires_grad)


empty_like = zeros_like


def full_like(like: Tensor, fill_value, dtype=None) -> Tensor:
    return _new(tuple(like.shape), fill_value, dtype or like.dtype, False)


def arange(*limits, dtype=None, device=None) -> Tensor:
    array = np.arange(*limits, dtype=in_numpy(dtype))
    return Tensor(array.astype(np.float32) if dtype is None and array.dtype.kind == "f" else array)


def linspace(start: float, end: float, steps: int, dtype=None) -> Tensor:
    return Tensor(np.linspace(start, end, steps, dtype=in_numpy(dtype) or np.float32))


def eye(rows: int, columns: int | None = None) -> Tensor:
    return Tensor(np.eye(rows, columns, dtype=np.float32))


inf, nan, pi, e = math.inf, math.nan, math.pi, math.e
