"""How long training takes until tic-tac-toe is never lost, and what the network and search alone are worth.

The network that plays is asked for a move in all 4,520 positions, alone and with search. The exam are the 3,191 of them
in which some move loses value; and every line of play is walked in both colors. The seconds are those of training;
measuring its strength is not timed.
"""

import time
from collections.abc import Iterator
from itertools import product

import numpy as np
import torch
from torch import nn

from course_utils.agents import CHECKPOINTS
from course_utils.games import TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_self_play
from course_utils.learning.by_hand import alphazero_by_hand
from course_utils.learning.config import config_for
from course_utils.learning.engine import train
from course_utils.learning.examples import ReplayBuffer
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.learning.training import train_step
from course_utils.networks.by_hand import Mlp, random_weights
from course_utils.networks.checkpoint import load_network
from course_utils.networks.fast import fast_inference
from course_utils.networks.policy_value import make_network
from course_utils.results import Result, Row, table
from course_utils.ui.palette import BLUE
from lab.command import command
from lab.shown import alone_or, each, lost, points, table_of

GAME = TicTacToe()


def strength(net: nn.Module, simulations: int) -> Row:
    """Losing lines as first and as second player, and in how many positions of the exam the move keeps the value."""
    key = tictactoe_key()
    moves = key.moves(net, simulations)
    first, second = key.losing_lines(moves)
    kept, of = key.kept(moves, key.matters), int(key.matters.sum())
    return dict(simulations=simulations, first=first, second=second, kept=kept, of=of)


@command("tictactoe_proof", usual=True)
def proof(seeds=range(5)) -> Iterator[Row]:
    """Losing lines along a training run, from random weights."""
    for seed in seeds:
        rows: list[Row] = []

        def look(run: Run, budgets=(0, 50)) -> None:
            head = dict(seed=seed, iteration=len(run.history), seconds=round(run.cpu_seconds, 3))  # noqa: B023
            rows.extend(dict(head, **strength(run.network, simulations)) for simulations in budgets)  # noqa: B023

        run = Run.start(GAME, config_for(GAME, lockstep=True), seed)
        look(run, (0, 50, 100))
        train(run, look, workers=0)
        look(run, (100,))
        yield from rows


def since_when(rows: list[Row]) -> tuple[str, str]:
    """Seconds of training until nothing loses: for the first time, and for good."""
    first = good = None
    for row in rows:
        if lost(row):
            good = None
            continue
        first, good = (row["seconds"] if since is None else since for since in (first, good))
    return tuple("never" if value is None else f"{value:.1f} s" for value in (first, good))


@table_of("tictactoe_proof")
def proofs(result: Result) -> str:
    lines = []
    for seed in each(result.rows, "seed"):
        graded = {count: result.where(seed=seed, simulations=count) for count in (0, 50, 100)}
        line: Row = {"seed": seed, "trained": f"{graded[0][-1]['seconds']:.1f} s"}
        for network, place in (("untrained", 0), ("trained", -1)):
            for count, words in ((0, f"{network}, alone"), (50, f"{network}, with 50")):
                head = "losing lines, " * (len(line) == 2) + words
                line[head] = "{first} + {second}".format_map(graded[count][place])
        for count, words in ((0, "alone"), (50, "with 50")):
            line[f"{words}: none after"], line[f"{words}: none for good after"] = since_when(graded[count])
        for network, place in (("untrained", 0), ("trained", -1)):
            for count, words in ((0, "alone"), (100, "with 100")):
                line[f"right, {network}, {words}"] = f"{points(graded[count][place]):.2f} %"
        lines.append(line)
    return table(lines)


def draw(ax, result: Result) -> None:
    seeds = each(result.rows, "seed")
    for seed in seeds:
        mine = result.where(simulations=0, seed=seed)
        ax.plot([row["seconds"] for row in mine], [lost(row) for row in mine], "-", color=BLUE, linewidth=1.3)
    ax.set_yscale("symlog", linthresh=1)
    ax.set(xlabel="seconds of training, one core", ylabel="losing lines of play", ylim=(-0.15, 2000))
    ax.set_yticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1000"])
    ax.set_title(f"Tic-tac-toe, network alone, {len(seeds)} seeds", fontsize=11)


FOLLOWED = range(5)  # seeds of which every iteration is kept, and not only the last
WITH_A_GATE: dict[str, dict] = {
    "with a gate": {},
    "with a gate, 3 exploratory plies": dict(exploratory_plies=3),
}


@command("tictactoe_loop")
def loop(begun: tuple[Row, ...] = (), seeds=range(20)) -> Iterator[list[Row]]:
    """The training of the notebook 'The training loop', with the seeds that a reader is likely to choose."""
    done = {row["seed"] for row in begun}
    for seed in seeds:
        if seed not in done:
            yield followed("as it is", seed, {})


