"""Draw the README's moving picture, a search that changes its mind: `python -m docs.source.search_film`.

The shipped Connect Four agent searches a recorded position in which one move wins and all others lose. Each frame shows the visits
after some simulations, beside the network's prior.
"""

import io

import matplotlib.pyplot as plt
import numpy as np
import torch
from PIL import Image

from course_utils import agents
from course_utils.learning.exam import load_positions
from course_utils.networks.cache import CachedNetwork
from course_utils.paths import COURSE
from course_utils.search.puct import mcts_search
from course_utils.ui.palette import CARD, COLOR, FAINT, GRAY, INK, SPARE, STYLE

FILM = COURSE / "docs" / "images" / "search.gif"
MOVES = "325513355213112"
SIMULATIONS = 200
FRAMES = [*range(1, 31), *range(32, 131, 2), *range(135, SIMULATIONS + 1, 5)]
BASE, HIGH = 6.8, 2.6  # where the bars begin above the board, and the height of 100 %
MILLISECONDS, FIRST, LAST = 110, 1500, 4000  # of a frame, of the first and of the last


def main() -> None:
    torch.set_num_threads(1)
    [position] = [position for position in load_positions() if position.moves == MOVES]
    agent = agents.load("connect_four", SIMULATIONS)
    network = CachedNetwork(agent.network)
    prior = agent.statistics(position.state)["prior"]
    visits = [mcts_search(agent.game, position.state, network, count, agent.c_puct) for count in FRAMES]
    pictures = [
        frame(agent.game, position, prior, counts, number) for number, counts in zip(FRAMES, visits, strict=True)
    ]
    palette = pictures[-1].quantize(48, dither=Image.Dither.NONE)
    first, *others = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    durations = [FIRST, *[MILLISECONDS] * (len(FRAMES) - 2), LAST]
    first.save(FILM, save_all=True, append_images=others, duration=durations, loop=0, optimize=True)
    print(f"{FILM.name}: {len(FRAMES)} frames, {FILM.stat().st_size / 1e6:.2f} MB; visits {visits[-1].astype(int)}")


def frame(game, position, prior: np.ndarray, visits: np.ndarray, simulations: int) -> Image.Image:
    """The board, and above each column its share of the visits and the prior."""
    with plt.rc_context({**STYLE, "figure.dpi": 100}):
        figure, axes = plt.subplots(figsize=(5.2, 6.6), layout="constrained")
        axes.set(xlim=(-0.6, 6.6), ylim=(-0.55, BASE + HIGH + 0.5), aspect="equal", xticks=[], yticks=[])
        axes.set_axis_off()
        figure.patch.set_facecolor(CARD)
        favorite, shares = int(visits.argmax()), visits / visits.sum()
        for column in range(game.columns):
            color = COLOR[game.to_play(position.state)] if position.keeps[column] else GRAY
            axes.add_patch(plt.Rectangle((column - 0.32, BASE), 0.64, HIGH * shares[column], color=color, lw=0))
            axes.plot([column - 0.42, column + 0.42], [BASE + HIGH * prior[column]] * 2, color=INK, lw=2)
            axes.text(column, BASE - 0.08, f"{shares[column]:.0%}", ha="center", va="top", fontsize=10, color=FAINT)
        for row, cells in enumerate(game.cells(position.state)):
            for column, cell in enumerate(cells):
                color = COLOR[int(cell)] if cell else SPARE
                axes.add_patch(plt.Circle((column, game.rows - 1 - row), 0.41, color=color, lw=0))
        axes.plot(favorite, game.rows - 0.15, marker="v", ms=13, color=INK)
        liked = int(prior.argmax())
        label = f"network alone: {prior[liked]:.0%}"
        axes.text(liked + 0.42, BASE + HIGH * prior[liked] + 0.08, label, ha="right", va="bottom", fontsize=10)
        axes.set_title(f"Simulation {simulations} of {SIMULATIONS}", loc="left", fontweight="bold", fontsize=14)
        axes.text(-0.55, BASE + HIGH + 0.12, "bars: visits of the search", va="bottom", fontsize=10)
        words = "its favorite wins, and no other move does" if position.keeps[favorite] else "its favorite move loses"
        figure.supxlabel(f"Orange to move: {words}.", fontsize=12, color=INK)
        file = io.BytesIO()
        figure.savefig(file, format="png")
        plt.close(figure)
    return Image.open(file).convert("RGB")


if __name__ == "__main__":
    main()
