"""batched_play: a stone falls in every game of a batch, by addition."""

from functools import lru_cache
from random import Random
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case, Raises
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_09 import forests
from course_utils.tests.notebook_09.forests import C4, TTT, Path, as_stored, in_words, legal_actions
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

ALONE = "Take one of the games alone, as a batch of one. Is it right then?"


class Draw(NamedTuple):
    board: str
    games: tuple[tuple[int, int], ...]  # (plies, seed) of random moves, over and over
    size: int
    full: tuple[int, ...] = ()  # games in which a slot without room is chosen, if there is one

    @property
    def batch(self) -> list[tuple[Path, int]]:
        """(moves, action) of each game."""
        return [one_move(self.board, *self.games[b % len(self.games)], b in self.full) for b in range(self.size)]

    @property
    def refused(self) -> list[int]:
        """The games whose action is not legal."""
        return [b for b, (moves, action) in enumerate(self.batch) if action not in legal_actions(self.board, moves)]


@lru_cache(maxsize=10_000)
def one_move(board: str, plies: int, seed: int, full: bool) -> tuple[Path, int]:
    """Random moves after which the game goes on, and an action."""
    rng = Random(seed)
    moves = forests.play_on(board, (), plies, rng)
    moves = moves if legal_actions(board, moves) else moves[:-1]
    legal = legal_actions(board, moves)
    taken = [action for action in range(forests.BOARDS[board].num_actions) if action not in legal]
    return moves, rng.choice(taken if full and taken else legal)


DRAWS = st.builds(
    lambda board, games, full, size: Draw(board, tuple(games), size or len(games), tuple(full)),
    st.sampled_from(forests.IN_BITS),
    st.lists(st.tuples(st.integers(0, 41), st.integers(0, 99)), min_size=1, max_size=8),
    st.one_of(st.just([]), st.just([]), st.lists(st.integers(0, 12), max_size=2)),
    forests.SIZES,
)
EDGES = [
    Draw(TTT, ((2, 0), (4, 4), (5, 1)), 3, full=(1, 2)),
    Draw("ConnectN(1, 9, 3)", ((5, 0), (7, 1)), 64, full=(60,)),
    Draw(C4, ((25, 3), (41, 1), (12, 5), (1, 1)), 64),
]


def arguments(draw: Draw) -> dict:
    return {
        "game": forests.BOARDS[draw.board].batched(),
        "states": as_stored(draw.board, [moves for moves, _ in draw.batch]),
        "actions": np.array([action for _, action in draw.batch], dtype=np.int64),
    }


def oracle(draw: Draw):
    """The rules of one game, game by game."""
    if draw.refused:
        return Raises(ValueError, (str(draw.refused[0]),))
    return in_words(as_stored(draw.board, [(*moves, action) for moves, action in draw.batch]))


def call(board: str, many, actions) -> str:
    return f"{forests.states_lines(board, many)}batched_play(game, states, np.array({list(actions)}))"


def shown(draw: Draw) -> str:
    if draw.size <= 4:
        return call(draw.board, *zip(*draw.batch, strict=True)) if draw.size else call(draw.board, [], [])
    return (
        "from course_utils.tests.notebook_09.batched_play import Draw, arguments\n\n"
        f"batched_play(**arguments({draw!r}))  # `batch` of the draw is (moves, action) of each game"
    )


# --- by hand -------------------------------------------------------------------------------------------------------------


def by_hand(rng):
    def case(name: str, board: str, many: list[list[int]], actions: list[int], question: str, points: int = 1) -> Case:
        def run(batched_play):
            return in_words(batched_play(forests.BOARDS[board].batched(), as_stored(board, many), np.array(actions)))

        later = [[*moves, action] for moves, action in zip(many, actions, strict=True)]
        expected = Raises(ValueError, ("1",)) if "refused" in name else in_words(as_stored(board, later))
        return Case(name, run, expected, call(board, many, actions), question, forests.boards(board, many), points)

    low = "Which bit is the lowest of column 3? And who is to move afterwards: whose stones come first then?"
    yield case("the first stone of Connect Four lies at the bottom of its column", C4, [[]], [3], low)
    mine = "The player who moves now is 'mine'. Who is 'mine' in the position that comes out?"
    yield case("the two sides change places", C4, [[0, 1, 2]], [6], mine, 2)
    both = "Do you add the lowest bit to one side's stones or to all of them?"
    yield case("a stone lies on the others of its column, whoever's they are", C4, [[3, 3, 3]], [3], both, 2)
    single = "Does your code take the slots from the game that it is given?"
    yield case("tic-tac-toe, where every slot is a single cell", TTT, [[4, 0]], [8], single)
    three = [[0, 0, 1], [5, 5, 5, 5, 5], [2, 3, 4, 3, 3]]
    own = "Of `bottoms` each game needs the entry of its own action. What does an array of indices give you?"
    yield case("three games, each with an action of its own", C4, three, [1, 5, 3], own, 2)
    carry = (
        "The carry stops at the first free cell. Which bits of the sum are the new stone, and which were there before?"
    )
    between = [[2] * 6 + [4] * 6 + [3] * 5]
    yield case("the last free cell of a column, between two full ones", C4, between, [3], carry)
    full = "Above a full column the carry runs into the bit that must stay empty. Does your stone lie on the board?"
    yield case("a full column is refused, and the game named", C4, [[], [4] * 6, []], [4, 4, 4], full)


