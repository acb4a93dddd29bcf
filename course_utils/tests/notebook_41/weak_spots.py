"""Check weak_spots: the opponent tries every reply, the agent plays one, and the positions it rates lowest go on."""

import random
from collections.abc import Callable

from hypothesis import strategies as st

from course_utils.games import TicTacToe, after  # noqa: F401
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import TreeGame

LEAST = (
    "The search looks for trouble. Which positions should go on: those that the agent likes, or those that it doesn't?"
)
BOTH = "Who is to move after the agent's answer, and how many moves should be tried there?"


def games(weak) -> list[list[int]]:
    """Turn the games into lists of plain numbers, in order."""
    return sorted([int(move) for move in line] for line in weak)


def told(moves: dict, values: dict) -> Callable:
    """Make an agent from two tables by position; a position in neither table gets action 0 and value 0."""
    return lambda positions: ([moves.get(key, 0) for key in positions], [values.get(key, 0.0) for key in positions])


def made_up(game, seed: int) -> Callable:
    """Make an agent with random answers; the same position always gets the same move and value."""

    def answer(position) -> tuple[int, float]:
        rng = random.Random(f"{seed} {position}")
        return rng.choice(game.legal_actions(position)), rng.uniform(-1, 1)

    def answers(positions: list) -> tuple[list[int], list[float]]:
        pairs = [answer(position) for position in positions]
        return [move for move, _ in pairs], [value for _, value in pairs]

    return answers


def first_free(positions: list) -> tuple[list[int], list[float]]:
    """Answer like an agent of tic-tac-toe that takes the first free cell and rates every position 0."""
    return [TicTacToe().legal_actions(position)[0] for position in positions], [0.0] * len(positions)


def long(moves: int) -> TreeGame:
    """Build a game with a single move everywhere, and twelve at its end, all lost for the first player."""
    tree: list = [-1] * 12
    for _ in range(moves - 1):
        tree = [tree]
    return TreeGame(tree)


def grown(seed: int, depth: int, width: int) -> list | int:
    """Draw a random tree."""
    rng = random.Random(seed)

    def node(height: int) -> list | int:
        if height == 0 or (height < depth and rng.random() < 0.15):
            return rng.choice((1, 1, 0, -1))
        return [node(height - 1) for _ in range(rng.randint(1, width))]

    return node(depth)


BY_HAND = """
    the agent has one answer, the opponent all replies (2 points)
    >>> game = TreeGame([[1, -1], [-1, -1]])
    >>> answers = told({(): 0}, {})
    >>> games(weak_spots(game, answers, 10))
    [[0, 1]]
    ? Who is to move at the start, and which of its moves are ever played?

    a draw is no win, either
    >>> game = TreeGame([[0, 1, -1]])
    >>> games(weak_spots(game, told({}, {}), 10))
    [[0, 0], [0, 2]]
    ? Which games should come back, according to the docstring?

    width 1: only the position that the agent likes least goes on (2 points)
    >>> game = TreeGame([[[[-1]], [[-1]], [[-1]]]])
    >>> answers = told({}, {(0, 0): 0.3, (0, 1): -0.2, (0, 2): 0.9})
    >>> games(weak_spots(game, answers, 1))
    [[0, 1, 0, 0]]
    ? The search looks for trouble. Which positions should go on: those that the agent likes, or those that it doesn't?

    width 2: two of all four positions, whatever they come from (2 points)
    >>> game = TreeGame([[[[[[-1]], [[-1]]]], [[[[-1]], [[-1]]]]]])
    >>> answers = told({}, {(0, 0, 0, 0): 0.1, (0, 0, 0, 1): 0.2, (0, 1, 0, 0): 0.3, (0, 1, 0, 1): 0.4})
    >>> games(weak_spots(game, answers, 2))
    [[0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0]]
    ? Are the positions compared with all others after as many moves, or only with those that come from the same one?

    the agent's own move may end a game
    >>> game = TreeGame([[[0, 1], [1, [-1]]]])
    >>> answers = told({(0, 0): 0, (0, 1): 0}, {})
    >>> games(weak_spots(game, answers, 10))
    [[0, 0, 0]]
    ? After which moves can a game be over: only after the opponent's?

    some games end early, and the search goes on with the others
    >>> game = TreeGame([[-1, [[0, [[-1], 1]]], 1]])
    >>> answers = told({(0, 1, 0, 1): 0}, {})
    >>> games(weak_spots(game, answers, 10))
    [[0, 0], [0, 1, 0, 0], [0, 1, 0, 1, 0, 0]]
    ? What should happen to the positions that are not finished when others are?

    as many moves as in Connect Four, and twelve replies at the end
    >>> lines = weak_spots(long(42), told({}, {}), 1)
    >>> len(lines), len(lines[0])
    12, 42
    ? When should the search end: after some levels, or when nothing is left?

    tic-tac-toe against an agent that takes the first free cell: how many different final boards
    >>> game = TicTacToe()
    >>> lines = weak_spots(game, first_free, 10_000)
    >>> len({after(game, line) for line in lines})
    ? With so large a width nothing is left out. Is each game of yours one that can be played against this agent?
"""


