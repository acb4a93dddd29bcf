"""Check batched_play: a stone falls in every game of a batch, by integer addition."""

from random import Random

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, TicTacToe, after
from course_utils.games.batched import make_batched
from course_utils.tests.case import Raises
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_31 import batched_trees
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes

BOTH = "Do you add the lowest bit to one side's stones or to all of them?"

DRAWS = st.tuples(
    st.sampled_from(["TicTacToe()", "ConnectN(3, 4, 3)", "ConnectFour()"]),
    batched_trees.RANDOM_GAMES,
    st.sampled_from([False, False, True]),  # whether the last game plays where there may be no room
)


def scene(draw) -> str:
    name, games, anywhere = draw
    lines, actions = going_on(name, games), []
    for number, line in enumerate(lines):
        game, last = batched_trees.GAMES[name], number == len(lines) - 1
        legal = game.legal_actions(after(game, line))
        actions.append(Random(number).choice(range(game.num_actions) if anywhere and last else legal))
    return (
        f"game = make_batched({name})\nstates = game.from_states([after({name}, moves) for moves in {lines}])\n"
        f"bits(batched_play(game, states, np.array({actions})))"
    )


def going_on(name: str, games) -> list[list[int]]:
    """List the moves of each game, without the last one if that ends the game."""
    lines = batched_trees.lines_of(name, games)
    return [
        line[:-1] if batched_trees.GAMES[name].is_terminal(after(batched_trees.GAMES[name], line)) else line
        for line in lines
    ]


def bits(states: np.ndarray) -> list[tuple[list[int], ...]]:
    """Return for each game the bits of the player to move, and the opponent's."""
    return [tuple([bit for bit in range(64) if stones >> bit & 1] for stones in pair) for pair in states.tolist()]


BY_HAND = f"""
    the first stone of Connect Four lies at the bottom of its column
    >>> game = make_batched(ConnectFour())
    >>> bits(batched_play(game, game.initial(1), np.array([3])))
    [([], [21])]
    ? Which bit is the lowest of column 3, and whose stones come first after the move?

    the two sides change places (2 points)
    >>> game = make_batched(ConnectFour())
    >>> states = game.from_states([after(ConnectFour(), [0, 1, 2])])
    >>> bits(states), bits(batched_play(game, states, np.array([6])))
    [([7], [0, 14])], [([0, 14], [7, 42])]
    ? `mine` are the stones of the player who moves now. Whose stones are `mine` in the new position?

    a stone lies on the other stones of its column, whichever player's they are (2 points)
    >>> game = make_batched(ConnectFour())
    >>> states = game.from_states([after(ConnectFour(), [3, 3, 3])])
    >>> bits(states), bits(batched_play(game, states, np.array([3])))
    [([22], [21, 23])], [([21, 23], [22, 24])]
    ? {BOTH}

    tic-tac-toe, where every slot is a single cell
    >>> game = make_batched(TicTacToe())
    >>> states = game.from_states([after(TicTacToe(), [4, 0])])
    >>> bits(states), bits(batched_play(game, states, np.array([8])))
    [([5], [2])], [([2], [5, 8])]
    ? Does your code take the slots from the game that it is given?

    three games, each with an action of its own (2 points)
    >>> game = make_batched(ConnectFour())
    >>> games = [[0, 0, 1], [5, 5, 5, 5, 5], [2, 3, 4, 3, 3]]
    >>> states = game.from_states([after(ConnectFour(), moves) for moves in games])
    >>> bits(batched_play(game, states, np.array([1, 5, 3])))
    [([0, 7], [1, 8]), ([35, 37, 39], [36, 38, 40]), ([14, 23, 28], [21, 22, 24])]
    ? Each game needs the entry of `bottoms` for its own action. What does indexing with an array of actions return?

    the last free cell of a column, between two full ones
    >>> game = make_batched(ConnectFour())
    >>> states = game.from_states([after(ConnectFour(), [2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3])])
    >>> bits(batched_play(game, states, np.array([3])))
    [([14, 16, 18, 21, 23, 25, 28, 30, 32], [15, 17, 19, 22, 24, 26, 29, 31, 33])]
    ? The carry stops at the first free cell. Which bits of the sum are the new stone, and which were there before?

    a full column is refused, and the error names the game
    >>> game = make_batched(ConnectFour())
    >>> states = game.from_states([after(ConnectFour(), moves) for moves in [[], [4, 4, 4, 4, 4, 4], []]])
    >>> batched_play(game, states, np.array([4, 4, 4]))
    Raises(ValueError, ("1",))
    ? Above a full column the carry ends in the bit that must stay empty.
    ? How do you notice that the stone is not on the board?
"""

