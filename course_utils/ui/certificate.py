"""What is proven of an agent of tic-tac-toe, and who made it, to hang on the wall."""

import textwrap

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_utils import mine
from course_utils.agents import SearchAgent
from course_utils.games import after
from course_utils.learning.arena import count_lines
from course_utils.learning.exam import exam, right_moves
from course_utils.ui.figures import tell
from course_utils.ui.palette import CARD, FAINT, INK, TEAL
from course_utils.ui.plots import draw_board

OUR_POSITION = [0, 4, 8, 2, 6, 3]


def certificate(agent: SearchAgent, by: str = "you") -> Figure:
    """All games that can be played against it are counted, and its network sits the exam. `figure.savefig("certificate.png")` keeps it.

    Args:
        agent: as `mine.agent("tictactoe")` makes it: with a kept network it is the learner's, else the course's.
        by: the learner's name.
    """
    heading, lines = what_is_proven(agent)
    paragraphs = [*lines, who_made_it(agent, by)]
    figure = plt.figure(figsize=(8, 5.4), facecolor=CARD)
    for margin, width in ((0.015, 2.5), (0.03, 0.8)):
        figure.add_artist(Rectangle((margin, margin), 1 - 2 * margin, 1 - 2 * margin, fill=False, edgecolor=TEAL, linewidth=width))  # fmt: skip
    figure.text(0.5, 0.87, "AlphaZero", ha="center", fontsize=13, color=FAINT, family="serif")
    figure.text(0.5, 0.77, heading, ha="center", fontsize=22, color=INK, family="serif")
    text = "\n\n".join(textwrap.fill(paragraph, 50) for paragraph in paragraphs)
    figure.text(0.35, 0.68, text, va="top", fontsize=12, color=INK, family="serif", linespacing=1.4)
    board = figure.add_axes((0.07, 0.28, 0.23, 0.33))
    state = after(agent.game, OUR_POSITION)
    draw_board(agent.game, agent.game.play(state, agent.act(state)), ax=board)
    tell(figure, " ".join([f"{heading}.", *paragraphs]))
    return figure


def what_is_proven(agent: SearchAgent) -> tuple[str, list[str]]:
    """A heading, and a paragraph each on all games and on the exam."""
    first, second = (count_lines(agent.game, agent, side) for side in (1, -1))
    lost, games = first.losses + second.losses, sum(first) + sum(second)
    search = f"with {agent.simulations} simulations for each move"
    counted = (
        f"Of all {games:,} games that can be played against it, {sum(first):,} moving first and {sum(second):,} moving second, "
        f"it loses {lost or 'none'}, {search}. Each of them was played."
    )
    positions = exam(agent.game.name)
    alone, searched = (
        f"{100 * right_moves(agent.game, agent.network, positions, count, agent.c_puct):.1f} %"
        for count in (0, agent.simulations)
    )
    examined = (
        f"In the {len(positions):,} positions where a move can throw something away, its network is right in {alone} at first sight, "
        f"and in {searched} after a search."
    )
    return ("This agent can still be beaten" if lost else "This agent can't be beaten"), [counted, examined]


def who_made_it(agent: SearchAgent, by: str) -> str:
    """Its network, and the functions that learned and play."""
    if not mine.has_network(agent.game.name):
        return "The course trained it. Train one of your own, and it stands here."
    total, own = mine.share_of_functions()
    return f"Trained by {by}, from nothing but its own games. {own} of the {total} functions that made it are by {by}, too{', and the others by the course' * (own < total)}."
