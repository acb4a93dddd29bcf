"""The model of an iteration: what its costs are fitted to, and what it says in the limit."""

import pytest

from course_utils.learning.scaling import Costs, beside_others, fit_costs, iteration_seconds, measured_seconds

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
