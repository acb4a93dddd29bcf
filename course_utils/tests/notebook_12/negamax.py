"""negamax: what a position is worth, and to whom."""

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
    X has won: a loss for O, who would be to move
    X X X
    O O .
    . . .
    >>> game = TicTacToe()
    >>> negamax(game, after(game, [0, 3, 1, 4, 2]))
    -1
    ? Whose point of view is asked for: the winner's, X's, or that of the player who would have to move?

    O has won: a loss for X, who would be to move
    X X .
    O O O
    . . X
    >>> game = TicTacToe()
    >>> negamax(game, after(game, [0, 3, 1, 4, 8, 5]))
    -1
    ? Whose point of view is asked for: the winner's, X's, or that of the player who would have to move?

    O wins in one
    X X .
    O O .
    . . X
    >>> game = TicTacToe()
    >>> negamax(game, after(game, [0, 3, 1, 4, 8]))
    1
    ? After the winning move the other side is to move: what is that worth to them, and what to you?

    X threatens twice: lost for O (2 points)
    X O .
    O . .
    X . X
    >>> game = TicTacToe()
    >>> negamax(game, after(game, [0, 3, 8, 1, 6]))
    -1
    ? O can stop one threat. Does your search look at what X does then?

    X can make two threats at once (2 points)
    X O .
    O . .
    X . .
    >>> game = TicTacToe()
    >>> negamax(game, after(game, [0, 1, 6, 3]))
    1
    ? The win is three moves away. How deep do you look?

    a small tree, worked by hand: a number says who wins there (2 points)
    >>> game = TreeGame([[0, [1, 0]], [-1, [0, 0]], [[1, 1], [0, 1]]])
    >>> [negamax(game, path) for path in [(), (0,), (1,), (2,), (0, 1), (1, 1)]]
    [1, 0, 1, -1, 1, 0]

    a game in which the last move may lose
    >>> [negamax(TreeGame(1), ()), negamax(TreeGame([-1, -1]), ()), negamax(TreeGame([-1], first=-1), ())]
    [1, -1, 1]
    ? What do winner(state) and to_play(state) say together?
"""

_SEARCH = "max(-negamax(game, game.play(state, action)) for action in game.legal_actions(state))"
_TERMINAL = "game.winner(state) * game.to_play(state)"
# fmt: off
WRONG = [
    Wrong("sign flip forgotten", "a child's value is taken over as it is: what is good for the opponent counts as good for you",
          "Whose value does negamax(child) return?", ("max(-negamax", "max(negamax")),
    Wrong("the worst move", "each player picks the worst move: the values are negated and then the smallest is taken",
          "After the minus sign the values are yours. Do you want the largest or the smallest?", ("max(-negamax", "min(-negamax")),
    Wrong("winner's name at the end", "a finished game gives winner(state): right for X, wrong for O",
          "O has won and X would be to move: what is that worth to X?", (_TERMINAL, "game.winner(state)")),
    Wrong("the other player's point of view", "a finished game is valued for the player who made the last move: +1 where somebody has won",
          "Who made the last move, and who is to move now?", (_TERMINAL, "-game.winner(state) * game.to_play(state)")),
    Wrong("draw as loss", "every finished game is a loss for the player to move, draws too",
          "What does `winner` return for a draw?", (_TERMINAL, "-1")),
    Wrong("every win a loss", "whoever has won, it is taken for a loss of the player to move: so it is in tic-tac-toe, but not in a game where the last move can lose",
          "What do winner(state) and to_play(state) say together?", (_TERMINAL, "-abs(game.winner(state))")),
    Wrong("always for X", "it is minimax from the first player's point of view: right when X is to move, the wrong sign when O is",
          "Whose point of view does the docstring ask for?", (_TERMINAL, "game.winner(state)"),
          (f"return {_SEARCH}", "best = max if game.to_play(state) == 1 else min\n"
           "    return best(negamax(game, game.play(state, action)) for action in game.legal_actions(state))")),
    Wrong("one move deep", "it looks one move ahead and calls everything else a draw (a best value that begins at 0 comes to the same)",
          "What may the opponent do after your move? And what is the best of three losses?", (_SEARCH, f"max(0, {_SEARCH})")),
    Wrong("first move only", "it returns within the loop: only the first legal action is ever looked at",
          "When do you know that you have seen the best?",
          (f"return {_SEARCH}", "for action in game.legal_actions(state):\n        return -negamax(game, game.play(state, action))")),
    Wrong("average instead of best", "it averages over the moves: that is the value against a player who plays at random, and as one",
          "Does a good player play all moves equally often?", (_SEARCH, f"(lambda values: sum(values) / len(values))([{_SEARCH[4:-1]}])")),
    Wrong("the action, not its value", "it returns which action is best instead of what that is worth",
          "What does the docstring promise?",
          (f"return {_SEARCH}", "def value(s):\n"
           "        if game.is_terminal(s):\n"
           "            return game.winner(s) * game.to_play(s)\n"
           "        return max(-value(game.play(s, a)) for a in game.legal_actions(s))\n"
           "    return max(game.legal_actions(state), key=lambda a: -value(game.play(state, a)))")),
]
# fmt: on


def right_minimax_two_functions(game, state):
    """Maximizer and minimizer, turned to the mover's point of view at the end."""

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
    known = {}

    def value(position):
        if position not in known:
            if game.is_terminal(position):
                known[position] = float(game.winner(position) * game.to_play(position))
            else:
                known[position] = -min(value(game.play(position, action)) for action in game.legal_actions(position))
        return known[position]

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
    question="Work it from the leaves up: what does the player to move at each node choose, and what is it worth to them?",
)
