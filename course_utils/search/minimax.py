"""Perfect play by looking at everything: the answer key."""

from course_utils.games import Game


def solve(game: Game, state, values: dict | None = None) -> dict:
    """The value of every position that can be reached from `state`, from the point of view of its player to move.

    Returns:
        state -> +1, 0 or -1. For a finished game: what it is worth to the player who would have to move.
    """
    values = {} if values is None else values
    if state not in values:
        if game.is_terminal(state):
            values[state] = game.winner(state) * game.to_play(state)
        else:
            replies = [game.play(state, action) for action in game.legal_actions(state)]
            values[state] = max(-solve(game, reply, values)[reply] for reply in replies)
    return values
