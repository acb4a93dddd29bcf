"""The certificate: what is proven about an agent of tic-tac-toe, and who made it, as an SVG to hang on the wall."""

import math
import re
import textwrap
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from course_utils import mine
from course_utils.agents import SearchAgent
from course_utils.files import write_atomically
from course_utils.games import after
from course_utils.learning.arena import count_lines
from course_utils.learning.exam import exam, right_moves
from course_utils.networks.checkpoint import load_network
from course_utils.ui import palette
from course_utils.ui.component import text
from course_utils.ui.figures import framed
from course_utils.ui.film import OUR_POSITION, Film, keep_film, kept_film
from course_utils.ui.page import TITLE

WIDTH, HEIGHT = 1000, 700  # of the picture, in its own units
LEFT, GROUND = 60, 372  # where text begins; where the curve ends, and the ring stands
RING_X, RING = 780, 142  # the ring's middle, and its radius to the outer edge
LETTERS = 88  # of a line of text


@dataclass(frozen=True)
class Certificate:
    """A certificate, which a notebook shows and `save` keeps.

    Attributes:
        heading, paragraphs: what is proven, and who made the agent.
        lost: games that the agent loses, of all that can be played against it.
        cells: a finished game of the agent, row by row: "X", "O", ".".
        by: the learner's name; "" if it is not known.
        losing_lines: of the network alone, from the first iteration of the training to the last; [] if they are not
            known.
    """

    heading: str
    paragraphs: Sequence[str]
    lost: int
    cells: str
    by: str = ""
    losing_lines: Sequence[int] = ()

    def save(self, path: str | Path = "certificate.svg") -> None:
        """Write the picture. A browser opens it, and prints it."""
        write_atomically(Path(path), self.svg())

    def svg(self, scheme: str = "light dark") -> str:
        """The picture: in a page as light or dark as the page, as a file as the system or as `scheme` says."""
        style = re.sub(r"\s+", " ", text("course.css") + f"svg:root > .course-ui {{ color-scheme: {scheme}; }}")
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
            f'aria-label="{escape(str(self))}">',
            f'<style>{style}</style><g class="course-ui">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" {_fill("CARD")}/><rect width="{WIDTH}" height="14" '
            f"{_fill('ORANGE')}/>",
            _text(LEFT, 82, self._title, min(26, 1400 / len(self._title)), "FAINT", weight=600),
            *_heading(self.heading),
            *_curve(self.losing_lines),
            f'<path d="M{LEFT} {GROUND}H{WIDTH - LEFT}" {_stroke("GRID", 2)}/>',
            _ring(proven=not self.lost),
            _board(self.cells),
            *_lines(self.paragraphs),
            _text(WIDTH - LEFT, HEIGHT - 28, TITLE, 15, "FAINT", anchor="end"),
            "</g></svg>",
        ]
        return "\n".join(parts)

    @property
    def _title(self) -> str:
        return f"{self.by}'s AlphaZero" if self.by else "An AlphaZero, from nothing"

    def __str__(self) -> str:
        fall = (
            f" In training, its losing lines fell from {self.losing_lines[0]} to {self.losing_lines[-1]}."
            if self.losing_lines
            else ""
        )
        return " ".join([f"{self._title}. {self.heading}.", *self.paragraphs]) + fall

    __repr__ = __str__

    def _repr_html_(self) -> str:
        source = b64encode(self.svg("light").encode()).decode()
        return framed(f"data:image/svg+xml;base64,{source}", str(self), 760)


# --- the picture ------------------------------------------------------------------------------------------------------


def _paint(kind: str, color: str) -> str:
    """A color of the palette, and the page's own where there is one."""
    return f'{kind}="{getattr(palette, color)}" style="{kind}: var(--{color.lower()})"'


def _fill(color: str) -> str:
    return _paint("fill", color)


def _stroke(color: str, width: float) -> str:
    return (
        f'fill="none" stroke-width="{width:g}" stroke-linejoin="round" stroke-linecap="round" {_paint("stroke", color)}'
    )


def _text(
    x: float, y: float, words: str, size: float, color: str = "INK", weight: int = 400, anchor: str = "start"
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" font-weight="{weight}" text-anchor="{anchor}" '
        f"{_fill(color)}>{escape(words)}</text>"
    )


def _heading(words: str) -> list[str]:
    lines = textwrap.wrap(f"{words}.", 18)
    return [_text(LEFT - 3, 152 + 54 * number, line, 50, weight=800) for number, line in enumerate(lines)]


def _curve(losing_lines: Sequence[int]) -> list[str]:
    """The losing lines of the network alone, from iteration to iteration: how they fall, on a scale of powers of 10."""
    if len(losing_lines) < 2:
        return []
    right, high = RING_X - RING + 18, 90
    step = (right - LEFT) / (len(losing_lines) - 1)
    scale = high / math.log1p(max(*losing_lines, 1))
    points = [(LEFT + step * number, GROUND - scale * math.log1p(count)) for number, count in enumerate(losing_lines)]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    first, last = losing_lines[0], losing_lines[-1]
    about = f"{first} losing lines of its network before training, {last or 'none'} after it"
    return [f'<path d="M{path}" {_stroke("ORANGE", 5)}/>', _text(LEFT, GROUND + 28, about, 17, "FAINT")]


