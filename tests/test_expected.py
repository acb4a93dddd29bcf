"""What the texts promise of experiments that no cell runs: the sentence stands in its source, and the figures come out."""

import numpy as np
import pytest

from course_utils.paths import SOURCES
from course_utils.search.bandits import Bandit, epsilon_greedy_many, play_many, ten_armed, ucb_many


def _rewards(choose):
    """[runs]: mean reward per step, on the testbed of notebook 01."""
    testbed = ten_armed(np.random.default_rng(0), runs=1000)
    return play_many(testbed, choose, 1000, np.random.default_rng(3)).rewards.mean(axis=1).mean()


def bandits_others_only():
    everybody, others = (
        _rewards(epsilon_greedy_many(0.1, np.random.default_rng(2), others_only=flag)) for flag in (False, True)
    )
    return [f"All arms, by {everybody - others:.2f} per step"]


def bandits_shrinking_epsilon():
    rng = np.random.default_rng(2)
    fixed = _rewards(epsilon_greedy_many(0.1, np.random.default_rng(2)))
    shrinking = _rewards(lambda Q, N, t: epsilon_greedy_many(min(1, 10 / t), rng)(Q, N, t))
    return [
        f"earns {shrinking - fixed:.2f} per step more than a fixed 0.1, and {_rewards(ucb_many(2)) - shrinking:.2f} less than UCB"
    ]


def bandits_nearly_equal():
    machines = Bandit(np.tile([0.1] + [0.0] * 9, (200, 1)), np.ones((200, 10)))
    best = play_many(machines, ucb_many(2), 5000, np.random.default_rng(1)).arms == 0
    around_2000, at_the_end = best[:, 1900:2000].mean(), best[:, 4900:].mean()
    return [
        f"{around_2000:.0%}".replace("%", " %") + " of the steps around step 2,000",
        f"in {at_the_end:.0%}".replace("%", " %"),
    ]


EXPECTED = {
    "01": [bandits_others_only, bandits_shrinking_epsilon, bandits_nearly_equal],
}


@pytest.mark.parametrize(
    ("notebook", "computed"), [(notebook, one) for notebook, all_of in EXPECTED.items() for one in all_of]
)
def test_what_a_text_promises_comes_out(notebook, computed):
    text = next(SOURCES.glob(f"{notebook}_*.md")).read_text("utf-8")
    for sentence in computed():
        assert sentence in text
