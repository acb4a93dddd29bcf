"""`make match A="tictactoe uct:100"`: agents against each other from different openings, or the checkpoints of a run against others."""

import argparse
import functools
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import torch
from tqdm.auto import tqdm

from course_utils.exercise import YourAnswerFailed, using
from course_utils.games import Game
from course_utils.learning.config import EngineConfig
from course_utils.learning.exam import Share
from course_utils.learning.run import new_network
from course_utils.learning.side_by_side import different_openings, play_out
from course_utils.learning.tournament import elo_ratings
from course_utils.networks.checkpoint import load_network, read
from course_utils.playing.opponents import agent_maker, always, checked_game, game_for, game_in, is_shipped, searcher
from course_utils.results import tabulated
from course_utils.search.minimax import solve
from course_utils.ui.palette import BLUE, GRAY, ORANGE, STYLE
from course_utils.ui.players import is_small

MOST = 10  # checkpoints of a run that play
AGAINST = ("random", "uct:100")  # what they play against, unless it is said
RESULTS = {"won": 1, "drawn": 0, "lost": -1}
FORCED = "of these from a lost opening"
Pair = tuple[str, str]


def main(options: argparse.Namespace, rest: list[str]) -> int:
    torch.set_num_threads(1)
    try:
        with using({}):  # the learner's functions play for "mine", and for nobody else
            return of_run(options) if options.run_folder else between(options)
    except (ValueError, YourAnswerFailed) as error:
        print(error, file=sys.stderr)
        return 1


def between(options: argparse.Namespace) -> int:
    """Everybody against everybody."""
    if len(options.agents) < 2:
        raise ValueError("a match needs two agents or more, such as `match tictactoe uct:100`")
    if options.out:
        raise ValueError("--out draws the checkpoints of a run, so it needs --run")
    game = checked_game(options.game or game_for(options.agents))
    names = [f"{one} ({i})" if options.agents.count(one) > 1 else one for i, one in enumerate(options.agents, 1)]
    makers = {
        name: agent_maker(game, one, options.simulations, options.seed + i)
        for i, (name, one) in enumerate(zip(names, options.agents, strict=True))
    }
    match = Match(game, makers, list(combinations(names, 2)), options.games, options.seed)
    return played(match)


def of_run(options: argparse.Namespace) -> int:
    """The checkpoints of a training run, each against the same opponents: how it learned."""
    if options.out:
        if options.out.suffix not in (".png", ".svg", ".pdf"):
            raise ValueError(f"--out is a picture, such as curve.png, curve.svg or curve.pdf, not {options.out}")
        options.out.parent.mkdir(parents=True, exist_ok=True)
    found = sorted(options.run_folder.glob("snapshots/[0-9]*.pt"))
    if not found:
        raise ValueError(f"{options.run_folder} contains no snapshots of a training run")
    chosen = [found[i] for i in sorted({*np.linspace(0, len(found) - 1, MOST).round().astype(int).tolist()})]
    game = checked_game(options.game or game_in(chosen[0]))
    nets = {int(path.stem): load_network(path, game.name) for path in chosen}
    try:
        begun = read(options.run_folder / "state.pt")
        nets = {0: new_network(game, EngineConfig(**begun["training"]), begun["seed"]).eval(), **nets}
    except (AttributeError, KeyError, TypeError, ValueError):
        pass  # without its state nobody knows with which weights the run began
    others = tuple(dict.fromkeys(options.agents)) or AGAINST
    makers = {one: agent_maker(game, one, options.simulations, options.seed) for one in others}
    for iteration, net in nets.items():
        makers[f"iteration {iteration}"] = always(searcher(game, net, options.simulations))
    pairs = [(f"iteration {iteration}", other) for iteration in nets for other in others]
    match = Match(game, makers, pairs, options.games, options.seed)
    status = played(match)
    if options.out:
        draw(match, list(nets), others, options.simulations).savefig(options.out)
        print(f"The picture is in {options.out}.")
    return status


def played(match: "Match") -> int:
    """Play it and print the tally, that of the games so far after Ctrl-C. Returns the exit status."""
    try:
        match.play()
    except KeyboardInterrupt:
        print(f"\nStopped: the tally counts {match.played} of {match.games} games.", file=sys.stderr)
    print(match)
    return 0 if match.played == match.games else 130


