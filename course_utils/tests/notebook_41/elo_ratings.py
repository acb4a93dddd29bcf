"""elo_ratings: under the right ratings every player is expected to make the points that it made."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted

NEAR = 0.11  # Elo: how far off an answer may be, and a little
BY_HAND = """
    as good as each other: both 0
    >>> elo_ratings(np.array([[0.0, 5.0], [5.0, 0.0]]))
    [0, 0]
    ? Each made half of the points. Who is better?

    ten points to one, the added draw counted: 400 apart (2 points)
    >>> elo_ratings(np.array([[0.0, 9.5], [0.5, 0.0]]))
    [200, -200]
    ? With the added draw the first made 10 of 11 points. How many is it expected to make under your ratings? (If fewer, it is still on its way up: the steps are too few or too small.)

    all games won: far apart, but not infinitely (2 points)
    >>> elo_ratings(np.array([[0.0, 20.0], [0.0, 0.0]]))
    [200 * np.log10(41), -200 * np.log10(41)]
    ? What does one added draw make of 20 to 0?

    two that never met are compared by way of the third (2 points)
    >>> ratings = elo_ratings(np.array([[0.0, 7.5, 0.0], [2.5, 0.0, 7.5], [0.0, 2.5, 0.0]]))
    >>> ratings[0] - ratings[1], ratings[1] - ratings[2]
    [400 * np.log10(8 / 3), 400 * np.log10(8 / 3)]
    ? The first beat the second as clearly as the second beat the third. How far apart are the first and the third?

    half of the points from strong players is worth more than half from weak ones (2 points)
    >>> elo_ratings(np.array([[0.0, 5.0, 9.0, 0.0], [5.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 5.0], [0.0, 0.0, 5.0, 0.0]]))
    ? Players 1 and 3 both made half of their points. Whose opponent was the better one?

    every player is expected to make the points it made
    >>> points = np.array([[0.0, 3.0, 6.0], [4.0, 0.0, 5.0], [2.0, 1.0, 0.0]])
    >>> ratings = elo_ratings(points)
    >>> games = points + points.T + 1 - np.eye(3)
    >>> (games / (1 + 10 ** ((ratings - ratings[:, None]) / 400))).sum(axis=1).round(1)
    [10.0, 10.0, 4.0]
    ? Add up, over all opponents, games times expected share. Is that what the player made, the added draws counted?

    120 points of 200 games: a step that is right for ten games may be too large here
    >>> elo_ratings(np.array([[0.0, 120.0], [80.0, 0.0]]))
    [200 * np.log10(120.5 / 80.5), -200 * np.log10(120.5 / 80.5)]
    ? One step of yours, from ratings of 0: how far does it go with ten games, how far with 200, and how far should it?
