"""Check gate: whether the candidate has won enough of the decisive games."""

import numpy as np
from hypothesis import strategies as st

from course_utils.learning.arena import Score, play_game
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes

SHARE = "What share of the decisive games is that, and is it at least 55 %?"
BY_HAND = f"""
    the score is the candidate's wins, draws and losses (2 points)
    The candidate wins all games from the first opening, half of them from the second,
    and loses or draws from the third.
    >>> match = match_that_ends([(1, 1), (1, -1), (-1, 0)])
    >>> accepted, score = gate(*match)
    >>> score
    3, 1, 2
    ? Whose wins does the score count, and in which order do the three numbers come?

    a win counts the same for the first player and the second
    The candidate wins wherever it moves first, and twice where it moves second.
    >>> accepted, score = gate(*match_that_ends([(1, 1), (1, 0), (1, -1), (1, 1)]))
    >>> score
    6, 1, 1
    ? `winner` returns +1 if the first player won. Which agent was that?

    two games from each opening, one with each color (2 points)
    >>> match = game, candidate, champion, openings = match_that_ends([(0, 0), (0, 0)])
    >>> accepted, score = gate(*match)
    >>> sorted(candidate.asked)
    ["opening 0, as first player", "opening 0, as second player",
     "opening 1, as first player", "opening 1, as second player"]
    ? Moving first is an advantage. How do you make each opening fair?

    draws don't count, so one win and 19 draws are enough (2 points)
    >>> accepted, score = gate(*match_that_ends([(1, 0)] + 9 * [(0, 0)]))
    >>> accepted
    True
    ? How many games of this match were decided, and how many of those did the candidate win?

    if all games are drawn, the champion stays (2 points)
    >>> accepted, score = gate(*match_that_ends(10 * [(0, 0)]))
    >>> accepted
    False
    ? No game was decided. Has the candidate shown that it is better?

    6 of 11 is 54.5 %, which is not enough
    >>> accepted, score = gate(*match_that_ends(5 * [(1, -1)] + [(1, 0)]))
    >>> accepted
    False
    ? {SHARE}

    5 of 9 is 55.6 %, which is enough
    >>> accepted, score = gate(*match_that_ends(4 * [(1, -1)] + [(1, 0)]))
    >>> accepted
    True
    ? {SHARE}

    exactly the threshold is enough
    >>> accepted, score = gate(*match_that_ends([(1, 1), (1, -1)]), threshold=0.75)
    >>> accepted
    True
    ? Does "at least" include equality?

    two of three are not enough where the caller asks for three quarters
    >>> accepted, score = gate(*match_that_ends([(1, 1), (-1, 0)]), threshold=0.75)
    >>> accepted
    False
    ? Which threshold counts in this match?
"""


class Staged:
    """A game of two moves, one for each player, with given results.

    A state is (opening, player to move, agents that have moved).
    """

    name, num_actions = "staged", 2

    def __init__(self, results: list[tuple[int, int]], first: int):
        self.results, self.first = results, first

    def initial_state(self) -> tuple:
        return 0, self.first, ()

    def legal_actions(self, state) -> list[int]:
        return [] if self.is_terminal(state) else [0, 1]

    def play(self, state, action) -> tuple:
        return state[0], -state[1], (*state[2], action)

    def to_play(self, state) -> int:
        return state[1]

    def is_terminal(self, state) -> bool:
        return len(state[2]) == 2

    def winner(self, state) -> int:
        """Return the staged result, or 0 if one agent played both sides."""
        outcome = self.results[state[0]]  # for the candidate, whose number is 1
        return self.first * {(1, 0): outcome[0], (0, 1): -outcome[1]}.get(state[2], 0)


class Scripted:
    """An agent that plays its own number, and records the positions of its calls."""

    def __init__(self, number: int):
        self.number = number
        self.asked: list[str] = []

    def act(self, state) -> int:
        self.asked.append(f"opening {state[0]}, as {'second' if state[2] else 'first'} player")
        return self.number


def match_that_ends(results: list[tuple[int, int]], first: int = 1) -> tuple[Staged, Scripted, Scripted, list]:
    """Stage a match with these results of the candidate (1, 0, -1): (moving first, moving second) of each opening.

    After the openings `first` is to move.
    """
    openings = [(opening, first, ()) for opening in range(len(results))]
    return Staged(results, first), Scripted(1), Scripted(0), openings


def scene(draw) -> str:
    results, first, threshold = draw
    return f"""\
match = game, candidate, champion, openings = match_that_ends({results}, {first=})
accepted, score = gate(*match{threshold})
accepted, score, sorted(candidate.asked), sorted(champion.asked)"""


