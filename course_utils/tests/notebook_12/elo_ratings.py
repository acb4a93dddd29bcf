"""elo_ratings: under the right ratings every player is expected to make the points that it made."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case, Such, plain, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

NEAR = 0.11  # Elo: how far off an answer may be, and a little


class Draw(NamedTuple):
    """Who took how many points from whom: for each pair that met, a pair of numbers."""

    players: int
    pairs: tuple[tuple[int, int, float, float], ...]  # i, j, points of i, points of j


def table(draw: Draw) -> np.ndarray:
    points = np.zeros((draw.players, draw.players))
    for i, j, mine, theirs in draw.pairs:
        points[i, j], points[j, i] = mine, theirs
    return points


@st.composite
def tables(draw) -> Draw:
    names = draw(st.permutations(range(draw(st.integers(2, 6)))))
    result = st.tuples(st.integers(0, 12), st.integers(0, 6), st.integers(0, 12), st.sampled_from([1, 1, 4]))
    pairs = []
    for i, one in enumerate(names):
        for j in range(i):
            if i == j + 1 or draw(st.booleans()):  # neighbors always met, so that all are connected
                wins, draws, losses, times = draw(result.filter(lambda score: sum(score[:3]) > 0))
                pairs.append((one, names[j], times * (wins + draws / 2), times * (losses + draws / 2)))
    return Draw(len(names), tuple(pairs))


def oracle(draw: Draw) -> np.ndarray:
    """Newton's method on the ratings: the slope of the likelihood is points made less points expected."""
    unit, ratings = 400 / math.log(10), np.zeros(draw.players)
    for _ in range(60):
        slope, curve = np.zeros(draw.players), np.ones((draw.players, draw.players))  # ones: no step moves all alike
        for i, j, mine, theirs in draw.pairs:
            p = 1 / (1 + math.exp((ratings[j] - ratings[i]) / unit))
            surplus, steep = mine + 0.5 - (mine + theirs + 1) * p, (mine + theirs + 1) * p * (1 - p)
            slope[[i, j]] += surplus, -surplus
            curve[[i, j, i, j], [i, j, j, i]] += steep, steep, -steep, -steep
        step = unit * np.linalg.solve(curve, slope)
        ratings = ratings + np.clip(step, -200, 200)
        if np.abs(step).max() < 1e-6:
            break
    return ratings - ratings.mean()


def shown(draw: Draw) -> str:
    rows = "[" + ", ".join(show(row) for row in table(draw).tolist()) + "]"
    return f"elo_ratings(np.array({rows}))"


def by_hand(rng):
    def case(name, pairs, expected, question, players=2, points=1):
        draw = Draw(players, tuple(pairs))
        return Case(
            name,
            lambda answer: answer(table(draw)),
            rated(np.array(expected)),
            shown(draw),
            question,
            points=points,
        )

    yield case(
        "as good as each other: both 0", [(0, 1, 5.0, 5.0)], [0.0, 0.0], "Each made half of the points. Who is better?"
    )
    yield case("ten points to one, the added draw counted: 400 apart", [(0, 1, 9.5, 0.5)], [200.0, -200.0],
               "With the draw that is added it is 10 to 1. How far apart are players of whom one takes ten times the points?", points=2)  # fmt: skip
    yield case("all games won: far apart, but not infinitely", [(0, 1, 20.0, 0.0)], [200 * math.log10(41), -200 * math.log10(41)],
               "What does one added draw make of 20 to 0?", points=2)  # fmt: skip
    chain = Draw(3, ((0, 1, 7.5, 2.5), (1, 2, 7.5, 2.5)))
    gap = 400 * math.log10(8 / 3)
    yield case("two that never met are compared by way of the third", chain.pairs, [gap, 0.0, -gap],
               "The first beat the second as clearly as the second beat the third. How far apart are the first and the third?", 3, 2)  # fmt: skip
    weak = ((0, 1, 5.0, 5.0), (2, 3, 5.0, 5.0), (0, 2, 9.0, 1.0))
    yield case("half of the points from strong players is worth more than half from weak ones", weak, oracle(Draw(4, weak)),
               "Players 1 and 3 both made half of their points. Whose opponent was the better one?", 4, 2)  # fmt: skip
    some = draw_of(int(rng.integers(1000)))
    yield Case("every player is expected to make the points it made", lambda answer: answer(table(some)),
               Such("expected points that equal those made, the added draws counted", lambda ratings: balanced(ratings, some)),
               shown(some), "Add up, over all opponents, games times expected share. Is that what the player made?")  # fmt: skip


