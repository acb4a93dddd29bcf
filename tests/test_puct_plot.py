"""The picture of PUCT over time shows the scores of the notebook, and marks the highest."""

import matplotlib.pyplot as plt
import numpy as np

from course_utils.games import TicTacToe, after
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.search.puct import mcts_search, select_child
from course_utils.ui.figures import in_words
from course_utils.ui.puct_plot import draw_scores
from tests.figure_texts import on_each_other

BY_HAND = [(0.513, 0.540, 0.447), (0.725, 0.424, 0.632), (0.435, 0.510, 0.774), (0.504, 0.582, 1.447)]


def drawn(simulations: int):
    game = TicTacToe()
    network = TorchNetwork(make_network(game, seed=0))
    position = after(game, [0, 4, 8, 2, 6, 3])
    roots = [mcts_search(game, position, network, count, 1.5, return_root=True)[1] for count in range(simulations)]
    chosen = [select_child(root, 1.5) for root in roots]
    return draw_scores(roots, chosen, 1.5), chosen


def test_the_tops_of_the_bars_are_the_scores_that_the_notebook_works_out_by_hand():
    figure, _ = drawn(4)
    for ax, scores in zip(figure.axes, np.transpose(BY_HAND), strict=True):
        bonus, average = ax.containers
        tops = [bar.get_y() + bar.get_height() for bar in bonus]
        np.testing.assert_allclose(tops, scores, atol=0.002)
        np.testing.assert_allclose([bar.get_y() for bar in bonus], [bar.get_height() for bar in average])
    plt.close(figure)


def test_the_triangle_stands_over_the_highest_bar_of_each_simulation():
    figure, chosen = drawn(20)
    tops = np.array([[bar.get_y() + bar.get_height() for bar in ax.containers[0]] for ax in figure.axes])
    marked = [set(line.get_xdata()) for ax in figure.axes for line in ax.get_lines() if line.get_label() == "chosen"]
    for simulation, best in enumerate(tops.argmax(axis=0), start=1):
        assert [simulation in row for row in marked] == [row == best for row in range(3)]
    assert [(1, 5, 7)[row] for row in tops.argmax(axis=0)] == chosen
    plt.close(figure)


def test_it_says_the_choices_to_those_who_do_not_see_it_and_no_text_lies_on_another():
    figure, chosen = drawn(20)
    assert ", ".join(map(str, chosen)) in in_words(figure)
    assert on_each_other(figure) == []
    plt.close(figure)