STONE = "stone = ((mine | theirs) + game.bottoms[actions]) & game.slots[actions]"
RESULT = "return np.stack([theirs, mine | stone], axis=1)"
# fmt: off
WRONG = [
    Wrong("sides not changed",
          "the player who has just moved still comes first, so every later move uses the wrong player's stones",
          "Who is to move in the position that you return?",
          (RESULT, "return np.stack([mine | stone, theirs], axis=1)")),
    Wrong("the opponent's stone", "the new stone is given to the opponent",
          "Whose stones are `mine`, and where do they go in the result?",
          (RESULT, "return np.stack([theirs | stone, mine], axis=1)")),
    Wrong("only one's own stones counted",
          "the new stone lands on the mover's own stones and falls through the opponent's",
          "On which stones can the new stone lie?", ("(mine | theirs) +", "mine +")),
    Wrong("the whole sum", "the whole sum is taken for the new stone, so it includes all other columns",
          "How do you keep only the bits of one slot?", (STONE, "stone = (mine | theirs) + game.bottoms[actions]")),
    Wrong("full columns not noticed", "in a full column the stone lands above the board instead of being refused",
          "Which bit does the carry reach when all six cells are taken?",
          (STONE, "stone = ((mine | theirs) + game.bottoms[actions]) & ~(mine | theirs)")),
    Wrong("the action's bit",
          "bit number `action` is added, but an action is a column, and a column of Connect Four has seven bits",
          "Which bit is the lowest of column 3, and where does the game store it?",
          ("game.bottoms[actions]", "(np.uint64(1) << actions.astype(np.uint64))")),
    Wrong("or instead of plus",
          "the lowest bit is set instead of added, so there is no carry and the stone never rises",
          "What is 0111 | 1, and what is 0111 + 1?",
          ("(mine | theirs) + game.bottoms[actions]", "mine | theirs | game.bottoms[actions]")),
    Wrong("sides in rows", "the result is [2, batch], one row per side, instead of [batch, 2], one row per game",
          "Which axis of `states` is the games?", (RESULT, "return np.array([theirs, mine | stone])")),
    Wrong("states changed in place", "the move is made in the caller's own array",
          "What would the caller's position look like afterwards?",
          (RESULT, "states[:, 0] |= stone\n    return states[:, ::-1].copy()")),
]
# fmt: on


def right_game_by_game(game, states, actions):
    moved = np.empty_like(states)
    for b, action in enumerate(actions):
        mine, theirs = (int(stones) for stones in states[b])
        stone = ((mine | theirs) + int(game.bottoms[action])) & int(game.slots[action])
        if stone == 0:
            raise ValueError(f"action {action} is not legal in game {b}")
        moved[b] = theirs, mine | stone
    return moved


def right_by_the_free_cells(game, states, actions):
    free = game.slots[actions] & ~(states[:, 0] | states[:, 1])
    if (free == 0).any():
        first = np.flatnonzero(free == 0)[0]
        raise ValueError(f"game {first}: action {actions[first]}: no room")
    lowest = free & (~free + np.uint64(1))
    moved = states[:, ::-1].copy()
    moved[:, 1] |= lowest
    return moved


CHECK = Scenes(
    draws=DRAWS,
    edges=[
        ("ConnectFour()", [(25, 3), (41, 1), (12, 5)], False),
        ("ConnectN(3, 4, 3)", [(0, 0), (9, 4)], True),
        ("ConnectFour()", [(14, 25)], True),  # a full column
    ],
    examples=20,
    returns=array("uint64"),
    question="Take one of the games alone, as a batch of one. Is the result right then?",
)
