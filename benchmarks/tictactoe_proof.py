"""How long training takes until tic-tac-toe is never lost, and what the network and search alone are worth.

    python benchmarks/tictactoe_proof.py [one-game] [batched] --seeds 0 1 2 3 4 [--json FILE]

`one-game` trains as notebook 08 does, `batched` with many games at once. After each iteration the network that plays is asked for a
move in all 4,520 positions, alone and with 50 simulations; then every line of play is walked in both colors. The seconds are those of
training; judging is not timed.
"""

import argparse
import json
import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from torch import nn

from course_utils.files import write_atomically
from course_utils.games import TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.arena import count_lines
from course_utils.learning.batched_training import PRESETS, BatchedTraining, train_batched
from course_utils.learning.training import Training, TrainingConfig, train_alphazero
from course_utils.networks.fast import fast_inference
from course_utils.search.batched import batched_search
from course_utils.search.minimax import solve

GAME, BATCHED = TicTacToe(), make_batched(TicTacToe())
SIMULATIONS = 50


class Judge:
    """Knows every position at which the game goes on, and which moves keep its value."""

    def __init__(self):
        values = solve(GAME, GAME.initial_state())  # for the player to move
        self.states = [state for state in values if not GAME.is_terminal(state)]
        self.index = {state: i for i, state in enumerate(self.states)}
        self.optimal = np.zeros((len(self.states), GAME.num_actions), dtype=bool)
        for i, state in enumerate(self.states):
            for action in GAME.legal_actions(state):
                self.optimal[i, action] = -values[GAME.play(state, action)] == values[state]
        self.batch = BATCHED.from_states(self.states)

    def moves(self, net: nn.Module, simulations: int) -> np.ndarray:
        """int64 [4520], what the network plays at each position, with so many simulations."""
        network = fast_inference(net)
        if simulations:
            return batched_search(BATCHED, self.batch, network, simulations, network.settings.c_puct).argmax(axis=1)
        _, logits = network(BATCHED.encode(self.batch))
        return np.where(BATCHED.legal(self.batch), logits, -np.inf).argmax(axis=1)

    def __call__(self, net: nn.Module, simulations: int) -> dict:
        """Losing lines as first and as second player, and the share of positions in which the move is optimal."""
        moves = self.moves(net, simulations)
        player = TablePlayer(self.index, moves)
        first, second = (count_lines(GAME, player, side).losses for side in (1, -1))
        return dict(first=first, second=second, optimal=float(self.optimal[np.arange(len(moves)), moves].mean()))


class TablePlayer:
    def __init__(self, index: dict, moves: np.ndarray):
        self.index, self.moves = index, moves

    def act(self, state) -> int:
        return int(self.moves[self.index[state]])


def one_game(seed: int, judge: Judge) -> tuple[list[tuple[float, dict, dict]], nn.Module]:
    """([(seconds of training, judgement alone, with simulations): untrained, then after each new champion], the last one)."""
    training, course = Training.start(GAME, TrainingConfig(), seed), []

    def callback(training: Training) -> None:
        if not training.history or training.history[-1]["accepted"]:
            net = training.champion
            course.append((training.seconds, judge(net, 0), judge(net, SIMULATIONS)))

    callback(training)
    train_alphazero(training, callback)
    return course, training.champion


def batched(seed: int, judge: Judge) -> tuple[list[tuple[float, dict, dict]], nn.Module]:
    """As `one_game`, for the average network after each iteration."""
    training = BatchedTraining.start(GAME, PRESETS[GAME.name], seed)
    course = []

    def callback(training: BatchedTraining) -> None:
        net = training.average
        course.append((training.cpu_seconds, judge(net, 0), judge(net, SIMULATIONS)))

    callback(training)
    train_batched(training, callback, workers=0)
    return course, training.average


def since_when(course: list, which: int) -> tuple[float | None, float | None]:
    """Seconds of training until nothing loses: for the first time, and for good (None: never)."""
    first = good = None
    for entry in course:
        lost = entry[which]["first"] + entry[which]["second"]
        if lost == 0 and first is None:
            first = entry[0]
        good = None if lost else (entry[0] if good is None else good)
    return first, good


HEAD = (
    "seed",
    "trained",
    "losing lines, untrained, alone",
    "with 50",
    "trained, alone",
    "with 50",
    "alone: none after",
    "for good",
    "with 50: none after",
    "for good",
    "optimal, untrained, alone",
    "with 100",
    "trained, alone",
    "with 100",
)


HEAD_ROWS = f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}"


def row(seed: int, found: dict) -> str:
    def seconds(value: float | None) -> str:
        return "never" if value is None else f"{value:.1f} s"

    def lines(judged: dict) -> str:
        return f"{judged['first']} + {judged['second']}"

    def share(judged: dict) -> str:
        return f"{100 * judged['optimal']:.2f} %"

    start, end = found["course"][0], found["course"][-1]
    cells = [seed, seconds(end[0]), *map(lines, (start[1], start[2], end[1], end[2]))]
    cells += [seconds(value) for which in (1, 2) for value in since_when(found["course"], which)]
    cells += map(share, (start[1], found["untrained_100"], end[1], found["trained_100"]))
    return "| " + " | ".join(map(str, cells)) + " |"


def table(seeds: dict[str, dict]) -> str:
    """What was found for each seed, as Markdown."""
    return "\n".join([HEAD_ROWS, *(row(seed, found) for seed, found in seeds.items())])


def main() -> None:
    ways = {"one-game": one_game, "batched": batched}
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("ways", nargs="*", help="one-game, batched; both if none is named")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(5)))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    judge, results = Judge(), {}
    for way in options.ways or ways:
        print(f"\n{way}\n\n{HEAD_ROWS}", flush=True)
        for seed in options.seeds:
            course, net = ways[way](seed, judge)
            from_scratch = BatchedTraining.start(GAME, PRESETS[GAME.name], seed).net  # the same weights in both ways
            found = dict(course=course, untrained_100=judge(from_scratch, 100), trained_100=judge(net, 100))
            results.setdefault(way, {})[seed] = found
            print(row(seed, found), flush=True)
    if options.json:
        write_atomically(options.json, json.dumps(results))


if __name__ == "__main__":
    main()
