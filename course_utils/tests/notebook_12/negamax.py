"""Check negamax: the value of a position, and for which player."""

from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after  # noqa: F401
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_12.game_trees import ENDS, TreeGame, grown, trees  # noqa: F401
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes


def scene(draw) -> str:
    game, state = draw
    return f"{game}\nnegamax(game, {state})"


BY_HAND = """
    X has won, which is a loss for O, who would be to move
    X X X
    O O .
    . . .
    >>> game = TicTacToe()
    >>> negamax(game, after(game, [0, 3, 1, 4, 2]))
    -1
    ? For which player is the result: the winner, X, or the player who would be to move?

    O has won, which is a loss for X, who would be to move
    X X .
    O O O
    . . X
    >>> game = TicTacToe()
    >>> negamax(game, after(game, [0, 3, 1, 4, 8, 5]))
    -1
    ? For which player is the result: the winner, X, or the player who would be to move?

    O wins in one
    X X .
    O O .
    . . X
    >>> game = TicTacToe()
    >>> negamax(game, after(game, [0, 3, 1, 4, 8]))
    1
    ? After the winning move the other side is to move. What is that position worth to them, and what to you?

    X has two threats, so O is lost (2 points)
    X O .
    O . .
    X . X
    >>> game = TicTacToe()
    >>> negamax(game, after(game, [0, 3, 8, 1, 6]))
    -1
    ? O can stop one threat. Does your search go on to X's next move?

    X can make two threats at once (2 points)
    X O .
    O . .
    X . .
    >>> game = TicTacToe()
    >>> negamax(game, after(game, [0, 1, 6, 3]))
    1
    ? The win is three moves away. How deep do you look?

    a small tree, worked out by hand, whose numbers say who wins there (2 points)
    >>> game = TreeGame([[0, [1, 0]], [-1, [0, 0]], [[1, 1], [0, 1]]])
    >>> [negamax(game, path) for path in [(), (0,), (1,), (2,), (0, 1), (1, 1)]]
    [1, 0, 1, -1, 1, 0]

    a game in which the last move may lose
    >>> [negamax(TreeGame(1), ()), negamax(TreeGame([-1, -1]), ()), negamax(TreeGame([-1], first=-1), ())]
    [1, -1, 1]
    ? How do winner(state) and to_play(state) together give the value?
"""

_SEARCH = "max(-negamax(game, game.play(state, action)) for action in game.legal_actions(state))"
_TERMINAL = "game.winner(state) * game.to_play(state)"
# fmt: off
WRONG = [
    Wrong("sign flip forgotten",
          "a child's value is used as it is: a value that is good for the opponent counts as good for you",
          "For which player is the value that negamax(child) returns?", ("max(-negamax", "max(negamax")),
    Wrong("the worst move", "each player picks the worst move, because the smallest of the negated values is taken",
          "After the minus sign the values are for the player to move. "
          "Should that player take the largest or the smallest?", ("max(-negamax", "min(-negamax")),
    Wrong("winner's name at the end", "a finished game returns winner(state), which is right for X and wrong for O",
          "O has won and X would be to move. What is that worth to X?", (_TERMINAL, "game.winner(state)")),
    Wrong("the other player's point of view",
          "a finished game is valued for the player who made the last move: +1 where a player has won",
          "Who made the last move, and who is to move now?", (_TERMINAL, "-game.winner(state) * game.to_play(state)")),
    Wrong("draw as loss", "every finished game counts as a loss for the player to move, even a draw",
          "What does `winner` return for a draw?", (_TERMINAL, "-1")),
    Wrong("every win a loss",
          "every won game counts as a loss for the player to move, which is right in tic-tac-toe, but not in a game "
          "where the last move can lose",
          "How do winner(state) and to_play(state) together give the value?", (_TERMINAL, "-abs(game.winner(state))")),
    Wrong("always for X",
          "this is minimax from the first player's point of view, "
          "so the sign is right when X is to move and wrong when O is",
          "For which player does the docstring ask for the value?", (_TERMINAL, "game.winner(state)"),
          (f"return {_SEARCH}", "best = max if game.to_play(state) == 1 else min\n"
           "    return best(negamax(game, game.play(state, action)) for action in game.legal_actions(state))")),
    Wrong("one move deep",
          "it searches one move deep and calls everything else a draw (a best value that begins at 0 does the same)",
          "What is the best of three losses, and what can the opponent do after your move?",
          (_SEARCH, f"max(0, {_SEARCH})")),
    Wrong("first move only", "it returns inside the loop, so only the first legal action is searched",
          "After which action do you know which one is best?",
          (f"return {_SEARCH}",
           "for action in game.legal_actions(state):\n        return -negamax(game, game.play(state, action))")),
    Wrong("average instead of best",
          "it averages over the moves, which gives the value of a game between two random players",
          "Does a good player play all moves equally often?",
          (_SEARCH, f"(lambda values: sum(values) / len(values))([{_SEARCH[4:-1]}])")),
    Wrong("the action, not its value", "it returns the best action instead of its value",
          "What does the docstring ask for?",
          (f"return {_SEARCH}", "def value(s):\n"
           "        if game.is_terminal(s):\n"
           "            return game.winner(s) * game.to_play(s)\n"
           "        return max(-value(game.play(s, a)) for a in game.legal_actions(s))\n"
           "    return max(game.legal_actions(state), key=lambda a: -value(game.play(state, a)))")),
]
# fmt: on


def right_minimax_two_functions(game, state):
    """Maximize and minimize, and take the point of view of the player to move at the end."""

    def highest(position):
        if game.is_terminal(position):
            return game.winner(position)
        return max(lowest(game.play(position, action)) for action in game.legal_actions(position))

    def lowest(position):
        if game.is_terminal(position):
            return game.winner(position)
        return min(highest(game.play(position, action)) for action in game.legal_actions(position))

    return highest(state) if game.to_play(state) == 1 else -lowest(state)


def right_remembering(game, state):
    cache = {}

    def value(position):
        if position not in cache:
            if game.is_terminal(position):
                cache[position] = float(game.winner(position) * game.to_play(position))
            else:
                cache[position] = -min(value(game.play(position, action)) for action in game.legal_actions(position))
        return cache[position]

    return value(state)


def right_that_stops_at_a_win(game, state):
    legal = game.legal_actions(state)
    if not legal:
        return game.winner(state) * game.to_play(state)
    best = -1
    for action in legal:
        best = max(best, -right_that_stops_at_a_win(game, game.play(state, action)))
        if best == 1:
            break
    return best


CHECK = Scenes(
    draws=st.one_of(trees([0, 1, -1]), ENDS),
    edges=[(f"game = TreeGame({grown(2, 12, 1, [1])})", "()")],  # twelve moves, one after the other
    examples=25,
    returns=number,
    question="Work from the leaves up. What does the player to move choose at each node, "
    "and what is that worth to them?",
)
