"""How strong a network is at this moment of its training: asked in a fraction of a second, and answered by a perfect player."""

from collections.abc import Callable

import numpy as np
from torch import nn

from course_utils.exercise import using
from course_utils.games import Game
from course_utils.learning.exam import exam, right_moves
from course_utils.learning.proof import tictactoe_key
from course_utils.networks.fast import fast_inference

Grades = dict[str, float]  # a name -> a share from 0 to 1; LOSING -> a count
LOSING = "losing lines"  # in how many games, out of all that can be played against it, the agent loses
SIMULATIONS = 10  # of tic-tac-toe


def grader(game: Game) -> Callable[[nn.Module], Grades] | None:
    """What grades a network, alone and with search, over positions where some move loses value; None for a game that nobody has solved here."""
    make = {"tictactoe": _tictactoe, "connect_four": _connect_four}.get(game.name)
    return make(game) if make else None


def _tictactoe(game: Game) -> Callable[[nn.Module], Grades]:
    key = tictactoe_key()

    def right(moves: np.ndarray) -> float:
        return float(key.optimal[key.matters, moves[key.matters]].mean())

    def grade(net: nn.Module) -> Grades:
        with using({}):
            alone, searched = key.moves(net, 0), key.moves(net, SIMULATIONS, at=key.matters)
        lost = sum(key.losing_lines(alone))
        return {"alone": right(alone), f"with {SIMULATIONS} simulations": right(searched), LOSING: lost}

    return grade


def _connect_four(game: Game) -> Callable[[nn.Module], Grades]:
    positions = exam(game.name)[::4]

    def grade(net: nn.Module) -> Grades:
        network = fast_inference(net)
        with using({}):
            return {
                f"with {count} simulations" if count else "alone": right_moves(game, network, positions, count)
                for count in (0, 50)
            }

    return grade
