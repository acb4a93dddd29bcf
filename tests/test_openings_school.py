"""Self-play from doubtful openings: where games begin, what is learned from a search, and when a game counts as over."""

from dataclasses import replace

import numpy as np

from benchmarks.openings_school import GAME, School, completed_policy, doubtful_openings, school_games
from course_utils.games.batched import make_batched
from course_utils.learning.training import config_for
from course_utils.search.batched import ROOT, Tree

BATCHED = make_batched(GAME)
QUICK = School(simulations=4, late_simulations=2, candidates=3)


class SureOfTheCorner:
    """Sure of every position with a stone in the first column's lowest cell, in doubt of all others."""

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value = planes[:, 0, -1, 0] - planes[:, 1, -1, 0]
        return value.astype(np.float32), np.zeros((len(planes), 7), dtype=np.float32)


def corner(states: np.ndarray) -> float:
    """The share of positions with such a stone."""
    return BATCHED.encode(states)[:, :, -1, 0].sum(axis=1).mean()


def test_games_begin_in_different_openings_and_more_often_in_doubtful_ones():
    states, plies = doubtful_openings(BATCHED, SureOfTheCorner(), 300, School(), np.random.default_rng(0))
    assert len(np.unique(states, axis=0)) == len(states) == 300
    assert plies.min() >= 1 and plies.max() <= 8
    assert (BATCHED.encode(states).sum(axis=(1, 2, 3)) == plies).all()
    sure, doubtful = School(doubt_width=1e9), School(doubt_width=0.1)
    shares = []
    for school in (sure, doubtful):
        rng = np.random.default_rng(1)
        shares.append(corner(doubtful_openings(BATCHED, SureOfTheCorner(), 300, school, rng)[0]))
    assert shares[1] < shares[0] - 0.1


def test_a_move_never_searched_counts_as_much_as_those_that_were():
    tree = Tree.plant(BATCHED, BATCHED.initial(1), 1)
    tree.N[0, ROOT, :3], tree.W[0, ROOT, :3] = [2, 1, 1], [1.0, -1.0, 0.0]
    policy = completed_policy(tree, np.zeros((1, 7)), q_weight=0.05)[0]
    mean = (0.5 - 1.0 + 0.0) / 3  # equal priors
    expected = np.exp((50 + 2) * 0.05 * np.array([0.5, -1.0, 0.0, mean, mean, mean, mean]))
    assert np.allclose(policy, expected / expected.sum())


def test_games_are_played_to_their_ends_or_until_the_search_is_sure():
    config = config_for(GAME, root_share=0.0, blunder_margin=9.0)
    whole, happened = school_games(SureOfTheCorner(), 20, config, replace(QUICK, resign=2.0), np.random.default_rng(0))
    cut, _ = school_games(
        SureOfTheCorner(), 20, config, replace(QUICK, resign=0.5, play_on=0.0), np.random.default_rng(0)
    )
    assert happened["played_on"] == happened["wrongly_sure"] == 0
    assert len(cut) < len(whole) and whole.games == cut.games == 20
    for examples in (whole, cut):
        stones = examples.planes.sum(axis=(1, 2, 3))
        assert (stones == examples.ply).all() and (examples.ply == 0).sum() == 2
        assert np.allclose(examples.policy.sum(axis=1), 1)
        assert (examples.policy[examples.planes.sum(axis=1)[:, 0, :] == 1] < 1e-6).all()  # full columns
        assert (examples.value == examples.outcome).all() and set(np.unique(examples.outcome)) <= {-1.0, 0.0, 1.0}
