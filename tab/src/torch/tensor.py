"""How does `backward()` work? This file is the answer; the others only use it.

A tensor that was computed remembers two things: from which tensors (`made_of`), and how a slope goes back
(`hand_back`). Take y = x * x. If some loss grows by g when y grows by 1, then it grows by 2 * x * g when x does:
`hand_back` is this rule, from g, the gradient of y, to the gradients of what y was made of. Each operation in
`operations.py` brings its own.

`backward()` begins at the loss, whose own gradient is 1, and goes back to what it was made of, and to what that was
made of. Where a tensor was used several times, its gradients are added. That is all (the chain rule, in reverse
order). The idea on one page, for single numbers: https://github.com/karpathy/micrograd
"""

import functools
import itertools
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np

from . import settings
from .dtypes import dtype, dtype_of
from .missing import NotInTheTab, sentence

_numbers = itertools.count()


class Tensor:
    """An array that may want a gradient.

    Attributes:
        array: its numbers, in NumPy.
        requires_grad: whether a gradient is wanted: for itself, or for something that it was made of.
        grad: where `backward()` adds the gradient up, a tensor of the same shape; None before.
        made_of: the tensors that it was computed from.
        hand_back: gradient of this tensor -> gradients of `made_of`, arrays all. None for a *leaf*, which was not
            computed.
        number: a result always has a higher one than what it was made of.
    """

    __array_priority__ = 1000  # in `array + tensor`, NumPy asks the tensor
    __hash__ = object.__hash__

    def __init__(self, array, requires_grad: bool = False):
        self.array = np.asarray(array)
        if requires_grad and self.array.dtype.kind != "f":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        self.requires_grad = requires_grad
        self.grad: Tensor | None = None
        self.made_of: Sequence[Tensor] = ()
        self.hand_back: Callable | None = None
        self.number = next(_numbers)

    def backward(self, gradient: "Tensor | None" = None, retain_graph: bool = False) -> None:
        """Add to `grad` of each leaf how fast this tensor, a single number, grows with it.

        Args:
            gradient: how fast the loss grows with this tensor; where it is the loss itself, 1.
            retain_graph: whether a second call may go the same way.
        """
        for tensor, slope in gradients(self, gradient, retain_graph).items():
            if tensor.hand_back is None:
                if tensor.grad is None:
                    tensor.grad = Tensor(slope.copy())
                else:
                    tensor.grad.array += slope

    # --- what it looks like

    @property
    def shape(self) -> "Size":
        return Size(self.array.shape)

    @property
    def dtype(self) -> dtype:
        return dtype_of(self.array.dtype)

    @property
    def ndim(self) -> int:
        return self.array.ndim

    @property
    def is_leaf(self) -> bool:
        return self.hand_back is None

    @property
    def grad_fn(self) -> str | None:
        """Which operation made it."""
        return None if self.hand_back is None else f"<{self.hand_back.__qualname__.split('.')[0].title()}Backward>"

    @property
    def data(self) -> "Tensor":
        return self.detach()

    @data.setter
    def data(self, other: "Tensor") -> None:
        self.array = other.array

    @property
    def T(self) -> "Tensor":
        return self.permute(*reversed(range(self.ndim)))

    device, layout = "cpu", "torch.strided"

    def size(self, dim: int | None = None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self) -> int:
        return self.array.ndim

    def numel(self) -> int:
        return self.array.size

    def element_size(self) -> int:
        return self.array.itemsize

    def untyped_storage(self) -> SimpleNamespace:
        """Where its numbers lie."""
        return SimpleNamespace(nbytes=lambda: self.array.nbytes)

    def is_floating_point(self) -> bool:
        return self.array.dtype.kind == "f"

    def __repr__(self) -> str:
        floats = self.array.dtype.kind == "f"
        digits = 4 if floats and (self.array % 1).any() else 0
        shown = np.array2string(self.array, precision=digits, floatmode="fixed", separator=", ", prefix="tensor(")
        usual = self.array.dtype in (np.float32, np.int64, np.bool_)
        more = [] if usual else [f"dtype={self.dtype}"]
        more += [f"grad_fn={self.grad_fn}"] if self.grad_fn else ["requires_grad=True"] if self.requires_grad else []
        return f"tensor({', '.join([shown, *more])})"

    def __format__(self, how: str) -> str:
        return format(self.item(), how) if self.ndim == 0 else repr(self)

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self.array)

    def __iter__(self):
        return (self[row] for row in range(len(self)))

    def __contains__(self, value) -> bool:
        return bool((self.array == _array(value)).any())

    # --- out of it

    def item(self):
        if self.array.size != 1:
            raise RuntimeError(f"a Tensor with {self.array.size} elements cannot be converted to Scalar")
        return self.array.item()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.array.size != 1 or self.array.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.array.item())

    def __bool__(self) -> bool:
        if self.array.size != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.array.item())

    def tolist(self):
        return self.array.tolist()

    def numpy(self) -> np.ndarray:
        """The array itself, not a copy."""
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self.array

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype, copy=bool(copy) or None)

    def detach(self) -> "Tensor":
        """The same numbers, cut off from how they were made."""
        return Tensor(self.array)

    def cpu(self) -> "Tensor":
        return self

    contiguous = cpu

    def requires_grad_(self, wanted: bool = True) -> "Tensor":
        self.requires_grad = wanted
        return self

    def __deepcopy__(self, memo: dict) -> "Tensor":
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment."
            )
        copied = type(self).__new__(type(self))
        Tensor.__init__(copied, self.array.copy(), self.requires_grad)
        copied.grad = None if self.grad is None else Tensor(self.grad.array.copy())
        memo[id(self)] = copied
        return copied

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotInTheTab(sentence(f"Tensor.{name}"))

    # --- into it: the array changes, and nothing is recorded

    def write(self, numbers, where=...) -> "Tensor":
        """Raises RuntimeError: it is at work in a computation whose gradient is wanted."""
        if settings.recording and self.requires_grad:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation."
                if self.is_leaf
                else "The small torch of the browser tab can't follow a change in place: write x = x + 1 for x += 1."
            )
        if not settings.without_memory:
            self.array[where] = _array(numbers)
        return self

    def __setitem__(self, where, numbers) -> None:
        self.write(numbers, _indices(where))

    def copy_(self, other: "Tensor") -> "Tensor":
        return self.write(other)

    def fill_(self, number: float) -> "Tensor":
        return self.write(number)

    def zero_(self) -> "Tensor":
        return self.write(0)

    def add_(self, other, alpha: float = 1) -> "Tensor":
        return self.write(self.array + alpha * _array(other))

    def sub_(self, other, alpha: float = 1) -> "Tensor":
        return self.write(self.array - alpha * _array(other))

    def mul_(self, other) -> "Tensor":
        return self.write(self.array * _array(other))

    def div_(self, other) -> "Tensor":
        return self.write(self.array / _array(other))

    def clamp_(self, min=None, max=None) -> "Tensor":
        return self.write(np.clip(self.array, min, max))

    def lerp_(self, other: "Tensor", weight: float) -> "Tensor":
        """This much of the way to the other."""
        return self.write(self.array + weight * (other.array - self.array))


