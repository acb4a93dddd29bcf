"""`make compare AGENT=path`: any checkpoint in one table beside the course's agents and what was published.

Tic-tac-toe by proof: nothing is sampled, so there is no interval. Connect Four by a perfect player's answers to the
recorded positions, with the interval of each share, and by any file of lines "moves score" (columns from 1, the score
for the player to move: above 0 a win, 0 a draw, below 0 a loss), which says how good its values are. Another game by
matches against players that have learned nothing.
"""

import argparse
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch import nn

from course_utils.agents import CHECKPOINTS
from course_utils.games import Game, after
from course_utils.games.batched import make_batched
from course_utils.learning.exam import GROUPS, Share, load_positions, searched_moves, share_kept
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.tournament import wilson_interval
from course_utils.networks import Network, settings_of
from course_utils.networks.checkpoint import load_network, read
from course_utils.networks.fast import fast_inference
from course_utils.networks.policy_value import make_network
from course_utils.playing.match import Match
from course_utils.playing.opponents import agent_maker, always, checked_game, game_in, searcher
from course_utils.results import load_result, tabulated
from course_utils.search.batched import ROOT, batched_search

PUBLISHED = {  # what texts say of their own agents; none of it was measured here
    "tictactoe": [
        "a thesis (5.1.3), second player against perfect play, drawn of 100: plain UCT with 100 iterations 53; its "
        "agent with 100 iterations, "
        "after 100 games of training, 68; its network alone, after 1,000 games, 87",
        "a course in Rust (section 14) prints no results of matches or validations; after 20 x 50 games it asks for "
        "100 draws of 100 against 10,000 rollouts, with 200 iterations",
    ],
    "connect_four": [
        "a thesis (table 5.5), 10,000 games, 800 simulations, wins-losses of 50 as first player: 45-5 alpha-beta "
        "depth 5, 46-2 depth 6, "
        "30-19 MCTS(400), 31-19 MCTS(800), 25-25 MCTS(1200)",
        "the same as second player: 35-14, 38-10, 22-23, 29-17, 19-29",
    ],
}


GAMES_EACH = 100  # against each of the others, where a game has no exam


@dataclass
class Line:
    """A player of the table: whose, with how many simulations, and its numbers as words."""

    player: str
    simulations: int | None
    cells: dict[str, str]
    stored: bool = False


def main(options: argparse.Namespace, rest: list[str]) -> int:
    torch.set_num_threads(1)
    try:
        print(compare(options.agent, tuple(options.simulations), options.positions, options.game))
    except ValueError as error:  # a damaged checkpoint
        print(error, file=sys.stderr)
        return 1
    return 0


def compare(
    path: Path, simulations: tuple[int, ...] = (0, 100), positions: Path | None = None, game_name: str = ""
) -> str:
    """The table, as text.

    Raises ValueError: no checkpoint, one of a game that nobody knows by its name alone, or a line that says no
    position.
    """
    content = read(path)
    game = checked_game(game_name or game_in(path))
    if "weights" not in content:
        raise ValueError(f"{path} is a training run. Name its network, which is beside it: {game.name}.pt")
    net = load_network(path, game.name)
    lines = [*strength(game, net, str(path), simulations), *beside(game, net, simulations)]
    heads = dict.fromkeys(head for line in lines for head in line.cells)
    columns = {head: itemgetter(head) for head in ("player", "simulations", *heads)}
    rows = [
        dict(
            player=line.player + (" (stored result)" if line.stored else ""),
            simulations="" if line.simulations is None else (line.simulations or "none"),
            **{head: line.cells.get(head, "") for head in heads},
        )
        for line in lines
    ]
    parts = [
        f"{path}: {game.name}, sha256 {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}, c_puct "
        f"{settings_of(net).c_puct:g}"
    ]
    parts.append(str(tabulated(rows, columns)))
    if positions is not None:
        parts.append(value_table(game, fast_inference(net), positions, simulations))
    if game.name in PUBLISHED:
        parts.append("Published:\n" + "\n".join(f"* {line}" for line in PUBLISHED[game.name]))
    return "\n\n".join(parts)


def strength(game: Game, net: nn.Module, name: str, simulations: tuple[int, ...]) -> Iterator[Line]:
    if game.name == "tictactoe":
        key = tictactoe_key()
        for count in simulations:
            yield Line(name, count, proven(SimpleNamespace(**key.report(key.moves(net, count)))))
    elif game.name == "connect_four":
        sample, network = load_positions(), fast_inference(net)
        for count in simulations:
            shares = share_kept(sample, searched_moves(game, network, sample, count))
            yield Line(name, count, {group: str(shares[group]) for group in GROUPS})
    else:
        others = {opponent: agent_maker(game, opponent, 0, seed=0) for opponent in ("random", "greedy", "uct:100")}
        for count in simulations:
            pairs = [(name, opponent) for opponent in others]
            match = Match(game, {name: always(searcher(game, net, count)), **others}, pairs, GAMES_EACH, seed=0)
            match.play()
            yield Line(
                name, count, {f"won against {opponent}": str(match.share((name, opponent), 1)) for opponent in others}
            )


