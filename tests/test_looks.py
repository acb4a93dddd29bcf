"""What a failed case looks like: the picture of each kind of value, with the first difference marked in both."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from course_utils.exercise import EXERCISES
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.search.puct import Node, expand
from course_utils.tests import looks
from course_utils.tests.grade import CHECKS, grade
from course_utils.tests.looks import boards, drawn, trees
from course_utils.tests.looks.scores import scores_in
from course_utils.tests.render import as_data, as_html, as_text, html_of
from course_utils.tests.slips import difference
from course_utils.tests.values import deserialized, serialized
from course_utils.tests.world.trees import told

BOARD = "X . O\nO O .   X to move; 7 wins\nX . X"
CALL = "game = TicTacToe()\nmcts_search(game, state, network, 4, 1.5)"
VOID = {"path", "rect", "circle", "br"}


class Page(HTMLParser):
    """HTML in which every element ends where it should."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def of_case(expected, got, board="", call="f()", tolerance=1e-6):
    return looks.of_case(expected, got, board, call, tolerance)


def marked(picture: dict) -> str:
    """The text that the picture shows at its mark."""
    if picture["kind"] == "tree":
        texts = [text for node in picture["nodes"] for text, is_it in [*node["edge"], *node["below"]] if is_it]
        return " ".join(texts)
    row, column = picture["mark"]
    if picture["kind"] == "grid":
        return picture["lines"][row][column]
    return picture["over"][column] if row < 0 else picture["numbers"][row * picture["columns"] + column]


def test_visits_stand_on_the_board_of_their_position():
    pictures = of_case([0, 1, 0, 0, 0, 1, 0, 2, 0], np.array([0, 1, 0, 0, 0, 2, 0, 1, 0]), BOARD, CALL)
    for name, number in (("expected", "1"), ("got", "2")):
        assert pictures[name]["kind"] == "board"
        assert pictures[name]["cells"] == "X.OOO.X.X"
        assert pictures[name]["mark"] == [1, 2]
        assert marked(pictures[name]) == number
    assert pictures["position"]["title"] == "X to move; 7 wins"


@pytest.mark.parametrize(
    ("expected", "got", "marks"),
    [(7, 1, ([2, 1], [0, 1])), ([1, 5, 7], [1, 7], ([1, 2], [1, 2])), ([1, 5], [1, 5, 7], ([2, 1], [2, 1])), ([1], [1], (None, None))],
)  # fmt: skip
def test_actions_stand_in_their_cells_and_those_of_one_value_alone_are_marked(expected, got, marks):
    call = "game = TicTacToe()\nselect_child(node, 1.5)"
    pictures = of_case(expected, got, BOARD, call)
    assert (pictures["expected"]["mark"], pictures["got"]["mark"]) == marks
    for name, value in (("expected", expected), ("got", got)):
        assert [int(text) for text in pictures[name]["numbers"] if text] == (
            value if isinstance(value, list) else [value]
        )


def test_a_board_on_which_no_action_stands_is_as_large_as_the_one_beside_it():
    pictures = of_case([0, 1], [], "", "game = TicTacToe()\nlegal_actions(state)")
    sizes = [re.search(r"width='(\d+)'", drawn.drawn(pictures[name]))[1] for name in ("expected", "got")]
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize("seed", range(20))
def test_of_an_array_the_first_entry_that_differs_is_marked(seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 30, size=rng.integers(1, 3)) + 1)
    expected = rng.normal(size=shape)
    got = expected.copy()
    places = rng.choice(expected.size, size=3)
    got.flat[places] += 0.5
    first = np.unravel_index(min(places), shape)
    pictures = of_case(expected, got)
    for name, array in (("expected", expected), ("got", got)):
        text = marked(pictures[name]).replace("−", "-")
        assert float(text) == pytest.approx(array[first], rel=1e-2)


def test_numbers_that_differ_little_are_written_with_enough_digits():
    pictures = of_case([0.5, 0.25], [0.5, 0.250004], tolerance=1e-9)
    assert marked(pictures["expected"]) != marked(pictures["got"])


def tree(sign: int):
    game = TicTacToe()
    root = Node(game, after(game, [0, 4, 8, 2, 6, 3]))
    child = expand(root, 7, game)
    other = expand(root, 1, game)
    root.N[[1, 7]], root.W[[1, 7]] = [1, 2], [-0.25, 2.0 * sign]
    assert child.is_terminal and not other.is_terminal
    return root