@command("tictactoe_gate")
def gate(begun: tuple[Row, ...] = (), schedules=tuple(WITH_A_GATE), seeds=FOLLOWED) -> Iterator[list[Row]]:
    """The same with AlphaGo Zero's gate; and how that ends with more careful self-play."""
    done = {(row["schedule"], row["seed"]) for row in begun}
    for schedule, seed in product(schedules, seeds):
        if (schedule, seed) not in done:
            yield followed(schedule, seed, dict(promotion="gate", **WITH_A_GATE[schedule]))


def followed(schedule: str, seed: int, changes: dict) -> list[Row]:
    """A run's rows.

    `win`, `block` and `quiet` count the exam's positions of each kind in which the move keeps the value.
    """
    key, rows = tictactoe_key(), list[Row]()

    def look(run: Run) -> None:
        iteration = len(run.history)
        last = iteration == run.config.iterations
        if not last and seed not in FOLLOWED:
            return
        for simulations in (0, 10, 50) if last else (0, 10):
            moves = key.moves(run.network, simulations)
            kinds = zip(("win", "block", "quiet"), key.kinds.values(), strict=True)
            by_kind = {name: key.kept(moves, positions) for name, positions in kinds}
            head: Row = dict(schedule=schedule, seed=seed, iteration=iteration)
            rows.append({**head, **strength(run.network, simulations), **by_kind})

    run = Run.start(GAME, config_for(GAME, **changes), seed)
    look(run)
    train(run, look)
    return rows


@table_of("tictactoe_loop")
@table_of("tictactoe_gate")
def by_schedule(result: Result) -> str:
    """What the runs of each schedule end with: of the network alone, and with a search."""
    lines: list[Row] = []
    for schedule in each(result.rows, "schedule"):
        alone, searching = (result.where(schedule=schedule, iteration=20, simulations=count) for count in (0, 50))
        line: Row = {"schedule": schedule, "right alone, by seed, %": ", ".join(f"{points(row):.1f}" for row in alone)}
        for name, rows in (("losing lines alone", alone), ("with 50 simulations", searching)):
            line[name] = ", ".join(str(row["first"] + row["second"]) for row in rows)
        lines.append(line)
    return table(lines)


def with_pytorch(seed: int) -> Iterator[nn.Module]:
    """The loop of `alphazero_by_hand`, with PyTorch's network, gradients and SGD."""
    rng, buffer, net = np.random.default_rng(seed), ReplayBuffer(40_000), make_network(GAME, seed)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
    for _ in range(40):
        played = batched_self_play(
            make_batched(GAME), fast_inference(net), 100, rng, simulations=25, noise_fraction=0.75
        )
        buffer.add(played, GAME)
        for _ in range(300):
            train_step(net, optimizer, *buffer.sample(64, rng))
        yield net


def by_hand(seed: int) -> Iterator[Mlp]:
    rng = np.random.default_rng(seed)
    return map(Mlp, alphazero_by_hand(GAME, random_weights(18, 64, 9, rng), rng))


LOOPS = {"by hand": by_hand, "the same with PyTorch": with_pytorch}


@command("alphazero_by_hand")
def until_proven(loops=tuple(LOOPS), seeds=range(5)) -> Iterator[Row]:
    """Processor time from random weights until the network alone loses no game, by hand and with PyTorch."""
    key = tictactoe_key()
    for loop, seed in product(loops, seeds):
        networks, seconds, iteration, losing = LOOPS[loop](seed), 0.0, 0, None
        while losing != 0:
            began = time.process_time()
            if (network := next(networks, None)) is None:
                break
            seconds += time.process_time() - began
            losing, iteration = sum(key.losing_lines(key.moves(network, 0))), iteration + 1
        yield dict(loop=loop, seed=seed, iterations=iteration, seconds=round(seconds, 1), losing=losing)


@table_of("alphazero_by_hand")
def by_loop(result: Result) -> str:
    def in_words(row: Row) -> str:
        return f"{row['seconds']:.1f} s ({row['iterations']})" if row["losing"] == 0 else f"{row['losing']} left"

    lines = [
        {"loop": loop} | {f"seed {row['seed']}": in_words(row) for row in result.where(loop=loop)}
        for loop in each(result.rows, "loop")
    ]
    return table(lines)


@command("tictactoe_shipped")
def shipped(simulations=(0, 50, 100), seeds=(0,)) -> Iterator[Row]:
    """Losing lines of the agent that comes with the course, and of a network with random weights."""
    trained = load_network(CHECKPOINTS / "tictactoe.pt", GAME.name)
    for network, net in (("untrained", make_network(GAME, seed=seeds[0])), ("trained", trained)):
        for count in simulations:
            yield dict(network=network, **strength(net, count))


@table_of("tictactoe_shipped")
def shipped_lines(result: Result) -> str:
    return table(
        result.rows,
        {
            "player": lambda row: f"{row['network']}, {alone_or(row['simulations'])}",
            "losing lines, first": "{first}",
            "losing lines, second": "{second}",
            "right": lambda row: f"{row['kept']:,} of {row['of']:,}",
        },
    )
