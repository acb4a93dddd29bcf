"""How a network wants to be searched with: a value that travels with it, onto the disk and back."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class SearchSettings:
    """What the searches used that the network was trained with.

    Attributes:
        c_puct: how much the prior counts against experience.
    """

    c_puct: float = 1.5

    def __post_init__(self) -> None:
        """Raises ValueError: it is no number that a search can use."""
        number = isinstance(self.c_puct, int | float) and not isinstance(self.c_puct, bool)
        if not number or not 0 <= self.c_puct < math.inf:
            raise ValueError(f"c_puct is a number, 0 or more, not {self.c_puct!r}")


def settings_of(network: object) -> SearchSettings:
    """The settings that came with a network, a torch module or anything that asks one; the default if none did."""
    return getattr(network, "settings", SearchSettings())
