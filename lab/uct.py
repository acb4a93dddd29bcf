"""The long comparisons of the notebook 'Tree search with rollouts', which draws from what they leave.

All of them take about ten minutes on one core.

Each has its own seeds, so the same command gives the same numbers. Games are won, drawn and lost for the player that
the row is about.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from course_utils.agents import MinimaxAgent, RandomAgent
from course_utils.agents.uct import UctAgent
from course_utils.games import TicTacToe
from course_utils.learning.arena import Player, Score
from course_utils.learning.tournament import play_series, round_robin
from course_utils.results import Row, table
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
from lab.command import command
from lab.saving import load_result
from lab.shown import figure, games_of, interval, mean

GAME = TicTacToe()
CONSTANTS = (0.0, 0.25, 0.5, 1.0, math.sqrt(2), 1.5, 2.0, 2.5, 3.0)


def agent(simulations: int, seed: int, **options) -> UctAgent:
    return UctAgent(GAME, simulations, np.random.default_rng(seed), **options)


def perfect(seed: int) -> MinimaxAgent:
    """Perfect play of varied moves."""
    return MinimaxAgent(GAME, np.random.default_rng(seed))


def one_side(first: Player, second: Player, games: int, /, **values) -> Row:
    """`first` always moves first."""
    return dict(values, **play_series(GAME, first, second, range(games))._asdict())


def both_sides(
    make: Callable[[int], Player], opponent: Callable[[int], Player], games: int, seeds, /, **values
) -> Iterator[Row]:
    """The player that `make(seed)` makes, as first and as second player.

    `seeds`: the players' in order of their moves.
    """
    yield one_side(make(seeds[0]), opponent(seeds[1]), games, **values, side="first")
    turned = play_series(GAME, opponent(seeds[2]), make(seeds[3]), range(games))
    yield dict(values, side="second", **Score(*reversed(turned))._asdict())


@command("uct_opening")
def opening(simulations=10_000, seeds=range(20)) -> Iterator[Row]:
    """From the empty board, one tree a seed: visits and mean results of the nine moves, for the first player."""
    for seed in seeds:
        root = UctNode(GAME, GAME.initial_state())
        visits = uct_search(GAME, root, simulations, np.random.default_rng(seed))
        tree = dict(root_mean=-root.Q, nodes=count_nodes(root))
        for action in range(9):
            yield dict(seed=seed, action=action, visits=int(visits[action]), mean=root.children[action].Q, **tree)


@command("uct_random")
def random(games=500, seeds=(0, 1)) -> Iterator[Row]:
    """As first player against random moves."""
    for simulations in (10, 25, 50, 100, 200, 500):
        opponent = RandomAgent(GAME, np.random.default_rng(seeds[0]))
        yield one_side(agent(simulations, seeds[1]), opponent, games, simulations=simulations)


@command("uct_equal")
def equal(games=100, simulations=(100, 200, 1_000), seeds=(1, 2)) -> Iterator[Row]:
    """Two equal players."""
    for count in simulations:
        yield one_side(agent(count, seeds[0]), agent(count, seeds[1]), games, simulations=count)


@command("uct_equal_10000")
def equal_10000(games=30, seeds=(1, 2)) -> Iterator[Row]:
    """Two equal players with 10,000 simulations a move."""
    yield from equal(games, (10_000,), seeds)


@command("uct_unequal")
def unequal(games=30, seeds=(1, 2, 3, 4)) -> Iterator[Row]:
    """100 simulations a move against 10,000, on either side."""
    yield from both_sides(partial(agent, 100), partial(agent, 10_000), games, seeds)


@command("uct_constants")
def constants(games=200, seeds=(1, 2, 3, 4)) -> Iterator[Row]:
    """Against perfect play, 500 simulations, over the exploration constant."""
    for c in CONSTANTS:
        make = partial(agent, 500, score=partial(uct_score, c_uct=c))
        yield from both_sides(make, perfect, games, seeds, c_uct=round(c, 2))


@command("uct_budgets")
def budgets(games=100, seeds=(1, 2, 3, 4)) -> Iterator[Row]:
    """Against perfect play, over the number of simulations."""
    for count in (25, 50, 100, 200, 400, 800, 1200, 1600, 2400):
        yield from both_sides(partial(agent, count), perfect, games, seeds, simulations=count)


@command("uct_selection")
def selection(games=50, seeds=(1, 2, 3, 4)) -> Iterator[Row]:
    """The three selection policies against perfect play, 200 simulations, and among each other."""
    scores = {"UCT": uct_score, "OMC": omc_score, "PBBM": pbbm_score}
    for name, score in scores.items():
        make = partial(agent, 200, score=score)
        yield from both_sides(make, perfect, games, seeds, score=name, opponent="perfect play")
    agents = {name: agent(200, seed, score=score) for seed, (name, score) in enumerate(scores.items())}
    for (name, opponent), result in round_robin(GAME, agents, [GAME.initial_state()] * (games // 2)).items():
        yield dict(score=name, opponent=opponent, side="both", **result._asdict())


@command("uct_rules")
def rules(games=200, seeds=(1, 2, 3, 4)) -> Iterator[Row]:
    """The four final-move policies against perfect play, 200 simulations."""
    for rule in RULES:
        yield from both_sides(partial(agent, 200, rule=rule), perfect, games, seeds, rule=rule)


@command("uct_tree")
def tree(games=200, seeds=(1, 2, 3, 4)) -> Iterator[Row]:
    """Tree kept or thrown away, and one child or all at a time; against perfect play, 200 simulations."""
    variants: dict[str, dict] = {
        "kept": {},
        "thrown away": {"keep_tree": False},
        "all children at once": {"expand": expand_all},
    }
    for name, options in variants.items():
        yield from both_sides(partial(agent, 200, **options), perfect, games, seeds, variant=name)


@figure
def outcomes(row: Row) -> str:
    return f"first wins {row['wins']}, drawn {row['draws']}, second wins {row['losses']}"


@figure
def visited(*actions: int) -> float:
    """The mean share of visits, in percent, that an opening move among these got from the empty board."""
    return mean(row["visits"] / 100 for row in load_result("uct_opening").rows if row["action"] in actions)


@figure
def held(simulations: int) -> str:
    """Draws as second player against perfect play."""
    row = load_result("uct_budgets").one(simulations=simulations, side="second")
    return f"{row['draws']} of {games_of(row)} ({interval(row, 'draws')} %)"


@figure
def drawn_by_side(name: str, varied: str, head: str) -> str:
    """Draws as first and as second player against perfect play, over what was varied."""
    result, lines = load_result(name), []
    for side in ("first", "second"):
        rows = result.where(side=side)
        [games] = {games_of(row) for row in rows}
        line: Row = {head: f"drawn of {games}, moving {side}"}
        lines.append(line | {f"{row[varied]:g}": row["draws"] for row in rows})
    return table(lines)


@figure
def variants_of_uct() -> str:
    """Draws as second player against perfect play, for every variant of the search."""
    kinds = {
        "selection by": ("uct_selection", "score"),
        "final move:": ("uct_rules", "rule"),
        "tree:": ("uct_tree", "variant"),
    }
    return table(
        {
            "variant": f"{kind} {row[varied]}",
            "drawn": f"{row['draws']} of {games_of(row)}",
            "interval": f"{interval(row, 'draws')} %",
        }
        for kind, (name, varied) in kinds.items()
        for row in load_result(name).where(side="second")
    )
