"""The same networks, faster.

`fast_inference` is for evaluating thousands of positions a second while nothing is learned. It makes copies: after the
network has learned, make a new one. `fast_learning` is for learning, and makes none.
"""

import copy

import numpy as np
import torch
from torch import nn

from course_utils.networks.by_hand import weights_of
from course_utils.networks.policy_value import PolicyValueNet, TorchNetwork
from course_utils.networks.protocol import Network
from course_utils.networks.settings import settings_of
from course_utils.networks.wide import WideNet

DIVERGED = "the network's value is NaN: its weights have probably diverged"


def fast_inference(net: nn.Module, device: str = "cpu") -> Network:
    """The fastest way to ask a copy of `net`, on this machine.

    A small fully connected network is three matrix products in numpy, without torch's overhead. One with batch norm,
    wide or convolutional, has that folded in, and a convolutional one its memory laid out channels last; it computes in
    bfloat16 where that pays (`bfloat16_pays`), which keeps about three digits of value and logits.
    """
    if isinstance(net, PolicyValueNet):
        return NumpyNetwork(net) if device == "cpu" else TorchNetwork(copy.deepcopy(net).to(device))
    return FoldedNetwork(net, torch.bfloat16 if bfloat16_pays(device) else torch.float32, device)


class NumpyNetwork:
    """A `PolicyValueNet` in numpy: both heads are one matrix product."""

    def __init__(self, net: PolicyValueNet):
        numbers = {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in weights_of(net).items()}
        self.hidden = [(numbers["W1"], numbers["b1"]), (numbers["W2"], numbers["b2"])]
        self.settings = settings_of(net)
        self.head_weight = np.concatenate([numbers["Wp"], numbers["Wv"]], axis=1)
        self.head_bias = np.concatenate([numbers["bp"], numbers["bv"]])

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `Network`. Raises ValueError if the network's value is NaN."""
        features = np.asarray(planes, dtype=np.float32).reshape(len(planes), -1)
        for weight, bias in self.hidden:
            features = features @ weight
            features += bias
            np.maximum(features, 0, out=features)
        heads = features @ self.head_weight + self.head_bias  # [batch, num_actions + 1]
        value = np.tanh(heads[:, -1])
        if np.isnan(value).any():
            raise ValueError(DIVERGED)
        return value, heads[:, :-1]


class FoldedNetwork:
    """A network without its batch norms, which are folded into the layers before them.

    Batches are filled up to a multiple of `step` boards, because the library behind torch prepares each layer once for
    every batch size that it meets. A processor evaluates `chunk` boards of a convolutional network at a time, whose
    features stay in its cache.
    """

    def __init__(self, net: nn.Module, dtype: torch.dtype = torch.float32, device: str = "cpu"):
        self.net = folded_copy(net, dtype, device)
        self.dtype, self.device, self.settings = dtype, device, settings_of(net)
        self.step, chunk = (128, 1024) if isinstance(net, WideNet) else (32, 64)
        self.chunk = chunk if device == "cpu" else None

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `Network`. Raises ValueError if the network's value is NaN."""
        boards = len(planes) if len(planes) < self.step else -(-len(planes) // self.step) * self.step
        batch = torch.zeros(boards, *planes.shape[1:])
        batch[: len(planes)] = torch.from_numpy(np.asarray(planes, dtype=np.float32))
        batch = batch.to(device=self.device, dtype=self.dtype, memory_format=torch.channels_last)
        with torch.inference_mode():
            answers = [self.net(chunk) for chunk in batch.split(self.chunk or boards)]
            value, logits = (
                torch.cat(parts)[: len(planes)].float().cpu().numpy() for parts in zip(*answers, strict=True)
            )
        if np.isnan(value).any():
            raise ValueError(DIVERGED)
        return value, logits


def fast_learning(net: nn.Module) -> nn.Module:
    """Wrap `net` so that it learns as fast as this machine can: with batch norm, in bfloat16 if that pays."""
    return net if isinstance(net, PolicyValueNet) else LearningNetwork(net)


class LearningNetwork(nn.Module):
    """Run `net` with memory laid out channels last, and in bfloat16 if that pays; the outputs are float32."""

    def __init__(self, net: nn.Module):
        super().__init__()
        self.net = net

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16_pays()):
            value, logits = self.net(planes.to(memory_format=torch.channels_last))
        return value.float(), logits.float()


def folded_copy(net: nn.Module, dtype: torch.dtype, device: str) -> nn.Module:
    """A copy of a network for evaluation alone: without batch norms, channels last."""
    return channels_last(fold_batch_norm(copy.deepcopy(net).eval()).to(device=device, dtype=dtype))


def fold_batch_norm(module: nn.Module) -> nn.Module:
    """Replace each layer and its batch norm in `module` by a single layer that computes the same in evaluation mode."""
    for name, child in module.named_children():
        match list(child.children()):
            case [nn.Conv2d() as convolution, nn.BatchNorm2d() as norm]:
                module.add_module(name, nn.utils.fusion.fuse_conv_bn_eval(convolution, norm))
            case [nn.Linear() as linear, nn.BatchNorm1d() as norm]:
                module.add_module(name, nn.utils.fusion.fuse_linear_bn_eval(linear, norm))
            case [nn.Linear() as same, nn.Linear() as opposite, nn.BatchNorm1d() as norm]:  # a `MirrorLayer`
                child.sum, child.norm = nn.utils.fusion.fuse_linear_bn_eval(same, norm), nn.Identity()
                opposite.weight = nn.utils.fusion.fuse_linear_bn_eval(opposite, norm).weight
            case _:
                fold_batch_norm(child)
    return module


def channels_last(net: nn.Module) -> nn.Module:
    """`net` itself, its convolutions laid out so that a cell's channels lie side by side, which is faster."""
    return net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # missing in torch's stubs


def bfloat16_pays(device: str = "cpu") -> bool:
    """Whether this machine computes in bfloat16 itself: processors with AMX or AVX512-BF16, and recent GPUs.

    Elsewhere it is emulated, and slower. The kind of machine decides, never a clock, so that every process of a run,
    and the run resumed, computes the same.
    """
    if device != "cpu":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    able = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}  # an older torch cannot say
    return bool(able.get("amx_bf16") or able.get("avx512_bf16"))
