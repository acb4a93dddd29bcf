"""How large a network is."""

import math
from collections.abc import Mapping


def count_numbers(weights: Mapping) -> int:
    """Every number that a network stores: its parameters, and batch norm's running mean and variance.

    So batch norm counts as four numbers a channel, as Keras and many papers count it; only two of them are trained.

    Args:
        weights: name -> array or tensor: a numpy network's `weights`, or `net.state_dict()` of a torch network.
            Counters, which are whole numbers, don't count.
    """
    return sum(math.prod(array.shape) for array in weights.values() if "float" in str(array.dtype))
