"""How strong a network is at this moment of its training: asked in a fraction of a second, and answered by a perfect player."""

from collections.abc import Callable

import numpy as np
from torch import nn

from course_utils.exercise import using
from course_utils.games import Game
from course_utils.learning.arena import count_lines
from course_utils.learning.exam import Position, load_positions, searched_moves, solved_positions
from course_utils.networks.fast import fast_inference

Grades = dict[str, float]  # a name -> a share from 0 to 1; LOSING -> a count
LOSING = "losing lines"  # in how many games, out of all that can be played against it, the agent loses
POSITIONS = 500  # of tic-tac-toe, for the search


def losing_lines(game: Game, positions: list[Position], moves: np.ndarray) -> tuple[int, int]:
    """How many lines of play an agent with these answers, int64 [positions], loses: as first and as second player.

    Args:
        positions: all of the game, as `solved_positions` gives them.
    """
    player = Table({position.state: int(move) for position, move in zip(positions, moves, strict=True)})
    first, second = (count_lines(game, player, side).losses for side in (1, -1))
    return first, second


class Table:
    """Plays what is written down."""

    def __init__(self, answers: dict):
        self.answers = answers

    def act(self, state) -> int:
        return self.answers[state]


def grader(game: Game) -> Callable[[nn.Module], Grades] | None:
    """What grades a network, alone and with search, over positions where some move loses value; None for a game that nobody has solved here."""
    make = {"tictactoe": _tictactoe, "connect_four": _connect_four}.get(game.name)
    return make(game) if make else None


def _tictactoe(game: Game) -> Callable[[nn.Module], Grades]:
    positions = solved_positions(game)
    matters = [number for number, position in enumerate(positions) if position.matters]
    some = np.random.default_rng(0).choice(matters, POSITIONS, replace=False)
    keeps = np.array([position.keeps for position in positions])

    def grade(net: nn.Module) -> Grades:
        network = fast_inference(net)
        with using({}):
            alone = searched_moves(game, network, positions, 0)
            searched = searched_moves(game, network, [positions[number] for number in some], 25)
        kept = keeps[matters, alone[matters]].mean(), keeps[some, searched].mean()
        lost = losing_lines(game, positions, alone)
        return {"alone": float(kept[0]), "with 25 simulations": float(kept[1]), LOSING: sum(lost)}

    return grade


def _connect_four(game: Game) -> Callable[[nn.Module], Grades]:
    positions = [position for position in load_positions() if position.matters][::4]
    keeps = np.array([position.keeps for position in positions])

    def grade(net: nn.Module) -> Grades:
        network = fast_inference(net)
        with using({}):
            moves = {
                f"with {count} simulations" if count else "alone": searched_moves(game, network, positions, count)
                for count in (0, 50)
            }
        return {name: float(keeps[np.arange(len(keeps)), played].mean()) for name, played in moves.items()}

    return grade
