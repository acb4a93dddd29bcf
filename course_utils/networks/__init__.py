"""Networks that evaluate a position: numpy in, numpy out. The torch ones are imported from their own module."""

from course_utils.networks.protocol import Network, UniformNetwork, masked_policy
from course_utils.networks.settings import SearchSettings, settings_of

__all__ = ["Network", "SearchSettings", "UniformNetwork", "masked_policy", "settings_of"]
