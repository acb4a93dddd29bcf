"""The search microscope: the same position with more and more simulations."""

from collections.abc import Sequence

import ipywidgets as widgets

from course_utils import agents
from course_utils.games import Game, after, make_game
from course_utils.search.puct import Node, mcts_search
from course_utils.ui import thinking
from course_utils.ui.plots import draw_board, draw_tree, png, signed, static_bundle

STEPS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100, 200, 400)


def microscope(
    game_name: str = "tictactoe", position: Sequence[int] = (), *, agent=None, simulations: int = 50
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
            options=STEPS, value=nearest, description="Simulations", continuous_update=False,
            style={"description_width": "initial"}, layout={"width": "420px"},
        )  # fmt: skip
        self.board = widgets.Image(format="png", layout={"width": "auto", "align_self": "flex-start"})
        self.tree = widgets.Image(
            format="png", layout={"width": "auto", "max_width": "100%", "align_self": "flex-start"}
        )
        self.slider.observe(lambda change: self.look(change["new"]), "value")
        self.table = widgets.HTML(layout={"margin": "0 0 0 24px"})
        self.look(nearest)
        top = widgets.HBox([self.board, self.table], layout={"align_items": "center", "margin": "4px 0"})
        super().__init__([self.slider, top, self.tree])

    def look(self, simulations: int) -> None:
        """Search anew with so many simulations, and draw."""
        agent, game = self.agent, self.game
        thinking.wait()
        visits, self.root = mcts_search(game, self.state, agent.network, simulations, agent.c_puct, return_root=True)
        value = float(self.root.W.sum() / self.root.N.sum())
        title = f"share of {simulations} visit{'s' if simulations > 1 else ''}"
        ax = draw_board(game, self.state, policy=visits / visits.sum(), value=value, title=title)
        self.board.value = png(ax.figure)
        self.tree.value = png(draw_tree(game, self.root))
        self.table.value = _root_table(self.root, game)

    def _repr_mimebundle_(self, **kwargs):
        """Where widgets can't be shown: the tree as a picture, the visits as text."""
        text = f"visits after {self.slider.value} simulations: {self.root.N.astype(int).tolist()}\n{self.state}"
        return static_bundle(super()._repr_mimebundle_(**kwargs), self.tree.value, text)


def _root_table(root: Node, game: Game) -> str:
    """P, N and Q of every legal action at the root, the most visited in bold."""
    cell = "padding:1px 14px;text-align:right;background:none;border:none"
    rows = []
    for action in root.legal.nonzero()[0]:
        weight = "bold" if root.N[action] == root.N.max() else "normal"
        Q = signed(root.Q[action]) if root.N[action] else "not tried"
        numbers = (game.action_name(int(action)), f"{root.P[action]:.2f}", f"{root.N[action]:.0f}", Q)
        rows.append(
            f"<tr style='font-weight:{weight}'>" + "".join(f"<td style='{cell}'>{x}</td>" for x in numbers) + "</tr>"
        )
    heads = "".join(
        f"<th scope='col' style='{cell}'>{name}</th>" for name in ("action", "prior P", "visits N", "value Q")
    )
    return f"<table aria-label='statistics of the root' style='line-height:1.5;border:none'><tr>{heads}</tr>{''.join(rows)}</table>"
