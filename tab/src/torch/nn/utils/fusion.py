"""Two layers as one."""

import copy

from ..layers import BatchNorm1d, Linear
from ..module import Parameter


def fuse_linear_bn_eval(linear: Linear, norm: BatchNorm1d) -> Linear:
    """One layer that computes what these two do in evaluation mode."""
    fused = copy.deepcopy(linear)
    scale = norm.weight.detach() / (norm.running_var + norm.eps).sqrt()
    bias = 0 if linear.bias is None else linear.bias.detach()
    fused.weight = Parameter(linear.weight.detach() * scale.unsqueeze(1))
    fused.bias = Parameter((bias - norm.running_mean) * scale + norm.bias.detach())
    return fused
