"""Published results: each section has its row, and tables and pictures show what made-up records hold, counted by hand."""

import re
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.paths import SOURCES
from course_utils.results import Result
from course_utils.ui import published


def record(rows) -> Result:
    return Result("made_up", "none", [], "", {}, None, "", list(rows))


def curves(ax) -> dict:
    """What a panel shows: label -> [(x, y)]. The only curve has no label."""
    return {
        "" if line.get_label().startswith("_") else line.get_label(): list(zip(*line.get_data(), strict=True))
        for line in ax.get_lines()
    }


def plausible(count: int, of: int) -> str:
    """The shares in %, from the lowest to the highest, that are within 1.96 of their own deviations of what was seen."""
    shares = np.linspace(0, 1, 100_001)
    inside = shares[abs(count / of - shares) <= 1.96 * np.sqrt(shares * (1 - shares) / of)]
    return f"{count} ({100 * inside.min():.0f}-{100 * inside.max():.0f} %)"


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_each_section_has_a_row_and_each_row_leads_to_a_section():
    text = next(SOURCES.glob("42_*.md")).read_text("utf-8")
    head, *sections, _ready = re.split(r"^## ", text.split("## What will work at the end")[1], flags=re.MULTILINE)
    rows = [line for line in head.splitlines() if line.startswith("| ") and not line.startswith("| what")]
    links = [re.search(r"\[[^\]]+\]\(([^)]+)\) \|$", row)[1] for row in rows]
    headings = {"#" + section.splitlines()[0].replace(" ", "-") for section in sections}
    assert {link for link in links if link.startswith("#")} == headings
    words = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    assert f"{words.split()[len(rows) - 1]} published results" in head


def test_games_of_several_rows_are_counted_together_with_intervals():
    rows = [dict(wins=1, draws=7, losses=0), dict(wins=2, draws=10, losses=0)]
    assert published.shares_with_intervals(rows) == [plausible(3, 20), plausible(17, 20), plausible(0, 20)]


def test_games_against_rollouts_have_a_row_for_each_network_and_pairing():
    pairings = ((200, 200), (100, 500), (100, 1000))
    rows = [
        dict(variant=name, simulations=mine, rollouts=theirs, seed=seed, wins=wins + seed, draws=5, losses=1)
        for (name, wins), (mine, theirs), seed in product((("a", 3), ("b", 8)), pairings, (0, 1))
    ]
    shown = published.table_against_rollouts(record(rows)).rows
    assert [row[:2] for row in shown] == [[name, f"{x} against {y}"] for name, (x, y) in product("ab", pairings)]
    assert [row[2] for row in shown] == [plausible(7, 19)] * 3 + [plausible(17, 29)] * 3


def test_what_was_published_of_opponents_is_shown_only_where_something_was():
    games = dict(wins=4, draws=0, losses=4)
    rows = [
        dict(variant="trained", side="first", published="45-5", **games),
        dict(variant="trained", side="second", published="35-14", **games),
        *(dict(variant="untrained", side=side, **games) for side in ("first", "second")),
    ]
    shown = published.table_of_opponents(record(rows)).rows
    assert [row[2] for row in shown] == ["45-5", "35-14", "", ""]
    assert {row[3] for row in shown} == {plausible(4, 8)}


def test_the_stops_count_the_runs_that_got_there():
    rows = [
        dict(variant="under 2", reached=True, iteration=4, first=1, second=2),
        dict(variant="under 2", reached=False, iteration=20, first=0, second=5),
    ]
    assert published.table_of_stops(record(rows)).rows == [["under 2", "1 of 2", "4, 20", "3, 5"]]


def test_the_eight_positions_count_right_moves_alone_and_with_a_search():
    columns = [("a run of the course", iteration) for iteration in (0, 2, 4, 12)] + [("the thesis' final run", 1000)]
    rng = np.random.default_rng(0)
    rows = [
        dict(variant=variant, iteration=iteration, position=name, simulations=count, right=bool(rng.integers(2)))
        for (variant, iteration), name, count, _ in product(columns, ("one", "two"), (0, 25), range(5))
    ]
    for row in published.table_of_eight_positions(record(rows)).rows:
        for (variant, iteration), cell in zip(columns, row[1:], strict=True):
            here = [
                one
                for one in rows
                if (one["variant"], one["iteration"], one["position"]) == (variant, iteration, row[0])
            ]
            assert cell == " / ".join(str(sum(one["right"] for one in here if one["simulations"] == n)) for n in (0, 25))  # fmt: skip


def test_rules_of_tree_search_show_draws_as_second_player_against_perfect_play():
    game = dict(wins=0, losses=10)
    selection = [
        dict(score="UCT", opponent="perfect play", side="first", draws=40, **game),
        dict(score="UCT", opponent="perfect play", side="second", draws=30, **game),
        dict(score="UCT", opponent="OMC", side="both", draws=20, **game),
    ]
    tree = [dict(variant="kept", side=side, draws=draws, **game) for side, draws in (("first", 50), ("second", 60))]
    (uct, kept) = published.table_of_tree_rules(record(selection), record(tree)).rows
    assert uct == ["selected by UCT", "40", plausible(30, 40)]
    assert kept[1:] == ["70", plausible(60, 70)]


