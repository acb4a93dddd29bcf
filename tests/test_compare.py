"""Any checkpoint in one table beside the course's agents."""

import re

import pytest

from course_utils.agents import CHECKPOINTS
from course_utils.games import ConnectFour, TicTacToe
from course_utils.networks.checkpoint import save_network
from course_utils.networks.policy_value import make_network
from course_utils.playing.compare import compare, read_positions


def rows(text):
    return [[cell.strip() for cell in re.split("[│┼]", line)] for line in text.splitlines() if re.search("[│┼]", line)]


def test_tic_tac_toe_is_graded_by_proof(tmp_path):
    path = tmp_path / "mine.pt"
    save_network(path, make_network(TicTacToe(), seed=0), "tictactoe")
    table = rows(compare(path, (0,)))
    players = {row[0]: dict(zip(table[0], row, strict=True)) for row in table[2:]}
    mine, untrained = players[str(path)], players["untrained, seed 0"]
    assert {**mine, "player": ""} == {**untrained, "player": ""}  # it is the same network
    assert (mine["losing lines, first"], mine["losing lines, second"], mine["proven never to lose"]) == (
        "66",
        "467",
        "no",
    )
    assert players["shipped with the course"]["proven never to lose"] == "yes"


def test_what_is_said_to_be_published_is_what_the_page_of_published_figures_quotes():
    from course_utils.paths import COURSE
    from course_utils.playing.compare import PUBLISHED

    page = (COURSE / "docs" / "published.md").read_text("utf-8")
    for words, line in (("plain UCT with 100 iterations 53", "| plain UCT, 100 iterations | 5.1.3, figure 5.4a | 53 of 100"),
                        ("after 100 games of training, 68", "first 100 games, 100 iterations | 5.1.3, figure 5.4a | 68 of 100"),
                        ("network alone, after 1,000 games, 87", "(one iteration) | 5.1.3, figure 5.4b | 87 of 100"),
                        ("asks for 100 draws of 100", "| section 14 | 100 of 100 drawn is asked for |")):  # fmt: skip
        assert words in " ".join(PUBLISHED["tictactoe"]) and line in page


def test_connect_four_stands_beside_what_is_on_record_with_intervals(tmp_path):
    lines = tmp_path / "positions.txt"
    lines.write_text("4453 -2\n\n44444 3\n112233 0\n")
    text = compare(CHECKPOINTS / "connect_four.pt", (0,), lines)
    assert "rollouts, 800 (stored result)" in text and " to " in rows(text)[2][2]
    assert rows(text)[-1][-1] == "3"  # positions


@pytest.mark.parametrize(
    ("text", "message"),
    [("4453 -2\n4453\n", "line 2"), ("4948 1\n", "line 1"), ("1212121 -1\n", "the game is over"), ("", "no positions"), ("44 won\n", "line 1")],
)  # fmt: skip
def test_a_line_that_is_no_position_is_named(tmp_path, text, message):
    path = tmp_path / "positions.txt"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_positions(ConnectFour(), path)


def test_what_is_no_network_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "x.pt").write_text("no checkpoint")
    for path in (tmp_path / "x.pt", tmp_path / "missing.pt"):
        with pytest.raises(ValueError):
            compare(path)
    path = tmp_path / "other.pt"
    save_network(path, make_network(TicTacToe(), seed=0), "connect_n:4x4x3")
    with pytest.raises(ValueError):
        compare(path)
