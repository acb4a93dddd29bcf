"""The long comparisons of notebook 04, recorded in docs/results/uct.json. The notebook draws from that file.

    python benchmarks/experiments_uct.py                    all of them, about ten minutes on one core
    python benchmarks/experiments_uct.py opening random     only these
    python benchmarks/experiments_uct.py random --games 1000

Each experiment has its own seed, so the same command gives the same numbers. Scores are [wins, draws, losses] of the
player that the experiment is about.
"""

import argparse
import math
import time
from functools import partial

import numpy as np
from tqdm import tqdm

from course_utils.agents import MinimaxAgent, RandomAgent
from course_utils.agents.uct import UctAgent
from course_utils.games import TicTacToe
from course_utils.learning.arena import Score
from course_utils.learning.tournament import load_results, play_series, round_robin, save_results
from course_utils.search.uct import (
    RULES,
    UctNode,
    count_nodes,
    expand_all,
    omc_score,
    pbbm_score,
    uct_score,
    uct_search,
)

GAME = TicTacToe()
CONSTANTS = (0.0, 0.25, 0.5, 1.0, math.sqrt(2), 1.5, 2.0, 2.5, 3.0)


def agent(simulations: int, seed: int, **options) -> UctAgent:
    return UctAgent(GAME, simulations, np.random.default_rng(seed), **options)


def bar(games: int, text: str):
    return tqdm(range(games), desc=text, leave=False)


def against_perfect(games: int, make) -> dict[str, Score]:
    """Scores of the agent that `make(seed)` makes, as first and as second player, against perfect play of varied moves."""
    first = play_series(GAME, make(1), MinimaxAgent(GAME, np.random.default_rng(2)), bar(games, "first"))
    second = play_series(GAME, MinimaxAgent(GAME, np.random.default_rng(3)), make(4), bar(games, "second"))
    return {"first": first, "second": Score(second.losses, second.draws, second.wins)}


def opening(games: int) -> dict:
    """10,000 simulations from the empty board, one tree a seed: visits and mean results of the nine moves."""
    trees = []
    for seed in bar(games, "trees"):
        root = UctNode(GAME, GAME.initial_state())
        visits = uct_search(GAME, root, 10_000, np.random.default_rng(seed))
        means = [root.children[action].Q for action in range(9)]
        trees.append({"visits": visits.tolist(), "means": means, "value": -root.Q, "nodes": count_nodes(root)})
    return {"trees": trees}


def random(games: int) -> dict:
    """As first player against random moves."""
    table = {}
    for simulations in (10, 25, 50, 100, 200, 500):
        opponent = RandomAgent(GAME, np.random.default_rng(0))
        table[simulations] = play_series(GAME, agent(simulations, 1), opponent, bar(games, str(simulations)))
    return table


def equal(games: int) -> dict:
    """Two equal players."""
    return {
        simulations: play_series(GAME, agent(simulations, 1), agent(simulations, 2), bar(games, str(simulations)))
        for simulations in (100, 200, 1_000)
    }


def equal_10000(games: int) -> dict:
    """Two equal players with 10,000 simulations a move."""
    return {10_000: play_series(GAME, agent(10_000, 1), agent(10_000, 2), bar(games, "10,000"))}


def unequal(games: int) -> dict:
    """100 simulations a move against 10,000, with either colour; scores of the 100."""
    first = play_series(GAME, agent(100, 1), agent(10_000, 2), bar(games, "100 moves first"))
    second = play_series(GAME, agent(10_000, 3), agent(100, 4), bar(games, "100 moves second"))
    return {"first": first, "second": Score(second.losses, second.draws, second.wins)}


def constants(games: int) -> dict:
    """Against perfect play, 500 simulations, over the exploration constant."""
    return {
        f"{c:.3g}": against_perfect(games, lambda seed, c=c: agent(500, seed, score=partial(uct_score, c_uct=c)))
        for c in CONSTANTS
    }


def budgets(games: int) -> dict:
    """Against perfect play, over the number of simulations."""
    return {
        simulations: against_perfect(games, partial(agent, simulations))
        for simulations in (25, 50, 100, 200, 400, 800, 1200, 1600, 2400)
    }


def selection(games: int) -> dict:
    """The three selection policies against perfect play, 200 simulations, and among each other."""
    scores = {"UCT": uct_score, "OMC": omc_score, "PBBM": pbbm_score}
    perfect = {name: against_perfect(games, partial(agent, 200, score=score)) for name, score in scores.items()}
    agents = {name: agent(200, seed, score=score) for seed, (name, score) in enumerate(scores.items())}
    table = round_robin(GAME, agents, [GAME.initial_state()] * (games // 2), tqdm)
    return {"perfect": perfect, "table": {f"{one} {other}": score for (one, other), score in table.items()}}


def rules(games: int) -> dict:
    """The four final-move policies against perfect play, 200 simulations."""
    return {rule: against_perfect(games, partial(agent, 200, rule=rule)) for rule in RULES}


def tree(games: int) -> dict:
    """Tree kept or thrown away between moves, and one child or all children at a time; against perfect play, 200 simulations."""
    options = {
        "kept": {},
        "thrown away": {"keep_tree": False},
        "all children at once": {"expand": expand_all},
    }
    return {name: against_perfect(games, partial(agent, 200, **option)) for name, option in options.items()}


EXPERIMENTS = {  # name -> (function, games)
    "opening": (opening, 20),
    "random": (random, 500),
    "equal": (equal, 100),
    "equal_10000": (equal_10000, 30),
    "unequal": (unequal, 30),
    "constants": (constants, 200),
    "budgets": (budgets, 100),
    "selection": (selection, 50),
    "rules": (rules, 200),
    "tree": (tree, 200),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", default=list(EXPERIMENTS), metavar="experiment", help="which; all")
    parser.add_argument("--games", type=int, help="how many games (trees) each; the default differs")
    chosen = parser.parse_args()
    unknown = set(chosen.experiments) - set(EXPERIMENTS)
    if unknown:
        parser.error(f"no such experiment: {', '.join(sorted(unknown))}; there are: {', '.join(EXPERIMENTS)}")
    for name in chosen.experiments:
        experiment, games = EXPERIMENTS[name]
        games = chosen.games or games
        began = time.perf_counter()
        found = experiment(games)
        try:
            results = load_results("uct")
        except ValueError:
            results = {}
        results[name] = {"games": games, "seconds": round(time.perf_counter() - began, 1), "results": found}
        path = save_results("uct", results)
        print(f"{name}: {results[name]['seconds']} s, recorded in {path}")


if __name__ == "__main__":
    main()
