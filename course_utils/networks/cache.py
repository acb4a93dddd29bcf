"""A cache of positions that the network has evaluated."""

import numpy as np

from course_utils.networks.protocol import Network
from course_utils.networks.settings import settings_of


class CachedNetwork:
    """Pass on to `network` only positions that are not in the cache, each once. For planes of zeros and ones.

    Self-play sees most positions several times: games share their openings, and a search after a move looks again at
    what the one before the move saw. The cache is a table of `slots` rows in which a newer position replaces an older
    one of the same row. Make a new one when the network has learned.

    Attributes:
        requested, evaluated: how many positions this network was asked for, and how many of them `network` evaluated.
    """

    def __init__(self, network: Network, slots: int = 2**18):
        self.network, self.slots, self.settings = network, slots, settings_of(network)
        self.requested = self.evaluated = 0
        self.keys = self.values = self.logits = np.empty(0)  # made at the first call, which knows their shapes

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """As `Network`."""
        keys = self._keys(planes)
        if len(self.keys) == 0:
            value, logits = self.network(planes[:1])
            empty = np.iinfo(np.uint64).max  # the key of no position: every cell is taken twice
            self.keys = np.full((self.slots, keys.shape[1]), empty)
            self.values = np.zeros(self.slots, dtype=value.dtype)
            self.logits = np.zeros((self.slots, logits.shape[1]), dtype=logits.dtype)
        rows = self._rows(keys)
        cached = (self.keys[rows] == keys).all(axis=1)
        value, logits = self.values[rows], self.logits[rows]
        new = np.flatnonzero(~cached)
        if len(new) > 0:
            _, first, again = np.unique(keys[new], axis=0, return_index=True, return_inverse=True)
            once = new[first]
            fresh_value, fresh_logits = self.network(planes[once])
            self.keys[rows[once]] = keys[once]
            self.values[rows[once]], self.logits[rows[once]] = fresh_value, fresh_logits
            value[new], logits[new] = fresh_value[again.ravel()], fresh_logits[again.ravel()]
            self.evaluated += len(once)
        self.requested += len(planes)
        return value, logits

    def _keys(self, planes: np.ndarray) -> np.ndarray:
        """uint64 [batch, words]: the planes, a bit each."""
        bits = np.packbits(planes.reshape(len(planes), -1) != 0, axis=1)
        words = -(-bits.shape[1] // 8)
        padded = np.zeros((len(planes), 8 * words), dtype=np.uint8)
        padded[:, : bits.shape[1]] = bits
        return padded.view(np.uint64)

    def _rows(self, keys: np.ndarray) -> np.ndarray:
        """The row of the table for each key: multiplied by odd constants, the high bits are well mixed."""
        mixed = np.zeros(len(keys), dtype=np.uint64)
        for word in keys.T:
            mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(32)
        return (mixed % np.uint64(self.slots)).astype(np.int64)
