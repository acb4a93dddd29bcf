"""Layers, and what they have in common."""

from ..missing import names_what_is_missing
from . import functional, init, utils
from .layers import (
    BatchNorm1d,
    BatchNorm2d,
    Conv2d,
    CrossEntropyLoss,
    Flatten,
    Identity,
    Linear,
    LogSoftmax,
    MSELoss,
    ReLU,
    Sequential,
    Sigmoid,
    Softmax,
    Tanh,
)
from .module import Module, ModuleDict, ModuleList, Parameter

__getattr__ = names_what_is_missing("torch.nn")