class Size(tuple):
    def numel(self) -> int:
        return int(np.prod(self))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


def _array(value):
    return value.array if isinstance(value, Tensor) else value


def _indices(where):
    return tuple(map(_array, where)) if isinstance(where, tuple) else _array(where)


def _as_tensor(value) -> Tensor:
    """Of an array or a number, too; a number takes the kind of what it is computed with."""
    if isinstance(value, Tensor):
        return value
    return Tensor(value if isinstance(value, np.ndarray) else np.float32(value))


# --- going back ------------------------------------------------------------------------------------------------------


def gradients(result: Tensor, gradient: Tensor | None = None, retain_graph: bool = False) -> dict[Tensor, np.ndarray]:
    """How fast `result` grows with each tensor that it was made of, and with those that they were made of."""
    if not result.requires_grad:
        raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
    if gradient is None and result.array.size != 1:
        raise RuntimeError("grad can be implicitly created only for scalar outputs")
    slopes = {result: np.ones_like(result.array) if gradient is None else gradient.array}
    for tensor in _from_last_to_first(result):  # when it is a tensor's turn, its gradient is complete
        if tensor.hand_back is None:
            continue
        for origin, slope in zip(tensor.made_of, tensor.hand_back(slopes[tensor]), strict=True):
            if origin.requires_grad:
                slope = _summed_to(slope, origin.array.shape).astype(origin.array.dtype, copy=False)
                slopes[origin] = slopes[origin] + slope if origin in slopes else slope
        if not retain_graph:
            tensor.made_of, tensor.hand_back = (), _gone  # these hold much memory
    return slopes


def _from_last_to_first(result: Tensor) -> list[Tensor]:
    seen, to_visit = {result}, [result]
    while to_visit:
        for origin in to_visit.pop().made_of:
            if origin.requires_grad and origin not in seen:
                seen.add(origin)
                to_visit.append(origin)
    return sorted(seen, key=lambda tensor: tensor.number, reverse=True)


def _gone(gradient):
    raise RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Specify retain_graph=True if you need to backward through the graph a second time."
    )


def _summed_to(slope: np.ndarray, shape: tuple) -> np.ndarray:
    """A number that was used in many places, by broadcasting, gets the sum of their gradients."""
    slope = np.asarray(slope)
    slope = slope.sum(axis=tuple(range(slope.ndim - len(shape))))
    stretched = tuple(axis for axis, length in enumerate(shape) if length == 1 and slope.shape[axis] != 1)
    return slope.sum(axis=stretched, keepdims=True) if stretched else slope


# --- operations ------------------------------------------------------------------------------------------------------


def result_of(array, made_of: Sequence[Tensor], hand_back: Callable | None) -> Tensor:
    """A tensor that remembers what it was made of, where a gradient is wanted."""
    array = np.asarray(array)
    if array.dtype == np.float64 and not any(tensor.array.dtype == np.float64 for tensor in made_of):
        array = array.astype(np.float32)  # whole numbers divided: PyTorch answers in 32 bits
    result = Tensor(array)
    if settings.recording and hand_back is not None and any(tensor.requires_grad for tensor in made_of):
        result.requires_grad, result.made_of, result.hand_back = True, made_of, hand_back
    return result


def operation(tensors: int = 1) -> Callable:
    """Make an operation on tensors, and a method of that name, of a function on arrays.

    Args:
        tensors: how many of the first arguments are tensors. (Numbers may stand for all of them but one.)

    The function returns the result, and how its gradient goes back: a function that gives a gradient for each of these
    arguments, or None where nothing can be learned. Shapes that were broadcast need no care.
    """

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def on_tensors(*arguments, **options):
            given = arguments[:tensors]
            if not any(isinstance(argument, Tensor) for argument in given):
                kind = "numpy.ndarray" if isinstance(given[0], np.ndarray) else type(given[0]).__name__
                raise TypeError(f"{function.__name__}(): argument 'input' (position 1) must be Tensor, not {kind}")
            array, hand_back = function(*map(_array, given), *arguments[tensors:], **options)
            return result_of(array, [_as_tensor(argument) for argument in given], hand_back)

        if not hasattr(object, function.__name__):
            setattr(Tensor, function.__name__, on_tensors)
        return on_tensors

    return decorate
