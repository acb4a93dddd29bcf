"""Take the pictures of check messages that docs/checks.md shows, as JupyterLab draws them: `python -m docs.source.messages`.

Each message is a mistake of a different kind, made in a notebook of its own and photographed in a real browser.
"""

import re
import sys

from course_utils.exercise import EXERCISES
from course_utils.paths import COURSE
from tests.browser import a_lab

IMAGES = COURSE / "docs" / "images"


def wrong(exercise: str, *changes: tuple[str, str]) -> str:
    """The exercise's reference with some of its lines changed, without its docstring."""
    source = re.sub(r'    """.*?"""\n', "", EXERCISES[exercise].source, count=1, flags=re.DOTALL)
    source = re.sub(r"    # (begin|end) given\n", "", source)
    for old, new in changes:
        assert old in source, f"{exercise} does not contain {old!r}"
        source = source.replace(old, new)
    return source


def check(exercise: str) -> str:
    return f"tests.test_{exercise}({exercise})"


GIVEN = """
from functools import partial
import numpy as np
from course_utils import tests
from course_utils.games import Game, TicTacToe
from course_utils.learning.examples import Examples
from course_utils.mine import mcts_search, sample_action, value_targets
from course_utils.networks import Network
from course_utils.search.puct import Node
"""
MESSAGES = {  # name of the image -> (theme, cells; the last one's output is photographed)
    "message_line": ("light", [wrong("select_child", ("node.Q + U", "node.q + U")), check("select_child")]),
    "message_slip": (
        "light",
        [
            wrong("select_child", ("np.sqrt(1 + node.N.sum())", "(1 + node.N.sum()) ** 1 / 2")),
            check("select_child"),
        ],
    ),
    "message_caller": (
        "dark",
        [
            wrong("add_root_noise"),
            check("add_root_noise"),
            wrong("self_play_game", ("noise=noise, rng=rng", "noise=noise")),
            check("self_play_game"),
        ],
    ),
    "message_raise": (
        "light",
        [wrong("backup") + '    raise NotImplementedError("backup is not written yet")', check("backup")],
    ),
    "message_aliasing": (
        "dark",
        [
            "buffers = {}\n\ndef relu(x):\n    out = buffers.setdefault(x.shape, np.empty(x.shape))\n    return np.maximum(x, 0, out=out)",
            check("relu"),
        ],
    ),
    "message_draw": (
        "light",
        [
            wrong(
                "backup",
                (
                    "    while node.parent is not None:",
                    "    for _ in range(9):\n        if node.parent is None:\n            break",
                ),
            ),
            check("backup"),
        ],
    ),
}


def photograph(names: list[str]) -> None:
    with a_lab() as lab:
        for name in names:
            theme, cells = MESSAGES[name]
            notebook = lab.open(GIVEN, *cells, theme=theme, width=1150, height=1700)
            notebook.output(len(cells)).screenshot(path=IMAGES / f"{name}.png")
            print(notebook.output(len(cells)).inner_text())
            notebook.page.close()


if __name__ == "__main__":
    photograph(sys.argv[1:] or list(MESSAGES))
