"""The notebook 'Perfect play': minimax from X's side throughout, runs counted along lines, and a perfect solver's records."""

from fractions import Fraction
from itertools import groupby

import numpy as np

from course_utils.games import ConnectN, after
from course_utils.learning.exam import load_positions
from tests.guesses.notebook_01 import children, games, wins


def minimax(tree, x_to_move=True):
    """(value for X, leaves) of nested tuples whose leaves are worth their number to X."""
    if not isinstance(tree, tuple):
        return tree, 1
    values, leaves = zip(*(minimax(child, not x_to_move) for child in tree), strict=True)
    return (max if x_to_move else min)(values), sum(leaves)


def negamax_by_hand():
    left, right = (-1, 0), (0, 0)  # "O has won" is -1 for X
    return [-minimax(left, False)[0], -minimax(right, False)[0], minimax((left, right))[0]]


def window_of_the_child():
    """From minimax: what the child's player may still get, and would still be allowed, with -0.2 and 0.6 the bounds for the other."""
    lowest, highest = -0.2, 0.6
    return sorted([-lowest, -highest])


def skipped_in_the_other_order():
    """A leaf is skipped if none of its values changes the result, given those before it."""
    leaves = [[0.2, 0.9], [0.3, 0.5]]
    needed = 0
    for move in range(2):
        for reply in range(2):
            results = set()
            for value in np.linspace(-1, 1, 41):
                tree = [list(replies) for replies in leaves[: move + 1]]
                tree[move] = tree[move][:reply] + [value]
                results.add(minimax(tuple(map(tuple, tree)))[0])
            needed += len(results) > 1
    return 4 - needed


def open_pairs():
    """Along every line of the board: stones in a row, and whether a free cell is at their end."""
    game = ConnectN(6, 7, 4)
    cells = game.cells(after(game, [3, 2, 3, 3, 2, 4])).astype(int)
    lines = [*cells, *cells.T, *(np.diagonal(board, k) for board in (cells, cells[:, ::-1]) for k in range(-5, 7))]
    pairs = {1: 0, -1: 0}
    for line in lines:
        runs = [(stone, len(list(group))) for stone, group in groupby(line.tolist())]
        for place, (stone, length) in enumerate(runs):
            ends = {runs[place + step][0] for step in (-1, 1) if 0 <= place + step < len(runs)}
            assert length <= 2 or stone == 0
            pairs[stone] = pairs.get(stone, 0) + (length == 2 and 0 in ends)
    return [pairs[1], pairs[-1]]


def first_stone_at_the_edge():
    [start] = [position for position in load_positions() if position.moves == ""]
    return {1: "win", 0: "draw", -1: "loss"}[int(np.sign(start.scores[0]))]


def marks_on_the_first_board():
    board, looked_at = [0] * 9, []
    for turn, action in enumerate((0, 4, 8)):
        child = board
        child[action] = (-1) ** turn
        looked_at.append(child)
    return sum(cell != 0 for cell in looked_at[0])


def fewest_games():
    counts = {name: games(children("." * 9)[cell]) for name, cell in (("corner", 0), ("edge", 1), ("center", 4))}
    assert max(counts, key=counts.get) == "edge"
    return min(counts, key=counts.get)


def random_x():
    won, chance = wins("." * 9)
    share = Fraction(won, games("." * 9))
    assert f"{float(share):.1%} {float(chance):.1%}" == "51.4% 58.5%"
    return "more" if chance > share else "less"


TRUTHS = {
    "marks-on-the-first-board": marks_on_the_first_board,
    "fewest-games": fewest_games,
    "random-x": random_x,
    "negamax-by-hand": negamax_by_hand,
    "window-of-the-child": window_of_the_child,
    "skipped-in-the-other-order": skipped_in_the_other_order,
    "open-pairs": open_pairs,
    "first-stone-at-the-edge": first_stone_at_the_edge,
}