"""


@st.composite
def tables(draw) -> np.ndarray:
    players = draw(st.integers(2, 6))
    points = np.zeros((players, players))
    names = draw(st.permutations(range(players)))
    for place, one in enumerate(names):
        for other in names[:place]:
            if other == names[place - 1] or draw(st.booleans()):  # neighbors always met, so that all are connected
                games = st.tuples(*3 * [st.integers(0, 12)])
                wins, draws, losses = draw(games.filter(any))
                points[one, other], points[other, one] = wins + draws / 2, losses + draws / 2
    return points


def scene(points) -> str:
    return f"elo_ratings({pasted(points)})"


def with_mean_0(ratings) -> str:
    """ "" or a sentence: of the wrong type, or a mean that is not 0."""
    if kind := array()(ratings):
        return kind
    mean = ratings.mean()
    return f"the ratings' mean is {mean:.6g}, not 0" if np.isfinite(mean) and abs(mean) >= NEAR else ""


_DRAW = "points = points + 0.5 * met"
# fmt: off
WRONG = [
    Wrong("no draw added", "nothing is added to the table: whoever won all its games runs off to infinity",
          "How much better than its opponent is a player who won every game?", (_DRAW, "points = points * 1.0")),
    Wrong("a draw for everybody", "a draw is added for players who never met, too", "Who has played whom? What do the others know of each other?",
          (_DRAW, "points = points + 0.5 * (1 - np.eye(len(points)))")),
    Wrong("a point each", "a win for each side is added instead of one draw", "How many points does one draw hand out in all?",
          (_DRAW, "points = points + 1.0 * met")),
    Wrong("the table turned", "points[i, j] is read as what j took from i", "Whose points stand in a row?",
          (_DRAW, "points = points.T + 0.5 * met")),
    Wrong("e for 10", "the ratings are on the scale of natural logarithms", "What do 400 points say: ten to one, or e to one?",
          ("np.log10", "np.log")),
    Wrong("400 forgotten", "the ratings are powers of ten, not four hundred times that", "How far apart does Elo put ten to one?",
          ("400 * np.log10", "np.log10")),
    Wrong("the opponents don't count", "each player's rating is made of its own share of points, whoever it took them from",
          "Is half of the points against the champion worth no more than half against a beginner?",
          ("while True:", "share = points.sum(axis=1) / games.sum(axis=1)\n    strength = share / (1 - share)\n    strength /= np.exp(np.log(strength).mean())\n    for _ in range(0):")),
    Wrong("the first is 0", "the first player's rating is 0, not the mean", "What does the docstring say about the mean?",
          ("return 400 * np.log10(strength)", "return 400 * np.log10(strength / strength[0])")),
    Wrong("stopped too early", "a few rounds are made, and the ratings are still on their way", "Do they still move when you stop?",
          ("while True:", "for _ in range(5):")),
    Wrong("a step for each point", "a step grows with the number of games, since every point too many or too few moves a player by as much: after many games each step goes too far, and the next one as far back",
          "Ten points too few of ten games, or of a thousand: which player is rated too low by more?", code="""
        def elo_ratings(points):
            met = points + points.T > 0
            points = points + 0.5 * met
            games = points + points.T
            made = points.sum(axis=1)
            R = np.zeros(len(points))
            for _ in range(10_000):
                expected = (games / (1 + 10 ** ((R - R[:, None]) / 400))).sum(axis=1)
                R += 10 * (made - expected)
            return R - R.mean()
        """),
    Wrong("the table changed", "the draws are added to the caller's own table", "Who else may be looking at `points`?",
          (_DRAW, "points += 0.5 * met")),
]
# fmt: on


def right_elo_by_newton(points):
    """The slope of the likelihood is points made less points expected."""
    points = np.asarray(points, dtype=float)
    points = points + (points + points.T > 0) / 2
    games, unit, ratings = points + points.T, 400 / math.log(10), np.zeros(len(points))
    while True:
        share = 1 / (1 + np.exp((ratings - ratings[:, None]) / unit))
        steep = games * share * share.T
        curve = np.diag(steep.sum(axis=1)) - steep + 1  # 1: no step moves all alike
        step = unit * np.linalg.solve(curve, (points - games * share).sum(axis=1))
        ratings = ratings + np.clip(step, -200, 200)
        if np.abs(step).max() < 1e-6:
            return ratings - ratings.mean()


def right_elo_by_small_steps(points):
    """Up a little where more points were made than expected."""
    points = np.asarray(points, dtype=float)
    points = points + (points + points.T > 0) / 2
    games = points + points.T
    ratings = np.zeros(len(points))
    for _ in range(5_000):
        expected = games / (1 + 10 ** ((ratings[None, :] - ratings[:, None]) / 400))
        surplus = (points - expected).sum(axis=1)
        ratings += 600 * surplus / games.sum(axis=1)
        if np.abs(surplus).max() < 1e-5:
            break
    return ratings - ratings.mean()


CHECK = Scenes(
    draws=tables(),
    edges=[np.array([[0.0, 1.0], [0.0, 0.0]])],  # one game
    examples=12,
    returns=with_mean_0,
    tolerance=(0, NEAR),
    question="Expected and made points, added up for each player: for whom do they differ under your ratings? (If only a little, they are still on their way: go on until they agree.)",
)
