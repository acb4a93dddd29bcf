"""How strong a Connect Four agent is: against a perfect player's answers, rollouts, and the perfect player.

    python benchmarks/connect_four_strength.py moves [--agent FILE] [--simulations 0 100 400]
    python benchmarks/connect_four_strength.py course RUN_FOLDER [--minutes 2 5 10 20 30] [--simulations 0 100]
    python benchmarks/connect_four_strength.py others
    python benchmarks/connect_four_strength.py rollouts [--games 50]
    python benchmarks/connect_four_strength.py solver [--games 20]       needs the extra `solver`

moves: the share of value-keeping moves of the shipped agent (or of FILE), with an untrained network beside it. course: the same along a
training run. others: players that have learned nothing. rollouts: games against tree search with 1,200 rollouts a move. solver:
games as first player against perfect play. `--json FILE` adds what was found to a file, one key a command.

Minutes are processor minutes of all processes of the run, divided by two: what it takes on two cores that do nothing else.
"""

import argparse
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from torch import nn

from course_utils.agents import CHECKPOINTS, RandomAgent
from course_utils.agents.classical import AlphaBetaAgent, GreedyAgent
from course_utils.agents.uct import UctAgent
from course_utils.files import write_atomically
from course_utils.games import ConnectFour
from course_utils.games.batched import make_batched
from course_utils.learning.arena import Player, Score
from course_utils.learning.exam import Share, load_positions, moves_of, searched_moves, share_kept
from course_utils.networks import settings_of
from course_utils.networks.checkpoint import load_network
from course_utils.networks.fast import FoldedNetwork
from course_utils.networks.resnet import make_resnet
from course_utils.search.batched import batched_search

GAME = ConnectFour()
C_PUCT = settings_of(load_network(CHECKPOINTS / "connect_four.pt", GAME.name)).c_puct  # as `agents.load` plays


def shipped(path: Path | None) -> nn.Module:
    return load_network(path or CHECKPOINTS / "connect_four.pt", GAME.name)


def untrained(net: nn.Module, seed: int = 0) -> nn.Module:
    """A network of the same size with random weights."""
    sizes = ("blocks", "channels", "policy_filters", "value_filters", "value_hidden", "bias")
    return make_resnet(GAME, seed, **{name: net.config[name] for name in sizes}).eval()


def table(rows: dict[str, dict[str, Share]]) -> str:
    """Shares as Markdown, with the number of positions in the head."""
    counts = {group: share.of for group, share in next(iter(rows.values())).items()}
    lines = [
        "| player | " + " | ".join(f"{group} ({count})" for group, count in counts.items()) + " |",
        "|---|" + "---|" * len(counts),
    ]
    lines += [f"| {name} | " + " | ".join(str(row[group]) for group in counts) + " |" for name, row in rows.items()]
    return "\n".join(lines)


def moves(options) -> dict:
    net, positions, rows = shipped(options.agent), load_positions(), {}
    for name, judged in (("untrained", untrained(net)), ("trained", net)):
        for simulations in options.simulations:
            chosen = searched_moves(GAME, FoldedNetwork(judged), positions, simulations, C_PUCT)
            rows[f"{name}, {simulations or 'no'} simulations"] = share_kept(positions, chosen)
    print(table(rows))
    return rows


def course(options) -> list[dict]:
    """The untrained network, the snapshot nearest to each of the minutes, and the last one."""
    history = json.loads((options.run / "metrics.json").read_text())
    spent = {entry["iteration"]: entry["cpu_seconds"] / 120 for entry in history}
    snapshots = {int(path.stem): path for path in sorted((options.run / "snapshots").glob("*.pt"))}
    reached = [minutes for minutes in options.minutes if minutes <= max(spent[number] for number in snapshots) + 0.5]
    wanted = {min(snapshots, key=lambda number: abs(spent[number] - minutes)) for minutes in reached} | {max(snapshots)}
    nets = {number: load_network(snapshots[number], GAME.name) for number in sorted(wanted)}
    positions, found = load_positions(), []
    for number, net in {0: untrained(nets[max(nets)]), **nets}.items():
        for simulations in options.simulations:
            shares = share_kept(positions, searched_moves(GAME, FoldedNetwork(net), positions, simulations, C_PUCT))
            found.append(dict(minutes=spent.get(number, 0.0), iteration=number, simulations=simulations, shares=shares))
    print(table(course_rows(found)))
    return found


def course_rows(found: list[dict]) -> dict[str, dict[str, Share]]:
    """What `course` found, for `table`."""
    return {
        f"{entry['minutes']:.1f} min, iteration {entry['iteration']}, {entry['simulations'] or 'no'} simulations": entry[
            "shares"
        ]
        for entry in found
    }


