"""All of the course's tic-tac-toe players in one ladder: everybody against everybody, for Elo."""

from itertools import combinations

import numpy as np

from course_utils.agents import MinimaxAgent, RandomAgent
from course_utils.agents.classical import AlphaBetaAgent, GreedyAgent
from course_utils.agents.uct import UctAgent
from course_utils.exercise import using
from course_utils.learning.arena import match, random_openings
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.learning.tournament import elo_ratings
from course_utils.networks.policy_value import make_network
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.experiments.network_against_rollouts import Plays
from lab.schedules import train_in_lockstep
from lab.shown import table_of

SNAPSHOTS = (2, 4, 6, 10, 20, 30, 40, 50, 60)


def players(seed: int, rollouts: tuple[int, ...], iterations: int) -> dict:
    """name -> player. Those of the training run play by the network alone."""
    key, game = tictactoe_key(), tictactoe_key().game
    agents = {
        "random": RandomAgent(game, np.random.default_rng(seed)),
        "win or block, else random": GreedyAgent(game, np.random.default_rng(seed)),
        "alpha-beta, depth 2": AlphaBetaAgent(game, 2),
        "alpha-beta, depth 4": AlphaBetaAgent(game, 4),
        "perfect, any such move": MinimaxAgent(game, np.random.default_rng(seed)),
        **{f"rollouts, {n}": UctAgent(game, n, np.random.default_rng([seed, n])) for n in rollouts},
    }
    net = make_network(game, seed)
    for count in (0, 25, 100):
        agents[f"untrained, {count} simulations"] = Plays(key.moves(net, count))

    def look(run: Run) -> None:
        if len(run.history) in SNAPSHOTS:
            agents[f"iteration {len(run.history)}, alone"] = Plays(key.moves(run.network, 0))

    train_in_lockstep(seed, look, iterations=iterations)
    return agents


def measure(seed: int, openings: int, plies: int, rollouts: tuple[int, ...], iterations: int) -> list[Row]:
    game, agents = tictactoe_key().game, players(seed, rollouts, iterations)
    starts = random_openings(game, openings, plies, np.random.default_rng(seed))
    return [
        dict(one=one, other=other, **match(game, agents[one], agents[other], starts)._asdict())
        for one, other in combinations(agents, 2)
    ]


EXPERIMENT = Experiment(
    question="All players of the course in one ladder: how far apart are they?",
    published="",
    measure=measure,
    base=dict(openings=6, plies=2, rollouts=(10, 100), iterations=60),
    variants={"everybody against everybody": {}},
    quick=dict(openings=2, rollouts=(10,), iterations=4),
    seeds=range(1),
)


@table_of("ladder")
def ratings(result: Result) -> str:
    """Of all players, from the highest to the lowest, with their points."""
    names = list(dict.fromkeys(row[side] for row in result.rows for side in ("one", "other")))
    points = np.zeros((len(names), len(names)))
    for row in result.rows:
        one, other = names.index(row["one"]), names.index(row["other"])
        points[one, other] += row["wins"] + row["draws"] / 2
        points[other, one] += row["losses"] + row["draws"] / 2
    with using({}):
        elo = elo_ratings(points)
    share = points.sum(axis=1) / (points + points.T).sum(axis=1)
    return table(
        {"player": names[i], "Elo": f"{elo[i]:+.0f}", "points, %": f"{100 * share[i]:.0f}"} for i in np.argsort(-elo)
    )
