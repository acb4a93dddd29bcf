"""`make match A="tictactoe uct:100"`: agents against each other from different openings, or the checkpoints of a run
against others.
"""

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
    """Let all agents play each other."""
    if len(options.agents) < 2:
        raise ValueError("a match needs two agents or more, such as `match tictactoe uct:100`")
    if options.out:
        raise ValueError("--out draws the checkpoints of a run, so it needs --run")
    game = checked_game(options.game or game_for(options.agents))
    names = [
        f"{agent} ({i})" if options.agents.count(agent) > 1 else agent for i, agent in enumerate(options.agents, 1)
    ]
    makers = {
        name: agent_maker(game, agent, options.simulations, options.seed + i)
        for i, (name, agent) in enumerate(zip(names, options.agents, strict=True))
    }
    match = Match(game, makers, list(combinations(names, 2)), options.games, options.seed)
    return played(match)


def of_run(options: argparse.Namespace) -> int:
    """The checkpoints of a training run, each against the same opponents: how it learned."""
    if options.out:
        if options.out.suffix not in (".png", ".svg", ".pdf"):
            raise ValueError(f"--out is a picture, such as curve.png, curve.svg or curve.pdf, not {options.out}")
        options.out.parent.mkdir(parents=True, exist_ok=True)
    snapshots = sorted(options.run_folder.glob("snapshots/[0-9]*.pt"))
    if not snapshots:
        raise ValueError(f"{options.run_folder} contains no snapshots of a training run")
    chosen = [snapshots[i] for i in sorted({*np.linspace(0, len(snapshots) - 1, MOST).round().astype(int).tolist()})]
    game = checked_game(options.game or game_in(chosen[0]))
    nets = {int(path.stem): load_network(path, game.name) for path in chosen}
    try:
        begun = read(options.run_folder / "state.pt")
        nets = {0: new_network(game, EngineConfig(**begun["training"]), begun["seed"]).eval(), **nets}
    except (AttributeError, KeyError, TypeError, ValueError):
        pass  # without the state, the initial weights are unknown
    others = tuple(dict.fromkeys(options.agents)) or AGAINST
    makers = {name: agent_maker(game, name, options.simulations, options.seed) for name in others}
    for iteration, net in nets.items():
        makers[f"iteration {iteration}"] = always(searcher(game, net, options.simulations))
    pairs = [(f"iteration {iteration}", opponent) for iteration in nets for opponent in others]
    match = Match(game, makers, pairs, options.games, options.seed)
    status = played(match)
    if options.out:
        draw(match, list(nets), others, options.simulations).savefig(options.out)
        print(f"The picture is in {options.out}.")
    return status


