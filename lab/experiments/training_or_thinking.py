"""Hex on 4 x 4: how strong is an agent after so many iterations, with so many simulations?

Snapshots of the training of the notebook "Another game".
"""

from collections.abc import Iterator
from functools import cache

import numpy as np

from course_utils.games.batched import make_batched
from course_utils.games.hex import Hex, HexState
from course_utils.learning.config import config_for
from course_utils.learning.engine import train
from course_utils.learning.run import Run
from course_utils.networks import Network
from course_utils.networks.fast import fast_inference
from course_utils.results import Result, Row, table
from course_utils.search.batched import ROOT, Tree, batched_backup, batched_evaluate, batched_expand, batched_select
from lab.experiment import Experiment
from lab.hex_solver import Solver
from lab.shown import chosen, each, points, spread, table_of

GAME = Hex(4)


@cache
def exam(count: int) -> tuple[list[HexState], np.ndarray]:
    """Positions after 0 to 9 random moves, where some moves win and some lose; and which win, bool [positions, 16]."""
    rng, solver, found = np.random.default_rng(0), Solver(GAME.rows), {}
    while len(found) < count:
        state = _after_random_moves(rng.integers(10), rng)
        wins = _winning_moves(state, solver)
        if wins.any() and wins.sum() < len(GAME.legal_actions(state)):
            found[state] = wins
    return list(found), np.array(list(found.values()))


def _after_random_moves(count: int, rng: np.random.Generator) -> HexState:
    """Fewer moves if the game ends before."""
    state = GAME.initial_state()
    for _ in range(count):
        if legal := GAME.legal_actions(state):
            state = GAME.play(state, int(rng.choice(legal)))
    return state


def _winning_moves(state: HexState, solver: Solver) -> np.ndarray:
    """bool [16]: the moves after which the opponent, who is to move, can't win."""
    cells, player = GAME.cells(state).ravel(), state.to_play
    mine, theirs = (sum(1 << int(cell) for cell in np.flatnonzero(cells == who)) for who in (player, -player))
    wins = np.zeros(GAME.num_actions, dtype=bool)
    for action in GAME.legal_actions(state):
        wins[action] = not solver.solve(theirs, mine | 1 << action, -player)[0]
    return wins


def _moves(
    states: list[HexState], network: Network, budgets: tuple[int, ...], c_puct: float
) -> Iterator[tuple[int, np.ndarray]]:
    """(budget, the moves of a search of so many simulations, int64 [positions]); 0 is the network alone.

    A short search is the beginning of a longer one.
    """
    batched = make_batched(GAME)
    tree = Tree.plant(batched, batched.from_states(states), max(budgets))
    batched_evaluate(tree, np.full(len(states), ROOT), network, batched)
    yield 0, tree.P[:, ROOT].argmax(axis=1)
    for simulation in range(1, max(budgets) + 1):
        leaves = batched_expand(tree, *batched_select(tree, c_puct), batched)
        batched_backup(tree, leaves, batched_evaluate(tree, leaves, network, batched))
        if simulation in budgets:
            yield simulation, tree.N[:, ROOT].argmax(axis=1)


def measure(
    seed: int, iterations: int, looks: tuple[int, ...], simulations: tuple[int, ...], positions: int
) -> list[Row]:
    """The share of right moves in the exam, at each of the `looks` and with each number of simulations."""
    states, wins = exam(positions)
    rows: list[Row] = []

    def look(run: Run) -> None:
        if len(run.history) in looks:
            for count, moves in _moves(states, fast_inference(run.network), simulations, run.config.c_puct):
                kept = int(wins[np.arange(positions), moves].sum())
                rows.append(dict(iteration=len(run.history), simulations=count, kept=kept, of=positions))

    run = Run.start(GAME, config_for(GAME, iterations=iterations), seed)
    look(run)
    train(run, look, workers=0)
    return rows


EXPERIMENT = Experiment(
    question="Hex on 4 x 4: how much training does a longer search replace?",
    published="each 10x of training replaces about 15x of search, on boards up to 9 x 9 (Jones 2021)",
    measure=measure,
    base=dict(
        iterations=24,
        looks=(0, 1, 2, 4, 8, 16, 24),
        simulations=(0, 2, 4, 8, 16, 32, 64),
        positions=400,
    ),
    variants={"as in the notebook": {}},
    quick=dict(iterations=2, looks=(0, 2), simulations=(0, 4), positions=50),
    seeds=range(5),
)


@table_of("training_or_thinking")
def by_training_and_search(result: Result) -> str:
    """The percentage of right moves: a line for each number of iterations, a column for each of simulations."""
    lines: list[Row] = []
    for iteration in each(result.rows, "iteration"):
        line: Row = {"iterations": iteration}
        for count in each(result.rows, "simulations"):
            rows = chosen(result.rows, iteration=iteration, simulations=count)
            line[f"{count} simulations" if count else "alone"] = spread(map(points, rows))
        lines.append(line)
    return table(lines)
