"""How a network wants to be searched with: a value that travels with it, onto the disk and back."""

import math
from dataclasses import dataclass
from numbers import Real


@dataclass(frozen=True)
class SearchSettings:
    """What the searches used that the network was trained with.

    Attributes:
        c_puct: how much the prior counts against experience.
    """

    c_puct: float = 1.5

    def __post_init__(self) -> None:
        """Raises ValueError: c_puct is no number of 0 or more."""
        c_puct: object = self.c_puct  # as it came out of a file
        if not (isinstance(c_puct, Real) and 0 <= float(c_puct) < math.inf):
            raise ValueError(f"c_puct is a number of 0 or more, not {c_puct!r}")


def settings_of(network: object) -> SearchSettings:
    """The settings that came with a network, a torch module or anything that asks one; the default if none did."""
    return getattr(network, "settings", SearchSettings())
