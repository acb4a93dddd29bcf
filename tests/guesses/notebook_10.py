"""The notebook 'One evening': the scores by hand, the rules, and a share."""

from course_utils.games import TicTacToe, after

TABLE = {1: (1, -0.009, 0.342), 5: (1, 0.042, 0.360), 7: (0, 0.0, 0.298)}  # move -> N, Q and P, as the text prints them


def one_more_look():
    visits = sum(n for n, _, _ in TABLE.values())
    return max(
        TABLE, key=lambda move: TABLE[move][1] + 1.5 * TABLE[move][2] * (1 + visits) ** 0.5 / (1 + TABLE[move][0])
    )


def good_for_whom():
    """The winner, as the player sees it who chose: O at the child, X at the root."""
    game, moves = TicTacToe(), [0, 4, 8, 2, 6, 3, 1, 5]
    winner = game.winner(after(game, moves))
    return [winner * game.to_play(after(game, moves[:ply])) for ply in (7, 6)]


def in_proportion():
    return 100 * 27 / (2 + 3 + 27)


TRUTHS = {"one-more-look": one_more_look, "good-for-whom": good_for_whom, "in-proportion": in_proportion}