def scene(draw) -> str:
    seed, depth, width, beam = draw
    return (
        f"game = TreeGame({grown(seed, depth, width)})\n"
        f"answers = made_up(game, {seed % 1000})\ngames(weak_spots(game, answers, {beam}))"
    )


def lists_of_moves(result) -> str:
    if not isinstance(result, list | tuple | set):
        return f"expected a list of games, got {type(result).__name__}"
    odd = [game for game in result if not isinstance(game, list | tuple)]
    return f"expected a list of moves for each game, got {type(odd[0]).__name__} among them" if odd else ""


ASK = "for i in np.argsort(values)[:width]:"
# fmt: off
WRONG = [
    Wrong("the most hopeful", "the positions that the agent likes best go on", LEAST,
          (ASK, "for i in np.argsort(values)[::-1][:width]:")),
    Wrong("the first ones", "the first positions go on, whatever values the agent gives them",
          "What are the values for?", (ASK, "for i in range(len(positions))[:width]:")),
    Wrong("all go on", "no position is left out, so the width changes nothing",
          "How many positions go on from each level?", (ASK, "for i in range(len(positions)):")),
    Wrong("one position too many", "one more position goes on than the width says", "How many are `[:width + 1]`?",
          (ASK, "for i in np.argsort(values)[:width + 1]:")),
    Wrong("lost games only", "draws are left out", "Which games did the agent not win?", ("!= 1:", "== -1:")),
    Wrong("drawn games only", "lost games are left out", "Which games did the agent not win?", ("!= 1:", "== 0:")),
    Wrong("won games", "the games that the agent has won are returned", "Whose weak spots are these?",
          ("!= 1:", "== 1:")),
    Wrong("all games", "all finished games are returned, even those that the agent has won",
          "Which games should be returned?", ("elif game.winner(child) != 1:", "else:")),
    Wrong("the opponent has one reply", "only the first legal reply of the opponent is tried", BOTH,
          ("for reply in game.legal_actions(state)]", "for reply in game.legal_actions(state)[:1]]")),
    Wrong("the agent replies to itself", "the agent chooses the opponent's move, too", BOTH,
          ("for reply in game.legal_actions(state)]",
           "for reply in (map(int, answers([state])[0]) if game.legal_actions(state) else [])]")),
    Wrong("all moves of the agent", "the agent's other moves are tried, too, which it never makes",
          "Which of its moves does the agent ever make?",
          code="""def weak_spots(game, answers, width):
    level, found = {game.initial_state(): []}, []
    while level:
        positions = list(level)
        moves, values = answers(positions)
        level, before = {}, level
        for i in np.argsort(values)[:width]:
            for move in game.legal_actions(positions[i]):
                state, line = game.play(positions[i], move), [*before[positions[i]], move]
                replies = [(game.play(state, reply), [*line, reply]) for reply in game.legal_actions(state)]
                for child, played in replies or [(state, line)]:
                    if not game.is_terminal(child):
                        level[child] = played
                    elif game.winner(child) != 1:
                        found.append(played)
    return found"""),
    Wrong("the agent's last move", "a game that ends with the agent's own move is left out",
          "After which moves can a game be over?",
          (" or [(state, line)]", "")),
    Wrong("stops at the first", "the search ends with the first game that it finds",
          "How many weak spots should be returned?",
          ("found.append(played)", "return [played]")),
    Wrong("stops at the first level", "the search ends once some games are found",
          "What should happen to the positions that are not finished when others are?",
          ("while level:", "while level and not found:")),
    Wrong("only the opponent's moves", "the games hold the opponent's moves only", "Could you replay this game?",
          ("[*before[positions[i]], int(moves[i])]", "[*before[positions[i]]]")),
    Wrong("only the agent's moves", "the games hold the agent's moves only", "Could you replay this game?",
          ("[*line, reply]) for", "[*line]) for")),
    Wrong("positions instead of games", "the last positions are returned without the moves",
          "What does the docstring say about each game?",
          ("found.append(played)", "found.append(child)")),
    Wrong("one list for all", "all replies are written into the same list", "Do two games share a list?",
          code="""def weak_spots(game, answers, width):
    level, found = {game.initial_state(): []}, []
    while level:
        positions = list(level)
        moves, values = answers(positions)
        level, before = {}, level
        for i in np.argsort(values)[:width]:
            state, line = game.play(positions[i], moves[i]), before[positions[i]]
            line.append(int(moves[i]))
            if game.is_terminal(state):
                if game.winner(state) != 1:
                    found.append(line)
                continue
            for reply in game.legal_actions(state):
                child = game.play(state, reply)
                line.append(reply)
                if not game.is_terminal(child):
                    level[child] = line
                elif game.winner(child) != 1:
                    found.append(line)
    return found"""),
    Wrong("each position for itself", "the width is counted for each position separately",
          "Are the positions compared with all others after as many moves?",
          code="""def weak_spots(game, answers, width):
    level, found = [(game.initial_state(), [])], []
    while level:
        following = []
        for position, line in level:
            [move], _ = answers([position])
            state, line = game.play(position, move), [*line, int(move)]
            replies = [(game.play(state, reply), [*line, reply]) for reply in game.legal_actions(state)]
            going = []
            for child, played in replies or [(state, line)]:
                if not game.is_terminal(child):
                    going.append((child, played))
                elif game.winner(child) != 1:
                    found.append(played)
            going.sort(key=lambda pair: answers([pair[0]])[1][0])
            following += going[:width]
        level = following
    return found"""),
]
# fmt: on


