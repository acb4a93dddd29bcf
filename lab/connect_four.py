"""How strong a Connect Four agent is: against a perfect player's answers, rollouts, and the perfect player."""

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import torch
from torch import nn

from course_utils.agents import CHECKPOINTS, RandomAgent
from course_utils.agents.classical import AlphaBetaAgent, GreedyAgent
from course_utils.agents.uct import UctAgent
from course_utils.games import ConnectFour
from course_utils.learning import side_by_side
from course_utils.learning.arena import Player, Score
from course_utils.learning.config import config_for
from course_utils.learning.exam import load_positions, moves_of, searched_moves, share_kept
from course_utils.learning.run import new_network
from course_utils.learning.side_by_side import Searcher
from course_utils.networks import Network
from course_utils.networks.checkpoint import load_network
from course_utils.networks.fast import FoldedNetwork
from course_utils.paths import COURSE
from course_utils.playing.compare import untrained
from course_utils.results import Result, Row, table
from course_utils.ui.palette import BLUE, FAINT, GRAY, TEAL
from lab.command import command
from lab.saving import load_result
from lab.shown import alone_or, chosen, each, mean_with_interval, points, share, table_of
from lab.solver import Solver, SolverAgent

GAME = ConnectFour()
SHIPPED = CHECKPOINTS / "connect_four.pt"
RUN = Path("runs/bench")


def with_control(agent: Path, seed: int) -> dict[str, FoldedNetwork]:
    """The agent's network, and before it one of the same size with random weights."""
    net = load_network(agent, GAME.name)
    return {"untrained": FoldedNetwork(untrained(net, seed)), "trained": FoldedNetwork(net)}


def shares_kept(positions: list, chosen: np.ndarray, **values) -> Iterator[Row]:
    """One row for each group of positions."""
    for group, kept in share_kept(positions, chosen).items():
        yield dict(values, group=group, **kept._asdict())


def trained(out: Path, **options: float) -> list[dict]:
    """Begin the run in the folder, or go on with it, as `python -m course_utils train` with these options does.

    Returns its history.
    """
    words = ["train", "--game", GAME.name, "--out", out]
    for name, value in options.items():
        words += [f"--{name}", value]
    subprocess.run([sys.executable, "-m", "course_utils", *map(str, words)], cwd=COURSE, check=True)
    return json.loads((COURSE / out / "metrics.json").read_text())


@command("connect_four_course")
def course(run=RUN, minutes=60.0, at=(2.0, 5.0, 10.0, 20.0, 30.0), simulations=(0, 100), seeds=(1,)) -> Iterator[Row]:
    """Train in the folder RUN for so many minutes of the clock, or go on there; then grade its snapshots.

    The untrained network, the snapshot nearest to each of the minutes AT, and the last one. The minutes of a row are
    processor minutes of all processes, divided by two: what it takes on two cores that do nothing else.
    """
    history = trained(run, minutes=minutes, seed=seeds[0])
    spent = {entry["iteration"]: entry["cpu_seconds"] / 120 for entry in history}
    snapshots = {int(path.stem): path for path in sorted((COURSE / run / "snapshots").glob("*.pt"))}
    reached = [moment for moment in at if moment <= max(spent[number] for number in snapshots) + 0.5]
    numbers = {min(snapshots, key=lambda number: abs(spent[number] - moment)) for moment in reached} | {max(snapshots)}
    nets = {number: load_network(snapshots[number], GAME.name) for number in sorted(numbers)}
    positions = load_positions()
    for iteration, net in {0: untrained(nets[max(nets)], 0), **nets}.items():
        for count in simulations:
            chosen = searched_moves(GAME, FoldedNetwork(net), positions, count)
            head = dict(minutes=round(spent.get(iteration, 0.0), 3), iteration=iteration, simulations=count)
            yield from shares_kept(positions, chosen, **head)