def test_exploratory_plies_show_the_end_of_each_run():
    rows = [
        dict(schedule="nine", iteration=at, simulations=count, kept=kept, of=10, first=lost, second=1)
        for at, count, kept, lost in ((19, 0, 1, 9), (20, 0, 8, 2), (20, 0, 9, 3), (20, 50, 10, 0), (20, 50, 10, 4))
    ]
    assert published.table_of_exploratory_plies(record(rows)).rows == [["nine", "80.0%, 90.0%", "3, 4", "1, 5"]]


def test_the_final_run_shows_means_of_the_seeds_and_each_printed_number():
    def row(games, simulations, drawn, variant="H"):
        return dict(
            variant=variant, games=games, simulations=simulations, drawn_second=drawn, policy_loss=drawn + 1, value_loss=drawn / 2
        )  # fmt: skip

    rows = [row(*one) for one in ((50, 0, 0.1), (100, 0, 0.2), (100, 0, 0.4), (100, 100, 0.5), (100, 100, 0.9))]
    rows += [row(0, 100, drawn, "UCT") for drawn in (0.5, 0.7)]
    losses, drawn = published.draw_final_run(record(rows), [(0, 53, "d", "UCT")]).axes
    assert curves(losses)["policy loss"] == [(50, 1.1), (100, pytest.approx(1.3))]
    assert curves(losses)["value loss"] == [(50, 0.05), (100, pytest.approx(0.15))]
    assert curves(drawn)["ours, 100 iterations"] == [(100, 0.7)]
    assert curves(drawn)["ours, network alone"] == [(100, pytest.approx(0.3))]  # 50 games: not a published checkpoint
    assert [y for _, y in curves(drawn)["ours, UCT with 100 iterations"]] == pytest.approx([0.6, 0.6])
    (printed,) = drawn.containers
    low, high = printed[2][0].get_segments()[0][:, 1]
    assert printed[0].get_ydata() == 0.53 and plausible(53, 100) == f"53 ({100 * low:.0f}-{100 * high:.0f} %)"


def test_schedules_and_measures_show_the_mean_over_the_seeds():
    rng = np.random.default_rng(1)
    names = ("games", "draws", "policy_loss", "value_loss", "first", "second")
    rows = [
        dict(variant=variant, simulations=0, iteration=iteration, **dict(zip(names, rng.integers(1, 9, 6).tolist(), strict=True)))
        for variant, iteration, _ in product(("20 x 50", "20 x 100", "20 x 100, batches of 32"), (1, 2), range(3))
    ]  # fmt: skip
    measures = {
        "draws in self-play": lambda row: row["draws"] / row["games"],
        "policy loss": lambda row: row["policy_loss"],
        "value loss": lambda row: row["value_loss"],
        "losing lines, network alone": lambda row: row["first"] + row["second"],
    }
    figure = published.draw_schedules(record(rows))
    assert {ax.get_title() for ax in figure.axes} == measures.keys()
    for ax in figure.axes:
        for name, points in curves(ax).items():
            here = [[measures[ax.get_title()](row) for row in rows if (row["variant"], row["iteration"]) == (name, at)] for at in (1, 2)]  # fmt: skip
            assert points == [(1, pytest.approx(np.mean(here[0]))), (2, pytest.approx(np.mean(here[1])))]


def test_nine_measures_are_nine_panels_of_shares_in_percent_and_plain_numbers():
    row = dict(
        iteration=0, fatal=1, could_be=4, forked=3, could_fork=4, drawn_second=0.25, won_random=0.5, won_greedy=0.75
    )
    row |= dict(branching=2.5, value_error=0.5, cross_entropy=1.5, first=3, second=4)
    figure = published.draw_nine_measures([row, row | dict(fatal=3, first=5)])
    assert [curves(ax)[""][0][1] for ax in figure.axes] == [50, 75, 25, 50, 75, 2.5, 0.5, 1.5, 8]


def test_settings_in_play_are_varied_one_at_a_time():
    kinds = ("trained", "after two iterations", "no network")
    values = {0.0: 1.0, 1.0: 0.5}
    rows = [
        dict(variant=kind, simulations=100, temperature=temperature, c_puct=c_puct, drawn_second=values[temperature] / c_puct)
        for kind, temperature, c_puct in product(kinds, values, (1.5, 3.0))
    ]  # fmt: skip
    by_temperature, by_c_puct = published.draw_settings_in_play(record(rows)).axes
    assert set(curves(by_temperature)) == set(curves(by_c_puct)) == set(kinds)
    assert curves(by_temperature)["trained"] == [(0, 1 / 1.5), (1, 0.5 / 1.5)]
    assert curves(by_c_puct)["trained"] == [(1.5, 1 / 1.5), (3, 1 / 3)]
