"""Eight positions made by hand, as in a thesis: the moves of networks, alone and with search, and their values."""

import numpy as np

from course_utils.agents import CHECKPOINTS
from course_utils.games import after
from course_utils.learning.proof import tictactoe_key
from course_utils.networks.checkpoint import load_network
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.experiments.parts_of_training import PLAIN
from lab.experiments.thesis_sets import hyperparameters
from lab.schedules import train_as_the_thesis, train_in_lockstep
from lab.shown import each, mean, table_of

POSITIONS = {  # those of the notebook 'The training loop'
    "the start": (),
    "X wins: 1": (4, 1),
    "X wins: 2": (4, 1, 0, 8),
    "X wins: 3": (4, 1, 0, 8, 3, 5),
    "O wins: 1": (0, 4, 1, 2, 3),
    "O wins: 2": (1, 4, 3, 0, 5),
    "O: only 2 saves": (0, 4, 1),
    "O: only corners save": (4,),
}


def measure(seed: int, kind: str, budgets: tuple[int, ...], thesis_games: int, **changes) -> list[Row]:
    """Measure a network, along its training or as it is: whether its move keeps the value of each position.

    Also how likely the network alone plays such a move, and its value for the player to move. The shipped network is
    measured with the first seed only.
    """
    key = tictactoe_key()
    places = np.array([key.index[after(key.game, list(moves))] for moves in POSITIONS.values()])
    asked = np.isin(np.arange(len(key.states)), places)
    rows: list[Row] = []

    def look(net, iteration: int) -> None:
        value, policy = key.evaluated(net)
        for count in budgets:
            moves = key.moves(net, count, at=asked)
            for name, place in zip(POSITIONS, places.tolist(), strict=True):
                rows.append(
                    dict(
                        iteration=iteration,
                        simulations=count,
                        position=name,
                        right=bool(key.optimal[place, moves[place]]),
                        likely=round(float(policy[place][key.optimal[place]].sum()), 4),
                        value=round(float(value[place]), 4),
                        true_value=float(key.values[place]),
                    )
                )

    if kind == "run":
        run = train_in_lockstep(seed, lambda run: look(run.network, len(run.history)), **changes)
        rows = [row for row in rows if row["iteration"] in (0, 2, 4, run.config.iterations)]
    elif kind == "thesis":
        look(list(train_as_the_thesis(seed, games=thesis_games, **hyperparameters("H")))[-1].net, thesis_games)
    elif seed == 0:
        look(load_network(CHECKPOINTS / "tictactoe.pt", key.game.name), 0)
    return rows


EXPERIMENT = Experiment(
    question="Eight positions made by hand: who finds the right move, alone and with search?",
    published="one network's probabilities and values, in pictures",
    measure=measure,
    base=dict(budgets=(0, 25, 100), thesis_games=1000, **PLAIN),
    variants={
        "a run of the course": dict(kind="run"),
        "the thesis' final run": dict(kind="thesis"),
        "shipped": dict(kind="shipped"),
    },
    quick=dict(iterations=3, games=64, steps=30, thesis_games=50),
    seeds=range(5),
)


@table_of("eight_positions")
def found(result: Result) -> str:
    """In how many seeds the move is right, alone and with 25 simulations; and the values of the trained networks."""
    players = list(dict.fromkeys((row["variant"], row["iteration"]) for row in result.rows))
    *_, last = [player for player in players if player[0].startswith("a run")]
    lines = []
    for position in each(result.rows, "position"):
        line: Row = {"position": position}
        for variant, iteration in players:
            head = f"{variant}, iteration {iteration}" if variant.startswith("a run") else variant
            asked = dict(variant=variant, iteration=iteration, position=position)
            right = [[row["right"] for row in result.where(simulations=count, **asked)] for count in (0, 25)]
            line[head] = "; ".join(f"{sum(some)} of {len(some)}" for some in right)
            if (variant, iteration) == last:
                rows = result.where(simulations=0, **asked)
                values, true = [row["value"] for row in rows], rows[0]["true_value"]
        line["value at the end of the course's run (true)"] = (
            f"{mean(values):+.2f}, {min(values):+.2f} to {max(values):+.2f} ({true:+.0f})"
        )
        lines.append(line)
    return table(lines)
