"""Check symmetries: eight views of a board, each with its policy."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games.tictactoe import State, encode
from course_utils.tests.case import show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes
from course_utils.tests.world.states import STATES

# Each view maps (row, column) after the move to (row, column) before it.
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


def policy_of_each_view(planes, pairs) -> str:
    """List, for each of the eight views of the board, the policy that came with it, row by row."""
    lines = [f"{len(pairs)} pairs"]
    for name, view in VIEWS.items():
        order = [3 * row + column for row, column in (view(cell // 3, cell % 3) for cell in range(9))]
        board = planes.reshape(2, 9)[:, order].reshape(2, 3, 3)
        policies = sorted(rows(moves) for planes_seen, moves in pairs if np.array_equal(planes_seen, board))
        lines.append(f"{name}: " + (" and ".join(policies) or "is missing"))
    return "\n".join(lines)


def unlike(state) -> bool:
    """Check whether all views of a board are different; otherwise a view has several policies."""
    cells = np.reshape(state.cells, (3, 3))
    return len({np.rot90(side, turns).tobytes() for side in (cells, cells.T) for turns in range(4)}) == 8


def rows(policy) -> str:
    """Format nine numbers as 0 1 2 / 3 4 5 / 6 7 8."""
    return " / ".join(" ".join(f"{number:g}" for number in row) for row in policy.reshape(3, 3))


def scene(draw) -> str:
    state, policy = draw
    return (
        f"planes, policy = encode({state!r}), np.array({policy}, dtype=float)\n"
        "policy_of_each_view(planes, symmetries(planes, policy))"
    )


def eight_pairs(pairs) -> str:
    if not isinstance(pairs, list | tuple) or len(pairs) != 8:
        got = len(pairs) if isinstance(pairs, list | tuple) else show(pairs)
        return f"expected a list of 8 pairs, got {got}"
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            return "expected pairs (planes, policy), got entries that are not pairs"
        if not all(isinstance(array, np.ndarray) for array in pair):
            return f"expected numpy arrays in each pair, got {' and '.join(type(array).__name__ for array in pair)}"
        if pair[0].shape == (3, 2, 3):
            return (
                "expected the shape (2, 3, 3), got (3, 2, 3): np.rot90 turns the first two axes, "
                "but the first one is the planes"
            )
        if (pair[0].shape, pair[1].shape) != ((2, 3, 3), (9,)):
            return f"expected shapes (2, 3, 3) and (9,), got {pair[0].shape} and {pair[1].shape}"
        if pair[1].dtype.kind != "f":
            return f"expected policies of floats, got {pair[1].dtype}, which cuts probabilities off"
    return ""


BY_HAND = """
    returns eight pairs, planes (2, 3, 3) and policy (9,) (2 points)
    X O .
    . . .
    . . .
    >>> planes, policy = encode(State((1, -1, 0, 0, 0, 0, 0, 0, 0), 1)), np.arange(9.0)
    >>> [(board.shape, moves.shape) for board, moves in symmetries(planes, policy)]
    8 * [((2, 3, 3), (9,))]
    ? What comes first in a pair, what second, and what are their shapes?

    each of the eight boards once (2 points)
    X O .
    . . .
    . . .
    >>> planes = encode(State((1, -1, 0, 0, 0, 0, 0, 0, 0), 1))
    >>> len({board.tobytes() for board, moves in symmetries(planes, np.arange(9.0))})
    8
    ? There are four turns. What else do you get if you look at the board in a mirror?

    each policy moves like its board (2 points)
    X O .
    . . .
    . . .
    >>> planes, policy = encode(State((1, -1, 0, 0, 0, 0, 0, 0, 0), 1)), np.arange(9.0)
    >>> policy_of_each_view(planes, symmetries(planes, policy))
    ? Take the first line that differs. Where is the X from cell 0 on that board,
    ? and where is the policy's number for cell 0?

    the empty board looks the same from all sides, but still gives eight pairs, and eight policies where these differ
    >>> even, uneven = symmetries(encode(State()), np.full(9, 1 / 9)), symmetries(encode(State()), np.arange(9.0))
    >>> len(even), len({tuple(moves) for board, moves in uneven})
    8, 8
    ? Two boards may look the same. Are their policies the same, too?
