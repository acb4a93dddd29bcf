"""What a network for tic-tac-toe knows, and whether it uses that, over all positions, beside a perfect player."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from course_utils.games import TicTacToe
from course_utils.learning.proof import AnswerKey, tictactoe_key
from course_utils.networks.probing import (
    LINES,
    OpenNetwork,
    held_out,
    look_alikes,
    probe_auc,
    ranks,
    threats,
    without,
)

WIN, DANGER, FORK, WON = "I can win at once", "they threaten to win", "I can make a fork", "I win with perfect play"


class Opinion(NamedTuple):
    """A network's answers in held-out positions.

    Attributes:
        with_it, without_it: the mean value where the concept is there, and where it is not.
        right: bool, for each position in which some move loses value: whether the move played keeps it.
    """

    with_it: float
    without_it: float
    right: np.ndarray


class Paired(NamedTuple):
    """How many moves became wrong and right when a direction was taken out of a layer."""

    lost: int
    gained: int
    of: int

    def __str__(self) -> str:
        return f"of {self.of} moves {self.lost} become wrong, {self.gained} right"


class Questions(NamedTuple):
    """All positions of tic-tac-toe, their concepts, and which of them are held out for the test.

    Attributes:
        planes: float32 [positions, 2, 3, 3].
        concepts: name -> bool [positions].
        winning: bool [positions, 9], the moves that win at once.
        legal: bool [positions, 9].
        one_win: bool [positions]: exactly one move wins at once, and there are others.
        blocking: bool [positions, 9], the cells in which the opponent could win, were it their turn.
        one_block: bool [positions]: there is exactly one of these cells, other moves are legal, and no move wins at
            once.
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
    """Collect the questions. The seed decides which positions are held out."""
    key = tictactoe_key() if key is None else key
    game = TicTacToe()
    planes = np.array([game.encode(state) for state in key.states], dtype=np.float32)
    dangers = threats(planes[:, ::-1])  # the opponent's threats
    cells = np.array(LINES).ravel()  # where each threat has its free cell
    blocking = np.array([dangers[:, cells == cell].any(axis=1) for cell in range(9)]).T
    concepts = {
        WIN: threats(planes).any(axis=1),
        DANGER: dangers.any(axis=1),
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
    """Find, for each concept, the neuron that tells it best alone. Returns (its number, its AUC), both [concepts].

    layer: [positions, neurons]. labels: bool [positions, concepts].
    """
    with_it = labels.sum(axis=0)[:, None]
    sums = labels.T.astype(float) @ np.array([ranks(neuron) for neuron in layer.T]).T  # as in `auc`, all at once
    table = (sums - with_it * (with_it + 1) / 2) / (with_it * (len(labels) - with_it))
    return table.argmax(axis=1), table.max(axis=1)


def moves(network: OpenNetwork, name: str, layer: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """int [positions]: the moves of the network alone, given these numbers of the layer."""
    return np.where(legal, network.answers(name, layer)[1], -np.inf).argmax(axis=1)


def opinion(ask: Questions, network: OpenNetwork, name: str, layer: np.ndarray, concept: str) -> Opinion:
    """The network's opinion, given these numbers of the layer."""
    key, has, out = tictactoe_key(), ask.concepts[concept], ask.held_out
    values, _ = network.answers(name, layer)
    kept = key.optimal[np.arange(len(layer)), moves(network, name, layer, ask.legal)]
    return Opinion(values[has & out].mean(), values[~has & out].mean(), kept[key.matters & out])


def paired(before: np.ndarray, after: np.ndarray) -> Paired:
    """Count the positions in which a right move became wrong, and the reverse. Both bool [positions]."""
    return Paired(int((before & ~after).sum()), int((~before & after).sum()), len(before))


def wins_seen(ask: Questions, played: np.ndarray) -> np.ndarray:
    """[9]: how often the winning move was played, in held-out positions in which this cell alone wins."""
    return np.array([(played[situations(ask, cell)["c wins"]] == cell).mean() for cell in range(9)])


def situations(ask: Questions, cell: int) -> dict[str, np.ndarray]:
    """Name -> bool [positions]: the held-out positions, by what this cell c is in them.

    "c wins" and "another cell wins": exactly one move wins. "c must be blocked": no move wins, and c is the only cell
    to block. "no threat": c is free, and neither side could complete a line.
    """
    calm = ~ask.winning.any(axis=1) & ~ask.blocking.any(axis=1)
    named = {
        "c wins": ask.one_win & ask.winning[:, cell],
        "c must be blocked": ask.one_block & ask.blocking[:, cell],
        "no threat": calm & ask.legal[:, cell],
        "another cell wins": ask.one_win & ~ask.winning[:, cell],
    }
    return {name: positions & ask.held_out for name, positions in named.items()}


def directions(ask: Questions) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Name -> (labels, compared), both bool [positions, 9]: a concept for each cell c, and the positions compared."""
    lessons = np.broadcast_to(~ask.held_out[:, None], ask.legal.shape)
    return {
        "c wins": (ask.winning, lessons),
        "c is free": (ask.legal, lessons),
        "c wins, if c is free": (ask.winning, lessons & ask.legal),
        "c must be blocked, if c is free": (ask.blocking, lessons & ask.legal),
    }


def played_without(ask: Questions, network: OpenNetwork, name: str, direction: str) -> list[np.ndarray]:
    """The moves played when a cell's direction (see `directions`) is taken out of this layer, for all nine cells."""
    layer = network.layers(ask.planes)[network.names.index(name)]
    each_cell = zip(*(columns.T for columns in directions(ask)[direction]), strict=True)
    return [moves(network, name, without(layer, *columns), ask.legal) for columns in each_cell]


def played_by_direction(ask: Questions, network: OpenNetwork, name: str) -> dict[str, dict[str, float]]:
    """`shares_played` with nothing taken out of this layer, and with each of the `directions` taken out."""
    layer = network.layers(ask.planes)[network.names.index(name)]
    shares = {"nothing": shares_played(ask, [moves(network, name, layer, ask.legal)] * 9)}
    return shares | {
        direction: shares_played(ask, played_without(ask, network, name, direction)) for direction in directions(ask)
    }


def shares_played(ask: Questions, played: Sequence[np.ndarray]) -> dict[str, float]:
    """How often c is played in each of its `situations`; where another cell wins, how often the winning move is.

    These are means over the nine cells c.

    played: for each cell, the moves in all positions.
    """
    shares: dict[str, list[float]] = {}
    for cell, move in enumerate(played):
        wins = ask.winning[np.arange(len(move)), move]
        for name, positions in situations(ask, cell).items():
            right = wins if name == "another cell wins" else move == cell
            shares.setdefault(name, []).append(right[positions].mean())
    return {name: float(np.mean(values)) for name, values in shares.items()}


def situation_counts(ask: Questions) -> dict[str, int]:
    """Name -> how many positions are in this situation (see `situations`) for some cell."""
    each_cell = [situations(ask, cell) for cell in range(9)]
    return {name: int(np.any([cells[name] for cells in each_cell], axis=0).sum()) for name in each_cell[0]}


def control_labels(marks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """bool [positions]: a coin is tossed for each pattern of these cells, for all positions with this pattern.

    marks: [positions, cells], +1 for mine, -1 for theirs, 0 for free.
    """
    _, pattern = np.unique(marks, axis=0, return_inverse=True)
    return (rng.random(pattern.max() + 1) < 0.5)[pattern.ravel()]


def control_auc(layers: Sequence[np.ndarray], marks: np.ndarray, held_out: np.ndarray, draws: int = 20) -> list[float]:
    """For each layer, how well a probe tells `control_labels` in held-out positions: the mean over the same draws."""
    rng = np.random.default_rng(0)
    tasks = [control_labels(marks, rng) for _ in range(draws)]
    return [float(np.mean([probe_auc(layer, labels, held_out) for labels in tasks])) for layer in layers]


def aucs(ask: Questions, network: OpenNetwork, concept: str) -> list[float]:
    """How well a probe tells the concept in held-out positions, layer by layer."""
    return [probe_auc(layer, ask.concepts[concept], ask.held_out) for layer in network.layers(ask.planes)]
