"""First numbers for a layer. Each function changes its tensor, and returns it."""

import math

from ..missing import names_what_is_missing
from ..settings import no_grad
from ..tensor import Tensor

__getattr__ = names_what_is_missing("torch.nn.init")


@no_grad()
def uniform_(tensor: Tensor, a: float = 0, b: float = 1, generator=None) -> Tensor:
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(tensor: Tensor, mean: float = 0, std: float = 1, generator=None) -> Tensor:
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 0)


def ones_(tensor: Tensor) -> Tensor:
    return constant_(tensor, 1)


def xavier_uniform_(tensor: Tensor, gain: float = 1, generator=None) -> Tensor:
    """Glorot and Bengio 2010: as large as keeps signals about as strong from layer to layer."""
    outputs, inputs = tensor.shape
    limit = math.sqrt(3) * gain * math.sqrt(2 / (inputs + outputs))
    return uniform_(tensor, -limit, limit, generator)
