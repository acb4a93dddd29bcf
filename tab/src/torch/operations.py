"""The operations, each with the rule by which its gradient goes back.

In each rule, g is the gradient of the result: how fast the loss grows with it. Names are PyTorch's, also where they
are Python's.
"""

import builtins
import collections

import numpy as np

from .dtypes import dtype, float16, float32, float64, in_numpy, int32, int64
from .tensor import Tensor, _indices, operation, result_of

# --- arithmetic ------------------------------------------------------------------------------------------------------


@operation(2)
def add(x, y):
    return _together(np.add, x, y), lambda g: (g, g)


@operation(2)
def sub(x, y):
    return _together(np.subtract, x, y), lambda g: (g, -g)


@operation(2)
def mul(x, y):
    return _together(np.multiply, x, y), lambda g: (g * y, g * x)


@operation(2)
def div(x, y):
    with np.errstate(all="ignore"):
        return _together(np.divide, x, y), lambda g: (g / y, -g * x / (y * y))


@operation(2)
def pow(x, n):
    with np.errstate(all="ignore"):
        result = _together(np.power, x, n)

    def back(g):
        with np.errstate(all="ignore"):
            of_n = g * result * np.log(x) if isinstance(n, np.ndarray) else np.zeros(())
            return g * n * np.power(x, n - 1), of_n

    return result, back


@operation(1)
def neg(x):
    return -x, lambda g: (-g,)


@operation(2)
def matmul(x, y):
    """Rows of x with columns of y; of vectors, what NumPy makes of them."""
    if x.ndim and y.ndim and x.shape[-1] != y.shape[-2 if y.ndim > 1 else -1]:
        left, right = ("x".join(map(str, matrix.shape if matrix.ndim > 1 else (1, *matrix.shape))) for matrix in (x, y))
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({left} and {right})")

    def back(g):
        rows, columns = x if x.ndim > 1 else x[None], y if y.ndim > 1 else y[:, None]
        table = g[..., None, :] if x.ndim == 1 and y.ndim > 1 else g[..., None] if y.ndim == 1 and x.ndim > 1 else g
        table = table if table.ndim > 1 else table.reshape(1, 1)
        of_x, of_y = table @ columns.swapaxes(-1, -2), rows.swapaxes(-1, -2) @ table
        return of_x if x.ndim > 1 else of_x[..., 0, :], of_y if y.ndim > 1 else of_y[..., 0]

    return x @ y, back


def einsum(letters: str, *tensors: Tensor) -> Tensor:
    inputs, output = letters.replace(" ", "").split("->")
    names = inputs.split(",")

    def back(g):
        for place, name in enumerate(names):
            others = [index for index in range(len(names)) if index != place]
            of = ",".join([output, *(names[index] for index in others)])
            letters_there = set(of)
            inner = "".join(letter for letter in name if letter in letters_there)
            slope = np.einsum(f"{of}->{inner}", g, *(tensors[index].array for index in others))
            missing = tuple(axis for axis, letter in enumerate(name) if letter not in letters_there)
            yield np.broadcast_to(np.expand_dims(slope, missing), tensors[place].array.shape)

    return result_of(np.einsum(letters, *(tensor.array for tensor in tensors)), tensors, back)


def dot(x: Tensor, y: Tensor) -> Tensor:
    return (x * y).sum()


@operation(2)
def maximum(x, y):
    return np.maximum(x, y), lambda g: (g * ((x > y) + (x == y) / 2), g * ((x < y) + (x == y) / 2))


@operation(2)
def minimum(x, y):
    return np.minimum(x, y), lambda g: (g * ((x < y) + (x == y) / 2), g * ((x > y) + (x == y) / 2))


def _together(compute, x, y):
    try:
        return compute(x, y)
    except ValueError:
        for dim in range(1, builtins.min(x.ndim, y.ndim) + 1):
            if x.shape[-dim] != y.shape[-dim] and 1 not in (x.shape[-dim], y.shape[-dim]):
                raise RuntimeError(
                    f"The size of tensor a ({x.shape[-dim]}) must match the size of tensor b ({y.shape[-dim]}) "
                    f"at non-singleton dimension {builtins.max(x.ndim, y.ndim) - dim}"
                ) from None
        raise


