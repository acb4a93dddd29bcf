"""Hex on 4 x 4, as in the notebook "Another game": does training find the winning openings, and win matches?"""

import copy

import numpy as np

from course_utils.games.hex import Hex
from course_utils.learning.arena import match, random_openings
from course_utils.learning.config import config_for
from course_utils.learning.engine import train
from course_utils.learning.run import Run
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.shown import chosen, each, table_of

GAME = Hex(4)
WINNING = [3, 6, 9, 12]  # the openings that win, as a solver says in lab/tests/test_hex_solver.py


def measure(seed: int, iterations: int, every: int) -> list[Row]:
    """The share of the policy for the empty board on winning openings, along the training; and matches at its end."""
    run, rows = Run.start(GAME, config_for(GAME, iterations=iterations), seed), []
    untrained, start = copy.deepcopy(run.network), GAME.initial_state()

    def look(run: Run) -> None:
        if len(run.history) % every and len(run.history) < iterations:
            return
        for simulations in (0, 100):
            policy = run.agent(run.network, simulations).policy(start)
            on_them, wins = round(float(policy[WINNING].sum()), 3), bool(policy.argmax() in WINNING)
            rows.append(dict(iteration=len(run.history), simulations=simulations, share=on_them, favorite_wins=wins))

    look(run)
    train(run, look, workers=0)
    openings = random_openings(GAME, 50, plies=2, rng=np.random.default_rng(1))
    for row in rows[-2:]:
        few = min(row["simulations"], 16)
        score = match(GAME, run.agent(run.network, few), run.agent(untrained, few), openings)
        row.update(match_simulations=few, won=score.wins, of=sum(score))
    return rows


EXPERIMENT = Experiment(
    question="Hex on 4 x 4: does a short training find the openings that win?",
    published="",
    measure=measure,
    base=dict(iterations=24, every=4),
    variants={"as in the notebook": {}},
    quick=dict(iterations=2, every=1),
)


@table_of("hex_openings")
def openings_found(result: Result) -> str:
    """By seed: the policy's share on winning openings, untrained and trained, and games won against the untrained."""
    lines: list[Row] = []
    for seed in each(result.rows, "seed"):
        line: Row = {"seed": seed}
        for simulations in (0, 100):
            rows = chosen(result.rows, seed=seed, simulations=simulations)
            who = f"{simulations} simulations" if simulations else "network alone"
            line[f"{who}, untrained, %"] = f"{100 * rows[0]['share']:.0f}"
            line[f"{who}, trained, %"] = f"{100 * rows[-1]['share']:.0f}"
            line[f"won with {rows[-1]['match_simulations']} simulations"] = f"{rows[-1]['won']} of {rows[-1]['of']}"
        lines.append(line)
    return table(lines)