def verdict_and_score(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"expected the verdict and the score, got one {type(result).__name__}"
    if not isinstance(result[0], bool | np.bool_):
        return f"expected True or False first, got {result[0]!r}"
    return "" if isinstance(result[1], tuple | list) and len(result[1]) == 3 else f"expected a Score, got {result[1]!r}"


_SCORE = "score = match(game, candidate, champion, openings)"
_ACCEPTED = "accepted = decisive > 0 and score.wins / decisive >= threshold"
_COUNT = "\n    score = Score(results.count(1), results.count(0), results.count(-1))"
# fmt: off
WRONG = [
    Wrong("score before verdict", "the score is returned first and the verdict second",
          "Which comes first in the docstring?", ("return accepted, score", "return score, accepted")),
    Wrong("score only", "only the score is returned", "Which two values does the docstring ask for?",
          ("return accepted, score", "return score")),
    Wrong("draws count half", "a draw counts as half a win, and the share is taken of all games",
          "Two good players nearly always draw. How many wins would a slightly better player need in your count?",
          (_ACCEPTED, "accepted = (score.wins + score.draws / 2) / sum(score) >= threshold")),
    Wrong("draws count as losses", "the share of wins is taken of all games, so a draw counts like a loss",
          "The threshold is a share of which games?", (_ACCEPTED, "accepted = score.wins / sum(score) >= threshold")),
    Wrong("always the same color", "the candidate moves first in both games",
          "Which player would you expect to win if two equal players met in your match?",
          (_SCORE, "results = [play_game(game, {1: candidate, -1: champion}, opening) "
                   "for opening in openings for _ in range(2)]" + _COUNT)),
    Wrong("winner taken for candidate",
          "colors alternate, but the first player's result is counted as the candidate's in both games",
          "`winner` returns +1 for the first player. Which agent is that in the second game?",
          (_SCORE, "pairs = ({1: candidate, -1: champion}, {1: champion, -1: candidate})\n"
                   "    results = [play_game(game, players, opening) "
                   "for opening in openings for players in pairs]" + _COUNT)),
    Wrong("one game an opening", "only one game is played from each opening",
          "What if an opening favors the player who moves first?",
          (_SCORE,
           "results = [play_game(game, {1: candidate, -1: champion}, opening) for opening in openings]" + _COUNT)),
    Wrong("more than the threshold", "the share must exceed the threshold instead of reaching it",
          "Is a share of exactly the threshold enough?", (">= threshold", "> threshold")),
    Wrong("all drawn: accepted", "a match without a decided game accepts the candidate",
          "No game was decided. Has the candidate shown that it is better?",
          (_ACCEPTED, "accepted = decisive == 0 or score.wins / decisive >= threshold")),
    Wrong("all drawn: division by zero", "no game is decided, and the share is divided by 0",
          "What is the share of wins when no game was decided?",
          (_ACCEPTED, "accepted = score.wins / decisive >= threshold")),
    Wrong("the champion's score", "the score is the champion's, so a candidate that loses is accepted",
          "Whose wins does `match` count?", (_SCORE, "score = match(game, champion, candidate, openings)")),
    Wrong("threshold fixed", "55 % is written into the function, so the argument changes nothing",
          "Where should the number come from?", (">= threshold", ">= 0.55")),
    Wrong("any lead is enough", "more wins than losses are enough, whatever the threshold says",
          "What is the threshold for?", (_ACCEPTED, "accepted = score.wins > score.losses")),
    Wrong("openings ignored", "every game begins at the start",
          "How many different games can two players without randomness play from one start?",
          (_SCORE, "score = match(game, candidate, champion, [game.initial_state()] * len(openings))")),
    Wrong("verdict only", "only the verdict is returned", "What does the dashboard need to draw?",
          ("return accepted, score", "return accepted")),
]
# fmt: on


def right_by_counting(game, candidate, champion, openings, threshold=0.55):
    wins = draws = losses = 0
    for opening in openings:
        for side in (-1, 1):
            outcome = side * play_game(game, {side: candidate, -side: champion}, opening)
            if outcome > 0:
                wins += 1
            elif outcome < 0:
                losses += 1
            else:
                draws += 1
    if wins + losses == 0:
        return False, Score(wins, draws, losses)
    return wins / (wins + losses) >= threshold, Score(wins, draws, losses)


def right_with_numpy(game, candidate, champion, openings, threshold=0.55):
    first = np.array([play_game(game, {1: candidate, -1: champion}, opening) for opening in openings])
    second = -np.array([play_game(game, {1: champion, -1: candidate}, opening) for opening in openings])
    results = np.concatenate([first, second])
    decided = results[results != 0]
    share = (decided > 0).mean() if len(decided) else -1.0
    return share >= threshold, (int((results > 0).sum()), int((results == 0).sum()), int((results < 0).sum()))


RESULTS = st.sampled_from([0, 0, 1, -1])
CHECK = Scenes(
    draws=st.tuples(
        st.lists(st.tuples(RESULTS, RESULTS), min_size=1, max_size=9),  # with 20 decisive games rounding would matter
        st.sampled_from([1, -1]),
        st.sampled_from(["", "", ", threshold=0.5", ", threshold=0.75", ", threshold=1.0"]),
    ),
    edges=[([(1, 1), (1, -1)], 1, ", threshold=0.75")],  # exactly the threshold
    returns=verdict_and_score,
    changes={"candidate", "champion"},
    fresh=False,
    question="The verdict needs the wins, the decisive games and the threshold, and the score counts every game. Which "
    "of these numbers differs?",
)
