"""Simulations a second: search in one game, in many games at once, and the limit that the network sets.

One process, one thread. All figures are per second of processor time, so other programs on the machine disturb them
little; limit and search take turns, and the best of the rounds counts, so that fractions of the limit hold on a noisy
machine, too.

A network's limit is how many boards it evaluates when it does nothing else, in batches of the same size. A simulation
that ends at a finished game, or (cached) at a position seen before, does not ask it: so a search may go past the limit.
"""

import time
from collections.abc import Iterator

import numpy as np

from course_utils.games import ConnectFour, TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_openings
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.fast import FoldedNetwork, bfloat16_pays, fast_inference
from course_utils.networks.policy_value import make_network
from course_utils.networks.resnet import make_resnet
from course_utils.results import Result, Row, table
from course_utils.search.batched import batched_search
from course_utils.search.puct import mcts_search
from course_utils.ui.palette import BLUE, GRAY, ORANGE
from lab.command import command
from lab.shown import table_of

BATCHES = (64, 256, 1024)
C_PUCT = 1.5


class Counted:
    """A network that counts the boards it was asked about."""

    def __init__(self, network):
        self.network, self.boards = network, 0

    def __call__(self, planes):
        self.boards += len(planes)
        return self.network(planes)


def rate(work, count: int, repeat: int = 1) -> float:
    """`count` things a call, per second of processor time."""
    began = time.process_time()
    for _ in range(repeat):
        work()
    return count * repeat / (time.process_time() - began)


def measure(game, name: str, network, plies: int, simulations: int, rounds: int) -> Iterator[Row]:
    """One row for the search of one game, and one for each batch size, all of which ask the same network."""
    batched = make_batched(game)
    states, _ = batched_openings(batched, max(BATCHES), share=1.0, plies=plies, rng=np.random.default_rng(0))
    planes = batched.encode(states)
    one_game = batched.to_states(states[:1])[0]

    def alone():
        mcts_search(game, one_game, network, simulations, C_PUCT)

    def search(states, network):
        return batched_search(batched, states, network, simulations, C_PUCT)

    alone()  # warm
    single = max(rate(alone, simulations) for _ in range(rounds))
    limit = max(rate(lambda: network(planes[:1]), 1, repeat=50) for _ in range(rounds))
    yield dict(game=game.name, network=name, games=1, search=single, limit=limit, ratio=1.0)
    for batch in BATCHES:
        first, counted = states[:batch], Counted(network)
        search(first, counted)  # warm
        limits, searches = [], []
        for _ in range(rounds):
            limits.append(rate(lambda: network(planes[:batch]), batch, repeat=max(1, 2048 // batch)))  # noqa: B023
            searches.append(rate(lambda: search(first, network), batch * simulations))  # noqa: B023
        memory = CachedNetwork(network)
        search(first, memory)
        moved = batched.play(first, search(first, memory).argmax(axis=1))  # the next move: what the memory is for
        yield dict(
            game=game.name,
            network=name,
            games=batch,
            search=max(searches),
            limit=max(limits),
            asked=counted.boards / (batch * (simulations + 1)),
            cached=rate(lambda: search(moved, memory), batch * simulations),  # noqa: B023
            ratio=max(searches) / single,
        )


@command("search_speed", usual=True)
def search_speed(simulations=100, rounds=5, seeds=(0,)) -> Iterator[Row]:
    """Simulations and boards a second of both games, by the number of games at once."""
    small = fast_inference(make_network(TicTacToe(), seed=seeds[0]))
    yield from measure(TicTacToe(), "18-64-64", small, 2, simulations, rounds)
    tower = make_resnet(ConnectFour(), seed=seeds[0], blocks=4, channels=64).eval()
    kinds = {"float32": (FoldedNetwork(tower), max(1, simulations // 4))}
    if bfloat16_pays():
        kinds["bfloat16"] = fast_inference(tower), simulations
    for kind, (network, count) in kinds.items():
        name = f"4 x 64 {kind}"
        yield from measure(ConnectFour(), name, network, 14, count, max(1, rounds // 2))


@table_of("search_speed")
def speeds(result: Result) -> str:
    return table(
        result.rows,
        {
            "game, network": "{game}, {network}",
            "games at once": "{games}",
            "simulations/s": "{search:,.0f}",
            "network's limit, boards/s": "{limit:,.0f}",
            "fraction": lambda row: f"{row['search'] / row['limit']:.2f}",
            "simulations that asked the network": "{asked:.2f}",
            "next move, with memory": "{cached:,.0f}",
            "times one game": "{ratio:.1f}",
        },
    )


def draw(ax, result: Result) -> None:
    for (game, network), color, marker in zip(
        dict.fromkeys((row["game"], row["network"]) for row in result.rows), (BLUE, GRAY, ORANGE), "os^", strict=False
    ):
        mine = result.where(game=game, network=network)
        batches = [row["games"] for row in mine]
        name = game.replace("_", " ").replace("tictactoe", "tic-tac-toe").replace("connect four", "Connect Four")
        ax.plot(batches, [row["search"] for row in mine], marker + "-", color=color, label=f"{name}, {network}")
        ax.plot(batches, [row["limit"] for row in mine], ":", color=color)
    ax.set(xscale="log", yscale="log", xlabel="games at once", ylabel="simulations a second, one core")
    ax.set_title("Search (dotted: the network's limit)", fontsize=11)
    ax.set_xticks([1, 64, 256, 1024], ["1", "64", "256", "1024"])
    ax.minorticks_off()
    ax.legend(loc="upper left", bbox_to_anchor=(-0.15, -0.18))