# --- functions of each number ----------------------------------------------------------------------------------------


@operation()
def exp(x):
    y = np.exp(x)
    return y, lambda g: (g * y,)


@operation()
def log(x):
    with np.errstate(all="ignore"):
        return np.log(x), lambda g: (g / x,)


@operation()
def sqrt(x):
    with np.errstate(all="ignore"):
        y = np.sqrt(x)
        return y, lambda g: (g / (2 * y),)


@operation()
def square(x):
    return x * x, lambda g: (g * 2 * x,)


@operation()
def abs(x):
    return np.abs(x), lambda g: (g * np.sign(x),)


@operation()
def relu(x):
    return np.maximum(x, 0), lambda g: (g * (x > 0),)


@operation()
def tanh(x):
    y = np.tanh(x)
    return y, lambda g: (g * (1 - y * y),)


@operation()
def sigmoid(x):
    y = 1 / (1 + np.exp(-np.maximum(x, -80)))
    return y, lambda g: (g * y * (1 - y),)


@operation()
def clamp(x, min=None, max=None):
    low, high = -np.inf if min is None else min, np.inf if max is None else max
    return np.clip(x, min, max), lambda g: (g * ((x >= low) & (x <= high)),)


@operation()
def clone(x):
    return x.copy(), lambda g: (g,)


# --- over a dimension, or all ----------------------------------------------------------------------------------------


@operation()
def sum(x, dim=None, keepdim=False):
    dim = tuple(dim) if isinstance(dim, list) else dim
    return x.sum(axis=dim, keepdims=keepdim), lambda g: (np.broadcast_to(_with(g, dim, keepdim), x.shape),)


@operation()
def mean(x, dim=None, keepdim=False):
    if x.dtype.kind != "f":
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype."
        )
    dim = tuple(dim) if isinstance(dim, list) else dim
    y = np.asarray(x.mean(axis=dim, keepdims=keepdim))
    share = builtins.max(y.size, 1) / builtins.max(x.size, 1)
    return y, lambda g: (np.broadcast_to(_with(g, dim, keepdim) * x.dtype.type(share), x.shape),)


@operation()
def logsumexp(x, dim, keepdim=False):
    """The logarithm of the sum of the exponentials, of which none is larger than 1."""
    largest = x.max(axis=dim, keepdims=True)
    powers = np.exp(x - largest)
    total = powers.sum(axis=dim, keepdims=True)
    y = np.log(total) + largest
    return y if keepdim else y.squeeze(dim), lambda g: (_with(g, dim, keepdim) * powers / total,)


@operation()
def softmax(x, dim=None, dtype=None):
    x = _real(x, dtype, "softmax")
    powers = np.exp(x - x.max(axis=dim, keepdims=True))
    y = powers / powers.sum(axis=dim, keepdims=True)
    return y, lambda g: (y * (g - (g * y).sum(axis=dim, keepdims=True)),)


@operation()
def log_softmax(x, dim=None, dtype=None):
    x = _real(x, dtype, "log_softmax")
    below = x - x.max(axis=dim, keepdims=True)
    y = below - np.log(np.exp(below).sum(axis=dim, keepdims=True))
    return y, lambda g: (g - np.exp(y) * g.sum(axis=dim, keepdims=True),)


def max(x: Tensor, dim: "int | Tensor | None" = None, keepdim: bool = False):
    """Of all, a number; of a dimension, (values, indices); of two tensors, the larger of each two numbers."""
    if isinstance(dim, Tensor):
        return maximum(x, dim)
    return _amax(x) if dim is None else _with_places("max", x, x.argmax(dim), dim, keepdim)


def min(x: Tensor, dim: "int | Tensor | None" = None, keepdim: bool = False):
    if isinstance(dim, Tensor):
        return minimum(x, dim)
    return -_amax(-x) if dim is None else _with_places("min", x, x.argmin(dim), dim, keepdim)


