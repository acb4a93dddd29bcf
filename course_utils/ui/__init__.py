"""What a learner sees: the board to play on, pictures, the search microscope, the training dashboard."""

from course_utils.ui import compared, figures, flood, interrupted
from course_utils.ui.board import play
from course_utils.ui.dashboard import Dashboard
from course_utils.ui.figures import caption
from course_utils.ui.microscope import microscope
from course_utils.ui.plots import draw_board, draw_boards, draw_examples, draw_tree

__all__ = ["Dashboard", "caption", "draw_board", "draw_boards", "draw_examples", "draw_tree", "microscope", "play"]

compared.install()
figures.install()
interrupted.install()
flood.install()