def proven(report: SimpleNamespace) -> dict[str, str]:
    return {
        "losing lines, first": str(report.first),
        "losing lines, second": str(report.second),
        "proven never to lose": "no" if report.first + report.second else "yes",
        "optimal": f"{report.kept:,} of {report.of:,}",
        "drawn as second against perfect play": f"{100 * report.drawn_second:.1f} %",
        "won against random moves": f"{100 * report.won_random:.1f} %",
    }


def beside(game: Game, net: nn.Module, simulations: tuple[int, ...]) -> Iterator[Line]:
    """The course's own: the shipped agent and the untrained one, and those that have learned nothing."""
    if game.name not in PUBLISHED:
        yield from strength(game, untrained(net, seed=0), "untrained, seed 0", simulations)
        return
    if game.name == "tictactoe":
        key = tictactoe_key()
        shipped = load_network(CHECKPOINTS / f"{game.name}.pt", game.name)
        for name, net in (("shipped with the course", shipped), ("untrained, seed 0", make_network(game, 0))):
            for count in simulations:
                yield Line(name, count, proven(SimpleNamespace(**key.report(key.moves(net, count)))))
        for name, player in (("win or block, else random", key.greedy), ("random", key.random)):
            second, won = (
                key.odds(player, key.perfect, -1),
                [key.odds(player, key.random, side).wins for side in (1, -1)],
            )
            yield Line(name, None, {
                "drawn as second against perfect play": f"{100 * second.draws:.1f} %",
                "won against random moves": f"{100 * float(np.mean(won)):.1f} %",
            })  # fmt: skip
        return
    moves, others = load_result("connect_four_moves").rows, load_result("connect_four_others").rows
    for network, count in dict.fromkeys((row["network"], row["simulations"]) for row in moves):
        mine = [row for row in moves if (row["network"], row["simulations"]) == (network, count)]
        name = "shipped with the course" if network == "trained" else "untrained"
        yield Line(name, count, {row["group"]: str(Share(row["kept"], row["of"])) for row in mine}, stored=True)
    for player in dict.fromkeys(row["player"] for row in others):
        mine = [row for row in others if row["player"] == player]
        yield Line(player, None, {row["group"]: str(Share(row["kept"], row["of"])) for row in mine}, stored=True)


def untrained(net: Any, seed: int) -> nn.Module:
    """A network of the same size with random weights, searched with the same settings."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        control = type(net)(**net.config).eval()
    control.settings = settings_of(net)
    return control


# --- values, by a file of positions ----------------------------------------------------------------------------------


def read_positions(game: Game, path: Path) -> tuple[list, np.ndarray]:
    """Lines "moves score", columns (cells) counted from 1. Returns (states, sign of the score for the player to move).

    Raises ValueError, which names the line: it is no position, or its game is over.
    """
    states, signs = [], []
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        moves, space, score = line.rstrip().rpartition(" ")  # the empty board: a line that begins with the blank
        try:
            if not space:
                raise ValueError("the line has only one word")
            state = after(game, [int(move) - 1 for move in moves])
            if game.is_terminal(state):
                raise ValueError("the game is over there")
            signs.append(np.sign(float(score)))
        except ValueError as error:
            raise ValueError(f'{path}, line {number}: expected "moves score", such as "4453 -2": {error}') from None
        states.append(state)
    if not states:
        raise ValueError(f"{path} holds no positions")
    return states, np.array(signs)


def value_table(game: Game, network: Network, path: Path, simulations: tuple[int, ...]) -> str:
    """How often the value has the right sign where one side wins, and its mean square error over all positions."""
    states, signs = read_positions(game, path)
    batched = make_batched(game)
    batch, rows = batched.from_states(states), []
    for count in simulations:
        if count:
            visits, tree = batched_search(batched, batch, network, count, settings_of(network).c_puct, return_tree=True)
            best = visits.argmax(axis=1)
            values = tree.W[np.arange(len(states)), ROOT, best] / np.maximum(visits.max(axis=1), 1)
        else:
            values = network(batched.encode(batch))[0]
        decided = signs != 0
        right, of = int((np.sign(values) == signs)[decided].sum()), int(decided.sum())
        interval = "{:.1f} to {:.1f}".format(*(100 * end for end in wilson_interval(right, of))) if of else ""
        share = f"{100 * right / of:.1f} % ({interval}) of {of}" if of else ""
        error = float(((values - signs) ** 2).mean())
        rows.append(dict(simulations=count or "none", right=share, error=f"{error:.3f}", of=len(states)))
    columns = {
        "simulations": "{simulations}",
        "right winner named": "{right}",
        "mean square error": "{error}",
        "positions": "{of}",
    }
    return str(tabulated(rows, columns))
