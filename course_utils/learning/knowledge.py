"""What a network of tic-tac-toe knows of the game, and what it does with it: over all positions, held against a perfect player."""

from typing import NamedTuple

import numpy as np

from course_utils.games import TicTacToe
from course_utils.learning.proof import AnswerKey, tictactoe_key
from course_utils.networks.probing import (
    LINES,
    OpenNetwork,
    flattened,
    held_out,
    look_alikes,
    probe_auc,
    ranks,
    threats,
    without,
)

WIN, DANGER, FORK, WON = "I can win at once", "they threaten to win", "I can make a fork", "I win with perfect play"


class Opinion(NamedTuple):
    """What a network thinks of held-out positions, on average.

    Attributes:
        with_it, without_it: the mean value where the concept is there, and where it is not.
        right: the share of moves that keep what the position is worth, where some move loses value.
    """

    with_it: float
    without_it: float
    right: float


class Questions(NamedTuple):
    """All positions of tic-tac-toe, what is true of each, and which of them are held out for the test.

    Attributes:
        planes: float32 [positions, 2, 3, 3].
        concepts: name -> bool [positions].
        winning: bool [positions, 9], the moves that win at once.
        legal: bool [positions, 9].
        one_win: bool [positions]: exactly one move wins at once, and there are others.
        blocking: bool [positions, 9], the cells in which the opponent could win, were it their turn.
        one_block: bool [positions]: there is exactly one of these cells, other moves are legal, and none of them wins at once.
        held_out: bool [positions]; positions that look alike, turned or mirrored, are held out together.
    """

    planes: np.ndarray
    concepts: dict[str, np.ndarray]
    winning: np.ndarray
    legal: np.ndarray
    one_win: np.ndarray
    blocking: np.ndarray
    one_block: np.ndarray
    held_out: np.ndarray


def questions(seed: int = 0, key: AnswerKey | None = None) -> Questions:
    """The seed decides which positions are held out."""
    key = tictactoe_key() if key is None else key
    game = TicTacToe()
    planes = np.array([game.encode(state) for state in key.states], dtype=np.float32)
    theirs = threats(planes[:, ::-1])  # the same, with both players exchanged
    cells = np.array(LINES).ravel()  # where each threat has its free cell
    blocking = np.array([theirs[:, cells == cell].any(axis=1) for cell in range(9)]).T
    concepts = {
        WIN: threats(planes).any(axis=1),
        DANGER: theirs.any(axis=1),
        FORK: key.forks.any(axis=1),
        WON: key.values > 0,
    }
    some = key.legal.sum(axis=1) > 1
    one_win = (key.winning.sum(axis=1) == 1) & some
    one_block = (blocking.sum(axis=1) == 1) & some & ~concepts[WIN]
    held = held_out(look_alikes(game, planes), np.random.default_rng(seed))
    return Questions(planes, concepts, key.winning, key.legal, one_win, blocking, one_block, held)


def line_threats(planes: np.ndarray) -> np.ndarray:
    """bool [batch, 8]: whether there is a threat in this line, wherever its free cell is."""
    return threats(planes).reshape(len(planes), 8, 3).any(axis=2)


def best_neurons(layer: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each concept the neuron that tells it best, alone: (which one, its AUC), both [concepts].

    layer: [positions, neurons]. labels: bool [positions, concepts].
    """
    with_it = labels.sum(axis=0)[:, None]
    sums = labels.T.astype(float) @ np.array([ranks(neuron) for neuron in layer.T]).T  # as in `auc`, all at once
    table = (sums - with_it * (with_it + 1) / 2) / (with_it * (len(labels) - with_it))
    return table.argmax(axis=1), table.max(axis=1)


def moves(network: OpenNetwork, name: str, layer: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """int [positions]: what the network plays, alone, if this layer says this."""
    return np.where(legal, network.answers(name, layer)[1], -np.inf).argmax(axis=1)


def opinion(ask: Questions, network: OpenNetwork, name: str, layer: np.ndarray, concept: str) -> Opinion:
    """Of the network, if this layer says this."""
    key, has, out = tictactoe_key(), ask.concepts[concept], ask.held_out
    values, _ = network.answers(name, layer)
    kept = key.optimal[np.arange(len(layer)), moves(network, name, layer, ask.legal)]
    return Opinion(values[has & out].mean(), values[~has & out].mean(), kept[key.matters & out].mean())


def wins_seen(ask: Questions, played: np.ndarray) -> np.ndarray:
    """[9]: how often the move was played, in held-out positions in which this cell, and no other, wins."""
    return _seen(ask.one_win & ask.held_out, ask.winning, played)


def blocks_seen(ask: Questions, played: np.ndarray) -> np.ndarray:
    """[9]: the same where this cell, and no other, has to be blocked."""
    return _seen(ask.one_block & ask.held_out, ask.blocking, played)


def _seen(positions: np.ndarray, cells: np.ndarray, played: np.ndarray) -> np.ndarray:
    return np.array([(played[positions & cells[:, cell]] == cell).mean() for cell in range(9)])


def played_without(ask: Questions, network: OpenNetwork, name: str) -> list[np.ndarray]:
    """What is played when the direction "cell c wins" is taken away from this layer, for each of the nine cells."""
    layer = network.layers(ask.planes)[network.names.index(name)]
    blind = (without(layer, ask.winning[:, cell], ask.held_out) for cell in range(9))
    return [moves(network, name, layer, ask.legal) for layer in blind]


def wins_seen_at_random(ask: Questions, network: OpenNetwork, name: str, rng: np.random.Generator) -> np.ndarray:
    """[9]: the same when a direction drawn at random is taken away."""
    layer = network.layers(ask.planes)[network.names.index(name)]
    blind = flattened(layer, rng.normal(size=(layer.shape[1],)))
    return wins_seen(ask, moves(network, name, blind, ask.legal))


def aucs(ask: Questions, network: OpenNetwork, concept: str) -> list[float]:
    """How well a probe tells the concept of held-out positions, layer by layer."""
    return [probe_auc(layer, ask.concepts[concept], ask.held_out) for layer in network.layers(ask.planes)]