class Match:
    """Pairs of agents that play the same openings, each opening twice, with sides exchanged.

    Attributes:
        results: pair -> (side, result) -> games, both for the first of the pair: side +1 moved first, result +1 won.
        lost_openings: in a game small enough to be solved, opening -> the side that loses it against perfect play; None in others.
        lost_before: pair -> side -> how many of the lost games began at an opening that was lost by force.
    """

    def __init__(self, game: Game, makers: dict, pairs: list[Pair], games: int, seed: int):
        self.game, self.makers, self.pairs = game, makers, pairs
        self.openings = different_openings(game, games // 2, np.random.default_rng(seed))
        self.results: dict[Pair, Counter] = {pair: Counter() for pair in pairs}
        self.lost_before: dict[Pair, Counter] = {pair: Counter() for pair in pairs}
        self.lost_openings = lost_by_force(game, self.openings) if is_small(game) else None

    def play(self) -> None:
        """Games that are played side by side count when the last of them has ended: the short ones would weigh too much if one stops before.

        So few are begun at first, and then more, where an agent searches for all of its games in one go.
        """
        with tqdm(total=self.games, unit="game") as bar:
            for pair in self.pairs:
                one, other = (self.makers[name] for name in pair)
                most = (1, 8, 32)[hasattr(one(), "acts") + hasattr(other(), "acts")]
                left, width = list(self.openings), 1
                while left:
                    some, left, width = left[:width], left[width:], min(2 * width, most)
                    players = [{1: one(), -1: other()} for _ in some] + [{1: other(), -1: one()} for _ in some]
                    ends, _ = play_out(self.game, players, some * 2, bar.update)
                    sides = [1] * len(some) + [-1] * len(some)
                    self.count(pair, zip(sides, some * 2, ends, strict=True))

    def count(self, pair: Pair, games: Iterable[tuple]) -> None:
        """Add games to the tally: the side of the pair's first agent, the opening and the last state of each."""
        for side, opening, end in games:
            result = side * self.game.winner(end)
            self.results[pair][side, result] += 1
            if result < 0 and self.lost_openings and self.lost_openings.get(opening) == side:
                self.lost_before[pair][side] += 1

    @property
    def games(self) -> int:
        """How many there are to play."""
        return 2 * len(self.openings) * len(self.pairs)

    @property
    def played(self) -> int:
        return sum(found.total() for found in self.results.values())

    def share(self, pair: Pair, result: int, sides: Sequence[int] = (1, -1)) -> Share | None:
        """How many of the pair's games on these sides ended so; None before the first of them."""
        found = self.results[pair]
        of = sum(games for (side, _), games in found.items() if side in sides)
        return Share(sum(found[side, result] for side in sides), of) if of else None

    def __str__(self) -> str:
        """Tables for a terminal, with 95 % intervals (Wilson) in brackets."""
        sides = {"": (1, -1)} | ({" as X": (1,), " as O": (-1,)} if len(self.pairs) == 1 else {})
        rows = [
            dict(player=one + title, against=other)
            | {name: self.share((one, other), result, played) for name, result in RESULTS.items()}
            | {"forced": sum(self.lost_before[one, other][side] for side in played)}
            for one, other in filter(self.results.get, self.pairs)
            for title, played in sides.items()
        ]
        columns: dict[str, Any] = {
            "player": "{player}",
            "against": "{against}",
            **{name: functools.partial(counted, name) for name in RESULTS},
        }
        head = f"{len(self.openings)} different openings of {self.game.name}, each played twice with sides exchanged."
        notes = ["In brackets: 95 % intervals."]
        if name := next((name for pair in self.pairs for name in pair if is_shipped(name.split(":")[0])), ""):
            notes.append(f"The player {name} is the agent that comes with the course.")
        if self.lost_openings is not None:
            columns[FORCED] = "{forced}"
            notes.append(
                f"In {len(self.lost_openings)} of the {len(self.openings)} openings, one side already loses against perfect play."
            )
        return "\n\n".join([head, str(tabulated(rows, columns)), *self.ladder(), " ".join(notes)])

    def ladder(self) -> list[str]:
        """The table of Elo ratings, where more than two have all met each other."""
        names = list(dict.fromkeys(name for pair in self.pairs for name in pair))
        if len(names) < 3 or len(self.pairs) < len(names) * (len(names) - 1) / 2 or not all(self.results.values()):
            return []
        points = np.zeros((len(names), len(names)))
        for pair, found in self.results.items():
            i, j = map(names.index, pair)
            for (_, result), games in found.items():
                points[i, j] += games * (1 + result) / 2
                points[j, i] += games * (1 - result) / 2
        rows = [
            dict(
                player=name,
                elo=elo,
                points=made,
                of=sum(found.total() for pair, found in self.results.items() if name in pair),
            )
            for name, elo, made in zip(names, elo_ratings(points), points.sum(axis=1), strict=True)
        ]
        rows.sort(key=lambda row: -row["elo"])
        return [
            str(
                tabulated(
                    rows,
                    {"player": "{player}", "Elo (their mean is 0)": "{elo:+.0f}", "points": "{points:g} of {of}"},
                )
            )
        ]


def counted(result: str, row: dict) -> str:
    """The games with this result: their number, their share and its interval."""
    share: Share = row[result]
    low, high = share.interval
    return f"{share.kept}: {share.kept / share.of:.0%} ({100 * low:.0f} to {100 * high:.0f})"


def lost_by_force(game: Game, openings: Sequence) -> dict:
    """Opening -> the side, +1 or -1, that loses it against perfect play. Drawn openings are left out."""
    values = solve(game, game.initial_state())
    return {one: -values[one] * game.to_play(one) for one in openings if values[one]}


def draw(match: Match, iterations: list[int], others: Sequence[str], simulations: int) -> plt.Figure:
    """The shares of games won, drawn and lost along the run, with their intervals: a panel for each opponent."""
    with plt.rc_context({**STYLE, "figure.dpi": 160}):
        figure, axes = plt.subplots(
            1, len(others), figsize=(4.2 * len(others), 3.4), sharey=True, squeeze=False, layout="constrained"
        )
        for ax, other in zip(axes[0], others, strict=True):
            for (name, result), color, line in zip(
                RESULTS.items(), (BLUE, GRAY, ORANGE), ("-", "--", ":"), strict=True
            ):
                shares = {one: match.share((f"iteration {one}", other), result) for one in iterations}
                known = {one: share for one, share in shares.items() if share is not None}
                ax.plot(
                    list(known),
                    [100 * share.kept / share.of for share in known.values()],
                    line,
                    color=color,
                    label=name,
                )
                low, high = zip(*(share.interval for share in known.values()), strict=True) if known else ((), ())
                ax.fill_between(list(known), 100 * np.array(low), 100 * np.array(high), color=color, alpha=0.15, lw=0)
            ax.set(title=f"against {other}", xlabel="iteration", ylim=(0, 100))
        axes[0, 0].set(ylabel=f"% of games, {simulations or 'no'} simulations")
        axes[0, -1].legend()
    return figure
