"""The picture of training and thinking shows what was measured."""

import matplotlib.pyplot as plt
import numpy as np

from course_utils.results import load_result
from course_utils.ui.equal_strength_plot import draw_equal_strength, strengths
from course_utils.ui.figures import in_words
from tests.figure_texts import on_each_other

RESULT = load_result("training_or_thinking")


def test_strengths_are_the_shares_of_the_rows():
    iterations, simulations, percent = strengths(RESULT)
    assert percent.shape == (len(RESULT.seeds), len(simulations), len(iterations))
    row = RESULT.one(seed=3, iteration=8, simulations=16)
    assert percent[3, simulations.index(16), iterations.index(8)] == 100 * row["kept"] / row["of"]


def test_a_bold_line_runs_between_agents_that_are_weaker_and_agents_that_are_stronger():
    figure = draw_equal_strength(RESULT, levels=(60, 70))
    iterations, simulations, percent = strengths(RESULT)
    mean, across = percent.mean(axis=0), np.array([np.log2(count) if count else -1 for count in iterations])
    bold = [lines for lines in figure.axes[0].collections if lines.get_linewidths()[0] == 2.5]
    for level, lines in zip((60, 70), bold, strict=True):
        x, y = np.concatenate([path.vertices for path in lines.get_paths()]).T
        assert len(x) > 2
        for simulation, row in zip(np.log2(np.maximum(simulations, 1)), mean, strict=True):
            on_it = np.isclose(y, simulation)
            np.testing.assert_allclose(np.interp(x[on_it], across, row), level, atol=1e-6)
    plt.close(figure)


def test_it_says_its_numbers_to_those_who_do_not_see_it_and_no_text_lies_on_another():
    figure = draw_equal_strength(RESULT, levels=(50, 60, 70, 80))
    assert "64 simulations: 43, 43, 60" in in_words(figure)
    assert on_each_other(figure) == []
    plt.close(figure)