def rated(expected: np.ndarray) -> Such:
    def holds(ratings) -> bool | str:
        try:
            given = np.asarray(plain(ratings), dtype=float)
        except (TypeError, ValueError, RuntimeError):
            return False
        if given.shape != expected.shape:
            return False
        off = given - expected
        if np.abs(off).max() < NEAR:
            return True
        if np.ptp(off) < NEAR:
            return f"they are as far apart as they should be, but their mean is {given.mean():.6g}, not 0"
        return "whoever should be ahead is behind" if np.abs(given + expected).max() < NEAR else False

    return Such(f"{show(expected)}, to a tenth", holds)


def with_mean_0(ratings) -> str:
    """ "" or a sentence: of the wrong type, or a mean that is not 0."""
    if kind := array("float")(ratings):
        return kind
    mean = ratings.mean()
    return f"the ratings' mean is {mean:.6g}, not 0" if np.isfinite(mean) and abs(mean) >= NEAR else ""


def draw_of(seed: int) -> Draw:
    rng = np.random.default_rng(seed)
    return Draw(
        4, tuple((i, j, float(rng.integers(1, 9)), float(rng.integers(1, 9))) for i in range(4) for j in range(i))
    )


def balanced(ratings, draw: Draw) -> bool | str:
    made, expected = np.zeros(draw.players), np.zeros(draw.players)
    for i, j, mine, theirs in draw.pairs:
        share = 1 / (1 + 10 ** ((float(ratings[j]) - float(ratings[i])) / 400))
        for player, points, part in ((i, mine, share), (j, theirs, 1 - share)):
            made[player] += points + 0.5
            expected[player] += (mine + theirs + 1) * part
    worst = int(np.abs(made - expected).argmax())
    if abs(made[worst] - expected[worst]) < 0.05:
        return True
    return f"player {worst} made {made[worst]:g} points, and is expected to make {expected[worst]:.2f}"


def elo_by_small_steps(points):
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


def elo_by_newton(points):
    made = [[float(points[i, j]) for j in range(len(points))] for i in range(len(points))]
    pairs = tuple(
        (i, j, made[i][j], made[j][i]) for i in range(len(points)) for j in range(i) if made[i][j] + made[j][i]
    )
    return np.array(oracle(Draw(len(points), pairs)))


_DRAW = "points = points + 0.5 * met"

CHECK = Specification(
    draws=tables(),
    arguments=lambda draw: {"points": table(draw)},
    oracle=oracle,
    returns=with_mean_0,
    shown=shown,
    examples=12,
    edges=[
        Draw(2, ((0, 1, 1.0, 0.0),)),
        Draw(3, ((0, 1, 0.5, 0.5), (1, 2, 0.0, 1.0))),
        Draw(4, ((0, 1, 12.0, 0.0), (1, 2, 12.0, 0.0), (2, 3, 12.0, 0.0), (0, 3, 12.0, 0.0))),
    ],
    question="Expected and made points, added up for each player: for whom do they differ under your ratings?",
    by_hand=by_hand,
    tolerance=(0, NEAR),
    wrong=[
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
        Wrong("the table changed", "the draws are added to the caller's own table", "Who else may be looking at `points`?",
              (_DRAW, "points += 0.5 * met")),
    ],
    right=[elo_by_small_steps, elo_by_newton],
)  # fmt: skip
