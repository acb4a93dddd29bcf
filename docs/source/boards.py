"""Take the pictures of the board, as JupyterLab draws it: `python -m docs.source.boards`."""

from docs.source.pictures import HIGH, WIDE, take
from tests.browser import SECONDS, a_lab

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
PICTURES = (  # name of the image, theme, cell
    ("board", "light", CONNECT_FOUR),
    ("board", "dark", CONNECT_FOUR),
    ("board_tictactoe", "light", TICTACTOE),
)
POINTED_AT = 5  # the square


def main() -> None:
    with a_lab() as lab:
        for name, theme, cell in PICTURES:
            notebook = lab.open(cell, theme=theme, width=WIDE, height=HIGH)
            notebook.page.keyboard.press("Control+b")  # the list of files goes
            board = notebook.page.locator(".board")
            board.locator(".shares text").first.wait_for(timeout=1000 * SECONDS)
            notebook.page.wait_for_timeout(6000)  # until the value of every move is known
            board.get_by_role("gridcell").nth(POINTED_AT).hover()
            take(board, theme, name, 498)
            notebook.page.close()


if __name__ == "__main__":
    main()
