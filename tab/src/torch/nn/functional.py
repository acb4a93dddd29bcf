"""Losses, and what layers compute."""

import warnings

import numpy as np

from ..missing import names_what_is_missing
from ..operations import log_softmax, matmul, relu, sigmoid, softmax, tanh  # noqa: F401 - names of PyTorch
from ..tensor import Tensor, operation

__getattr__ = names_what_is_missing("torch.nn.functional")


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    if not isinstance(input, Tensor):
        kind = "numpy.ndarray" if isinstance(input, np.ndarray) else type(input).__name__
        raise TypeError(f"linear(): argument 'input' (position 1) must be Tensor, not {kind}")
    if input.ndim != 2 or bias is None or input.shape[1] != weight.shape[1]:
        product = matmul(input, weight.T)
        return product if bias is None else product + bias
    return _affine(input, weight, bias)


@operation(3)
def _affine(x, weight, bias):
    """Of the rows of a table: what networks do most of the time, in one operation."""
    return x @ weight.T + bias, lambda g: (g @ weight, g.T @ x, g.sum(axis=0))


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    _tensors("mse_loss", input=input, target=target)
    if input.shape != target.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
            "likely "
            "lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            stacklevel=2,
        )
    return _reduced((input - target) ** 2, reduction)


def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    _tensors("l1_loss", input=input, target=target)
    return _reduced((input - target).abs(), reduction)


def cross_entropy(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Logits [batch, actions], and targets: probabilities of that shape, or the right actions [batch]."""
    _tensors("cross_entropy", input=input, target=target)
    logs = log_softmax(input, -1)
    if target.is_floating_point():
        if target.shape != input.shape:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        return _reduced(-(logs * target).sum(-1), reduction)
    return nll_loss(logs, target, reduction)


def nll_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """Minus the logarithms of the right actions."""
    _tensors("nll_loss", input=input, target=target)
    return _reduced(-input.gather(-1, target.unsqueeze(-1)).squeeze(-1), reduction)


def kl_div(input: Tensor, target: Tensor, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """How far `input`, logarithms, is from `target`, probabilities (or logarithms, too)."""
    _tensors("kl_div", input=input, target=target)
    if log_target:
        each = target.exp() * (target - input)
    else:
        each = _x_log_x(target) - target * input
    if reduction == "batchmean":
        return each.sum() / len(input)
    return _reduced(each, reduction)


@operation()
def _x_log_x(x):
    with np.errstate(all="ignore"):
        return np.where(x > 0, x * np.log(x), 0).astype(x.dtype), lambda g: (g * (np.log(x) + 1),)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    count = int(tensor.array.max()) + 1 if num_classes == -1 else num_classes
    return Tensor((tensor.array[..., None] == np.arange(count)).astype(np.int64))


def _tensors(name: str, **given) -> None:
    for place, (word, value) in enumerate(given.items(), 1):
        if not isinstance(value, Tensor):
            kind = "numpy.ndarray" if isinstance(value, np.ndarray) else type(value).__name__
            raise TypeError(f"{name}(): argument '{word}' (position {place}) must be Tensor, not {kind}")


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()
