"""PyTorch, as `torch`, `nn` and `F`. Where it can't be imported these are stand-ins: what is written in PyTorch can be read, but not run."""

import contextlib
from typing import Any

NOT_HERE = "This needs PyTorch, which is not here: a browser tab can't have it. It runs where the course is installed, with `make lab`."


class _Anything(type):
    """Every name in it is a class again, and to make an object of it is an error."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls.__mro__[-2]

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        raise ImportError(NOT_HERE, name="torch")


class Absent(metaclass=_Anything):
    no_grad = inference_mode = contextlib.ContextDecorator  # functions are decorated with them where they are defined


try:
    import torch
    import torch.nn.functional as F
    from torch import nn
except ImportError:
    torch = nn = F = Absent  # type: ignore[assignment]

__all__ = ["F", "nn", "torch"]