# --- wrong and right -------------------------------------------------------------------------------------------------------

STONE = "stone = ((mine | theirs) + game.bottoms[actions]) & game.slots[actions]"
RESULT = "return np.stack([theirs, mine | stone], axis=1)"

WRONG = [
    Wrong(
        "sides not changed",
        "the player who has just moved still stands first: from then on everybody plays with the wrong stones",
        "Who is to move in the position that you return?",
        (RESULT, "return np.stack([mine | stone, theirs], axis=1)"),
    ),
    Wrong(
        "the opponent's stone",
        "the new stone is given to the opponent",
        "Whose stones are `mine`, and where do they stand in the result?",
        (RESULT, "return np.stack([theirs | stone, mine], axis=1)"),
    ),
    Wrong(
        "only one's own stones counted",
        "the new stone goes onto one's own stones and falls through the opponent's",
        "Which stones can the new one lie on?",
        ("(mine | theirs) +", "mine +"),
    ),
    Wrong(
        "the whole sum",
        "the whole sum is taken for the new stone: all other columns come along",
        "How do you keep only the bits of one slot?",
        (STONE, "stone = (mine | theirs) + game.bottoms[actions]"),
    ),
    Wrong(
        "full columns not noticed",
        "in a full column the stone lands above the board instead of being refused",
        "Which bit does the carry reach when all six cells are taken?",
        (STONE, "stone = ((mine | theirs) + game.bottoms[actions]) & ~(mine | theirs)"),
    ),
    Wrong(
        "or instead of plus",
        "the lowest bit is set instead of added: there is no carry, so the stone never climbs",
        "What is 0111 | 1, and what is 0111 + 1?",
        ("(mine | theirs) + game.bottoms[actions]", "mine | theirs | game.bottoms[actions]"),
    ),
    Wrong(
        "states changed in place",
        "the move is made in the caller's own array",
        "What would the caller's position look like afterwards?",
        (RESULT, "states[:, 0] |= stone\n    return states[:, ::-1].copy()"),
    ),
]


def batched_play_game_by_game(game, states, actions):
    moved = np.empty_like(states)
    for b, action in enumerate(actions):
        mine, theirs = (int(stones) for stones in states[b])
        stone = ((mine | theirs) + int(game.bottoms[action])) & int(game.slots[action])
        if stone == 0:
            raise ValueError(f"action {action} is not legal in game {b}")
        moved[b] = theirs, mine | stone
    return moved


def batched_play_by_the_free_cells(game, states, actions):
    free = game.slots[actions] & ~(states[:, 0] | states[:, 1])
    if (free == 0).any():
        first = np.flatnonzero(free == 0)[0]
        raise ValueError(f"game {first}: action {actions[first]}: no room")
    lowest = free & (~free + np.uint64(1))
    moved = states[:, ::-1].copy()
    moved[:, 1] |= lowest
    return moved


CHECK = Specification(
    draws=DRAWS,
    edges=EDGES,
    examples=20,
    arguments=arguments,
    oracle=oracle,
    judged=lambda result, arguments: in_words(result),
    returns=array("uint64"),
    shown=shown,
    board=lambda draw: forests.boards(draw.board, [moves for moves, _ in draw.batch]) if draw.size <= 4 else "",
    question=ALONE,
    by_hand=by_hand,
    wrong=WRONG,
    right=[batched_play_game_by_game, batched_play_by_the_free_cells],
)
