"""How long notebook 08 trains until its agent never loses, and what search alone would have done.

    python benchmarks/tictactoe_proof.py --seeds 0 1 2 3 4

Trains as the notebook does and, after each iteration that changes the champion, walks every line of play in both colors:
with 50 simulations a move and for the network alone. The seconds are those of training; counting is not timed.
"""

import argparse

import torch

from course_utils.games import TicTacToe
from course_utils.learning.arena import count_lines
from course_utils.learning.training import Training, TrainingConfig, train_alphazero

SIMULATIONS = 50


def losing_lines(training: Training, net, simulations: int) -> tuple[int, int]:
    """How many lines of play lose for the agent: as first player, as second."""
    agent = training.agent(net, simulations)
    return tuple(count_lines(training.game, agent, side).losses for side in (1, -1))


class Proof:
    """A callback: counts whenever the champion has changed."""

    def __init__(self, training: Training):
        self.counts = {n: [(0.0, losing_lines(training, training.champion, n))] for n in (SIMULATIONS, 0)}

    def __call__(self, training: Training) -> None:
        if training.history[-1]["accepted"]:
            for simulations, counts in self.counts.items():
                counts.append((training.seconds, losing_lines(training, training.champion, simulations)))

    def first(self, simulations: int) -> float | None:
        """Seconds of training until nothing lost for the first time."""
        return next((seconds for seconds, lost in self.counts[simulations] if sum(lost) == 0), None)

    def for_good(self, simulations: int) -> float | None:
        """Seconds of training from which nothing lost any more; None if something still does at the end."""
        since = None
        for seconds, lost in self.counts[simulations]:
            since = None if sum(lost) else seconds if since is None else since
        return since


def show(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=range(5))
    parser.add_argument("--iterations", type=int, default=TrainingConfig.iterations)
    parser.add_argument(
        "--set", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), help="another setting"
    )
    options = parser.parse_args()
    settings = {name: type(getattr(TrainingConfig, name))(float(value)) for name, value in options.set}
    config = TrainingConfig(iterations=options.iterations, **settings)
    torch.set_num_threads(1)
    print("Losing lines as first + second player; seconds of training until there are none, first time and for good.")
    print(
        f"| seed | trained | accepted | untrained, alone | untrained, {SIMULATIONS} | trained, alone "
        f"| trained, {SIMULATIONS} | first 0 with {SIMULATIONS} | for good | first 0 alone | for good |"
    )
    print("|" + "---|" * 11, flush=True)
    for seed in options.seeds:
        training = Training.start(TicTacToe(), config, seed)
        proof = Proof(training)
        train_alphazero(training, proof)
        cells = [seed, f"{training.seconds:.1f} s", sum(entry["accepted"] for entry in training.history)]
        cells += [f"{a} + {b}" for when in (0, -1) for n in (0, SIMULATIONS) for _, (a, b) in [proof.counts[n][when]]]
        cells += [show(when(n)) for n in (SIMULATIONS, 0) for when in (proof.first, proof.for_good)]
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
