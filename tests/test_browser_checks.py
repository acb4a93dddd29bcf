"""A check that fails, on the page: drawn, asked first, named one click later, and watched beside the right search."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser import lab  # noqa: F401  # a fixture

SETUP = """from course_utils import tests, ui
from course_utils.games import *
from course_utils.search.puct import *
from course_utils.search.puct import NO_ACTION, Node"""
SIGN = """def backup(leaf, value):
    node = leaf
    while node.parent is not None:
        action = node.parent_action
        node = node.parent
        node.N[action] += 1
        node.W[action] += value
"""
PARENT = """def expand(node, action, game):
    child = Node(game, game.play(node.state, action), node.parent, action)
    node.children[action] = child
    return child
"""
ROOT = """def mcts_search(game, state, network, simulations, c_puct, *, noise=None, rng=None, return_root=False):
    for _ in range(simulations):
        root = Node(game, state)
        evaluate(root, network, game)
        node, action = select(root, c_puct)
        if action != NO_ACTION:
            node = expand(node, action, game)
        backup(node, evaluate(node, network, game))
    return (root.N.copy(), root) if return_root else root.N.copy()
"""
RAISES = """def select(root, c_puct):
    node = root
    while True:
        node = node.children[select_child(node, c_puct)]
"""
RIGHT = SIGN.replace("        node.N[action]", "        value = -value\n        node.N[action]")
STALE = "Your cell has changed since it last ran"


def failed(lab, exercise: str, answer: str, theme: str = "light"):  # noqa: F811
    return lab.open(SETUP, answer, f"tests.test_{exercise}({exercise})", theme=theme, width=1280, height=800)


def numbers(scope) -> list[list[str]]:
    """Of the table, without the mark of the move that is taken."""
    return [row.locator("td").all_inner_texts() for row in scope.locator("tbody tr").all()]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_failed_case_is_drawn_and_the_mistake_is_named_one_click_later(lab, theme):  # noqa: F811
    notebook = failed(lab, "backup", SIGN, theme)
    box = notebook.output(2).locator(".course-case").first
    marked = [
        figure.locator("rect.mk + text").text_content()
        for figure in box.locator("figure.yours, figure.right").all()[:2]
    ]
    assert marked == ["W −0.5", "W 0.5"]
    expect(box.get_by_text("Ask yourself: A positive value is good for the player to move at the leaf")).to_be_visible()
    named = box.get_by_text("This is what you get when backup forgets to change the sign")
    expect(named).to_be_hidden()
    box.get_by_text("What is it?").click()
    expect(named).to_be_visible()
    expect(notebook.output(2)).to_contain_text(re.compile("CheckFailed: backup: see above$"))
    ground, ink = (
        box.locator(f"svg {what}").first.evaluate("one => getComputedStyle(one).fill") for what in (".gd", "text")
    )
    light = [sum(map(int, re.findall(r"\d+", color)[:3])) for color in (ground, ink)]
    assert (light[0] > light[1]) == (theme == "light")
    assert not notebook.violations(".course-case")
    notebook.close()


@pytest.mark.parametrize(
    ("exercise", "answer", "said"),
    [
        ("backup", SIGN, "They part in simulation 3, backup: W of cell 7 changes by −1 in yours, by 1 in the right one."),
        ("expand", PARENT, "They part in simulation 1, expand: the new node of yours has no parent."),
        ("mcts_search", ROOT, "They part in simulation 2, select: yours begins at a root of its own, where nothing is counted yet."),
        ("select", RAISES, "They part in simulation 1, select: yours makes no simulation 1: it raised KeyError: 1."),
    ],
)  # fmt: skip
def test_watch_it_opens_both_searches_where_they_part_and_steps_through_both(lab, exercise, answer, said):  # noqa: F811
    notebook = failed(lab, exercise, answer)
    box = notebook.output(2).locator(".compared")
    box.get_by_role("button", name="Watch it").click()
    expect(box.locator(".parting")).to_have_text(said)
    yours, right = box.locator(".yours .microscope"), box.locator(".right .microscope")
    assert yours.locator(".parted").count() and right.locator(".parted").count()
    assert box.evaluate("one => one.scrollWidth <= one.clientWidth + 1")
    assert not notebook.violations(".compared")
    for _ in range(40):
        if "step 1 of" in box.locator(".where").first.inner_text():
            break
        box.get_by_role("button", name="One step back").click()
        assert numbers(yours) == numbers(right)
        assert not box.locator(".parted").count()
    box.get_by_role("button", name="To where they part").click()
    assert yours.locator(".parted").count() and right.locator(".parted").count()
    notebook.close()


def test_a_check_says_that_the_cell_above_it_was_not_run_again(lab):  # noqa: F811
    notebook = failed(lab, "backup", SIGN)
    expect(notebook.output(2).get_by_text(STALE)).to_be_hidden()
    notebook.cell(1).locator(".cm-content").click()
    notebook.page.keyboard.press("Control+End")
    notebook.page.keyboard.type("# another line")
    notebook.run(2)
    expect(notebook.output(2).get_by_text(STALE).first).to_be_visible()
    notebook.run(1)
    notebook.run(2)
    expect(notebook.output(2).get_by_text(STALE).first).to_be_hidden()
    notebook.close()


def test_so_does_the_check_of_a_stub_that_was_filled_in_and_not_run(lab):  # noqa: F811
    stub = 'def backup(leaf, value):\n    raise NotImplementedError("backup is not written yet")'
    notebook = failed(lab, "backup", stub)
    expect(notebook.output(2)).to_contain_text("CheckFailed: backup: not written yet")
    expect(notebook.output(2).get_by_text(STALE)).to_be_hidden()
    notebook.cell(1).locator(".cm-content").click()
    notebook.page.keyboard.press("Control+End")
    notebook.page.keyboard.type("# written")
    notebook.run(2)
    expect(notebook.output(2).get_by_text(STALE)).to_be_visible()
    notebook.close()


def test_a_check_takes_less_than_60_kb_of_a_saved_notebook_and_a_right_answer_has_a_small_picture(lab):  # noqa: F811
    notebook = failed(lab, "backup", SIGN)
    notebook.save()
    outputs = lab.outputs(notebook.name, 2)
    assert 5_000 < len(json.dumps(outputs)) < 60_000
    notebook.close()
    notebook = failed(lab, "backup", RIGHT)
    expect(notebook.output(2)).to_contain_text(re.compile(r"✓ Passed\s+backup: (\d+) of \1 cases"))
    expect(notebook.output(2).locator(".course-case svg")).to_be_visible()
    expect(notebook.output(2).get_by_role("button", name="Watch it")).to_have_count(0)
    notebook.close()