@operation()
def _amax(x):
    largest = x == x.max()
    return x.max(), lambda g: (g * largest / largest.sum(),)


def _with_places(name: str, x: Tensor, places: Tensor, dim: int, keepdim: bool) -> tuple[Tensor, Tensor]:
    places = places.unsqueeze(dim)
    values = x.gather(dim, places)
    pair = collections.namedtuple(name, ["values", "indices"])
    return pair(values, places) if keepdim else pair(values.squeeze(dim), places.squeeze(dim))


def _with(g, dim, keepdim):
    """The gradient with the dimension that is gone."""
    return g if keepdim or dim is None else np.expand_dims(g, dim)


def _real(x, kind, name):
    if kind is not None:
        x = x.astype(in_numpy(kind))
    if x.dtype.kind != "f":
        raise NotImplementedError(f"\"{name}_lastdim_kernel_impl\" not implemented for '{x.dtype}'")
    return x


# --- shapes ----------------------------------------------------------------------------------------------------------


@operation()
def reshape(x, *shape):
    shape = _listed(shape)
    try:
        return x.reshape(shape), lambda g: (g.reshape(x.shape),)
    except ValueError:
        raise RuntimeError(f"shape '{[*shape]}' is invalid for input of size {x.size}") from None


def view(x: Tensor, *shape) -> Tensor:
    return x.to(shape[0]) if isinstance(shape[0], dtype) else reshape(x, *shape)


def view_as(x: Tensor, other: Tensor) -> Tensor:
    return reshape(x, other.shape)


def flatten(x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    shape = x.shape or (1,)
    first, last = start_dim % len(shape), end_dim % len(shape)
    return reshape(x, *shape[:first], -1 if x.numel() else 0, *shape[last + 1 :])


def squeeze(x: Tensor, dim: int | None = None) -> Tensor:
    if dim is None:
        return reshape(x, [length for length in x.shape if length != 1])
    _check(x, dim)
    return reshape(x, x.array.squeeze(dim).shape) if x.shape[dim] == 1 else reshape(x, x.shape)


def unsqueeze(x: Tensor, dim: int) -> Tensor:
    return reshape(x, np.expand_dims(x.array, dim).shape)


def _check(x: Tensor, dim: int) -> None:
    if not -x.ndim <= dim < x.ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got {dim})"
        )


@operation()
def permute(x, *dims):
    dims = _listed(dims)
    return x.transpose(dims), lambda g: (g.transpose(np.argsort(dims)),)


@operation()
def transpose(x, one, other):
    return x.swapaxes(one, other), lambda g: (g.swapaxes(one, other),)


def t(x: Tensor) -> Tensor:
    return x if x.ndim < 2 else transpose(x, 0, 1)


@operation()
def expand(x, *shape):
    shape = _listed(shape)
    own = (1,) * (len(shape) - x.ndim) + x.shape
    wanted = [has if wants == -1 else wants for has, wants in zip(own, shape, strict=True)]
    return np.broadcast_to(x, wanted), lambda g: (g,)


def expand_as(x: Tensor, other: Tensor) -> Tensor:
    return expand(x, *other.shape)


@operation()
def flip(x, *dims):
    dims = _listed(dims)
    return np.flip(x, dims), lambda g: (np.flip(g, dims),)


@operation()
def repeat_interleave(x, repeats, dim=0):
    places = np.repeat(np.arange(x.shape[dim]), repeats)

    def back(g):
        slope = np.zeros_like(x)
        np.add.at(np.moveaxis(slope, dim, 0), places, np.moveaxis(g, dim, 0))
        return (slope,)

    return np.take(x, places, dim), back


def stack(tensors, dim: int = 0) -> Tensor:
    tensors = tuple(tensors)
    for place, tensor in enumerate(tensors):
        if tensor.shape != tensors[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {[*tensors[0].shape]} at entry 0 and "
                f"{[*tensor.shape]} "
                f"at entry {place}"
            )
    return result_of(np.stack([tensor.array for tensor in tensors], dim), tensors, lambda g: [*np.moveaxis(g, dim, 0)])


