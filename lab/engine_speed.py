"""The pages' engine beside Python: the same searches by both, in turns, in one run.

Each position is searched by `mcts_search` and by the engine, which runs in node; all visits are compared. Speeds are
per second of processor time.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator

import numpy as np

from course_utils import agents
from course_utils.exercise import using
from course_utils.games import ConnectFour, Game, TicTacToe, after
from course_utils.games.properties import random_game
from course_utils.networks.exported import exported
from course_utils.networks.policy_value import TorchNetwork
from course_utils.networks.resnet import make_resnet
from course_utils.results import Result, Row, table
from course_utils.search.puct import mcts_search
from course_utils.ui.engine_script import engine_script
from lab.command import command
from lab.shown import table_of

C_PUCT = 1.5
ROUND = 20  # positions that the two search before they change places
NODE = """
const lines = require("node:readline").createInterface({ input: process.stdin });
let net;
lines.on("line", (line) => {
  const asked = JSON.parse(line);
  if (asked.network) net = engine.load_network(asked.network);
  const began = process.cpuUsage();
  const visits = asked.lines.map((moves) => [...engine.mcts_search(net.game, engine.after(net.game, moves), net, asked.simulations, asked.c_puct).N]);
  const { user, system } = process.cpuUsage(began);
  console.log(JSON.stringify({ visits, seconds: (user + system) / 1e6 }));
});
"""


class Engine:
    """The engine with a network, in a process of its own."""

    def __init__(self, network: dict):
        if (node := shutil.which("node")) is None:
            raise FileNotFoundError("the engine runs in node, which is not installed")
        self.process = subprocess.Popen([node, "-e", engine_script() + NODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # fmt: skip
        self.ask([], 0, network)

    def ask(self, lines: list[list[int]], simulations: int, network: dict | None = None) -> tuple[list, float]:
        """(visits after each line, seconds of its processor)."""
        assert self.process.stdin and self.process.stdout
        asked = dict(network=network, lines=lines, simulations=simulations, c_puct=C_PUCT)
        print(json.dumps(asked), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        return answer["visits"], answer["seconds"]

    def close(self) -> None:
        self.process.stdin.close()  # type: ignore[union-attr]
        self.process.wait()


def lines_of(game: Game, count: int, rng: np.random.Generator) -> list[list[int]]:
    """The moves of random games, each cut at a random place before its end."""
    games = ([action for _, action in random_game(game, rng) if action is not None] for _ in range(count))
    return [moves[: rng.integers(len(moves))] for moves in games]


@command("engine_speed")
def engine_speed(positions=200, simulations=50, seeds=(0,)) -> Iterator[Row]:
    """Simulations a second in Python and in the pages' engine, and in how many positions their visits are the same."""
    games = {"tic-tac-toe": TicTacToe(), "Connect Four": ConnectFour()}
    networks = [
        ("tic-tac-toe", "shipped", agents.load("tictactoe").network.net),
        ("Connect Four", "shipped", agents.load("connect_four").network.net),
        ("Connect Four", "resnet, 2 x 16", make_resnet(games["Connect Four"], seeds[0], blocks=2, channels=16).eval()),
    ]
    for name, network, net in networks:
        game, engine = games[name], Engine(exported(net, games[name], "float32"))
        lines = lines_of(game, positions, np.random.default_rng(seeds[0]))
        row = dict(game=name, network=network, positions=positions, simulations=simulations, same=0)
        seconds = dict(python=0.0, engine=0.0)
        engine.ask(lines[:ROUND], simulations)  # warm
        for begin in range(0, positions, ROUND):
            some = lines[begin : begin + ROUND]
            ours, took = in_python(game, some, TorchNetwork(net), simulations)
            seconds["python"] += took
            visits, took = engine.ask(some, simulations)
            seconds["engine"] += took
            row["same"] += sum(one == other for one, other in zip(ours, visits, strict=True))
        engine.close()
        yield row | {who: positions * simulations / took for who, took in seconds.items()}


def in_python(game: Game, lines: list[list[int]], network, simulations: int) -> tuple[list, float]:
    """(visits after each line, seconds of the processor)."""
    began = time.process_time()
    with using({}):
        visits = [mcts_search(game, after(game, line), network, simulations, C_PUCT).tolist() for line in lines]
    return visits, time.process_time() - began


@table_of("engine_speed")
def beside_python(result: Result) -> str:
    return table(
        result.rows,
        {
            "game, network": "{game}, {network}",
            "same visits": "{same} of {positions}",
            "simulations/s in Python": "{python:,.0f}",
            "in the engine": "{engine:,.0f}",
            "engine / Python": lambda row: f"{row['engine'] / row['python']:.1f}",
        },
    )
