"""The drawing of a value on its way up says what `backup` does."""

import matplotlib.pyplot as plt
from matplotlib.text import Text

from course_utils.games import TicTacToe, after
from course_utils.search.puct import Node, backup, expand
from course_utils.ui.backup_plot import draw_backup


def test_the_drawing_says_what_backup_writes():
    game = TicTacToe()
    root = Node(game, after(game, [0, 4, 1]))
    middle = expand(root, 3, game)
    backup(expand(middle, 2, game), -1)
    figure = draw_backup(game, [0, 4, 1], [3, 2], -1)
    words = [text.get_text() for text in figure.findobj(Text)]
    assert f"root.N[3] += 1\nroot.W[3] += {root.W[3]:g}" in words
    assert f"child.N[2] += 1\nchild.W[2] += {middle.W[2]:g}" in words
    assert [word for word in words if " for " in word] == ["−1 for O", "+1 for X", "−1 for O"]
    assert words.count("change\nthe sign") == 2
    plt.close(figure)
