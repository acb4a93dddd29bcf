"""What the course needs of PyTorch, in NumPy, for where it can't be imported: the network of the notebook 'The network by hand' in place of
PyTorch's, with the same random weights, AdamW, and networks that were saved by PyTorch.

`policy_value` and the others take their classes from here where there is no PyTorch; nobody else needs to know.
"""

import io
import math
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np

from course_utils.networks.by_hand import (
    LAYERS,
    Mlp,
    Weights,
    mlp_forward,
    network_backward,
    network_losses,
    random_weights,
)
from course_utils.networks.protocol import Network
from course_utils.networks.settings import SearchSettings, settings_of

KINDS = ("weight", "bias")


class PolicyValueNet(Mlp):
    """The main line's network. It can be asked, saved and trained as PyTorch's can."""

    settings = SearchSettings()

    def __init__(self, planes: int, rows: int, columns: int, num_actions: int, hidden: int = 64):
        self.config = dict(planes=planes, rows=rows, columns=columns, num_actions=num_actions, hidden=hidden)
        super().__init__(random_weights(planes * rows * columns, hidden, num_actions, np.random.default_rng(0)))

    def train(self) -> "PolicyValueNet":
        return self

    eval = train  # it is the same while it learns and while it plays

    def parameters(self) -> Weights:
        return self.weights

    def state_dict(self) -> dict[str, np.ndarray]:
        """The weights by PyTorch's names, which has a layer's matrix the other way round."""
        layers = {theirs: (self.weights[f"W{ours}"].T, self.weights[f"b{ours}"]) for ours, theirs in LAYERS.items()}
        return {f"{name}.{kind}": array for name, two in layers.items() for kind, array in zip(KINDS, two, strict=True)}

    def load_state_dict(self, state: Mapping[str, np.ndarray]) -> None:
        """Raises ValueError: an array has another shape."""
        for name, array in self.state_dict().items():
            if array.shape != state[name].shape:
                raise ValueError(f"{name} has the shape {list(state[name].shape)} instead of {list(array.shape)}")
            array[...] = state[name]


def draw_weights(net: PolicyValueNet, seed: int) -> None:
    """The numbers that PyTorch draws for this seed: its generator is the Mersenne Twister, as NumPy's old one is."""
    generator = np.random.RandomState(seed)
    for array in net.state_dict().values():
        if array.ndim == 1:
            array[...] = 0
        else:
            drawn = np.frombuffer(generator.bytes(4 * array.size), np.uint32).reshape(array.shape) % 2**24 / 2**24
            limit = np.float32(np.sqrt(6 / sum(array.shape)))
            array[...] = (drawn * 2 * limit.astype(np.float64) - limit).astype(np.float32)


class TorchNetwork:
    """A network as a search sees it. In PyTorch it needs this adapter; without it the network answers itself."""

    def __init__(self, net: Network):
        self.net = net

    @property
    def settings(self) -> SearchSettings:
        return settings_of(self.net)

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self.net(planes)


class AdamW:
    """PyTorch's optimizer of that name, with its defaults: each number has a step size of its own."""

    def __init__(self, weights: Weights, lr: float, weight_decay: float):
        self.weights, self.weight_decay, self.steps = weights, weight_decay, 0
        self.param_groups = [{"lr": lr}]
        self.mean, self.square = ({name: np.zeros_like(array) for name, array in weights.items()} for _ in range(2))

    def step(self, gradients: Weights) -> None:
        """Changes the weights in place."""
        self.steps += 1
        rate = self.param_groups[0]["lr"]
        for name, gradient in gradients.items():
            mean, square = self.mean[name], self.square[name]
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient**2 - square)
            typical = np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8
            self.weights[name] *= 1 - rate * self.weight_decay
            self.weights[name] -= rate / (1 - 0.9**self.steps) * mean / typical


def train_step(
    net: PolicyValueNet, optimizer: AdamW, planes: np.ndarray, policy: np.ndarray, value: np.ndarray
) -> dict[str, float]:
    """That of the training loop, with the gradients by hand."""
    activations = mlp_forward(net.weights, planes.reshape(len(planes), -1).astype(np.float64))
    value_loss, policy_loss = network_losses(activations, policy, value)
    optimizer.step(network_backward(net.weights, activations, policy, value))
    return {"value": float(value_loss), "policy": float(policy_loss)}


def update_average(average: PolicyValueNet, net: PolicyValueNet, keep: float) -> None:
    """average = keep * average + (1 - keep) * net, in place."""
    for mean, latest in zip(average.parameters().values(), net.parameters().values(), strict=True):
        mean += (1 - keep) * (latest - mean)


# --- files -----------------------------------------------------------------------------------------------------------


def to_bytes(data: dict[str, np.ndarray]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **data)
    return buffer.getvalue()


def from_bytes(content: bytes) -> Any:
    """What `to_bytes` packed, or `torch.save`, with arrays for its tensors. Nothing in it is executed.

    Raises some error: it is damaged, or holds something else than plain data and tensors.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as entries:
        saved_by_torch = [name for name in entries.namelist() if name.endswith("/data.pkl")]
        if saved_by_torch:
            return _Reader(entries, saved_by_torch[0]).load()
    return dict(np.load(io.BytesIO(content)))


def is_whole(value: object) -> bool:
    """Whether it is an array: `_array` makes only such as have a place for each number."""
    return isinstance(value, np.ndarray)


class _Reader(pickle.Unpickler):
    def __init__(self, entries: zipfile.ZipFile, pickled: str):
        super().__init__(io.BytesIO(entries.read(pickled)))
        self.entries, self.folder = entries, pickled.removesuffix("data.pkl")

    def find_class(self, module: str, name: str) -> Any:
        allowed = {"collections.OrderedDict": OrderedDict, "torch._utils._rebuild_tensor_v2": _array}
        numbers = {"torch.FloatStorage": np.float32, "torch.HalfStorage": np.float16, "torch.LongStorage": np.int64}
        return (allowed | numbers)[f"{module}.{name}"]

    def persistent_load(self, pid: tuple) -> np.ndarray:
        _, kind, key, *_ = pid
        return np.frombuffer(self.entries.read(f"{self.folder}data/{key}"), kind)


def _array(storage: np.ndarray, offset: int, shape: tuple, strides: tuple, *_: object) -> np.ndarray:
    size = storage.itemsize
    if math.prod(shape) > storage.size:
        raise ValueError("an array has more numbers than its file")
    return np.ndarray(shape, storage.dtype, storage, offset * size, [size * step for step in strides]).copy()