def others(options) -> dict:
    positions = load_positions()
    players: dict[str, Callable[[], Player]] = {
        "random": lambda: RandomAgent(GAME, np.random.default_rng(0)),
        "win or block, else random": lambda: GreedyAgent(GAME, np.random.default_rng(0)),
        **{f"alpha-beta, depth {depth}": partial(AlphaBetaAgent, GAME, depth) for depth in options.depths},
        **{
            f"rollouts, {count:,}": partial(UctAgent, GAME, count, np.random.default_rng(0), keep_tree=False)
            for count in options.rollouts
        },
    }
    rows = {name: share_kept(positions, moves_of(make(), positions)) for name, make in players.items()}
    print(table(rows))
    return rows


def play_series(network, simulations: int, opponents: list[Player], side: int) -> tuple[Score, int]:
    """One game against each opponent, ours all at once. Returns (our score, how many of the games were different)."""
    batched = make_batched(GAME)
    games = [(GAME.initial_state(), "") for _ in opponents]
    while True:
        going = [i for i, (state, _) in enumerate(games) if not GAME.is_terminal(state)]
        if not going:
            break
        if GAME.to_play(games[going[0]][0]) == side:  # the same in all games
            states = batched.from_states([games[i][0] for i in going])
            chosen = batched_search(batched, states, network, simulations, C_PUCT).argmax(axis=1).tolist()
        else:
            chosen = [opponents[i].act(games[i][0]) for i in going]
        for i, move in zip(going, chosen, strict=True):
            games[i] = GAME.play(games[i][0], move), games[i][1] + str(move)
    results = [GAME.winner(state) * side for state, _ in games]
    return Score(results.count(1), results.count(0), results.count(-1)), len({moves for _, moves in games})


def both(options) -> dict:
    """The agent's network, and as a control one of the same size with random weights."""
    net = shipped(options.agent)
    return {"untrained": FoldedNetwork(untrained(net)), "trained": FoldedNetwork(net)}


def rollouts(options) -> dict:
    found = {}
    for name, network in both(options).items():
        for side, place in ((1, "first"), (-1, "second")):
            opponents = [
                UctAgent(GAME, 1200, np.random.default_rng([seed, side == 1])) for seed in range(options.games)
            ]
            score, different = play_series(network, 800, opponents, side)
            found[f"{name}, as {place} player"] = dict(score._asdict(), different=different)
            print(
                f"{name}, as {place} player, 800 simulations against 1,200 rollouts: {score}, {different} different games"
            )
    return found


class SolverAgent:
    """Plays perfectly, and not always the same: its first two moves are any that keep the value, later ones the fastest win or
    slowest loss; chance decides among equals."""

    def __init__(self, solver, rng: np.random.Generator):
        self.solver, self.rng = solver, rng

    def act(self, state) -> int:
        scores = np.array(self.solver.scores_of(state), dtype=float)
        stones = sum(len(column) for column in state.columns)
        best = np.sign(scores) == np.sign(np.nanmax(scores)) if stones < 4 else scores == np.nanmax(scores)
        return int(self.rng.choice(np.flatnonzero(best)))


class PositionSolver:
    """The exact score of every column of a state, by bitbully."""

    def __init__(self):
        import bitbully

        self.bitbully, self.solver = bitbully, bitbully.BitBully()

    def scores_of(self, state) -> list[int | None]:
        marks = {1: 1, -1: 2, 0: 0}  # which of the two players has a cell
        rows = [[marks[cell] for cell in row] for row in GAME.cells(state).tolist()]
        found = self.solver.score_all_moves(self.bitbully.Board(rows))
        return [found.get(column) for column in range(GAME.num_actions)]  # (it answers in order of score)


def solver(options) -> dict:
    perfect, found = PositionSolver(), {}
    for name, network in both(options).items():
        for simulations in options.simulations:
            opponents = [SolverAgent(perfect, np.random.default_rng(seed)) for seed in range(options.games)]
            score, different = play_series(network, max(1, simulations), opponents, 1)
            found[f"{name}, {simulations} simulations"] = dict(score._asdict(), different=different)
            print(
                f"{name}, first player against perfect play, {simulations} simulations: {score}, {different} different games"
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for run, simulations in (
        (moves, [0, 100, 400]),
        (course, [0, 100]),
        (others, []),
        (rollouts, []),
        (solver, [100, 400, 800]),
    ):
        command = commands.add_parser(run.__name__)
        command.set_defaults(run_command=run)
        command.add_argument("--agent", type=Path, help="a checkpoint; without it the shipped agent")
        command.add_argument("--simulations", type=int, nargs="+", default=simulations)
        command.add_argument("--json", type=Path)
        if run is course:
            command.add_argument("run", type=Path)
            command.add_argument("--minutes", type=float, nargs="+", default=[2, 5, 10, 20, 30])
        if run is others:
            command.add_argument("--depths", type=int, nargs="+", default=[4])
            command.add_argument("--rollouts", type=int, nargs="+", default=[100, 800])
        if run in (rollouts, solver):
            command.add_argument("--games", type=int, default=50 if run is rollouts else 20)
    options = parser.parse_args()
    torch.set_num_threads(1)
    found = options.run_command(options)
    if options.json:
        known = json.loads(options.json.read_text()) if options.json.exists() else {}
        write_atomically(options.json, json.dumps({**known, options.command: found}, indent=1))


if __name__ == "__main__":
    main()
