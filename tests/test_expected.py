"""What the texts promise of experiments that no cell runs: the sentence stands in its source, and the figures come out."""

import inspect
import math
from itertools import groupby

import numpy as np
import pytest

from course_utils.games import ConnectFour, ConnectN, TicTacToe
from course_utils.games.tictactoe import State
from course_utils.paths import SOURCES
from course_utils.search.bandits import Bandit, epsilon_greedy_many, play_many, ten_armed, ucb_many
from course_utils.search.minimax import alpha_beta
from tests.guesses import notebook_02


def _rewards(choose):
    """[runs]: mean reward per step, on the testbed of notebook 01."""
    testbed = ten_armed(np.random.default_rng(0), runs=1000)
    return play_many(testbed, choose, 1000, np.random.default_rng(3)).rewards.mean(axis=1).mean()


def bandits_others_only():
    everybody, others = (
        _rewards(epsilon_greedy_many(0.1, np.random.default_rng(2), others_only=flag)) for flag in (False, True)
    )
    return [f"All arms, by {everybody - others:.2f} per step"]


def bandits_shrinking_epsilon():
    rng = np.random.default_rng(2)
    fixed = _rewards(epsilon_greedy_many(0.1, np.random.default_rng(2)))
    shrinking = _rewards(lambda Q, N, t: epsilon_greedy_many(min(1, 10 / t), rng)(Q, N, t))
    return [
        f"earns {shrinking - fixed:.2f} per step more than a fixed 0.1, and {_rewards(ucb_many(2)) - shrinking:.2f} less than UCB"
    ]


def bandits_nearly_equal():
    machines = Bandit(np.tile([0.1] + [0.0] * 9, (200, 1)), np.ones((200, 10)))
    best = play_many(machines, ucb_many(2), 5000, np.random.default_rng(1)).arms == 0
    around_2000, at_the_end = best[:, 1900:2000].mean(), best[:, 4900:].mean()
    return [
        f"{around_2000:.0%}".replace("%", " %") + " of the steps around step 2,000",
        f"in {at_the_end:.0%}".replace("%", " %"),
    ]


# --- 02: by the rules on strings that the guesses use --------------------------------------------------------------


def game_first_moves():
    first = notebook_02.children("." * 9)
    corner, edge, center = (f"{float(notebook_02.wins(first[cell])[1]):.0%}".replace("%", " %") for cell in (0, 1, 4))
    return [f"X wins {corner}, {edge} and {center} of them", f"255,168 games have only {len(_positions()):,} positions"]


def game_law_of_large_numbers():
    share = float(notebook_02.wins("." * 9)[1])
    return [
        f"{share:.1%}".replace("%", " %") + " for X",
        f"√({share:.3f} · {1 - share:.3f} / 1000) = {100 * (share * (1 - share) / 1000) ** 0.5:.1f} points",
    ]


def game_played_on():
    return [f"{math.factorial(9):,} = 9 · 8 · ... · 1"]


def game_without_the_anti_diagonal(monkeypatch):
    for cached in (notebook_02.games, notebook_02.wins):
        cached.cache_clear()
    monkeypatch.setattr(notebook_02, "LINES", [line for line in notebook_02.LINES if line != (2, 4, 6)])
    number = notebook_02.games("." * 9)
    for cached in (notebook_02.games, notebook_02.wins):
        cached.cache_clear()
    return [f"{number:,}, more than before"]


def connect_without_a_diagonal():
    """Random games of Connect Four; in how many a line along one diagonal, and no other, is made."""
    game, rng, missed = ConnectFour(), np.random.default_rng(0), 0
    for _ in range(2000):
        state = game.initial_state()
        while not game.is_terminal(state):
            action = int(rng.choice(game.legal_actions(state)))
            state = game.play(state, action)
        missed += state.winner != 0 and not _line_without(game.cells(state), state, action)
    return [f"About {missed / 2000:.0%}".replace("%", " %") + " of the games would go on past their end"]


def _line_without(cells, state, column):
    row = cells.shape[0] - len(state.columns[column])
    lines = (cells[row], cells[:, column], np.diagonal(cells, column - row))
    return any(run(line.tolist(), state.winner) >= 4 for line in lines)


def run(line, player):
    """The longest run of a player's stones."""
    return max((len(list(group)) for stone, group in groupby(line) if stone == player), default=0)


def connect_on_4_by_4():
    return [f"{_count(ConnectN(4, 4, 4)):,}, nearly four times as many"]


def connect_in_one_row():
    game, rng, won = ConnectN(1, 12, 2), np.random.default_rng(0), 0
    for _ in range(20_000):
        state = game.initial_state()
        while not game.is_terminal(state):
            state = game.play(state, int(rng.choice(game.legal_actions(state))))
        won += game.winner(state) == 1
    return [f"in about {won / 20_000:.0%}".replace("%", " %") + " of the games: X has two stones"]


def perfect_play_with_an_endless_window():
    game = TicTacToe()
    narrow, (value, endless) = alpha_beta(game, State()), alpha_beta(game, State(), -math.inf, math.inf)
    assert narrow[0] == value == 0
    return [f"the count rises from {narrow[1]:,} to {endless:,}"]


def _positions():
    found, waiting = {"." * 9}, ["." * 9]
    while waiting:
        board = waiting.pop()
        fresh = set(notebook_02.children(board).values()) - found if notebook_02.over(board) is None else set()
        found |= fresh
        waiting += fresh
    return found


def _count(game):
    found, waiting = {game.initial_state()}, [game.initial_state()]
    while waiting:
        state = waiting.pop()
        fresh = {game.play(state, action) for action in game.legal_actions(state)} - found
        found |= fresh
        waiting += fresh
    return len(found)


EXPECTED = {
    "01": [bandits_others_only, bandits_shrinking_epsilon, bandits_nearly_equal],
    "02": [
        game_first_moves,
        game_law_of_large_numbers,
        game_played_on,
        game_without_the_anti_diagonal,
        connect_without_a_diagonal,
        connect_on_4_by_4,
        connect_in_one_row,
    ],
    "03": [perfect_play_with_an_endless_window],
}


@pytest.mark.parametrize(
    ("notebook", "computed"), [(notebook, one) for notebook, all_of in EXPECTED.items() for one in all_of]
)
def test_what_a_text_promises_comes_out(notebook, computed, monkeypatch):
    text = next(SOURCES.glob(f"{notebook}_*.md")).read_text("utf-8")
    for sentence in computed(monkeypatch) if inspect.signature(computed).parameters else computed():
        assert sentence in text
