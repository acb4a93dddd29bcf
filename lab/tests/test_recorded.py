"""Sentences of the notebooks with figures that only the lab keeps: each is in its source, with the right figures."""

import numpy as np
import pytest

from course_utils.learning.tournament import wilson_interval
from course_utils.paths import SOURCES
from lab.saving import load_result


def tree_search_tables():
    """What the text says of the recorded matches."""
    equal = {row["simulations"]: row for row in load_result("uct_equal").rows + load_result("uct_equal_10000").rows}
    assert equal[100]["wins"] > 20 and all(equal[n]["wins"] == equal[n]["losses"] == 0 for n in (1000, 10_000))
    held = {row["side"]: row["losses"] for row in load_result("uct_unequal").rows}
    assert held["first"] == 0 < held["second"]
    drawn = {
        side: {row["simulations"]: row["draws"] for row in load_result("uct_budgets").where(side=side)}
        for side in ("first", "second")
    }
    assert drawn["first"][100] == 100 > drawn["second"][1200]
    ends = {
        row["c_uct"]: wilson_interval(row["draws"], 200) for row in load_result("uct_constants").where(side="second")
    }
    wide = [ends[constant] for constant in ends if constant >= 0.5]
    assert max(low for low, _ in wide) < min(high for _, high in wide) and ends[0.0][1] < min(low for low, _ in wide)
    assert ends[0.25][1] < min(ends[0.5][0], ends[1.0][0])
    return [
        "the results are mixed with 100 simulations, and all games are drawn from 1,000 on",
        "A player with 100 simulations that moved first never lost to one with 10,000, but it did when it moved second",
        "it needs well over 1,000 to be safe",
        "With C = 0 the search never explores and is clearly worse, and so it is with 0.25; from 0.5 to 3 the intervals overlap",
    ]


def network_experiments():
    def right(part, variant):
        shares = [100 * row["right"] for row in load_result("network_training").where(part=part, variant=variant)]
        return f"{min(shares):.0f}-{max(shares):.0f} %"

    usual = right("loss", "cross-entropy, rate 0.3")
    few, careful, many = (
        right("data", f"{n} simulations") for n in ("100 games, 200", "100 games, 2000", "500 games, 200")
    )
    return [
        f"right moves rise from {usual} to {right('patience', '100 epochs')}",
        f"From the same games, {right('symmetry', 'eight forms')} of the network's moves are right",
        f"With 200 simulations, 100 games give {few} right moves, and 500 games give {many}.",
        f"With 2,000 simulations, 100 games give {careful}.",
    ]


def network_comparisons():
    """What the text says of them, seed by seed."""
    rows = {(row["variant"], row["seed"]): row for row in load_result("network_training").rows}
    for seed in range(5):
        assert rows["cross-entropy, rate 0.3", seed]["right"] > rows["squared error, rate 0.3", seed]["right"] + 0.1
        assert rows["apart, 9 inputs", seed]["right"] > rows["shared, 9 inputs", seed]["right"]
        for kind in ("shared", "apart"):
            assert rows["apart, 9 inputs", seed]["right"] > rows[f"{kind}, 18 inputs", seed]["right"] + 0.05
    return [
        "at the same rate cross-entropy is well ahead of the squared error, but in this small game two networks and 9 inputs do best",
    ]


def laboratory_printed_sign():
    record = load_result("sign_at_the_leaf")

    def shares(searched_by, outcome):
        for iteration, search in ((0, "right"), (20, "right"), (20, "listed")):
            rows = record.where(variant=f"trained by the {search} search", iteration=iteration, searched_by=searched_by)
            yield 100 * np.mean([row[outcome] for row in rows])

    won, lost = list(shares("right", "won")), list(shares("as listed", "lost"))
    return [
        f"win {min(won):.0f} to {max(won):.0f} % of their games against random moves with the right sign lose {min(lost):.0f} to {max(lost):.0f} % with the printed one"
    ]


def training_and_thinking():
    record = load_result("training_or_thinking")

    def right(iteration, simulations):
        rows = record.where(iteration=iteration, simulations=simulations)
        return np.mean([100 * row["kept"] / row["of"] for row in rows])

    for trained, searching in ((16, 8), (8, 8)):
        assert abs(right(trained, searching) - right(trained // 2, 4 * searching)) < 1
    assert all(abs(right(4, count) - right(2, 2 * count)) < 1.5 for count in (8, 16, 32))
    assert all(abs(right(n, 4) - right(n, 0)) < 3 for n in (0, 2, 4, 8, 16, 24)) and round(right(0, 64)) == 43
    assert all(right(1, n) == right(0, n) for n in (0, 8, 64))
    return [
        "An agent after 16 iterations with 8 simulations is as good as one after 8 iterations with 32, and 8 iterations with 8 simulations are as good as 4 with 32",
        "4 iterations with 8, 16 or 32 simulations are about as good as 2 with 16, 32 or 64",
        "Two or four simulations add hardly anything",
        "without any training, the mean is only 43 % even with 64 simulations",
        "After one iteration nothing has been learned yet",
    ]


@pytest.mark.parametrize(
    ("notebook", "recorded"),
    [
        ("13", tree_search_tables),
        ("21", network_experiments),
        ("21", network_comparisons),
        ("33", training_and_thinking),
        ("41", laboratory_printed_sign),
    ],
)
def test_what_a_text_says_of_a_record_stands_there(notebook, recorded):
    text = next(SOURCES.glob(f"{notebook}_*.md")).read_text("utf-8")
    for sentence in recorded():
        assert sentence in text
