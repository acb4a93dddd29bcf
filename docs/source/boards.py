"""Take the pictures of the board, as JupyterLab draws it: `python -m docs.source.boards`."""

import sys

from course_utils.authoring.build import few_colors
from course_utils.paths import COURSE
from tests.browser import SECONDS, a_lab

IMAGES = COURSE / "docs" / "images"
CONNECT_FOUR = """
from course_utils import ui
board = ui.play("connect_four", position=[3, 3, 2, 4, 4, 2, 1, 0])
board.show("visits", value=True)
board
"""
TICTACTOE = """
from course_utils import ui
board = ui.play("tictactoe", position=[4, 1, 8, 0])
board.show("visits", value=True, mistakes=True)
board
"""
PICTURES = {  # name of the image -> (theme, cell, the square that is pointed at)
    "board": ("light", CONNECT_FOUR, 5),
    "board_dark": ("dark", CONNECT_FOUR, 5),
    "board_tictactoe": ("light", TICTACTOE, 5),
}


def photograph(names: list[str]) -> None:
    with a_lab() as lab:
        for name in names:
            theme, cell, square = PICTURES[name]
            notebook = lab.open(cell, theme=theme, width=1400, height=1200)
            board = notebook.page.locator(".board")
            board.locator(".shares text").first.wait_for(timeout=1000 * SECONDS)
            notebook.page.wait_for_timeout(6000)  # until the value of every move is known
            board.get_by_role("gridcell").nth(square).hover()
            notebook.page.wait_for_timeout(500)
            path = IMAGES / f"{name}.png"
            path.write_bytes(few_colors(board.screenshot()))
            notebook.page.close()


if __name__ == "__main__":
    photograph(sys.argv[1:] or list(PICTURES))
