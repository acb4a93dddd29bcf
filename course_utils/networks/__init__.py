"""Networks that judge a position: numpy in, numpy out. The torch ones are imported from their own module."""

from course_utils.networks.protocol import Network, UniformNetwork, masked_policy

__all__ = ["Network", "UniformNetwork", "masked_policy"]
