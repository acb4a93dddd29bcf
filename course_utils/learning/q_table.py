"""Q-learning in a table, with one agent on both sides: learning from games alone, without network and search."""

from collections import defaultdict

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game


@exercise("41")
def q_update(Q: dict, game: Game, state, action: int, alpha: float) -> None:
    """Move one entry of the table towards what its action led to (Q-learning by self-play).

    Q: a `defaultdict(float)`; Q[state, action] is what the action is worth to the player to
        move at `state`, and 0 if it was never tried.
    The entry moves by the share `alpha` of the way to its target. If the game is over, that is
    the outcome (+1, 0 or -1) for the player who made the move. Otherwise the opponent makes the
    best legal reply, and the target is what this reply is worth to you.
    Changes Q, and returns nothing.
    """
    child = game.play(state, action)
    if game.is_terminal(child):
        target = game.winner(child) * game.to_play(state)
    else:
        target = -max(Q[child, reply] for reply in game.legal_actions(child))
    Q[state, action] += alpha * (target - Q[state, action])


def best_in_table(Q: dict, game: Game, state) -> int:
    """The legal action with the highest entry, the first of them if several are equal."""
    return max(game.legal_actions(state), key=lambda action: Q.get((state, action), 0.0))


def learn_in_table(
    game: Game, games: int, epsilon: float, rng: np.random.Generator, Q: dict | None = None, alpha: float = 0.5
) -> dict:
    """Let the table play against itself, with a share `epsilon` of random moves, and update it after each move."""
    Q = defaultdict(float) if Q is None else Q
    for _ in range(games):
        state = game.initial_state()
        while not game.is_terminal(state):
            legal = game.legal_actions(state)
            explores = rng.random() < epsilon
            action = legal[rng.integers(len(legal))] if explores else best_in_table(Q, game, state)
            q_update(Q, game, state, action, alpha)
            state = game.play(state, action)
    return Q