def test_two_trees_show_the_same_nodes_and_the_number_that_differs_on_its_edge():
    pictures = of_case(told(tree(1)), told(tree(-1)))
    ours, theirs = pictures["expected"], pictures["got"]
    assert (marked(ours), marked(theirs)) == ("W 2", "W −2")
    assert [node["step"] for node in ours["nodes"]] == [node["step"] for node in theirs["nodes"]] == ["", "1", "7"]
    assert ours["nodes"][0]["board"]["cells"] == "X.OOO.X.X"
    [over] = [node for node in ours["nodes"] if node["step"] == "7"]
    assert over["below"] == [["over, worth −1", False]]


def test_a_node_that_is_missing_is_marked_in_both():
    right, wrong = tree(1), tree(1)
    del wrong.children[1]
    pictures = of_case(told(right), told(wrong))
    [there] = [node for node in pictures["expected"]["nodes"] if node["step"] == "1"]
    assert there["mark"]
    assert "no node" in marked(pictures["got"])


def test_numbers_of_a_line_of_nodes_stand_on_its_edges_or_below_its_nodes():
    line = "root --8--> child (worth 0.5 to the player to move at child)"
    pictures = of_case((1, -0.5), (1, 0.5), line, "backup(child, 0.5)\nroot.N[8], root.W[8]")
    assert pictures["position"] is None
    assert pictures["expected"]["nodes"][1]["edge"] == [["N 1", False], ["W −0.5", True]]
    pictures = of_case([1, -1, 1], [1, 1, 1], "root --4--> a --0--> leaf", "[node.W for node in nodes]")
    assert [node["below"] for node in pictures["got"]["nodes"]] == [[["1", False]], [["1", True]], [["1", False]]]


def test_a_state_is_a_board_also_after_it_came_from_another_process():
    right = after(TicTacToe(), [4])
    wrong = after(TicTacToe(), [3])
    for got in (wrong, deserialized(json.loads(json.dumps(serialized(wrong))))):
        pictures = of_case(right, got)
        assert pictures["expected"]["cells"] == "....X...."
        assert pictures["got"]["cells"] == "...X....."
        assert pictures["got"]["mark"] == [1, 0]


def test_a_game_of_self_play_is_a_row_of_boards():
    text = "... ... ...  policy {4: 1}  value {}\n... .o. ...  policy {0: 0.25, 8: 0.75}  value 0\n2 examples"
    pictures = of_case(text.replace("{}", "0"), text.replace("{}", "-1"))
    first, second = pictures["got"]["items"]
    assert (first["mark"], first["title"]) == ("title", "value −1 for X")
    assert (second["cells"], second["numbers"][0], second["numbers"][8]) == ("....O....", "0.25", "0.75")


@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour()])
def test_a_board_is_read_as_it_is_written(game):
    state = after(game, [2, 1, 0])
    picture = boards.only(str(state))
    cells = "".join("O.X"[int(cell) + 1] for cell in game.cells(state).flat)
    assert (picture["rows"], picture["columns"], picture["cells"]) == (game.rows, game.columns, cells)


def test_two_boards_beside_each_other_and_a_board_of_hex():
    found, words = boards.in_text("X X .            X X .\nO O . X to move  . O . O to move\n. . .            . . .")
    assert [picture["cells"] for picture in found] == ["XX.OO....", "XX..O...."]
    assert words == "X to move O to move"
    [hexagonal], _ = boards.in_text(". . X\n . X .\n  X . .")
    assert hexagonal["cells"] == "..X.X.X.." and hexagonal["slant"]


def test_a_text_and_a_single_number_stay_texts():
    assert of_case(0.5, 0.25) == {"position": None, "expected": None, "got": None}
    assert of_case("a diary\nof a run", "a diary")["expected"] is None


def test_nothing_that_an_answer_gives_becomes_markup():
    evil = "<script>alert(1)</script>"
    report = grade("mcts_search", lambda *args, **kwargs: {evil: evil})
    for html in (as_html(report), html_of(as_data(report), at_once=True)):
        assert evil not in html
        Page(html)
    picture = of_case({"a": [1, 2], "b": evil}, {"a": [1, 3], "b": evil})["got"]
    assert "&lt;script&gt;" in drawn.drawn(picture)


@pytest.mark.parametrize("name", EXERCISES)
def test_every_check_shows_its_first_wrong_answer_in_good_html_and_little_room(name):
    report = grade(name, CHECKS[name].wrong[0].answer)
    told_ = json.loads(json.dumps(as_data(report)))  # as rows of a class are kept
    for html in (as_html(report), html_of(told_, at_once=True)):
        page = Page(html)
        assert len(html) < 60_000
        assert "svg" in page.seen or "table" in page.seen
    case = next(case for case in told_["cases"] if not case["passed"])
    assert "picture" in case


