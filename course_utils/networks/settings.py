"""How a network wants to be searched with: a value that travels with it, onto the disk and back."""

from dataclasses import dataclass

from course_utils.limits import number


@dataclass(frozen=True)
class SearchSettings:
    """What the searches used that the network was trained with.

    Attributes:
        c_puct: how much the prior counts against experience.
    """

    c_puct: float = 1.5

    def __post_init__(self) -> None:
        """Raises ValueError: c_puct is no number of 0 or more."""
        object.__setattr__(self, "c_puct", number("c_puct", self.c_puct))


def settings_of(network: object) -> SearchSettings:
    """The settings that came with a network, a torch module or anything that asks one; the default if none did."""
    return getattr(network, "settings", SearchSettings())