def draw(ax, result: Result) -> None:
    """Strength along the run, and the levels of players that have learned nothing."""
    for simulations, color, label in ((0, TEAL, "network alone"), (100, BLUE, "100 simulations")):
        rows = result.where(simulations=simulations, group="matters")
        minutes = [row["minutes"] for row in rows]
        low, high = zip(*(share(row).interval for row in rows), strict=True)
        ax.fill_between(
            minutes, *([100 * bound for bound in side] for side in (low, high)), color=color, alpha=0.15, lw=0
        )
        ax.plot(minutes, list(map(points, rows)), "o-", color=color, label=label)
    for row in load_result("connect_four_others").where(group="matters"):
        if row["player"].startswith(("rollouts, 100", "rollouts, 800")):
            ax.axhline(points(row), color=GRAY, linewidth=1, linestyle=":")
            ax.text(minutes[-1], points(row) - 0.4, row["player"], ha="right", va="top", fontsize=10, color=FAINT)
    ax.set(xlabel="minutes on two cores", ylabel="moves that keep the value, %", ylim=(35, 100))
    ax.set_title("Connect Four, a tower in training", fontsize=11)
    ax.legend(loc="lower right")


def tempered(net: nn.Module, temperature: float) -> nn.Module:
    """Divide the logits of `net` by `temperature`, in its last policy layer. Above 1, a search looks wider."""
    last = net.policy_head[-1]
    with torch.no_grad():
        last.weight /= temperature
        last.bias /= temperature
    return net


@command("connect_four_runs")
def runs(
    iterations=(160,), simulations=(0, 100), temperature=1.5, seeds=(1, 2, 3), into=Path("runs/seeds"), begun=()
) -> Iterator[Row]:
    """Whole runs from random weights: what each takes, and the share of value-keeping moves of the trained network.

    With 0 iterations the untrained networks. All are asked as they are, and with their logits divided by TEMPERATURE.
    Minutes are counted as in `course`.
    """
    positions = load_positions()
    for count, seed in product((0, *iterations), seeds):
        if any((row["iterations"], row["seed"]) == (count, seed) for row in begun):
            continue
        head: Row = dict(iterations=count, seed=seed, minutes=0.0, games=0)
        net = new_network(GAME, config_for(GAME), seed).eval()
        if count:
            out = into / f"{count}-{seed}"
            history = trained(out, minutes=600, seed=seed, iterations=count)
            minutes = round(history[-1]["cpu_seconds"] / 120, 2)
            head |= dict(minutes=minutes, games=sum(entry["games"] for entry in history))
            net = load_network(COURSE / out / f"{GAME.name}.pt", GAME.name)
        rows: list[Row] = []
        for divisor, player in ((1.0, net), (temperature, tempered(copy.deepcopy(net), temperature))):
            for searched in simulations:
                chosen = searched_moves(GAME, FoldedNetwork(player), positions, searched)
                rows += shares_kept(positions, chosen, divisor=divisor, simulations=searched)
        yield from (head | row for row in rows)


@table_of("connect_four_runs")
def means_of_runs(result: Result) -> str:
    """Shares where some move loses value: a line for the runs of as many iterations, with mean and interval."""
    lines = []
    for iterations in each(result.rows, "iterations"):
        runs = result.where(iterations=iterations, group="matters")
        minutes = [row["minutes"] for row in runs]
        line: Row = {
            "seeds": len(each(runs, "seed")),
            "iterations": iterations or "untrained",
            "minutes": f"{min(minutes):.1f} to {max(minutes):.1f}",
            "games": f"{runs[0]['games']:,}",
        }
        for simulations, divisor in ((0, 1.0), (100, 1.0), (100, 1.5)):
            words = f"{simulations} simulations" if simulations else "alone"
            head = words + (f", logits divided by {divisor:g}" if divisor != 1 else "")
            shares = [points(row) for row in chosen(runs, simulations=simulations, divisor=divisor)]
            line[f"{head}, %"] = mean_with_interval(shares)
        lines.append(line)
    return table(lines)


@command("connect_four_moves", usual=True)
def moves(agent=SHIPPED, simulations=(0, 100, 400), seeds=(0,)) -> Iterator[Row]:
    """The share of value-keeping moves of the shipped agent, or of a checkpoint, beside an untrained network."""
    positions = load_positions()
    for name, network in with_control(agent, seeds[0]).items():
        for count in simulations:
            chosen = searched_moves(GAME, network, positions, count)
            yield from shares_kept(positions, chosen, network=name, simulations=count)