"""

APPEND = "pairs.append((turned_planes.copy(), turned_policy.flatten()))"
TURN = "turned_planes, turned_policy = (np.rot90(board, turns, axes=(1, 2)) for board in boards)"
BOTH = "boards = [board[:, :, ::-1] for board in boards]"
# fmt: off
WRONG = [
    Wrong("policy left behind", "the boards are turned, but each keeps the policy of the given one",
          "Once the board is turned, in which cell is the move that was best before?",
          ("turned_policy.flatten()", "policy.copy()")),
    Wrong("policy turned the other way", "boards turn one way and policies the other",
          "After a quarter turn, are the mark and the move beside it still neighbors?",
          (TURN, f"{TURN}\n            turned_policy = np.rot90(boards[1], -turns, axes=(1, 2))")),
    Wrong("policy not mirrored", "policies are turned with their boards, but not mirrored with them",
          "What must happen to the policy when its board is mirrored?",
          (BOTH, "boards = [boards[0][:, :, ::-1], boards[1]]")),
    Wrong("mirrored the other way",
          "boards are mirrored one way and policies the other: np.fliplr reverses the second axis, which is the "
          "columns of a [3, 3] policy, but the rows of [2, 3, 3] planes",
          "Which axis of [2, 3, 3] is the columns?", (BOTH, "boards = [boards[0][:, ::-1, :], boards[1][:, :, ::-1]]")),
    Wrong("all axes mirrored",
          "np.flip without an axis reverses all three axes, so it also swaps the planes: "
          "your marks become the opponent's",
          "Which axis of [2, 3, 3] is the columns?", (BOTH, "boards = [np.flip(board) for board in boards]")),
    Wrong("policy read backwards",
          "the policy's nine numbers are reversed, which turns it by a half, while its board is mirrored",
          "Where does a mirror send cell 0: to cell 2, or to cell 8?", code="""
        def symmetries(planes, policy):
            pairs = []
            for turns in range(4):
                turned, moves = np.rot90(planes, turns, axes=(1, 2)), np.rot90(policy.reshape(3, 3), turns).flatten()
                pairs += [(turned.copy(), moves), (turned[:, :, ::-1].copy(), moves[::-1].copy())]
            return pairs
        """),
    Wrong("turns only", "only the four turns are returned, without their mirror images",
          "There are four turns. What else do you get if you look at the board in a mirror?",
          ("(False, True)", "(0,)")),
    Wrong("each turn twice", "each of the four turns is returned twice, and no board is mirrored",
          "Are your eight boards all different?",
          (f"            if mirrored:\n                {BOTH}\n", "")),
    Wrong("boards that look alike dropped",
          "pairs whose boards look the same are dropped, although their policies differ",
          "Two boards may look the same. Are their policies the same, too?",
          ("return pairs", "return list({planes.tobytes(): (planes, policy) for planes, policy in pairs}.values())")),
    Wrong("turned across the planes", "np.rot90 turns the first two axes, but the first one is the planes",
          "Which two of the three axes are the rows and the columns?", (", axes=(1, 2)", "")),
    Wrong("policies made probabilities",
          "each policy is divided by its sum, so visit counts come back changed, "
          "and a policy of zeros comes back as NaN",
          "Should anything happen to a policy's numbers except that they move?",
          (APPEND, "pairs.append((turned_planes.copy(), (turned_policy / turned_policy.sum()).flatten()))")),
    Wrong("policies of whole numbers", "the policies come back as whole numbers, so probabilities are cut off to 0",
          "Which dtype does the array have that you write the policy into?",
          ("turned_policy.flatten()", "turned_policy.flatten().astype(int)")),
    Wrong("views of what was given", "some results are views: they share their numbers with the arguments",
          "np.rot90, np.flip and reshape return views of the same numbers. How do you get a copy?",
          (APPEND, "pairs.append((turned_planes, turned_policy.reshape(9)))")),
]
# fmt: on


def right_indices(planes, policy):
    """Turn the cell numbers once, then look everything up."""
    cells = np.arange(9).reshape(3, 3)
    orders = [np.rot90(view, turns).ravel() for view in (cells, np.flipud(cells)) for turns in (1, 2, 3, 4)]
    return [(planes.reshape(2, 9)[:, order].reshape(2, 3, 3), policy[order]) for order in orders]


def right_flips(planes, policy):
    pairs = []
    for axes in ((0, 1, 2), (0, 2, 1)):
        for step_down in (1, -1):
            for step_right in (1, -1):
                boards, moves = (
                    array.transpose(axes)[:, ::step_down, ::step_right].copy()
                    for array in (planes, policy.reshape(1, 3, 3))
                )
                pairs.append((boards, moves.reshape(-1)))
    return pairs


CHECK = Scenes(
    draws=st.tuples(STATES.filter(unlike), st.permutations(range(9))),
    board=lambda draw: str(draw[0]),
    edges=[(State(), [*range(9)])],  # a board that looks the same from all sides, and a policy that doesn't
    returns=eight_pairs,
    examples=20,
    question="Once the board is turned, in which cell is the move that was best before?",
)
