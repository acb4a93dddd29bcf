"""An opponent that searches for games in which a deterministic agent does badly.

It asks the agent itself, so it knows every answer beforehand.
"""

from collections.abc import Callable, Sequence

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.learning.exam import best_moves
from course_utils.networks import Network

Answers = Callable[
    [list], tuple[Sequence[int], Sequence[float] | np.ndarray]
]  # positions -> a move and a value for each


@exercise("41")
def weak_spots(game: Game, answers: Answers, width: int) -> list[list[int]]:
    """Search for games that an agent, which moves first, does not win.

    answers(positions) returns two sequences: the agent's move in each position of the list,
        and its value of that position, from -1 to 1, for itself.
    Go level by level: a level holds all positions after the same number of moves, in which it
    is the agent's turn. Ask about a level in one call. From the `width` positions with the
    lowest values, play the agent's move, and then every legal reply.
    Returns the finished games that the agent has drawn or lost: all moves of each.
    """
    level: dict = {game.initial_state(): []}  # position -> the moves that lead to it
    found = []
    while level:
        positions = list(level)
        moves, values = answers(positions)
        level, before = {}, level
        for i in np.argsort(values)[:width]:
            state, line = game.play(positions[i], moves[i]), [*before[positions[i]], int(moves[i])]
            replies = [(game.play(state, reply), [*line, reply]) for reply in game.legal_actions(state)]
            for child, played in replies or [(state, line)]:
                if not game.is_terminal(child):
                    level[child] = played
                elif game.winner(child) != 1:
                    found.append(played)
    return found


def answers_of(game: Game, network: Network, simulations: int) -> Answers:
    """The moves of `SearchAgent` with so many simulations, in all positions at once; with 0 the network's own.

    The values are the network's, before any search.
    """
    batched = game.batched()

    def answers(positions: list) -> tuple[list[int], np.ndarray]:
        states = batched.from_states(positions)
        values, _ = network(batched.encode(states))
        return best_moves(batched, states, network, simulations).tolist(), values

    return answers
