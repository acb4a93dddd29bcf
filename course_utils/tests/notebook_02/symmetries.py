"""symmetries: eight views of a board, each with its policy."""

import random
from collections import Counter
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games.tictactoe import State
from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_02 import positions
from course_utils.tests.notebook_02.encode import planes as encoded
from course_utils.tests.specification import Specification

ALONG = "If a board is turned, where is the move that was best before?"
MIRROR = "Four turns; and what do you get if you look at the board in a mirror?"
ALIKE = "Two boards may look the same. Are their policies the same, too?"

# What stands at (row, column) afterwards stood here before.
VIEWS = {
    "as given": lambda row, column: (row, column),
    "turned by a quarter to the left": lambda row, column: (column, 2 - row),
    "turned by a half": lambda row, column: (2 - row, 2 - column),
    "turned by a quarter to the right": lambda row, column: (2 - column, row),
    "mirrored left-right": lambda row, column: (row, 2 - column),
    "mirrored top-bottom": lambda row, column: (2 - row, column),
    "mirrored on the diagonal": lambda row, column: (column, row),
    "mirrored on the other diagonal": lambda row, column: (2 - column, 2 - row),
}


ORDERS = {name: [3 * r + c for r, c in (view(i // 3, i % 3) for i in range(9))] for name, view in VIEWS.items()}


def moved(boards: np.ndarray, name: str) -> np.ndarray:
    """One or more boards after the symmetry of this name."""
    return boards.reshape(-1, 9)[:, ORDERS[name]].reshape(-1, 3, 3)


class Draw(NamedTuple):
    state: State
    policy: tuple[float, ...]
    dtype: str


def numbers(seed: int) -> tuple[float, ...]:
    """Nine numbers that are exact in every dtype."""
    return tuple(number / 64 for number in random.Random(seed).choices(range(65), k=9))


EDGES = [
    Draw(state, policy, dtype)
    for state, policy, dtype in (
        (State(), (1 / 8,) * 9, "float32"),
        (positions.OPEN, (0.0,) * 9, "float64"),
        (positions.DRAW, (3.0, 0.0, 40.0, 1.0, 2.0, 0.0, 0.0, 7.0, 5.0), "int32"),  # visit counts
    )
]
DRAWS = st.builds(
    Draw,
    positions.STATES,
    st.builds(numbers, st.integers(0, 999)),
    st.sampled_from(("float64", "float32")),
)


def arguments(draw: Draw) -> dict:
    return {"planes": encoded(draw.state).astype(np.float32), "policy": np.array(draw.policy).astype(draw.dtype)}


def oracle(draw: Draw) -> Such:
    return eight(**arguments(draw))


def eight(planes: np.ndarray, policy: np.ndarray) -> Such:
    """All eight views, each with its policy, in any order."""
    views = [(name, moved(planes, name), moved(policy, name).ravel()) for name in VIEWS]

    wanted = Counter((board.tobytes(), tuple(moves.tolist())) for _, board, moves in views)

    def holds(pairs) -> bool | str:
        complaint = eight_pairs(pairs)
        if not complaint and wanted == Counter((board.tobytes(), tuple(moves.tolist())) for board, moves in pairs):
            return True
        left = [] if complaint else list(pairs)
        for name, board, moves in views if not complaint else ():
            same_board = [i for i, pair in enumerate(left) if np.array_equal(pair[0], board)]
            found = next((i for i in same_board if np.asarray(left[i][1]).tolist() == moves.tolist()), None)
            if found is not None:
                del left[found]
            elif same_board:
                got = show(np.asarray(left[same_board[0]][1]))
                return f"the board {name} belongs with the policy {show(moves)}, not with {got}"
            else:
                return f"the board {name} is missing, or there are too few of it"
        return complaint or True

    return Such("the eight views of the board, each once, each policy moved as its board was", holds)


def eight_pairs(pairs) -> str:
    if not isinstance(pairs, list | tuple):
        return f"expected a list, got {show(pairs)} of type {type(pairs).__name__}"
    if len(pairs) != 8:
        return f"expected 8 pairs, got {len(pairs)} entries"
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            return "expected pairs (planes, policy), got entries that are not pairs"
        if not all(isinstance(part, np.ndarray) for part in pair):
            return f"expected numpy arrays in each pair, got {' and '.join(type(part).__name__ for part in pair)}"
        if (pair[0].shape, pair[1].shape) != ((2, 3, 3), (9,)):
            return f"expected shapes (2, 3, 3) and (9,), got {pair[0].shape} and {pair[1].shape}"
    return ""


def related(draw: Draw, number: int) -> Draw:
    """The same board with another policy, or another board with the same policy."""
    if number % 2:
        return draw._replace(policy=draw.policy[number % 9 :] + draw.policy[: number % 9])
    return draw._replace(state=positions.related(draw.state, number))


def shown(draw: Draw) -> str:
    policy = f"np.array({list(draw.policy)!r}).astype({draw.dtype!r})"
    return f"planes = encode({draw.state!r})\npolicy = {policy}\nsymmetries(planes, policy)"


def by_hand(rng):
    lopsided, counting = positions.after(0, 1), tuple(number / 8 for number in range(1, 10))
    draw = Draw(lopsided, counting, "float64")

    def case(draw: Draw, expected: Such, name: str, question: str) -> Case:
        def run(symmetries):
            return symmetries(*arguments(draw).values())

        return Case(name, run, expected, shown(draw), question, str(draw.state), points=2)

    def boards(pairs) -> bool | str:
        """Judges the boards alone."""
        got = [np.asarray(pair[0]) for pair in pairs]
        for name in VIEWS:
            number = sum(np.array_equal(board, moved(arguments(draw)["planes"], name)) for board in got)
            if number != 1:
                return f"the board {name} is there {number} times"
        return True

    shapes = "What comes first in a pair, what second, and what are their shapes?"
    pairs = Such("eight pairs of arrays, planes (2, 3, 3) and policy (9,)", lambda pairs: eight_pairs(pairs) or True)
    yield case(draw, pairs, "returns a list of eight pairs, planes (2, 3, 3) and policy (9,)", shapes)
    yield case(draw, Such("each view of the board once", boards), "each of the eight boards once", MIRROR)
    yield case(draw, oracle(draw), "each policy moves like its board", ALONG)
    empty = Draw(State(), counting, "float64")
    yield case(empty, oracle(empty), "the empty board gives eight pairs, too", ALIKE)


APPEND = "pairs.append((turned_planes.copy(), turned_policy.flatten()))"
TURN = "turned_planes, turned_policy = (np.rot90(board, turns, axes=(1, 2)) for board in boards)"
BOTH = "boards = [board[:, :, ::-1] for board in boards]"
DIFFERENT = "Are your eight boards all different?"
WRONG = [
    Wrong(
        "policy left behind",
        "the boards are turned, but each keeps the policy of the given one",
        ALONG,
        ("turned_policy.flatten()", "policy.copy()"),
    ),
    Wrong(
        "policy turned the other way",
        "boards turn one way and policies the other",
        "After a quarter turn, are the mark and the move beside it still neighbors?",
        (TURN, f"{TURN}\n            turned_policy = np.rot90(boards[1], -turns, axes=(1, 2))"),
    ),
    Wrong(
        "policy not mirrored",
        "policies are turned with their boards, but not mirrored with them",
        "What happens to the policy when the board is looked at in a mirror?",
        (BOTH, "boards = [boards[0][:, :, ::-1], boards[1]]"),
    ),
    Wrong(
        "turns only", "only the four turns are returned, without their mirror images", MIRROR, ("(False, True)", "(0,)")
    ),
    Wrong(
        "each turn twice",
        "the four turns are returned twice, and no mirror image at all",
        DIFFERENT,
        (f"            if mirrored:\n                {BOTH}\n", ""),
    ),
    Wrong(
        "boards that look alike dropped",
        "pairs whose boards look the same are thrown away, though their policies differ",
        ALIKE,
        ("return pairs", "return list({planes.tobytes(): (planes, policy) for planes, policy in pairs}.values())"),
    ),
    Wrong(
        "turned across the planes",
        "np.rot90 turns the first two axes, and the first is the planes",
        "Which two of the three axes are the board?",
        (", axes=(1, 2)", ""),
    ),
    Wrong(
        "policies made probabilities",
        "each policy is divided by its sum: one of visit counts comes back changed, and one of zeros as NaN",
        "What are you asked to do with the numbers of a policy, but for moving them?",
        (APPEND, "pairs.append((turned_planes.copy(), (turned_policy / turned_policy.sum()).flatten()))"),
    ),
    Wrong(
        "views of what was given",
        "some results are views: they share their numbers with the arguments",
        "np.rot90, flips and reshape give another view of the same numbers. What makes them new ones?",
        (APPEND, "pairs.append((turned_planes, turned_policy.reshape(9)))"),
    ),
]


def symmetries_flips(planes, policy):
    pairs = []
    for axes in ((0, 1, 2), (0, 2, 1)):
        for step_down in (1, -1):
            for step_right in (1, -1):
                boards, moves = (
                    one.transpose(axes)[:, ::step_down, ::step_right].copy()
                    for one in (planes, policy.reshape(1, 3, 3))
                )
                pairs.append((boards, moves.reshape(-1)))
    return pairs


def symmetries_indices(planes, policy):
    """Turn the cell numbers once, then look everything up."""
    cells = np.arange(9).reshape(3, 3)
    orders = [np.rot90(view, turns).ravel() for view in (cells, np.flipud(cells)) for turns in (1, 2, 3, 4)]
    return [(planes.reshape(2, 9)[:, order].reshape(2, 3, 3), policy[order]) for order in orders]


CHECK = Specification(
    draws=DRAWS,
    edges=EDGES,
    arguments=arguments,
    oracle=oracle,
    related=related,
    shown=shown,
    board=lambda draw: str(draw.state),
    question=ALONG,
    by_hand=by_hand,
    examples=20,
    wrong=WRONG,
    right=[symmetries_flips, symmetries_indices],
)