@pytest.mark.parametrize("name", ["backup", "select_child", "winner"])
def test_a_notebook_asks_before_it_names_the_mistake_and_elsewhere_all_is_there_at_once(name):
    entry = CHECKS[name].wrong[0]
    report = grade(name, entry.answer)
    sentence, question = (f"This is what you get when {entry.sentence}", f"Ask yourself: {entry.question}")
    html = re.sub(r"</?code>|`", "", as_html(report))
    fold = html.index("<summary>What is it?")
    assert html.index("✗ failed:") < html.index("Ask yourself") < fold < html.index("This is what you get when")
    assert "<summary>What is it?" not in html_of(as_data(report), at_once=True)
    assert sentence in as_text(report) and question in as_text(report)


def test_points_of_luck_are_explained_only_where_the_answer_is_such_a_function():
    thoughtless = grade("winner", lambda state: 0)
    assert thoughtless.luck and not thoughtless.points
    thoughtless.source = 'def winner(state):\n    """Who has won."""\n    return 0\n'
    assert any("returns the same" in note for note in as_data(thoughtless)["notes"])
    assert as_data(thoughtless)["headline"] == thoughtless.headline
    assert ", 0 of " in thoughtless.headline
    thoughtless.source = "def winner(state):\n    for line in LINES:\n        pass\n    return 0\n"
    assert not any("returns the same" in note for note in as_data(thoughtless)["notes"])
    assert as_data(thoughtless)["headline"] == thoughtless.headline.partition(", 0 of ")[0]


def test_shapes_stay_a_text_whether_or_not_they_have_as_many_numbers():
    for got in ([(4, 1), (4, 9)], [(4,), (9, 4)]):
        pictures = of_case([(4,), (4, 9)], got, "", "[part.shape for part in parts]")
        assert pictures["expected"] is pictures["got"] is None


def test_truth_values_are_told_as_such():
    wanted = np.array([True, True, False, False])
    assert difference(wanted, [True, False, False, False]).startswith("first at [1]: True expected, False got")
    assert difference(wanted, [1, 0, 0, 0]).startswith("first at [1]: True expected, 0 got")
    assert difference([1, 2, 3, 4], [1, 2, 0, 4]).startswith("first at [2]: 3 expected, 0 got")


def test_a_position_that_the_tree_shows_at_its_root_is_not_drawn_twice():
    trees = told(tree(1)), told(tree(-1))
    assert of_case(*trees, BOARD)["position"] is None
    assert of_case(*trees, BOARD.replace("7 wins", "").replace("X . O", "X O ."))["position"]["kind"] == "board"


def test_select_childs_picture_has_the_score_of_every_action_and_marks_the_chosen_one():
    numbers = "[6, 3, 0], [3.0, 0.6, 0], [0.5, 0.3, 0.2]"
    call = (
        "game = TicTacToe()\nnode, free = Node(game, after(game, [0, 4, 8, 2, 6, 3])), [1, 5, 7]\n"
        f"node.N[free], node.W[free], node.P[free] = {numbers}\nselect_child(node, 1.5)"
    )
    right, yours = (of_case(7, 1, BOARD, call)[name] for name in ("expected", "got"))
    assert [text for text in right["numbers"] if text] == ["0.839", "0.556", "0.949"]  # as the check's question says
    assert (marked_cell(right), marked_cell(yours)) == ("0.949", "0.839")
    assert right["title"] == "action 7: by the formula 0.949"


@pytest.mark.parametrize("last", ["first, select_child(node, 1.5)", "[select_child(node, c) for c in [1.0]]"])
def test_scores_are_shown_only_for_a_single_call_on_numbers_that_are_written_out(last):
    lines = (
        "node, free = Node(game, 1), [1, 5]\nnode.N[free], node.W[free], node.P[free] = [1, 0], [1.0, 0], [0.5, 0.5]"
    )
    assert set(scores_in(f"{lines}\nselect_child(node, 1.5)")) == {1, 5}
    assert scores_in(f"{lines}\n{last}") == {}
    assert scores_in(f"{lines}\nbackup(node, 1.0)\nselect_child(node, 1.5)") == {}


def marked_cell(picture: dict) -> str:
    row, column = picture["mark"]
    return picture["numbers"][row * picture["columns"] + column]


def test_text_names_a_node_by_the_moves_that_lead_to_it():
    assert trees.in_words("root: ... ... ...\nroot/2/5: ..X .O. ...") == "root: ... ... ...\nafter 2, 5: ..X .O. ..."


def test_a_state_whose_turn_is_wrong_has_the_players_turn_marked():
    state = TicTacToe().play(TicTacToe().initial_state(), 4)
    right, yours = (of_case(state, state._replace(to_play=1))[name] for name in ("expected", "got"))
    assert (right["title"], yours["title"]) == ("O to move", "X to move")
    assert right["mark"] == yours["mark"] == "title"
    assert "<div class=mt>X to move</div>" in drawn.figure("got", yours, "")