def cat(tensors, dim: int = 0) -> Tensor:
    tensors = tuple(tensors)
    ends = np.cumsum([tensor.shape[dim] for tensor in tensors])[:-1]
    try:
        joined = np.concatenate([tensor.array for tensor in tensors], dim)
    except ValueError as error:
        raise RuntimeError(f"Sizes of tensors must match except in dimension {dim}. ({error})") from None
    return result_of(joined, tensors, lambda g: np.split(g, ends, dim))


concat = concatenate = cat


def split(x: Tensor, size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts of this size; the last one may be smaller."""
    before = (slice(None),) * (dim % x.ndim)
    return tuple(x[(*before, slice(start, start + size))] for start in range(0, x.shape[dim], size))


def chunk(x: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    return split(x, -(-x.shape[dim] // chunks), dim)


def unbind(x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    return tuple(x.transpose(0, dim)) if dim else tuple(x)


def _listed(numbers):
    return tuple(numbers[0]) if len(numbers) == 1 and not isinstance(numbers[0], int | np.integer) else numbers


# --- choosing --------------------------------------------------------------------------------------------------------


@operation()
def select(x, where):
    def back(g):
        slope = np.zeros_like(x)
        np.add.at(slope, where, g)  # a place that was chosen twice gets both
        return (slope,)

    return x[where], back


@operation()
def gather(x, dim, index):
    def back(g):
        slope = np.zeros_like(x)
        places = [*np.indices(index.shape)]
        places[dim] = index.array
        np.add.at(slope, tuple(places), g)
        return (slope,)

    return np.take_along_axis(x, index.array, dim), back


def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    return x[(slice(None),) * (dim % x.ndim) + (index,)]


@operation(3)
def where(condition, x, y):
    return np.where(condition, x, y), lambda g: (np.zeros_like(g), g * condition, g * ~condition)


def masked_fill(x: Tensor, mask: Tensor, number: float) -> Tensor:
    return where(~mask, x, x.dtype.numpy(number))


# --- where nothing is learned ----------------------------------------------------------------------------------------


def _plain(compute, tensors=1, name=""):
    """An operation that has no gradient."""

    def function(*arguments, **options):
        return compute(*arguments, **options), None

    function.__name__ = function.__qualname__ = name or compute.__name__
    return operation(tensors)(function)


argmax = _plain(lambda x, dim=None, keepdim=False: x.argmax(axis=dim, keepdims=keepdim), name="argmax")
argmin = _plain(lambda x, dim=None, keepdim=False: x.argmin(axis=dim, keepdims=keepdim), name="argmin")
argsort = _plain(
    lambda x, dim=-1, descending=False: np.argsort(-x if descending else x, axis=dim, kind="stable"), name="argsort"
)
any = _plain(lambda x, dim=None, keepdim=False: x.any(axis=dim, keepdims=keepdim), name="any")
all = _plain(lambda x, dim=None, keepdim=False: x.all(axis=dim, keepdims=keepdim), name="all")
count_nonzero = _plain(lambda x, dim=None: np.count_nonzero(x, axis=dim), name="count_nonzero")
cumsum = _plain(lambda x, dim: x.cumsum(axis=dim), name="cumsum")
sign = _plain(np.sign)
floor, ceil = _plain(np.floor), _plain(np.ceil)
round = _plain(lambda x, decimals=0: np.round(x, decimals), name="round")
isnan, isfinite, isinf = _plain(np.isnan), _plain(np.isfinite), _plain(np.isinf)
eq, ne = _plain(np.equal, 2, "eq"), _plain(np.not_equal, 2, "ne")
lt, le = _plain(np.less, 2, "lt"), _plain(np.less_equal, 2, "le")
gt, ge = _plain(np.greater, 2, "gt"), _plain(np.greater_equal, 2, "ge")
logical_and, logical_or = _plain(np.logical_and, 2), _plain(np.logical_or, 2)
logical_not = _plain(np.logical_not)
bitwise_and, bitwise_or, bitwise_xor = (_plain(ufunc, 2) for ufunc in (np.bitwise_and, np.bitwise_or, np.bitwise_xor))
floor_divide, remainder = _plain(np.floor_divide, 2), _plain(np.remainder, 2)


def equal(x: Tensor, y: Tensor) -> builtins.bool:
    return np.array_equal(x.array, y.array)


def allclose(x: Tensor, y: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan=False) -> builtins.bool:
    return builtins.bool(np.allclose(x.array, y.array, rtol, atol, equal_nan))


def is_tensor(value: object) -> builtins.bool:
    return isinstance(value, Tensor)


# --- kinds of numbers ------------------------------------------------------------------------------------------------


@operation()
def _astype(x, kind):
    return x.astype(kind), lambda g: (g,)


def to(x: Tensor, *wanted, dtype=None, device=None, memory_format=None, **_) -> Tensor:
    """In another kind of numbers. (There is one device.)"""
    kinds = [
        argument
        for argument in (*wanted, dtype)
        if hasattr(argument, "is_floating_point") and not isinstance(argument, Tensor)
    ]
    kinds += [argument.dtype for argument in wanted if isinstance(argument, Tensor)]
    if not kinds or in_numpy(kinds[-1]) == x.array.dtype:
        return x
    result = _astype(x, in_numpy(kinds[-1]))
    result.array = result.array.astype(in_numpy(kinds[-1]), copy=False)
    return result


# --- what Python writes otherwise ------------------------------------------------------------------------------------

_NUMBERS = builtins.int | builtins.float | np.number | np.bool_


def _operator(function, kinds):
    return lambda x, y: function(x, y) if isinstance(y, kinds) else NotImplemented


def _reflected(function):
    return lambda y, x: function(x, y) if isinstance(x, _NUMBERS) else NotImplemented


def _in_place(function):
    """x += y: into the array, where nothing is recorded; else x is a new tensor."""

    def change(x: Tensor, y):
        if (x.requires_grad and not x.is_leaf) or (isinstance(y, Tensor) and y.requires_grad):
            return function(x, y)
        return x.write(function(x.detach(), y))

    return change


OPERATORS = dict(
    add=add, sub=sub, mul=mul, truediv=div, pow=pow, matmul=matmul, floordiv=floor_divide, mod=remainder,
    eq=eq, ne=ne, lt=lt, le=le, gt=gt, ge=ge, xor=bitwise_xor, **{"and": bitwise_and, "or": bitwise_or},
)  # fmt: skip
for _name, _function in OPERATORS.items():
    setattr(Tensor, f"__{_name}__", _operator(_function, Tensor | np.ndarray | _NUMBERS))
    if _name in ("add", "sub", "mul", "truediv", "pow", "floordiv", "mod"):
        setattr(Tensor, f"__r{_name}__", _reflected(_function))
    if _name in ("add", "sub", "mul", "truediv"):
        setattr(Tensor, f"__i{_name}__", _in_place(_function))
Tensor.__neg__ = neg
Tensor.__abs__ = abs
Tensor.__invert__ = _plain(np.invert)
Tensor.__getitem__ = lambda x, where: select(x, _indices(where))
for _function in (
    view, view_as, flatten, squeeze, unsqueeze, t, expand_as, split, chunk, unbind, max, min, dot, equal, allclose, index_select,
    masked_fill, to,
):  # fmt: skip
    setattr(Tensor, _function.__name__, _function)
for _name, _kind in dict(float=float32, double=float64, half=float16, long=int64, int=int32).items():
    setattr(Tensor, _name, lambda x, _kind=_kind: to(x, _kind))
Tensor.bool = lambda x: x != 0
mm = bmm = matmul
subtract, multiply, divide, true_divide = sub, mul, div, div
Tensor.amax = lambda x, dim=None, keepdim=False: max(x) if dim is None else max(x, dim, keepdim)[0]
Tensor.new_zeros = lambda x, *shape: Tensor(np.zeros(_listed(shape), x.array.dtype))
