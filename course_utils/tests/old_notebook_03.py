"""Checks of notebook 03: negamax, alpha-beta, a heuristic."""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from course_utils.games import TicTacToe, after
from course_utils.games.tictactoe import State
from course_utils.tests.framework import Case, Such, check, wrong
from course_utils.tests.oracles import has_line, reachable

# --- games to search in ----------------------------------------------------------------------------------------------


class TreeGame:
    """A game given as a tree: nested lists, and at each leaf who wins there (+1, -1 or 0). A state is the path to it."""

    def __init__(self, tree: list, first: int = 1):
        self.tree, self.first = tree, first
        self.num_actions = 9

    def at(self, state):
        node = self.tree
        for action in state:
            node = node[action]
        return node

    def initial_state(self):
        return ()

    def legal_actions(self, state) -> list[int]:
        node = self.at(state)
        return list(range(len(node))) if isinstance(node, list) else []

    def play(self, state, action: int):
        if action not in self.legal_actions(state):
            raise ValueError(f"action {action} is not legal here; legal: {self.legal_actions(state)}")
        return (*state, action)

    def to_play(self, state) -> int:
        return self.first * (-1) ** len(state)

    def is_terminal(self, state) -> bool:
        return not isinstance(self.at(state), list)

    def winner(self, state) -> int:
        return self.at(state) if self.is_terminal(state) else 0


def random_tree(rng, depth: int, last: int) -> list | int:
    """Two or three branches a node; some games end early. As in most games, only the one who made the last move can win.

    Args:
        last: the player who made the last move.
    """
    if depth == 0 or (depth < 4 and rng.random() < 0.15):
        return last * int(rng.integers(2))
    return [random_tree(rng, depth - 1, -last) for _ in range(rng.integers(2, 4))]


def random_game(rng, depth: int) -> TreeGame:
    first = int(rng.choice([-1, 1]))
    return TreeGame(random_tree(rng, depth, -first), first)


def minimax(game, state, depth=None, guess=None) -> float:
    """The textbook's other form: everything from the first player's point of view, one side maximizes, the other minimizes.

    Args:
        guess: a dict, state -> value for the player to move there; asked where `depth` runs out.

    Returns:
        The value for the player to move at `state`.
    """

    def for_first_player(state, depth):
        if game.is_terminal(state):
            return game.winner(state)
        if depth == 0:
            return guess[state] * game.to_play(state) if guess else 0
        best = max if game.to_play(state) == 1 else min
        return best(
            for_first_player(game.play(state, action), depth if depth is None else depth - 1)
            for action in game.legal_actions(state)
        )

    return for_first_player(state, depth) * game.to_play(state)


@cache
def answer_key() -> dict[tuple, int]:
    """cells -> value for the player to move, for every tic-tac-toe position, from the fullest boards back to the empty one."""
    positions = reachable()
    values: dict[tuple, int] = {}
    for cells in sorted(positions, key=lambda cells: cells.count(0)):
        player = positions[cells]
        if has_line(cells, -player):
            values[cells] = -1
        elif 0 not in cells:
            values[cells] = 0
        else:
            replies = (cells[:i] + (player,) + cells[i + 1 :] for i in range(9) if cells[i] == 0)
            values[cells] = -min(values[reply] for reply in replies)
    return values


@cache
def unfinished(value: int, most_free: int) -> list[State]:
    """Positions of tic-tac-toe to play on from, of this value and with at most `most_free` free cells, in a fixed order."""
    positions = reachable()
    return [
        State(cells, positions[cells])
        for cells, worth in sorted(answer_key().items())
        if worth == value and 1 <= cells.count(0) <= most_free and not has_line(cells, 1) and not has_line(cells, -1)
    ]


