"""How a network wants to be searched with: a value that travels with it, onto the disk and back."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SearchSettings:
    """What the searches used that the network was trained with.

    Attributes:
        c_puct: how much the prior counts against experience.
    """

    c_puct: float = 1.5


def settings_of(network: object) -> SearchSettings:
    """The settings that came with a network, a torch module or anything that asks one; the default if none did."""
    return getattr(network, "settings", SearchSettings())