def right_weak_spots_in_lists(game, answers, width):
    going, lines = [(game.initial_state(), [])], []
    while going:
        moves, values = answers([position for position, _ in going])
        order = sorted(range(len(going)), key=lambda i: values[i])
        following = []
        for i in order[:width]:
            position, line = going[i]
            state = game.play(position, moves[i])
            line = line + [moves[i]]
            if game.is_terminal(state):
                if game.winner(state) != 1:
                    lines.append(line)
                continue
            for reply in game.legal_actions(state):
                child = game.play(state, reply)
                if game.is_terminal(child):
                    if game.winner(child) in (0, -1):
                        lines.append(line + [reply])
                else:
                    following.append((child, line + [reply]))
        going = following
    return lines


def right_weak_spots_level_by_level(game, answers, width):
    """Use recursion, and tuples for games."""

    def deeper(level):
        if not level:
            return []
        positions = list(level)
        moves, values = answers(positions)
        ranked = sorted(zip(values, range(len(positions)), moves))[:width]
        ended, following = [], {}
        for _, i, move in ranked:
            state = game.play(positions[i], move)
            line = (*level[positions[i]], move)
            children = {line: state} if game.is_terminal(state) else {}
            for reply in game.legal_actions(state):
                children[(*line, reply)] = game.play(state, reply)
            for played, child in children.items():
                if game.is_terminal(child):
                    ended.append((played, game.winner(child)))
                else:
                    following.setdefault(child, played)
        return [played for played, winner in ended if winner < 1] + deeper(following)

    return deeper({game.initial_state(): ()})


CHECK = Scenes(
    draws=st.tuples(st.integers(0, 10_000), st.integers(2, 7), st.integers(1, 4), st.sampled_from([1, 2, 3, 5, 100])),
    returns=lists_of_moves,
    fresh=False,
    question="On which positions does the search go on, who moves there, "
    "and which of the finished games should come back?",
)