def _ring(*, proven: bool) -> str:
    """A zero, which is the second player's stone, too: closed where no game is lost, else a thin line."""
    width, color = (36, "ORANGE") if proven else (4, "GRID")
    return f'<circle cx="{RING_X}" cy="{GROUND - RING}" r="{RING - width / 2:g}" {_stroke(color, width)}/>'


def _board(cells: str) -> str:
    side = 42
    left, top = RING_X - 1.5 * side, GROUND - RING - 1.5 * side
    lines = f"M{left + side} {top}v{3 * side}m{side} 0v-{3 * side}M{left} {top + side}h{3 * side}m0 {side}h-{3 * side}"
    stones = {"X": "", "O": ""}
    for place, stone in enumerate(cells):
        x, y = left + side * (place % 3 + 0.5), top + side * (place // 3 + 0.5)
        if stone == "X":
            stones["X"] += f"M{x - 10:g} {y - 10:g}l20 20m0-20l-20 20"
        elif stone == "O":
            stones["O"] += f"M{x - 11:g} {y:g}a11 11 0 1 0 22 0a11 11 0 1 0-22 0"
    return (
        f'<path d="{lines}" {_stroke("GRID", 2)}/><path d="{stones["X"]}" {_stroke("BLUE", 5)}/><path '
        f'd="{stones["O"]}" {_stroke("ORANGE", 5)}/>'
    )


def _lines(paragraphs: Sequence[str]) -> list[str]:
    """Paragraphs below each other."""
    y, parts = GROUND + 76, []
    for paragraph in paragraphs:
        for line in textwrap.wrap(paragraph, LETTERS):
            parts.append(_text(LEFT, y, line, 19))
            y += 26
        y += 12
    return parts


# --- what it says -----------------------------------------------------------------------------------------------------


def certificate(agent: SearchAgent, by: str = "you", dashboard: Any = None) -> Certificate:
    """Count all games that can be played against an agent of tic-tac-toe, and let its network sit the exam.

    Args:
        agent: as `mine.agent("tictactoe")` makes it: with a kept network it is the learner's, else the course's.
        by: the learner's name.
        dashboard: of the run in which the agent was trained; the certificate then shows how its losing lines fell.
    """
    if dashboard is not None and len(dashboard.networks) > 1:
        keep_film(dashboard.networks)
    own = mine.has_network(agent.game.name)
    film = kept_film(load_network(mine.network_path(agent.game.name), agent.game.name)) if own else None
    name = by if own and by != "you" else ""
    return signed(what_is_proven(agent), name, who_made_it(agent, by), film)


def signed(proven: Certificate, by: str, who: str, film: Film | None) -> Certificate:
    """A certificate with a name, a paragraph on who made the agent, and its training."""
    return replace(
        proven,
        paragraphs=[*proven.paragraphs, who],
        by=by,
        losing_lines=film.losing_lines if film else [],
    )


def what_is_proven(agent: SearchAgent) -> Certificate:
    """A certificate of any agent of tic-tac-toe, without a word on who made it: a paragraph each on all games and on
    the exam.
    """
    first, second = (count_lines(agent.game, agent, side) for side in (1, -1))
    lost, games = first.losses + second.losses, sum(first) + sum(second)
    search = f"with {agent.simulations} simulations for each move"
    counted = (
        f"Of all {games:,} games that can be played against it, {sum(first):,} moving first and {sum(second):,} "
        "moving second, "
        f"it loses {lost or 'none'}, {search}. Each of them was played."
    )
    positions = exam(agent.game.name)
    alone, searched = (
        f"{100 * right_moves(agent.game, agent.network, positions, count, agent.c_puct):.1f} %"
        for count in (0, agent.simulations)
    )
    examined = (
        f"In the {len(positions):,} positions where a move can throw something away, its network is right in "
        f"{alone} at first sight, "
        f"and in {searched} after a search."
    )
    state = after(agent.game, OUR_POSITION)
    finished = agent.game.play(state, agent.act(state))
    cells = "".join(".XO"[cell] for cell in finished.cells)
    heading = "This agent can still be beaten" if lost else "This agent can't be beaten"
    return Certificate(heading, [counted, examined], lost, cells)


def who_made_it(agent: SearchAgent, by: str) -> str:
    """Its network, and the functions that learned and play."""
    if not mine.has_network(agent.game.name):
        return "The course trained it. Train one of your own, and it stands here."
    total, own = mine.share_of_functions()
    others = ", and the others by the course" * (own < total)
    return (
        f"Trained by {by}, from nothing but its own games. {own} of the {total} functions that made it are by "
        f"{by}, too{others}."
    )