def sample_positions(rng, count: int, most_free: int) -> list[State]:
    """A third each won, drawn and lost for the player to move."""
    chosen = []
    for value in (1, 0, -1):
        candidates = unfinished(value, most_free)
        chosen += [candidates[i] for i in rng.choice(len(candidates), size=count // 3, replace=False)]
    return chosen


def _position(actions: list[int]) -> State:
    return after(TicTacToe(), actions)


def _drawing(state: State) -> str:
    return f"{state}\n{'X' if state.to_play == 1 else 'O'} to move"


# --- negamax ---------------------------------------------------------------------------------------------------------


@check
def negamax(rng):
    game = TicTacToe()
    whose = "Whose point of view is asked for: the winner's, X's, or that of the player who would have to move?"

    def on_board(name, actions, expected, question, points=1):
        state = _position(actions)
        return Case(
            name,
            lambda negamax: negamax(game, state),
            expected,
            f"negamax(game, after(game, {actions}))",
            question,
            _drawing(state),
            points,
        )

    yield on_board("X has won: a loss for O, who would be to move", [0, 3, 1, 4, 2], -1, whose)
    yield on_board("O has won: a loss for X, who would be to move", [0, 3, 1, 4, 8, 5], -1, whose)
    yield on_board(
        "a full board without a line is worth nothing", [0, 4, 8, 1, 7, 6, 2, 5, 3], 0, "Who has lost a draw?"
    )
    yield on_board(
        "X wins in one",
        [0, 3, 1, 4],
        1,
        "After the winning move the other side is to move: what is that worth to them, and what to you?",
    )
    yield on_board("O wins in one", [0, 3, 1, 4, 8], 1, "Does it matter for the value which of the two is to move?")
    yield on_board("one move is left, and it draws", [0, 4, 8, 1, 7, 6, 2, 5], 0, "What is the only game that can follow?")  # fmt: skip
    yield on_board(
        "X threatens twice: lost for O",
        [0, 3, 8, 1, 6],
        -1,
        "O can stop one threat. Does your search look at what X does then?",
        2,
    )
    yield on_board(
        "X can make two threats at once", [0, 1, 8, 2], 1, "The win is three moves away. How deep do you look?", 2
    )
    yield on_board("a lost position with five cells free", [0, 1, 8, 7], 1, "How deep do you look?")

    tree = [[0, [1, 0]], [-1, [0, 0]], [[1, 1], [0, 1]]]
    hand = TreeGame(tree)
    drawn = (
        "a game of nested lists; a number says who wins there:\n"
        "[[0, [1, 0]],\n"
        " [-1, [0, 0]],\n"
        " [[1, 1], [0, 1]]]\n"
        "the first player (+1) to move"
    )  # fmt: skip
    yield Case(
        "a small tree, worked by hand",
        lambda negamax: [negamax(hand, state) for state in [(), (0,), (1,), (2,), (0, 1), (1, 1)]],
        [1, 0, 1, -1, 1, 0],
        "[negamax(game, state) for state in [(), (0,), (1,), (2,), (0, 1), (1, 1)]]  # a state is the path to it",
        "Work it from the leaves up: at each node, what does the player to move there choose, and what is it worth to them?",
        drawn,
        points=2,
    )
    trees = [random_game(rng, 5) for _ in range(40)]
    yield Case(
        "40 random trees, either side to begin",
        lambda negamax: [negamax(one, ()) for one in trees],
        [minimax(one, ()) for one in trees],
        "[negamax(game, game.initial_state()) for game in random_trees]",
        "Is the value always that of the player to move, also where -1 begins?",
        points=2,
    )
    positions = sample_positions(rng, 90, most_free=5)
    yield Case(
        "90 positions of tic-tac-toe: the answer key",
        lambda negamax: [negamax(game, state) for state in positions],
        [answer_key()[state.cells] for state in positions],
        "[negamax(game, state) for state in positions]  # 30 won, 30 drawn, 30 lost",
        "Which of won, drawn and lost come out wrong?",
        points=2,
    )


_SEARCH = "max(-negamax(game, game.play(state, action)) for action in game.legal_actions(state))"
_TERMINAL = "game.winner(state) * game.to_play(state)"
for _name, _sentence, _question, _replaces in (
    (
        "sign flip forgotten",
        "a child's value is taken over as it is: what is good for the opponent counts as good for you",
        "Whose value does negamax(child) return?",
        [("max(-negamax", "max(negamax")],
    ),
    (
        "the worst move",
        "each player picks the worst move: the values are negated and then the smallest is taken",
        "After the minus sign the values are yours. Do you want the largest or the smallest?",
        [("max(-negamax", "min(-negamax")],
    ),
    (
        "winner's name at the end",
        "a finished game gives winner(state): right for X, wrong for O",
        "O has won and X would be to move: what is that worth to X?",
        [(_TERMINAL, "game.winner(state)")],
    ),
    (
        "the other player's point of view",
        "a finished game is valued for the player who made the last move: +1 where somebody has won",
        "Who made the last move, and who is to move now?",
        [(_TERMINAL, "-game.winner(state) * game.to_play(state)")],
    ),
    (
        "draw as loss",
        "every finished game is a loss for the player to move, draws too",
        "What does `winner` return for a draw?",
        [(_TERMINAL, "-1")],
    ),
    (
        "always for X",
        "it is minimax from the first player's point of view: right when X is to move, the wrong sign when O is",
        "Whose point of view does the docstring ask for?",
        [
            (_TERMINAL, "game.winner(state)"),
            (
                f"return {_SEARCH}",
                "best = max if game.to_play(state) == 1 else min\n"
                "    return best(negamax(game, game.play(state, action)) for action in game.legal_actions(state))",
            ),
        ],
    ),
    (
        "one move deep",
        "it looks one move ahead and calls everything else a draw (a best value that begins at 0 comes to the same)",
        "What may the opponent do after your move? And what is the best of three losses?",
        [("max(-negamax(game, game.play(state, action))", "max(game.winner(game.play(state, action)) * game.to_play(state)")],
    ),
    (
        "first move only",
        "it returns within the loop: only the first legal action is ever looked at",
        "When do you know that you have seen the best?",
        [(f"return {_SEARCH}", "for action in game.legal_actions(state):\n        return -negamax(game, game.play(state, action))")],
    ),
    (
        "hopeful at both levels",
        "it takes the maximum for one and the same player at both levels, as if the opponent helped",
        "Which of its moves will the opponent choose?",
        [
            (
                f"return {_SEARCH}",
                "def hope(position):\n"
                "        if game.is_terminal(position):\n"
                "            return game.winner(position) * game.to_play(state)\n"
                "        return max(hope(game.play(position, action)) for action in game.legal_actions(position))\n"
                "    return hope(state)",
            )
        ],
    ),
    (
        "average instead of best",
        "it averages over the moves: that is the value against a player who plays at random, and as one",
        "Does a good player play all moves equally often?",
        [(_SEARCH, f"(lambda values: sum(values) / len(values))([{_SEARCH[4:-1]}])")],
    ),
    (
        "the action, not its value",
        "it returns which action is best instead of what that is worth",
        "What does the docstring promise?",
        [
            (
                f"return {_SEARCH}",
                "def value(s):\n"
                "        if game.is_terminal(s):\n"
                "            return game.winner(s) * game.to_play(s)\n"
                "        return max(-value(game.play(s, a)) for a in game.legal_actions(s))\n"
                "    return max(game.legal_actions(state), key=lambda a: -value(game.play(state, a)))",
            )
        ],
    ),
):  # fmt: skip
    wrong("negamax", _name, _sentence, _question, *_replaces)


# --- alpha_beta ------------------------------------------------------------------------------------------------------


class Looked(NamedTuple):
    """What an alpha-beta search finds and does: the value for the mover, positions looked at, leaves guessed at in order."""

    value: float
    nodes: int
    asked: list[str]


class Leaves(list):
    """Names of leaves in the order they were asked about; a message shows only the first and the last."""

    def __repr__(self) -> str:
        if len(self) <= 9:
            return repr(list(self))
        return f"<{len(self)} leaves: {' '.join(self[:3])} ... {' '.join(self[-3:])}>"


def alpha_beta_by_hand(
    game, state, alpha=-1, beta=1, *, depth=None, guess=None, backwards=False, strict=False
) -> Looked:
    """Alpha-beta as maximizer and minimizer, everything from the first player's point of view.

    Args:
        guess: a dict, state -> value for the player to move there.
        backwards: try the highest action first.
        strict: cut only beyond a bound, not at it; both are right.
    """
    nodes, asked = 0, []

    def search(state, low, high, depth):
        nonlocal nodes
        nodes += 1
        if game.is_terminal(state):
            return game.winner(state)
        if depth == 0:
            asked.append(_name(state))
            return guess[state] * game.to_play(state) if guess else 0
        first = game.to_play(state) == 1
        best = -math.inf if first else math.inf
        for action in game.legal_actions(state)[:: -1 if backwards else 1]:
            value = search(game.play(state, action), low, high, depth if depth is None else depth - 1)
            best = max(best, value) if first else min(best, value)
            low, high = (max(low, best), high) if first else (low, min(high, best))
            if low > high or (low == high and not strict):
                break
        return best

    low, high = (alpha, beta) if game.to_play(state) == 1 else (-beta, -alpha)
    return Looked(search(state, low, high, depth) * game.to_play(state), nodes, asked)


def _name(path) -> str:
    return "".join(map(str, path))


def _guessing_game(tree, first=1) -> tuple[TreeGame, dict]:
    """From a tree whose leaves are guesses: a game that is not over at those leaves, and path -> guess."""
    guess = {}

    def shape(node, path):
        if not isinstance(node, list):
            guess[path] = node
            return [0]
        return [shape(child, (*path, i)) for i, child in enumerate(node)]

    return TreeGame(shape(tree, ()), first), guess


def _guess_tree(rng, depth: int, branching: int = 3) -> list | float:
    if depth == 0:
        return float(rng.uniform(-0.95, 0.95))
    return [_guess_tree(rng, depth - 1, branching) for _ in range(branching)]


def _search_guesses(tree, depth, *, first=1, window=(), backwards=False):
    """Runs an answer on a tree of guesses. Returns [value, positions looked at, leaves asked about], as `Looked`."""
    game, guess = _guessing_game(tree, first)

    def run(alpha_beta):
        asked = Leaves()

        def heuristic(_, state):
            asked.append(_name(state))
            return guess[state]

        order = {"order": lambda game, state: game.legal_actions(state)[::-1]} if backwards else {}
        value, nodes = alpha_beta(game, (), *window, depth=depth, heuristic=heuristic, **order)
        return [float(value), int(nodes), asked]

    expected = alpha_beta_by_hand(game, (), *window, depth=depth, guess=guess, backwards=backwards)
    return run, [expected.value, expected.nodes, Leaves(expected.asked)]


def _bounded(truths, windows) -> Such:
    """Values as a search with these windows may give them: exact inside, a bound outside."""

    def holds(values):
        for value, truth, (alpha, beta) in zip(values, truths, windows, strict=True):
            low = truth if truth < beta else beta
            high = truth if truth > alpha else alpha
            if not low - 1e-9 <= value <= high + 1e-9:
                return f"{value:g} for a position worth {truth:g}, with alpha = {alpha:g} and beta = {beta:g}"
        return True

    return Such("exact between alpha and beta; a bound on the right side elsewhere", holds)


@cache
def _counts(state: State) -> list[int]:
    """How many positions alpha-beta looks at from here if it cuts at a bound, and if it cuts only beyond it."""
    return [alpha_beta_by_hand(TicTacToe(), state, strict=strict).nodes for strict in (False, True)]


@check
def alpha_beta(rng):
    game = TicTacToe()
    both = "The child is the opponent's. What are your alpha and beta, seen from over there?"
    one_move = _position([0, 3, 1, 4])
    yield Case(
        "returns a pair: a value and a count",
        lambda alpha_beta: (lambda value, nodes: [float(value), type(nodes).__name__])(*alpha_beta(game, one_move)),
        [1.0, "int"],
        "value, nodes = alpha_beta(game, after(game, [0, 3, 1, 4]))",
        "What does the docstring promise to return?",
        _drawing(one_move),
    )
    lost = _position([0, 3, 1, 4, 8, 5])
    yield Case(
        "a finished game: its value, and one position looked at",
        lambda alpha_beta: alpha_beta(game, lost),
        (-1, 1),
        "alpha_beta(game, after(game, [0, 3, 1, 4, 8, 5]))",
        "Does `state` itself count as looked at?",
        _drawing(lost),
    )
    positions = sample_positions(rng, 60, most_free=5)
    yield Case(
        "60 positions of tic-tac-toe: the same values as negamax",
        lambda alpha_beta: [alpha_beta(game, state)[0] for state in positions],
        [answer_key()[state.cells] for state in positions],
        "[alpha_beta(game, state)[0] for state in positions]  # 20 won, 20 drawn, 20 lost",
        both,
        points=3,
    )
    trees = [random_game(rng, 5) for _ in range(30)]
    yield Case(
        "30 random trees, either side to begin",
        lambda alpha_beta: [alpha_beta(one, ())[0] for one in trees],
        [minimax(one, ()) for one in trees],
        "[alpha_beta(game, game.initial_state())[0] for game in random_trees]",
        "Is each value that of the player to move?",
        points=2,
    )
    counted = [_position([0, 4]), *sample_positions(rng, 9, most_free=5)]
    wanted = [_counts(state) for state in counted]

    def right_counts(counts):
        for one, either in zip(counts, wanted, strict=True):
            if one not in either:
                return f"{one} where {either[0]} were expected"
        return True

    yield Case(
        "looks at no more positions than it must, and counts them right",
        lambda alpha_beta: [alpha_beta(game, state)[1] for state in counted],
        Such("counts of " + ", ".join(str(either[0]) for either in wanted), right_counts),
        "[alpha_beta(game, state)[1] for state in positions]  # the first: after(game, [0, 4])",
        "When may you stop looking at a position's moves? Does each child know both bounds? Is each position counted once?",
        points=2,
    )

    # Trees of guesses: all different, so that cutting at a bound or beyond it is the same.
    shallow = [[0.3, 0.5, 0.6], [0.2, 0.9, 0.4], [0.1, 0.8, 0.7]]
    run, expected = _search_guesses(shallow, 2)
    yield Case(
        "two moves deep: one refutation is enough",
        run,
        expected,
        "alpha_beta(game, (), depth=2, heuristic=guess)  # the value, the count, the leaves that guess was asked about",
        "The first move is worth 0.3. The second turns out to be worth 0.2 at most: is there a reason to look on?",
        f"guesses, for the player to move at each leaf: {shallow}",
        points=2,
    )
    searches = [_search_guesses(_guess_tree(rng, 4), 4, first=first) for first in (1, -1, 1, -1)]
    yield Case(
        "four random trees, four moves deep: the same leaves in the same order",
        lambda alpha_beta: [run(alpha_beta) for run, _ in searches],
        [expected for _, expected in searches],
        "[alpha_beta(game, (), depth=4, heuristic=guess) for game, guess in random_trees]",
        "Does a bound that was found near the root reach the grandchildren?",
        points=2,
    )
    yield from _depth_cases(rng)
    yield from _window_cases(rng)

    run, expected = _search_guesses(shallow, 2, backwards=True)
    yield Case(
        "tries the moves in the order it is given, at every level",
        run,
        expected,
        "alpha_beta(game, (), depth=2, heuristic=guess, order=backwards)",
        "Does the child know the order, too?",
        f"guesses, for the player to move at each leaf: {shallow}",
    )


def _depth_cases(rng):
    game = TicTacToe()
    empty = _position([])
    yield Case(
        "depth 0 asks the heuristic at once",
        lambda alpha_beta: alpha_beta(game, empty, depth=0, heuristic=lambda game, state: 0.25),
        (0.25, 1),
        "alpha_beta(game, game.initial_state(), depth=0, heuristic=lambda game, state: 0.25)",
        "How many moves are looked ahead at depth 0?",
    )
    run, expected = _search_guesses([0.3, -0.2, 0.1], 1)
    yield Case(
        "depth 1: a guess is the opponent's there",
        run,
        expected,
        "alpha_beta(game, (), depth=1, heuristic=guess)",
        "The heuristic speaks for the player to move where it is asked. Who is that, one move on?",
        "guesses, for the player to move at each leaf: [0.3, -0.2, 0.1]",
    )
    winning = _position([0, 3, 1, 4])
    yield Case(
        "a finished game is never guessed at",
        lambda alpha_beta: alpha_beta(game, winning, depth=1, heuristic=lambda game, state: -0.5)[0],
        1,
        "alpha_beta(game, after(game, [0, 3, 1, 4]), depth=1, heuristic=lambda game, state: -0.5)[0]",
        "The depth has run out and the game is over: which of the two do you ask about first?",
        _drawing(winning),
    )
    far = _position([0, 1, 8, 2])
    yield Case(
        "without a heuristic, what lies beyond the depth counts 0",
        lambda alpha_beta: [alpha_beta(game, far, depth=depth)[0] for depth in (1, 2, 3, 4)],
        [minimax(game, far, depth) for depth in (1, 2, 3, 4)],
        "[alpha_beta(game, after(game, [0, 1, 8, 2]), depth=depth)[0] for depth in (1, 2, 3, 4)]",
        "The win is three moves away. At which depth must it show?",
        _drawing(far),
    )
    searches = []
    for depth in (1, 2, 3, 3, 4):
        game_tree = random_game(rng, 5)
        searches.append((game_tree, depth, _guess_everywhere(game_tree, rng)))
    yield Case(
        "random trees to several depths, with guesses",
        lambda alpha_beta: [
            alpha_beta(tree, (), depth=depth, heuristic=lambda _, state, guess=guess: guess[state])[0]
            for tree, depth, guess in searches
        ],
        [minimax(tree, (), depth, guess) for tree, depth, guess in searches],
        "[alpha_beta(game, (), depth=depth, heuristic=guess)[0] for game, depth, guess in searches]",
        "Is the child one move less deep? Does it know the heuristic?",
        points=2,
    )


def _guess_everywhere(game, rng) -> dict:
    guess, stack = {}, [()]
    while stack:
        state = stack.pop()
        guess[state] = float(rng.uniform(-0.95, 0.95))
        stack += [game.play(state, action) for action in game.legal_actions(state)]
    return guess


def _window_cases(rng):
    game = TicTacToe()
    windows = [(-1, 0), (0, 1), (-0.5, 0.5), (-1, 1)]
    asked = [(state, window) for state in sample_positions(rng, 18, most_free=5) for window in windows]
    yield Case(
        "narrower windows: exact inside, a bound outside",
        lambda alpha_beta: [alpha_beta(game, state, *window)[0] for state, window in asked],
        _bounded([answer_key()[state.cells] for state, _ in asked], [window for _, window in asked]),
        "[alpha_beta(game, state, alpha, beta)[0] for state in positions for alpha, beta in [(-1, 0), (0, 1), (-0.5, 0.5), (-1, 1)]]",
        "If no move reaches alpha, what can you say about the value? And if one reaches beta?",
    )
    searches = [_search_guesses(_guess_tree(rng, 4), 4, window=(-0.2, 0.3)) for _ in range(4)]
    yield Case(
        "a narrower window looks at fewer leaves",
        lambda alpha_beta: [run(alpha_beta)[1:] for run, _ in searches],
        [expected[1:] for _, expected in searches],
        "[alpha_beta(game, (), -0.2, 0.3, depth=4, heuristic=guess)[1] for game, guess in random_trees]",
        "Are the bounds that you are given in use from the first move on?",
    )


_CALL = "alpha_beta(game, game.play(state, action), -beta, -alpha, **options)"
_FAIL_HARD = ('float("-inf"), 1', "alpha, 1")  # the best value begins at alpha: right in itself
_CUT = "        if alpha >= beta:\n            break\n"
_OPTIONS = "depth=None if depth is None else depth - 1"
_LEAF = "return (heuristic(game, state) if heuristic else 0), 1"
_OVER = "    if game.is_terminal(state):\n        return game.winner(state) * game.to_play(state), 1\n"
_DEPTH_0 = f"    if depth == 0:\n        {_LEAF}\n"
for _name_, _sentence, _question, _replaces in (
    (
        "bounds as they are, no lower than alpha",
        "the child is given alpha and beta as they are",
        "The child is the opponent's. What are your alpha and beta, seen from over there?",
        [_FAIL_HARD, ("-beta, -alpha", "alpha, beta")],
    ),
    (
        "bounds negated only, no lower than alpha",
        "the bounds are negated but not swapped, or swapped but not negated: the child's window is inside out, and it stops at once",
        "Which of your two bounds is the opponent's lower one, and how much is it worth over there?",
        [_FAIL_HARD, ("-beta, -alpha", "-alpha, -beta")],
    ),
    (
        "sign flip forgotten, no lower than alpha",
        "a child's value is taken over without the minus sign",
        "Whose value does the child return?",
        [_FAIL_HARD, ("best = max(best, -value)", "best = max(best, value)")],
    ),
    (
        "stops only beyond beta",
        "it stops only when alpha has passed beta, not when it has reached it: almost nothing is skipped",
        "A value of exactly beta: does the opponent let it come to that?",
        [_FAIL_HARD, ("alpha >= beta", "alpha > beta")],
    ),
    (
        "bounds neither swapped nor negated",
        "the child is given alpha and beta as they are",
        "The child is the opponent's. What are your alpha and beta, seen from over there?",
        [("-beta, -alpha", "alpha, beta")],
    ),
    (
        "bounds swapped or negated, not both",
        "the bounds are negated but not swapped, or swapped but not negated: the child's window is inside out, and it stops at once",
        "Which of your two bounds is the opponent's lower one, and how much is it worth over there?",
        [("-beta, -alpha", "beta, alpha")],
    ),
    (
        "sign flip forgotten",
        "a child's value is taken over without the minus sign",
        "Whose value does the child return?",
        [("best = max(best, -value)", "best = max(best, value)")],
    ),
    (
        "never cuts",
        "it hands the bounds around but never stops early: that is negamax",
        "What follows once alpha has reached beta?",
        [(_CUT, "")],
    ),
    (
        "alpha never raised",
        "the second move is searched with the same alpha as the first, whatever the first was worth",
        "You have one move worth 0.3. What must the next one beat?",
        [("        alpha = max(alpha, best)\n        if alpha >= beta", "        if best >= beta")],
    ),
    (
        "own bound not handed down",
        "the child gets -alpha but not -beta, so a bound never reaches the grandchildren",
        "Does a bound found near the root reach the grandchildren?",
        [("-beta, -alpha", "-1, -alpha")],
    ),
    (
        "no bounds handed down",
        "each child starts with the widest window",
        "What does the child need to know to stop early?",
        [("-beta, -alpha, ", "")],
    ),
    (
        "cut on the child's sign",
        "the child's value is compared with beta before its sign is changed",
        "beta is a bound on your value. Is `value` yours?",
        [("alpha >= beta", "value >= beta")],
    ),
    (
        "cut at alpha",
        "it stops as soon as a move is as good as alpha, which is what you were looking for",
        "Which bound is what you hope to beat, and which one makes the opponent turn away?",
        [("alpha >= beta", "best >= alpha")],
    ),
    (
        "cut before the value is kept",
        "it stops before the value that made it stop is recorded",
        "What is the position worth if you stop here?",
        [
            ("        best = max(best, -value)\n", "        if -value >= beta:\n            break\n        best = max(best, -value)\n"),
        ],
    ),
    (
        "best begins at 0",
        "the best value so far begins at 0, so that a lost position looks drawn",
        "What is the best of three losses?",
        [('float("-inf"), 1', "0, 1")],
    ),
    (
        "itself not counted",
        "`nodes` leaves out the position itself, and so counts finished games and guesses only",
        "How many positions does a search of one move with three replies look at?",
        [('float("-inf"), 1', 'float("-inf"), 0')],
    ),
    (
        "children's counts dropped",
        "each child counts as one position, whatever lies below it",
        "What does the second part of the child's answer say?",
        [("nodes += below", "nodes += 1")],
    ),
    (
        "depth not lowered",
        "the child is as deep as its parent, so that the limit is never reached",
        "How far may the child still look?",
        [(_OPTIONS, "depth=depth")],
    ),
    (
        "one move too shallow",
        "it stops at depth 1 instead of 0",
        "How many moves are looked ahead at depth 1?",
        [("if depth == 0:", "if depth is not None and depth <= 1:")],
    ),
    (
        "guesses about finished games",
        "the heuristic is asked before it is known whether the game is over",
        "The depth has run out and the game is over: which of the two comes first?",
        [(_OVER + _DEPTH_0, _DEPTH_0 + _OVER)],
    ),
    (
        "guess with the wrong sign",
        "the heuristic's value is negated where it is asked",
        "Whose point of view does the heuristic take, and whose do you return?",
        [("heuristic(game, state) if", "-heuristic(game, state) if")],
    ),
    (
        "heuristic not handed down",
        "the child does not know the heuristic and calls what lies beyond the depth a draw",
        "What must the child be told?",
        [("heuristic=heuristic, order", "order")],
    ),
    (
        "order not handed down",
        "the order is kept at the first move only",
        "Does the child know the order, too?",
        [(", order=order)", ")")],
    ),
    (
        "order ignored",
        "the actions are tried as legal_actions lists them, whatever `order` says",
        "Where do you use `order`?",
        [("order(game, state) if order else game.legal_actions(state)", "game.legal_actions(state)")],
    ),
    (
        "first move only",
        "it stops after the first move",
        "When have you seen enough?",
        [("if alpha >= beta:", "if True:")],
    ),
):  # fmt: skip
    wrong("alpha_beta", _name_, _sentence, _question, *_replaces)


# --- heuristic -------------------------------------------------------------------------------------------------------


class Painted(NamedTuple):
    """A position drawn as text, row by row from the top: X (+1), O (-1) and . (free)."""

    text: str
    to_play: int = 1

    def __str__(self) -> str:
        return self.text


class PaintedGame:
    """What a heuristic may ask of a game: its size, the cells, whose turn it is."""

    def __init__(self, text: str):
        lines = text.split("\n")
        self.rows, self.columns = len(lines), len(lines[0])
        self.num_actions, self.n = self.columns, 4

    def cells(self, state) -> np.ndarray:
        return np.array([["O.X".index(cell) - 1 for cell in line] for line in state.text.split("\n")], dtype=np.int8)

    def to_play(self, state) -> int:
        return state.to_play

    def is_terminal(self, state) -> bool:
        return False

    def winner(self, state) -> int:
        return 0


def _lines(text: str) -> list[str]:
    """Every row, column and diagonal of a drawing, as strings."""
    grid = text.split("\n")
    rows, columns = len(grid), len(grid[0])
    falling, rising = {}, {}
    for row in range(rows):
        for column in range(columns):
            falling.setdefault(column - row, []).append(grid[row][column])
            rising.setdefault(column + row, []).append(grid[row][column])
    diagonals = ["".join(cells) for cells in [*falling.values(), *rising.values()]]
    return [*grid, *("".join(line[column] for line in grid) for column in range(columns)), *diagonals]


def count_open_runs(text: str, mark: str, n: int) -> int:
    total = 0
    for line in _lines(text):
        for start in range(len(line) - n + 1):
            ends = line[start - 1 : start] + line[start + n : start + n + 1]
            total += line[start : start + n] == mark * n and "." in ends
    return total


def count_places(text: str, n: int) -> int:
    return sum(max(0, len(line) - n + 1) for line in _lines(text))


def h(text: str, to_play: int, n: int) -> float:
    return to_play * (count_open_runs(text, "X", n) - count_open_runs(text, "O", n)) / (1 + count_places(text, n))


EMPTY_ROW = "......."


def _board(*lines: str) -> str:
    """Six rows of seven, the given ones at the bottom."""
    return "\n".join([EMPTY_ROW] * (6 - len(lines)) + list(lines))


@check
def heuristic(rng):
    def on(name, text, n, question, to_play=1, points=1):
        game, state = PaintedGame(text), Painted(text, to_play)
        return Case(
            name,
            lambda heuristic: float(heuristic(game, state, n)),
            h(text, to_play, n),
            f"heuristic(game, state, {n})  # times 1 + places: {h(text, to_play, n) * (1 + count_places(text, n)):g}",
            question,
            f"{text}\n{'X' if to_play == 1 else 'O'} to move",
            points,
            tolerance=1e-9,
        )

    yield on("an empty board promises nothing", _board(), 2, "How many runs are there?")
    yield on(
        "one open pair", _board("..XX..."), 2, "131 runs of two fit on this board. What do you divide by?", points=2
    )
    yield on("the same pair with O to move", _board("..XX..."), 2, "Whose point of view is asked for?", to_play=-1)
    yield on("a pair of O's, O to move", _board("..OO..."), 2, "Whose point of view is asked for?", to_play=-1)
    yield on(
        "upright", "\n".join(["......."] * 3 + ["...X...", "...X...", "...O..."]), 2, "Which directions can a run take?"
    )
    yield on("a falling diagonal", _board("..X....", "..OX...", "..OO..."), 2, "Which directions can a run take?")
    yield on("a rising diagonal", _board("...X...", "..XO...", "..OO..."), 2, "Which directions can a run take?")
    yield on("blocked at both ends", _board(".OXXO.."), 2, "Neither end is free. Can this pair ever grow?")
    yield on(
        "blocked by the edge on one side, by a stone on the other", _board("XXO...."), 2, "Is the edge a free cell?"
    )
    yield on("blocked at one end only: still open", _board(".OXX..."), 2, "How many free ends does a run need?")
    yield on("at the edge, the other end free: still open", _board("XX....."), 2, "How many free ends does a run need?")
    yield on(
        "three in a row hold two pairs",
        _board("..XXX.."),
        2,
        "Which pairs of neighbors are there, and which has a free end?",
    )
    yield on(
        "four in a row hold three pairs, two of them open",
        _board(".XXXX.."),
        2,
        "The pair in the middle: what stands at its ends?",
    )
    yield on("three in a row are one run of three", _board("..XXX.O"), 3, "Do you count runs of n stones, or of two?")
    yield on("a gap is no run", _board(".X.X.X."), 2, "Are the stones of a run neighbors?")
    yield on(
        "single stones, n = 1",
        _board("..X.O.."),
        1,
        "In how many directions is a single stone a run of one, each with two ends of its own?",
    )
    yield on(
        "the end of one row and the beginning of the next are not neighbors",
        _board("O.....X", "X.....O"),
        2,
        "What is to the right of the last column?",
        points=2,
    )
    yield on("a small, wide board", "....\n.XO.", 2, "Does it work for any rows and columns?")
    yield on(
        "both sides have runs",
        _board("...X...", "..XXO..", ".XOOO.."),
        2,
        "Count them by hand, direction by direction.",
        points=2,
    )
    yield on(
        "both sides have runs, O to move",
        _board("...X...", "..XXO..", ".XOOO.."),
        2,
        "Count them by hand, direction by direction.",
        to_play=-1,
    )
    boards = []
    for _ in range(40):
        rows, columns = int(rng.integers(3, 8)), int(rng.integers(3, 9))
        cells = rng.choice(list("...XO"), size=(rows, columns))
        boards.append(("\n".join("".join(line) for line in cells), int(rng.choice([-1, 1])), int(rng.integers(1, 4))))
    yield Case(
        "40 random boards of random sizes",
        lambda heuristic: [
            float(heuristic(PaintedGame(text), Painted(text, to_play), n)) for text, to_play, n in boards
        ],
        [h(*board) for board in boards],
        "[heuristic(game, state, n) for game, state, n in random_boards]",
        "Draw a small board and count by hand: which run do you count that should not be, or the other way round?",
        points=2,
        tolerance=1e-9,
    )
    game, middle = TicTacToe(), _position([4, 0, 8])
    yield Case(
        "works for tic-tac-toe, through the protocol",
        lambda heuristic: float(heuristic(game, middle, 2)),
        h("O..\n.X.\n..X", -1, 2),
        "heuristic(game, after(game, [4, 0, 8]), 2)",
        "What do `game.cells(state)` and `game.to_play(state)` give you?",
        _drawing(middle),
        tolerance=1e-9,
    )


_ENDS = "0 in (before, behind)"
for _name_, _sentence, _question, _replaces in (
    (
        "always for X",
        "the runs of X count for, those of O against, whoever is to move",
        "Whose point of view is asked for?",
        [("run[0] * me", "run[0]")],
    ),
    (
        "for the other side",
        "the difference is taken the wrong way round: the opponent's runs minus yours",
        "Whose runs should count in favor?",
        [("run[0] * me", "-run[0] * me")],
    ),
    (
        "blocked runs counted",
        "a run counts even if neither end is free",
        "Can a run with a stone or the edge at both ends ever grow?",
        [(f" and {_ENDS}", "")],
    ),
    (
        "both ends must be free",
        "a run counts only if both ends are free",
        "How many free ends does a run need to grow?",
        [(_ENDS, "before == behind == 0")],
    ),
    (
        "only the end behind",
        "a run counts only if the cell behind it is free; the one before it is not looked at",
        "At which ends can a run grow?",
        [(_ENDS, "behind == 0")],
    ),
    (
        "counted once for each free end",
        "a run with two free ends counts twice",
        "Is it runs that you count, or free ends?",
        [("difference += run[0] * me", "difference += run[0] * me * (before, behind).count(0)")],
    ),
    (
        "the edge counts as free",
        "a cell off the board is taken for a free one",
        "Can a stone be put beyond the edge?",
        [(_ENDS, "(0 in (before, behind) or None in (before, behind))")],
    ),
    (
        "diagonals forgotten",
        "only rows and columns are looked at",
        "Which directions can a run take?",
        [("((0, 1), (1, 0), (1, 1), (1, -1))", "((0, 1), (1, 0))")],
    ),
    (
        "one diagonal forgotten",
        "of the diagonals only one is looked at",
        "How many diagonal directions are there?",
        [(", (1, -1)", "")],
    ),
    (
        "columns forgotten",
        "upright runs are not looked at",
        "Which directions can a run take?",
        [("(1, 0), ", "")],
    ),
    (
        "every direction twice",
        "each run is seen from both of its ends and counts twice",
        "If you look to the left and to the right from every cell, how often do you meet a run?",
        [("(1, -1))", "(1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1))"), ("(1 + places)", "(1 + places // 2)")],
    ),
    (
        "every direction twice, places too",
        "each run and each place is seen from both of its ends and counts twice: then the 1 weighs half",
        "If you look to the left and to the right from every cell, how often do you meet a run?",
        [("(1, -1))", "(1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1))")],
    ),
    (
        "the last row before the first",
        "an index of -1 is taken for the cell before the first: it is the last one of its row or column",
        "What is board[-1]?",
        [
            (
                "            if run[-1] is None:",
                "            rows, columns = game.cells(state).shape\n"
                "            ends = [(row - down, column - right), (row + n * down, column + n * right)]\n"
                "            before, behind = (cells.get((r % rows if r < 0 else r, c % columns if c < 0 else c)) for r, c in ends)\n"
                "            if run[-1] is None:",
            )
        ],
    ),
    (
        "all runs counted for me",
        "the opponent's runs count in your favor, too",
        "Whose runs should count in favor, and whose against?",
        [("run[0] * me", "1")],
    ),
    (
        "wraps around",
        "the cells are numbered row by row and the next number counts as the next neighbor, across the edge",
        "What is to the right of the last column?",
        [("cells.get((row + i * down, column + i * right))", "flat.get((row + i * down) * game.columns + column + i * right)"),
         ("difference = places = 0", "flat = {row * game.columns + column: cell for (row, column), cell in cells.items()}\n    difference = places = 0")],
    ),
    (
        "not divided",
        "the difference itself comes back, which soon outgrows a win",
        "What is a certain win worth? May a guess be worth more?",
        [("difference / (1 + places)", "difference")],
    ),
    (
        "divided by the places alone",
        "the 1 is missing from what the difference is divided by",
        "Could the difference ever equal what you divide by?",
        [("(1 + places)", "max(places, 1)")],
    ),
    (
        "divided by the cells",
        "it divides by the number of cells, which is not how many runs fit",
        "How many places are there for a run of n, counting all directions?",
        [("(1 + places)", "(1 + len(cells))")],
    ),
    (
        "runs of two, whatever n",
        "n is not used",
        "What should n = 3 count?",
        [("range(-1, n + 1)", "range(-1, 3)")],
    ),
    (
        "one too long",
        "it looks for runs of n + 1 stones",
        "How many stones has the run that you test?",
        [("range(-1, n + 1)", "range(-1, n + 2)")],
    ),
    (
        "longer lines left out",
        "a run counts only if no stone of the same color stands next to it",
        "Does a line of three hold pairs?",
        [(_ENDS, "0 in (before, behind) and run[0] not in (before, behind)")],
    ),
    (
        "my runs only",
        "only the runs of the player to move are counted",
        "Is a position good in which you have two runs and the opponent has five?",
        [("run[0] != 0", "run[0] == me")],
    ),
    (
        "gaps allowed",
        "it counts places that hold stones of one player and free cells: those are chances, not runs",
        "Are the stones of a run neighbors?",
        [("run[0] != 0 and len(set(run)) == 1", "any(run) and not {1, -1} <= set(run)"), ("difference += run[0] * me", "difference += (1 if 1 in run else -1) * me")],
    ),
):  # fmt: skip
    wrong("heuristic", _name_, _sentence, _question, *_replaces)
