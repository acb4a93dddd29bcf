"""Grade a network during its training, in a fraction of a second, by a perfect player's answers."""

from collections.abc import Callable

import numpy as np
from torch import nn

from course_utils.exercise import using
from course_utils.games import Game
from course_utils.learning.exam import exam, right_moves, searched_moves
from course_utils.learning.proof import tictactoe_key
from course_utils.networks.fast import fast_inference

Grades = dict[str, float]  # a name -> a share from 0 to 1; LOSING -> a count
LOSING = "losing lines"  # in how many games, out of all that can be played against it, the agent loses
SIMULATIONS = 10  # of tic-tac-toe
KINDS = {
    "win at once": "win",
    "block at once": "block",
    "quiet": "",
}  # of the exam's positions: the network alone -> `Position.tactics`


def grader(game: Game) -> Callable[[nn.Module], Grades] | None:
    """A function that grades a network, alone and with search, over positions where some move loses value.

    None for a game whose perfect play is not known here.
    """
    make = {"tictactoe": _tictactoe, "connect_four": _connect_four}.get(game.name)
    return make(game) if make else None


def _tictactoe(game: Game) -> Callable[[nn.Module], Grades]:
    key = tictactoe_key()

    def right(moves: np.ndarray, positions: np.ndarray = key.matters) -> float:
        return key.kept(moves, positions) / int(positions.sum())

    def grade(net: nn.Module) -> Grades:
        with using({}):
            alone, searched = key.moves(net, 0), key.moves(net, SIMULATIONS, at=key.matters)
        lost = sum(key.losing_lines(alone))
        by_kind = {name: right(alone, positions) for name, positions in key.kinds.items()}
        return {"alone": right(alone), f"with {SIMULATIONS} simulations": right(searched), **by_kind, LOSING: lost}

    return grade


def _connect_four(game: Game) -> Callable[[nn.Module], Grades]:
    positions = exam(game.name)[::4]
    kinds = {name: np.array([position.tactics == kind for position in positions]) for name, kind in KINDS.items()}

    def grade(net: nn.Module) -> Grades:
        network = fast_inference(net)
        with using({}):
            moves = searched_moves(game, network, positions, 0)
            kept = np.array([position.keeps[move] for position, move in zip(positions, moves, strict=True)])
            by_kind = {name: float(kept[kind].mean()) for name, kind in kinds.items()}
            return {
                "alone": float(kept.mean()),
                "with 50 simulations": right_moves(game, network, positions, 50),
                **by_kind,
            }

    return grade
