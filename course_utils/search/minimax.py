"""Perfect play by looking at everything, and how to look at less: alpha-beta, a depth limit and a heuristic."""

from collections.abc import Callable

from course_utils.exercise import exercise
from course_utils.games import Game


@exercise("12")
def negamax(game: Game, state) -> int:
    """What `state` is worth if both sides play perfectly, found by trying everything.

    Returns +1 (a win), 0 or -1 (a loss) for the player to move at `state`: a finished game
    that the other player has won is -1.
    """
    if game.is_terminal(state):
        return game.winner(state) * game.to_play(state)
    return max(-negamax(game, game.play(state, action)) for action in game.legal_actions(state))


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


@exercise("12")
def alpha_beta(
    game: Game,
    state,
    alpha: float = -1,
    beta: float = 1,
    *,
    depth: int | None = None,
    heuristic: Callable | None = None,
    order: Callable | None = None,
) -> tuple[float, int]:
    """The value of `state`, skipping every position that can't change it.

    alpha: what the player to move is sure of elsewhere. beta: what the opponent will allow.
    depth: how many moves to look ahead; None: to the end.
    heuristic: (game, state) -> value for the player to move, where the depth ends; None: 0.
    order: (game, state) -> the legal actions in the order to try.
    Returns (value, nodes): the value for the player to move, and how many positions were
    looked at, `state` included. Outside alpha and beta, the value need only be on the right
    side.
    """
    # begin given
    if game.is_terminal(state):
        return game.winner(state) * game.to_play(state), 1
    if depth == 0:
        return (heuristic(game, state) if heuristic else 0), 1
    actions = order(game, state) if order else game.legal_actions(state)
    deeper = None if depth is None else depth - 1
    options: dict = dict(depth=deeper, heuristic=heuristic, order=order)
    # end given
    best, nodes = float("-inf"), 1
    for action in actions:
        value, below = alpha_beta(game, game.play(state, action), -beta, -alpha, **options)
        nodes += below
        best = max(best, -value)
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best, nodes


def heuristic(game: Game, state, n: int) -> float:
    """h_n: a guess at the value of `state`, from the open runs of `n` stones.

    A run is n neighboring cells in a row, column or diagonal that one player's stones fill. It
    is open if the next cell at one end (or both) is on the board and free. A longer line holds
    several runs, and with n = 1 a stone counts once in each direction.
    Returns (my open runs - the opponent's) / (1 + places), for the player to move at `state`;
    `places` is how many runs of n fit on the board.
    """
    me = game.to_play(state)
    cells = {
        (row, column): cell for row, line in enumerate(game.cells(state).tolist()) for column, cell in enumerate(line)
    }
    difference = places = 0
    for row, column in cells:
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            around: list = [cells.get((row + i * down, column + i * right)) for i in range(-1, n + 1)]
            before, *run, behind = around
            if run[-1] is None:  # it does not fit
                continue
            places += 1
            if run[0] != 0 and len(set(run)) == 1 and 0 in (before, behind):
                difference += run[0] * me
    return difference / (1 + places)


def center_first(game: Game, state) -> list[int]:
    """The legal actions, those nearest the middle of the board first: an `order` for `alpha_beta`."""
    cells = [(row, column) for row in range(game.rows) for column in range(game.columns)]
    middle = ((game.rows - 1) / 2, (game.columns - 1) / 2)
    distance: dict[int, float] = {}
    for row, column in cells:
        action = game.action_at(row, column)
        off = (row - middle[0]) ** 2 + (column - middle[1]) ** 2
        distance[action] = min(off, distance.get(action, off))
    return sorted(game.legal_actions(state), key=lambda action: distance[action])


def best_action(
    game: Game, state, *, depth: int | None = None, heuristic: Callable | None = None, order: Callable | None = None
) -> int:
    """The action that `alpha_beta` values highest; ties go to the first tried.

    Args:
        depth: how many moves to look ahead, this one included: 1 or more; None: to the end of the game.
        heuristic, order: as for `alpha_beta`.

    Raises:
        ValueError: the game is over, or depth is 0.
    """
    if game.is_terminal(state) or depth == 0:
        raise ValueError("there is no action to choose: the game is over, or depth is 0")
    deeper = None if depth is None else depth - 1
    options: dict = dict(depth=deeper, heuristic=heuristic, order=order)
    actions = list(order(game, state) if order else game.legal_actions(state))
    best, alpha = actions[0], -1.0
    for action in actions:
        if alpha == 1:  # nothing is worth more than a win
            break
        value, _ = alpha_beta(game, game.play(state, action), -1, -alpha, **options)
        if -value > alpha:  # a tie only shows as "alpha or less", so the first of equals stays
            best, alpha = action, -value
    return best