def played(match: "Match") -> int:
    """Play a match and print the tally, also after Ctrl-C. Returns the exit status."""
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
        lost_openings: in a game small enough to be solved, opening -> the side that loses it against perfect play;
            None in others.
        lost_before: pair -> side -> how many of the lost games began at an opening that was lost by force.
    """

    def __init__(self, game: Game, makers: dict, pairs: list[Pair], games: int, seed: int):
        self.game, self.makers, self.pairs = game, makers, pairs
        self.openings = different_openings(game, games // 2, np.random.default_rng(seed))
        self.results: dict[Pair, Counter] = {pair: Counter() for pair in pairs}
        self.lost_before: dict[Pair, Counter] = {pair: Counter() for pair in pairs}
        self.lost_openings = lost_by_force(game, self.openings) if is_small(game) else None

    def play(self) -> None:
        """Play all games, and count those that run at the same time only when all of them have ended.

        Otherwise short games would weigh too much after an interruption. For the same reason few games are started at
        first. Later there are more at a time, if an agent searches for all of its games in one batch.
        """
        with tqdm(total=self.games, unit="game") as bar:
            for pair in self.pairs:
                first, second = (self.makers[name] for name in pair)
                most = (1, 8, 32)[hasattr(first(), "acts") + hasattr(second(), "acts")]
                remaining, width = list(self.openings), 1
                while remaining:
                    batch, remaining, width = remaining[:width], remaining[width:], min(2 * width, most)
                    players = [{1: first(), -1: second()} for _ in batch] + [{1: second(), -1: first()} for _ in batch]
                    ends, _ = play_out(self.game, players, batch * 2, bar.update)
                    sides = [1] * len(batch) + [-1] * len(batch)
                    self.count(pair, zip(sides, batch * 2, ends, strict=True))

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
        return sum(score.total() for score in self.results.values())

    def share(self, pair: Pair, result: int, sides: Sequence[int] = (1, -1)) -> Share | None:
        """The share of the pair's games on these sides with this result; None before the first game."""
        score = self.results[pair]
        of = sum(games for (side, _), games in score.items() if side in sides)
        return Share(sum(score[side, result] for side in sides), of) if of else None

    def __str__(self) -> str:
        """Tables for a terminal, with 95 % intervals (Wilson) in brackets."""
        sides = {"": (1, -1)} | ({" as X": (1,), " as O": (-1,)} if len(self.pairs) == 1 else {})
        rows = [
            dict(player=first + title, against=second)
            | {name: self.share((first, second), result, played) for name, result in RESULTS.items()}
            | {"forced": sum(self.lost_before[first, second][side] for side in played)}
            for first, second in filter(self.results.get, self.pairs)
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
                f"In {len(self.lost_openings)} of the {len(self.openings)} openings, one side already loses against "
                "perfect play."
            )
        return "\n\n".join([head, str(tabulated(rows, columns)), *self.ladder(), " ".join(notes)])

    def ladder(self) -> list[str]:
        """The table of Elo ratings, if there are more than two agents and all have met each other."""
        names = list(dict.fromkeys(name for pair in self.pairs for name in pair))
        if len(names) < 3 or len(self.pairs) < len(names) * (len(names) - 1) / 2 or not all(self.results.values()):
            return []
        points = np.zeros((len(names), len(names)))
        for pair, score in self.results.items():
            i, j = map(names.index, pair)
            for (_, result), games in score.items():
                points[i, j] += games * (1 + result) / 2
                points[j, i] += games * (1 - result) / 2
        rows = [
            dict(
                player=name,
                elo=elo,
                points=made,
                of=sum(score.total() for pair, score in self.results.items() if name in pair),
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
    """The games with this result in words: their number, their share and its interval."""
    share: Share = row[result]
    low, high = share.interval
    return f"{share.kept}: {share.kept / share.of:.0%} ({100 * low:.0f} to {100 * high:.0f})"


def lost_by_force(game: Game, openings: Sequence) -> dict:
    """Opening -> the side, +1 or -1, that loses it against perfect play. Drawn openings are left out."""
    values = solve(game, game.initial_state())
    return {opening: -values[opening] * game.to_play(opening) for opening in openings if values[opening]}


def draw(match: Match, iterations: list[int], others: Sequence[str], simulations: int) -> plt.Figure:
    """The shares of games won, drawn and lost along the run, with their intervals: a panel for each opponent."""
    with plt.rc_context({**STYLE, "figure.dpi": 160}):
        figure, axes = plt.subplots(
            1, len(others), figsize=(4.2 * len(others), 3.4), sharey=True, squeeze=False, layout="constrained"
        )
        for ax, opponent in zip(axes[0], others, strict=True):
            for (name, result), color, line in zip(
                RESULTS.items(), (BLUE, GRAY, ORANGE), ("-", "--", ":"), strict=True
            ):
                shares = {
                    iteration: match.share((f"iteration {iteration}", opponent), result) for iteration in iterations
                }
                measured = {iteration: share for iteration, share in shares.items() if share is not None}
                ax.plot(
                    list(measured),
                    [100 * share.kept / share.of for share in measured.values()],
                    line,
                    color=color,
                    label=name,
                )
                low, high = zip(*(share.interval for share in measured.values()), strict=True) if measured else ((), ())
                ax.fill_between(
                    list(measured), 100 * np.array(low), 100 * np.array(high), color=color, alpha=0.15, lw=0
                )
            ax.set(title=f"against {opponent}", xlabel="iteration", ylim=(0, 100))
        axes[0, 0].set(ylabel=f"% of games, {simulations or 'no'} simulations")
        axes[0, -1].legend()
    return figure
