"""The notebook 'What has it seen?': by scikit-learn's kind of probe, written with least squares alone."""

import numpy as np

from course_utils.games import TicTacToe
from course_utils.learning.knowledge import WIN, questions
from course_utils.networks.policy_value import make_network


def a_random_layer():
    """By numpy's least squares with a bias, and by counting pairs."""
    ask = questions(seed=1)
    has, out = ask.concepts[WIN], ask.held_out
    inputs = ask.planes.reshape(len(has), 18)

    def pairs_in_order(features):
        table = np.column_stack([features, np.ones(len(features))])
        scores = table @ np.linalg.lstsq(table[~out], has[~out].astype(float), rcond=None)[0]
        return (scores[out & has][:, None] > scores[out & ~has][None]).mean()

    def second_layer(seed):
        import torch

        with torch.no_grad():
            return make_network(TicTacToe(), seed).trunk(torch.from_numpy(ask.planes)).numpy()

    board = pairs_in_order(inputs)
    gains = [pairs_in_order(second_layer(seed)) - board for seed in range(3)]
    if min(gains) > 0.1:
        return "much better"
    return "much worse" if max(gains) < -0.1 else "about as well"


TRUTHS = {"a-random-layer": a_random_layer}
