"""Random numbers: PyTorch's own.

Its generator is the Mersenne Twister, as NumPy's old one is, and the seeds mean the same.
"""

import contextlib
import pickle

import numpy as np

from . import settings
from .dtypes import in_numpy
from .tensor import Tensor


class Generator:
    def __init__(self, device: str = "cpu"):
        self.manual_seed(67280421310721)  # PyTorch's own number

    def manual_seed(self, seed: int) -> "Generator":
        self.seed = int(seed)
        self.twister = np.random.RandomState(self.seed % 2**32)
        self.left: list[float] = []  # normal numbers come in twos
        return self

    def initial_seed(self) -> int:
        return self.seed

    def get_state(self) -> Tensor:
        state = pickle.dumps((self.seed, self.twister.get_state(), self.left))
        return Tensor(np.frombuffer(state, np.uint8).copy())

    def set_state(self, state: Tensor) -> "Generator":
        self.seed, twister, position = pickle.loads(state.array.tobytes())
        self.twister.set_state(twister)
        self.left = [*position]
        return self

    def whole(self, count: int) -> np.ndarray:
        """Numbers of 32 bits, as the twister gives them."""
        return np.frombuffer(self.twister.bytes(4 * count), np.uint32)

    def uniform(self, count: int, kind=np.float32) -> np.ndarray:
        """From 0 to below 1."""
        if np.dtype(kind).itemsize < 8:
            return (self.whole(count) % 2**24 / 2**24).astype(np.float32)
        high, low = self.whole(2 * count).reshape(count, 2).astype(np.uint64).T
        return ((high << np.uint64(32) | low) % np.uint64(2**53)) / 2**53

    def normal(self, count: int, kind=np.float32) -> np.ndarray:
        """Two uniform numbers make two normal ones (Box and Muller): an angle and a distance from 0.

        Many are made 16 at a time.
        """
        if count < 16:
            return np.array([self._one_normal() for _ in range(count)], kind)
        numbers = self.uniform(count, kind)
        whole = count - count % 16
        numbers[:whole] = _by_sixteens(numbers[:whole])
        if count % 16:
            numbers[-16:] = _by_sixteens(self.uniform(16, kind))
        return numbers

    def _one_normal(self) -> float:
        if not self.left:
            turn, size = self.uniform(2, np.float64)
            distance = np.sqrt(-2 * np.log1p(-size))
            self.left = [distance * np.sin(2 * np.pi * turn), distance * np.cos(2 * np.pi * turn)]
        return self.left.pop()


def _by_sixteens(uniform: np.ndarray) -> np.ndarray:
    blocks = uniform.reshape(-1, 2, 8)
    distance = np.sqrt(-2 * np.log(1 - blocks[:, 0]))
    turn = uniform.dtype.type(2 * np.pi) * blocks[:, 1]
    return np.stack([distance * np.cos(turn), distance * np.sin(turn)], axis=1).reshape(-1)


default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    return default_generator.manual_seed(seed)


def initial_seed() -> int:
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    return default_generator.get_state()


def set_rng_state(state: Tensor) -> None:
    default_generator.set_state(state)


@contextlib.contextmanager
def fork_rng(devices=()):
    """What is drawn in the block is not missed after it."""
    before = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(before)


def _shape(shape) -> tuple:
    return tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int | np.integer) else shape


def rand(*shape, generator: Generator | None = None, dtype=None, requires_grad: bool = False) -> Tensor:
    """Uniform, from 0 to below 1."""
    shape, kind = _shape(shape), in_numpy(dtype) or np.float32
    numbers = (generator or default_generator).uniform(int(np.prod(shape)), kind)
    return Tensor(numbers.reshape(shape).astype(kind, copy=False), requires_grad)


def randn(*shape, generator: Generator | None = None, dtype=None, requires_grad: bool = False) -> Tensor:
    """Normal, with mean 0 and deviation 1."""
    shape, kind = _shape(shape), in_numpy(dtype) or np.float32
    numbers = (generator or default_generator).normal(int(np.prod(shape)), kind)
    return Tensor(numbers.reshape(shape), requires_grad)


def rand_like(like: Tensor) -> Tensor:
    return rand(*like.shape, dtype=like.dtype)


def randn_like(like: Tensor) -> Tensor:
    return randn(*like.shape, dtype=like.dtype)


def randint(low: int, high=None, size=(), generator: Generator | None = None) -> Tensor:
    """Whole numbers from low to below high."""
    if not isinstance(high, int):
        low, high, size = 0, low, size if high is None else high
    drawn = (generator or default_generator).whole(int(np.prod(size)))
    return Tensor((drawn % np.uint32(high - low)).astype(np.int64).reshape(size) + low)


def randperm(count: int, generator: Generator | None = None) -> Tensor:
    """The numbers below `count`, shuffled (Fisher and Yates)."""
    order = np.arange(count)
    for place, drawn in enumerate((generator or default_generator).whole(max(count - 1, 0)).tolist()):
        other = place + drawn % (count - place)
        order[[place, other]] = order[[other, place]]
    return Tensor(order)


def _uniform_(self: Tensor, low: float = 0, high: float = 1, generator: Generator | None = None) -> Tensor:
    if settings.without_memory:
        return self
    drawn = (generator or default_generator).uniform(self.array.size, self.array.dtype).reshape(self.array.shape)
    kind = self.array.dtype.type
    return self.write(drawn * (kind(high) - kind(low)) + kind(low))


def _normal_(self: Tensor, mean: float = 0, std: float = 1, generator: Generator | None = None) -> Tensor:
    if settings.without_memory:
        return self
    drawn = (generator or default_generator).normal(self.array.size, self.array.dtype).reshape(self.array.shape)
    return self.write(drawn * std + mean)


Tensor.uniform_, Tensor.normal_ = _uniform_, _normal_
