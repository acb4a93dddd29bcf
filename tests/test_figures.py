"""Figures: one style, nothing too small to read, and a text for those who don't see them."""

import io
import re
from base64 import b64decode

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from PIL import Image

from course_utils import ui
from course_utils.authoring import execute
from course_utils.games import ConnectFour, TicTacToe, after
from course_utils.networks import UniformNetwork
from course_utils.paths import COURSE
from course_utils.search.puct import mcts_search
from course_utils.ui import figures
from tests.figure_texts import on_each_other

SOURCES = [*(COURSE / "notebooks" / "source").glob("*.md"), *(COURSE / "course_utils" / "ui").glob("*.py")]


@pytest.fixture(autouse=True)
def _no_open_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_letters_have_ten_points_and_figures_the_width_of_the_text(path):
    text = path.read_text("utf-8")
    sizes = [
        float(size)
        for size in re.findall(r"(?:fontsize|labelsize|titlesize|font\.size\":)\s*=?\s*(\d+(?:\.\d+)?)\b(?! \*)", text)
    ]
    assert min(sizes, default=10) >= 10
    widths = [float(width) for width in re.findall(r"figsize=\((\d+(?:\.\d+)?),", text)]
    assert max(widths, default=0) <= figures.WIDTH


def test_no_notebook_shows_a_picture_that_has_neither_a_text_nor_the_pages_theme():
    for path in SOURCES:
        assert "widgets.Image" not in path.read_text("utf-8"), f"{path.name}: widgets.HTML with figures.html(figure)"


SOLUTIONS = sorted((COURSE / "notebooks" / "solutions").glob("*.ipynb"))


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_every_picture_in_a_notebook_has_a_text_alternative(path):
    for cell in nbformat.read(path, 4).cells:
        written = cell.source if cell.cell_type == "markdown" else ""
        texts = re.findall(r"!\[(.*?)\]\(", written, re.DOTALL)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            written += data.get("text/html", "")
            if "image/png" in data:
                texts.append(output.metadata.get("image/png", {}).get("alt", ""))
        texts += [
            dict(re.findall(r'(\w+)="([^"]*)"', picture)).get("alt", "")
            for picture in re.findall(r"<img[^>]*>", written)
        ]
        assert all(len(text) > 10 for text in texts), f"{cell.id}: {texts}"


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_no_cell_shows_the_same_picture_twice(path):
    for cell in nbformat.read(path, 4).cells:
        shown = [output.get("data", {}).get("image/png") for output in cell.get("outputs", [])]
        pictures = [picture for picture in shown if picture]
        assert len(pictures) == len({*pictures}), f"{cell.source[-100:]}\nEnd the last line with a semicolon?"


def test_a_figure_says_what_its_data_say():
    figure, ax = plt.subplots()
    ax.plot([0, 10, 20], [0.5, 0.25, 1.0], label="epsilon 0.1")
    ax.set(title="reward", xlabel="step", ylabel="mean reward")
    figure.canvas.draw()
    assert (
        figures.in_words(figure) == "reward: mean reward by step: epsilon 0.1 from 0.5 at 0 to 1 at 20 (lowest 0.25)."
    )


def test_bars_are_read_out_with_their_names():
    figure, ax = plt.subplots()
    ax.bar(["corner", "edge"], [3, 1.5])
    figure.canvas.draw()
    assert figures.in_words(figure) == "corner 3, edge 1.5."


def test_a_board_says_its_position():
    game = TicTacToe()
    ax = ui.draw_board(game, after(game, [4, 0]), policy=np.full(9, 1 / 7), value=0.25, title="early")
    words = figures.in_words(ax.figure)
    assert words.startswith("early: rows O . .; . X .; . . .; X to move; cell 1 14%")
    assert words.endswith("value +0.25 for X.")


@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour()], ids=lambda game: game.name)
def test_no_letter_of_a_board_or_tree_is_too_small(game):
    from matplotlib.text import Text

    _, root = mcts_search(game, game.initial_state(), UniformNetwork(game.num_actions), 30, 1.5, return_root=True)
    policy = root.N / root.N.sum()
    drawn = [ui.draw_board(game, root.state, policy=policy, value=0.1).figure, ui.draw_tree(game, root)]
    for figure in drawn:
        figure.canvas.draw()
        sizes = [text.get_fontsize() for text in figure.findobj(Text) if text.get_text() and text.get_visible()]
        assert min(sizes) >= 10
        assert figures.in_words(figure) != "A drawing."


def test_what_a_figure_was_told_to_say_comes_first_and_is_escaped():
    figure, ax = plt.subplots()
    ax.plot([1, 2], [3, 4], label="a line")
    ui.caption("Fewer & fewer mistakes.", alt='a "falling" line')
    page = figures.html(figure)
    assert 'alt="a &quot;falling&quot; line"' in page
    assert "Fewer &amp; fewer mistakes.</figcaption>" in page


def test_a_figure_has_twice_the_pixels_that_it_takes_on_the_page_and_keeps_its_width_in_a_solution():
    figure, _ = plt.subplots(figsize=(4, 2), dpi=80)
    page = figures.html(figure)
    [(width, picture)] = re.findall(r'<img [^>]*width="(\d+)"[^>]*base64,([^"]+)"', page)
    assert 280 < int(width) < 330  # 4 inches, less the empty margin
    with Image.open(io.BytesIO(b64decode(picture))) as opened:
        assert opened.width in (2 * int(width), 2 * int(width) + 1)
    cell = nbformat.v4.new_code_cell(outputs=[nbformat.v4.new_output("display_data", {"text/html": page})])
    execute._make_static(nbformat.v4.new_notebook(cells=[cell]))
    assert cell.outputs[0].metadata["image/png"] == {"alt": "A drawing.", "width": int(width)}


def test_a_components_picture_is_fine_too():
    data, metadata = ui.play()._repr_mimebundle_()
    with Image.open(io.BytesIO(b64decode(data["image/png"]))) as opened:
        assert metadata["image/png"]["width"] == opened.width // 2 > 150


def test_error_bars_and_ticks_with_names_are_read_out_too():
    figure, ax = plt.subplots()
    ax.errorbar(range(3), [0.5, 0.75, 0.7], yerr=[0.1, 0.1, 0.1], capsize=3, label="measured")
    ax.set_xticks(range(3), ["10", "100", "1,000"])
    ax.axvline(1, label="published")
    figure.canvas.draw()
    assert figures.in_words(figure) == "measured from 0.5 at 10 to 0.7 at 1,000 (highest 0.75); published at 1."


@pytest.mark.parametrize(
    ("game", "count"), [(TicTacToe(), 4), (TicTacToe(), 5), (ConnectFour(), 4), (ConnectFour(), 1)]
)
def test_boards_side_by_side_are_no_wider_than_the_text(game, count):
    figure = ui.draw_boards(game, [dict(state=game.initial_state(), title="a title")] * count, columns=5)
    assert figure.get_size_inches()[0] <= figures.WIDTH
    assert sum(ax.axison or bool(ax.patches) for ax in figure.axes) == count


def test_texts_on_each_other_are_found():
    figure, (left, right) = plt.subplots(1, 2, figsize=(4, 2), layout="constrained")
    left.set(title="short", xlabel="steps")
    right.set(title="short", xlabel="steps")
    assert on_each_other(figure) == []
    left.set_title("a title as wide as both of them")
    right.set_title("another that is too wide")
    assert on_each_other(figure) == ["'a title as wide as both of them' on 'another that is too wide'"]