@command("connect_four_others", usual=True)
def others(depths=(4,), rollouts=(100, 800), seeds=(0,)) -> Iterator[Row]:
    """The share of value-keeping moves of players that have learned nothing."""

    def rng() -> np.random.Generator:
        return np.random.default_rng(seeds[0])

    players: dict[str, Callable[[], Player]] = {
        "random": lambda: RandomAgent(GAME, rng()),
        "win or block, else random": lambda: GreedyAgent(GAME, rng()),
        **{f"alpha-beta, depth {depth}": partial(AlphaBetaAgent, GAME, depth) for depth in depths},
        **{f"rollouts, {n:,}": lambda n=n: UctAgent(GAME, n, rng(), keep_tree=False) for n in rollouts},
    }
    positions = load_positions()
    for name, make in players.items():
        yield from shares_kept(positions, moves_of(make(), positions), player=name)


def graded(result: Result, player: Callable[[Row], str]) -> str:
    """Shares of value-keeping moves: one line for each player, one column for each group of positions."""
    lines: dict[str, Row] = {}
    for row in result.rows:
        line = lines.setdefault(player(row), {"player": player(row)})
        line[f"{row['group']} ({row['of']})"] = share(row)
    return table(lines.values())


@table_of("connect_four_moves")
def moves_kept(result: Result) -> str:
    return graded(result, lambda row: f"{row['network']}, {alone_or(row['simulations'])}")


@table_of("connect_four_others")
def others_kept(result: Result) -> str:
    return graded(result, lambda row: row["player"])


def play_out(
    network: Network, simulations: int, opponents: Sequence[Player], sides: Sequence[int], starts: list[tuple]
) -> tuple[list[int], list[str]]:
    """One game against each opponent, all at once, each from its start (state, moves so far).

    Args:
        sides: whom the network plays in each game, +1 the first player, -1 the second.

    Returns:
        (results, moves): for each game +1, 0 or -1 for the network, and all of its moves.
    """
    agent = Searcher(GAME, network, simulations)
    players = [{side: agent, -side: opponent} for side, opponent in zip(sides, opponents, strict=True)]
    ends, actions = side_by_side.play_out(GAME, players, [state for state, _ in starts])
    results = [GAME.winner(state) * side for state, side in zip(ends, sides, strict=True)]
    return results, [moves + "".join(map(str, more)) for (_, moves), more in zip(starts, actions, strict=True)]


def play_all(network: Network, simulations: int, opponents: Sequence[Player], side: int) -> Row:
    """One game against each opponent from the start: our score, and how many of the games were different."""
    starts = [(GAME.initial_state(), "")] * len(opponents)
    results, moves = play_out(network, simulations, opponents, [side] * len(opponents), starts)
    score = Score(results.count(1), results.count(0), results.count(-1))
    return dict(score._asdict(), different=len(set(moves)))


@command("connect_four_rollouts", usual=True)
def rollouts(agent=SHIPPED, simulations=800, count=1200, seeds=range(50)) -> Iterator[Row]:
    """Games on both sides against tree search with COUNT rollouts a move, one a seed."""
    for name, network in with_control(agent, 0).items():
        for side, place in ((1, "first"), (-1, "second")):
            opponents = [UctAgent(GAME, count, np.random.default_rng([seed, side == 1])) for seed in seeds]
            yield dict(network=name, side=place, **play_all(network, simulations, opponents, side))


@command("connect_four_solver")
def solver(agent=SHIPPED, simulations=(100, 400, 800), seeds=range(20)) -> Iterator[Row]:
    """Games as first player against perfect play, one a seed; needs the extra `solver`."""
    perfect = Solver()
    for name, network in with_control(agent, 0).items():
        for count in simulations:
            opponents = [SolverAgent(perfect, np.random.default_rng(seed)) for seed in seeds]
            yield dict(network=name, simulations=count, **play_all(network, count, opponents, 1))
