"""The model of an iteration: what its costs are fitted to, and what it says in the limit."""

import matplotlib.pyplot as plt
import pytest

from course_utils.learning.scaling import Costs, Measured, beside_others, fit_costs, iteration_seconds, measured_seconds
from course_utils.ui.scaling_plot import draw_workers

COSTS = Costs(alone=0.5, game=0.01, learn=0.4, rest=0.1, send=0.002)


def measured(disturbed: float):
    """Rows as the benchmark would write them, each once as it is and once on a busy machine."""
    for slower in (1.0, disturbed):
        for games in (8, 64, 512):
            yield dict(part="play", games=games, seconds=slower * (COSTS.alone + games * COSTS.game))
        for part in ("learn", "rest", "send"):
            yield dict(part=part, games=256, seconds=slower * getattr(COSTS, part))


@pytest.mark.parametrize("disturbed", [1.0, 3.0])
def test_the_costs_that_made_the_measurements_are_found_whatever_disturbed_some_of_them(disturbed):
    assert fit_costs(measured(disturbed)) == pytest.approx(COSTS)


def test_work_that_can_all_be_shared_is_done_as_many_times_as_fast_and_what_cannot_be_is_amdahls_limit():
    shared = Costs(alone=0, game=0.1, learn=0, rest=0, send=0)
    assert iteration_seconds(1, 1000, shared) == pytest.approx(1000 * iteration_seconds(1000, 1000, shared))
    fixed = shared._replace(rest=100 / 9)  # a tenth of all work
    for workers in (2, 10, 1000):
        faster = iteration_seconds(1, 1000, fixed) / iteration_seconds(workers, 1000, fixed)
        assert faster == pytest.approx(1 / (0.1 + 0.9 / workers))


def test_no_number_of_workers_is_faster_than_the_learner_or_than_a_game():
    for workers in (1, 5, 100, 10_000):
        seconds = iteration_seconds(workers, 256, COSTS)
        assert seconds >= COSTS.learn + COSTS.rest
        assert seconds >= COSTS.alone + COSTS.game + COSTS.rest


@pytest.mark.parametrize("disturbed", [1.0, 3.0])
def test_one_worker_says_how_much_longer_both_take_beside_each_other(disturbed):
    crowded = COSTS._replace(alone=1.3 * COSTS.alone, game=1.3 * COSTS.game, learn=1.1 * COSTS.learn)
    seconds = {
        "sent": COSTS.send,
        "part 0": crowded.alone + 256 * crowded.game,
        "learned": crowded.learn,
        "finished": COSTS.rest,
    }
    rows = [
        dict(workers=1, games=256, name=name, seconds=slower * took)
        for slower in (1.0, disturbed)
        for name, took in seconds.items()
    ]
    found = beside_others(COSTS, rows)
    assert found == pytest.approx(crowded)
    assert iteration_seconds(1, 256, found) == pytest.approx(measured_seconds(rows)[0])


def test_the_picture_shows_what_was_measured_beside_the_model_and_the_learners_limit():
    # 100 games: one takes 11 s to play them, and learning from them takes 2
    costs = Costs(alone=1, game=0.1, learn=2, rest=1, send=0)
    found = Measured(100, costs, costs, {0: 7.0, 1: 9.0, 4: 25.0}, {})
    figure = draw_workers(found)
    lines = {line.get_label(): dict(zip(*line.get_data(), strict=True)) for line in figure.axes[0].get_lines()}
    assert lines["measured: 100 games, shared"] == {1: 9.0, 4: 25.0}  # without a worker there is no number of workers
    assert lines["100 games, shared"][1] == pytest.approx(100 / (11 + 1))
    assert lines["100 games, shared"][1000] == pytest.approx(100 / (2 + 1))
    one = 64 / (1 + 6.4 + 0.64)  # 64 games each: the learner has 64 hundredths of the work
    assert lines["64 games each"][1] == pytest.approx(one)
    assert set(lines["all that the learner can learn from"].values()) == {50}
    plt.close(figure)
