"""Q-learning in a table beside AlphaZero, in tic-tac-toe and in a game with seventy times as many positions.

What a player is worth is counted over all positions of the game and all lines that can be played against it. The
seconds are those of the processor, for learning alone.
"""

import time
from collections.abc import Iterator

import numpy as np

from course_utils.exercise import using
from course_utils.games import make_game
from course_utils.learning.config import TrainingConfig
from course_utils.learning.proof import AnswerKey
from course_utils.learning.q_table import best_in_table, learn_in_table
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero
from course_utils.results import Result, Row, table
from lab.command import command
from lab.shown import each, over_seeds, table_of

GAMES = {  # and after how many games a table is graded, which takes longer in the larger one
    "tictactoe": (300, 600, 1_200, 2_500, 5_000, 10_000, 20_000, 40_000),
    "connect_n:4x5x3": (1_200, 5_000, 10_000, 40_000),
}
ALPHAZERO, RANDOM = "AlphaZero", "a random move"
TABLES = {"table, epsilon 0.3": 0.3, "table, random games": 1.0}


def worth(key: AnswerKey, moves: np.ndarray) -> Row:
    """The lines lost, the lines of the first player not won, and how many moves keep the value where some lose it."""
    first, second = (key.lines(moves, side) for side in (1, -1))
    kept = key.optimal[np.arange(len(moves)), moves][key.matters]
    lines = dict(first=int(first.losses), second=int(second.losses), not_won_first=int(first.draws + first.losses))
    return dict(lines, of_first=int(sum(first)), kept=int(kept.sum()), of=len(kept))


def by_chance(key: AnswerKey) -> Row:
    """How many moves keep the value, on average, if each legal one is as likely, where some move loses it."""
    shares = (key.optimal.sum(axis=1) / key.legal.sum(axis=1))[key.matters]
    return dict(games=0, seconds=0.0, kept=round(float(shares.sum())), of=len(shares))


def by_table(key: AnswerKey, stops: tuple[int, ...], epsilon: float, seed: int) -> Iterator[Row]:
    rng, Q, seconds, played = np.random.default_rng(seed), None, 0.0, 0
    for games in stops:
        began = time.process_time()
        Q = learn_in_table(key.game, games - played, epsilon, rng, Q)
        seconds, played = seconds + time.process_time() - began, games
        moves = np.array([best_in_table(Q, key.game, state) for state in key.states])
        seen = len({state for state, _ in Q} & key.index.keys())
        yield dict(games=games, seconds=round(seconds, 2), seen=seen, **worth(key, moves))


def by_alphazero(key: AnswerKey, seed: int) -> list[Row]:
    """The training of the notebook 'The training loop', with its settings in any game; the network plays alone."""
    run, rows, graded = Run.start(key.game, TrainingConfig(), seed), [], 0.0
    began = time.process_time()

    def look(run: Run) -> None:
        nonlocal graded
        now = time.process_time()
        games, moves = sum(entry["games"] for entry in run.history), key.moves(run.network, 0)
        rows.append(dict(games=games, seconds=round(now - began - graded, 2), seen=None, **worth(key, moves)))
        graded += time.process_time() - now

    look(run)  # untrained
    train_alphazero(run, look)
    return rows


@command("q_table")
def q_table(games=tuple(GAMES), learners=(*TABLES, ALPHAZERO), seeds=range(3)) -> Iterator[Row]:
    """Two tables and AlphaZero: how much they know after so many games and seconds."""
    for name in games:
        key = AnswerKey(make_game(name))
        yield dict(game=name, positions=len(key.states), learner=RANDOM, seed=0, **by_chance(key))
        for learner in learners:
            for seed in seeds:
                with using({}):
                    rows = (
                        by_alphazero(key, seed)
                        if learner == ALPHAZERO
                        else by_table(key, GAMES[name], TABLES[learner], seed)
                    )
                    for row in rows:
                        yield dict(game=name, positions=len(key.states), learner=learner, seed=seed, **row)


@table_of("q_table")
def by_games(result: Result) -> str:
    lines: list[Row] = []
    for game in each(result.rows, "game"):
        for learner in (*TABLES, ALPHAZERO):
            stops = [
                games
                for games in each(result.where(game=game, learner=learner), "games")
                if games in (1_200, 10_000, 40_000)
            ]
            for games in stops:
                rows = dict(game=game, learner=learner, games=games)
                lines.append(
                    {
                        "game": game,
                        "learner": learner,
                        "games": f"{games:,}",
                        "processor seconds": over_seeds(result, "seconds", "{:.1f}", **rows),
                        "right moves, %": over_seeds(
                            result, lambda row: 100 * row["kept"] / row["of"], "{:.1f}", **rows
                        ),
                        "losing lines": over_seeds(result, lambda row: row["first"] + row["second"], "{:,.0f}", **rows),
                    }
                )
    return table(lines)
