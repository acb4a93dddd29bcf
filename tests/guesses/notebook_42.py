"""Answers of the guesses, worked out another way."""

import numpy as np

from course_utils.results import load_result


def two_hundred_against_two_hundred():
    rows = load_result("network_against_rollouts").where(
        variant="taught by 100 games of rollouts", simulations=200, rollouts=200
    )
    assert sum(row["wins"] + row["draws"] + row["losses"] for row in rows) == 200
    return sum(row["wins"] for row in rows)


def unbeatable_after_the_schedule():
    record = load_result("published_schedule")
    ends = [row for name in ("20 x 50", "20 x 100") for row in record.where(variant=name, simulations=200)]
    assert len(ends) == 10
    return sum(row["first"] + row["second"] == 0 for row in ends)


def few_fatal_moves():
    rows = load_result("metrics_along_a_run").where(iteration=3)
    assert 0.02 < np.mean([row["fatal"] / row["could_be"] for row in rows]) < 0.04
    return 100 * np.mean([row["drawn_second"] for row in rows])


def loss_of_the_thesis():
    return sum(row["loss"] < 0.36 for row in load_result("stop_by_loss").where(limit=0.36))


def depth_six():
    rows = load_result("connect_four_opponents").where(variant="trained, against alpha-beta, depth 6")
    return 100 * sum(row["wins"] for row in rows) / sum(row["wins"] + row["draws"] + row["losses"] for row in rows)


TRUTHS = {
    "two-hundred-against-two-hundred": two_hundred_against_two_hundred,
    "unbeatable-after-the-schedule": unbeatable_after_the_schedule,
    "few-fatal-moves": few_fatal_moves,
    "loss-of-the-thesis": loss_of_the_thesis,
    "depth-six": depth_six,
}
