"""What is done to networks."""

import numpy as np

from ...tensor import Tensor
from . import fusion


def clip_grad_norm_(parameters, max_norm: float) -> Tensor:
    """Make all gradients together no longer than this. Returns how long they were."""
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    slopes = [one.grad.array for one in parameters if one.grad is not None]
    length = np.sqrt(sum((slope**2).sum() for slope in slopes))
    for slope in slopes:
        slope *= min(1, max_norm / (length + 1e-6))
    return Tensor(np.float32(length))
