"""The search microscope: the same position with more and more simulations."""

import io

import ipywidgets as widgets
import matplotlib.pyplot as plt

from course_utils import agents
from course_utils.games import after, make_game
from course_utils.search.puct import mcts_search
from course_utils.ui.plots import draw_board, draw_tree

STEPS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 200, 400)


def png(figure, dpi: int = 90) -> bytes:
    """The figure as a picture; closes it."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, facecolor=figure.get_facecolor())
    plt.close(figure)
    return buffer.getvalue()


def microscope(
    game_name: str = "tictactoe", position: list[int] = (), *, agent=None, simulations: int = 50
) -> "Microscope":
    """A slider over the number of simulations; below it the visits on the board, and the tree.

    Args:
        position: the actions played so far, `[4, 0, 8]`.
        agent: whose network searches, and with which `c_puct`; None: the shipped one.
        simulations: where the slider begins, rounded to one of its steps.

    Raises:
        ValueError: there is no such game, an action is not legal, or the game is over.
    """
    agent = agents.load(game_name) if agent is None else agent
    return Microscope(agent, after(make_game(game_name), list(position)), simulations)


class Microscope(widgets.VBox):
    """The widget. `look(simulations)` searches and draws."""

    def __init__(self, agent, state, simulations: int):
        self.agent, self.game, self.state = agent, agent.game, state
        nearest = min(STEPS, key=lambda step: abs(step - simulations))
        self.slider = widgets.SelectionSlider(
            options=STEPS, value=nearest, description="simulations", continuous_update=False,
            style={"description_width": "initial"}, layout={"width": "420px"},
        )  # fmt: skip
        self.board = widgets.Image(format="png", layout={"width": "auto", "align_self": "flex-start"})
        self.tree = widgets.Image(
            format="png", layout={"width": "auto", "max_width": "100%", "align_self": "flex-start"}
        )
        self.words = widgets.HTML()
        self.slider.observe(lambda change: self.look(change["new"]), "value")
        self.look(nearest)
        super().__init__([self.slider, self.words, self.board, self.tree])

    def look(self, simulations: int) -> None:
        """Search anew with so many simulations, and draw."""
        agent, game = self.agent, self.game
        visits, self.root = mcts_search(game, self.state, agent.network, simulations, agent.c_puct, return_root=True)
        value = float(self.root.W.sum() / self.root.N.sum())
        title = f"share of {simulations} visit{'s' if simulations > 1 else ''}"
        ax = draw_board(game, self.state, policy=visits / visits.sum(), value=value, title=title)
        self.board.value = png(ax.figure)
        self.tree.value = png(draw_tree(game, self.root))
