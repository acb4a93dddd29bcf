"""gate: whether the candidate has won enough of the decisive games."""

from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.learning.arena import Score, play_game
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.specification import Specification

CALL = "accepted, score = gate(game, candidate, champion, openings)"


class Table(NamedTuple):
    """A position of a made-up game: which opening it is, who is to move, and which agent moved: 0 the champion, 1 the candidate."""

    opening: int
    to_play: int
    moved: tuple = ()


class Draw(NamedTuple):
    """A match, staged beforehand: for each opening what comes of it where the candidate is the first player, and where the second."""

    table: tuple[tuple[int, int], ...]  # each +1, 0 or -1 for the candidate
    movers: tuple[int, ...]  # who moves at each ply from the opening on, +1 or -1: both do, and need not alternate
    threshold: float | None  # None: the default


class TableGame:
    name, num_actions = "table", 2

    def __init__(self, draw: Draw):
        self.table, self.movers = draw.table, draw.movers

    def initial_state(self) -> Table:
        return Table(0, self.movers[0])

    def legal_actions(self, state) -> list[int]:
        return [] if self.is_terminal(state) else [0, 1]

    def play(self, state, action) -> Table:
        moved = (*state.moved, action)
        return Table(state.opening, self.movers[min(len(moved), len(self.movers) - 1)], moved)

    def to_play(self, state) -> int:
        return state.to_play

    def is_terminal(self, state) -> bool:
        return len(state.moved) == len(self.movers)

    def winner(self, state) -> int:
        agents = dict(zip(self.movers, state.moved, strict=False))
        if not self.is_terminal(state) or len(set(agents.values())) < 2:
            return 0  # not over, or both sides played by one agent
        side = 1 if agents[1] == 1 else -1  # the candidate's
        return side * self.table[state.opening][0 if side == 1 else 1]


class Scripted:
    """Plays its own number, and writes down where it was asked."""

    def __init__(self, number: int):
        self.number, self.asked = number, []

    def act(self, state) -> int:
        self.asked.append((state.opening, len(state.moved), state.to_play))
        return self.number


def count(draw: Draw) -> tuple[int, int, int]:
    results = Counter(result for both in draw.table for result in both)
    return results[1], results[0], results[-1]


def staged(wins: int, draws: int, losses: int, seed: int, movers=(1, -1), threshold=None) -> Draw:
    """A match with these results for the candidate, in any order; one draw more if their number is odd."""
    results = [1] * wins + [0] * (draws + (wins + draws + losses) % 2) + [-1] * losses
    results = np.random.default_rng(seed).permutation(results).astype(int).tolist()
    return Draw(tuple(zip(results[::2], results[1::2], strict=True)), tuple(movers), threshold)


def clear(draw: Draw) -> bool:
    """Whether the share is not the threshold in decimals alone: 11 of 20 and 0.55 may come out either way in floats."""
    wins, _, losses = count(draw)
    threshold = 0.55 if draw.threshold is None else draw.threshold
    return Fraction(wins) == Fraction(threshold) * (wins + losses) or abs(wins - threshold * (wins + losses)) > 1e-9


FEW = st.one_of(st.integers(0, 3), st.integers(0, 12))
DRAWS = st.builds(
    staged,
    FEW,
    FEW,
    FEW,
    st.integers(0, 99),
    st.sampled_from([(1, -1), (-1, 1), (1, -1, 1)]),
    st.sampled_from([None, 0.5, 0.75, 0.9, 1.0]),
).filter(clear)


def arguments(draw: Draw) -> dict:
    openings = [Table(number, draw.movers[0]) for number in range(len(draw.table))]
    given = {"game": TableGame(draw), "candidate": Scripted(1), "champion": Scripted(0), "openings": openings}
    return given if draw.threshold is None else {**given, "threshold": draw.threshold}


def oracle(draw: Draw) -> list:
    wins, draws, losses = count(draw)
    threshold = 0.55 if draw.threshold is None else draw.threshold
    accepted = wins + losses > 0 and wins / (wins + losses) >= threshold
    asked = sorted((opening, ply, side) for opening in range(len(draw.table)) for ply, side in enumerate(draw.movers))
    return [accepted, (wins, draws, losses), asked, asked]  # at each ply of two games each agent moves once


def judged(result, arguments) -> list:
    accepted, score = result
    return [bool(accepted), tuple(score), sorted(arguments["candidate"].asked), sorted(arguments["champion"].asked)]


def verdict_and_score(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"expected the verdict and the score, got one {type(result).__name__}"
    if not isinstance(result[0], bool | np.bool_):
        return f"expected True or False first, got {result[0]!r}"
    return "" if isinstance(result[1], tuple | list) and len(result[1]) == 3 else f"expected a Score, got {result[1]!r}"


def show_call(draw: Draw) -> str:
    call = CALL if draw.threshold is None else CALL.replace(")", f", {draw.threshold})")
    return (
        "candidate and champion play from every opening; the results for the candidate, as first and as second player:\n"
        f"{list(draw.table)}\n"
        + f"{call}\naccepted, score, and where the two were asked: (opening, moves since, who moves)"
    )


def by_hand(rng):
    seed = int(rng.integers(1000))

    def case(name, draw, part, question, points=1):
        def run(answer):
            given = arguments(draw)
            result = answer(*given.values())
            return verdict_and_score(result) or judged(result, given)[part]

        shown = (
            show_call(draw).rpartition("\n")[0]
            + "\n"
            + ("accepted", "score", "(opening, moves since, who moves) wherever the candidate is asked")[part]
        )
        return Case(name, run, oracle(draw)[part], shown, question, points=points)

    yield case(
        "the score is the candidate's: wins, draws, losses",
        staged(5, 4, 3, seed),
        1,
        "Whose wins are counted, and in which order?",
        2,
    )
    yield case("first player or second, a win is a win", Draw(((1, 1), (1, 0), (1, -1), (1, 1)), (1, -1), None), 1,
               "`winner` returns +1 if the *first player* won: which agent was that?")  # fmt: skip
    yield case("two games from each opening, one with each color", staged(0, 8, 0, seed), 2,
               "Moving first is an advantage: how do you make it fair, opening by opening?", 2)  # fmt: skip
    yield case("draws don't count: one win and 19 draws are enough", staged(1, 19, 0, seed), 0,
               "How many games of this match were decided, and how many of those did the candidate win?", 2)  # fmt: skip
    yield case("all drawn: the champion stays", staged(0, 20, 0, seed), 0,
               "No game was decided. Which of the two has shown that it is better?", 2)  # fmt: skip
    share = "What share of the decisive games is that, and is it 55 %?"
    yield case("6 of 11 is 54.5 %: not enough", staged(6, 9, 5, seed), 0, share)
    yield case("5 of 9 is 55.6 %: enough", staged(5, 11, 4, seed), 0, share)
    yield case(
        "exactly the threshold is enough",
        staged(3, 0, 1, seed, threshold=0.75),
        0,
        "What do the words *at least* say about equality?",
    )


def gate_by_counting(game, candidate, champion, openings, threshold=0.55):
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


def gate_with_numpy(game, candidate, champion, openings, threshold=0.55):
    first = np.array([play_game(game, {1: candidate, -1: champion}, opening) for opening in openings])
    second = -np.array([play_game(game, {1: champion, -1: candidate}, opening) for opening in openings])
    results = np.concatenate([first, second])
    decided = results[results != 0]
    share = (decided > 0).mean() if len(decided) else -1.0
    return share >= threshold, (int((results > 0).sum()), int((results == 0).sum()), int((results < 0).sum()))


_SCORE = "score = match(game, candidate, champion, openings)"
_ACCEPTED = "accepted = decisive > 0 and score.wins / decisive >= threshold"
_COUNT = "\n    score = Score(results.count(1), results.count(0), results.count(-1))"

CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    judged=judged,
    returns=verdict_and_score,
    changes={"candidate", "champion"},
    fresh=False,
    edges=[staged(wins, draws, losses, 0) for wins, draws, losses in ((1, 19, 0), (0, 4, 0), (0, 0, 4))],
    shown=show_call,
    question="The verdict needs three numbers: wins, decisive games, the threshold. The score counts every game.",
    by_hand=by_hand,
    wrong=[
        Wrong("draws count half", "a draw counts as half a win, and the share is taken of all games",
              "Two good players draw nearly always: how many wins would a slightly better one need in your count?",
              (_ACCEPTED, "accepted = (score.wins + score.draws / 2) / sum(score) >= threshold")),
        Wrong("draws count as losses", "the share of wins is taken of all games, so that a draw counts like a loss",
              "Of which games is the threshold a share?", (_ACCEPTED, "accepted = score.wins / sum(score) >= threshold")),
        Wrong("always the same color", "the candidate moves first in both games",
              "Whom would you expect to win if two equal players met in your match?",
              (_SCORE, "results = [play_game(game, {1: candidate, -1: champion}, opening) for opening in openings for _ in range(2)]" + _COUNT)),
        Wrong("winner taken for candidate", "colors alternate, but the first player's result is counted as the candidate's in both games",
              "`winner` returns +1 for the first player: which agent is that in the second game?",
              (_SCORE, "pairs = ({1: candidate, -1: champion}, {1: champion, -1: candidate})\n"
                       "    results = [play_game(game, players, opening) for opening in openings for players in pairs]" + _COUNT)),
        Wrong("one game an opening", "only one game is played from each opening",
              "What if an opening is good for whoever moves first?",
              (_SCORE, "results = [play_game(game, {1: candidate, -1: champion}, opening) for opening in openings]" + _COUNT)),
        Wrong("more than the threshold", "the share must exceed the threshold, not reach it",
              "Is a share of exactly the threshold enough?", (">= threshold", "> threshold")),
        Wrong("all drawn: accepted", "a match without a decided game lets the candidate through",
              "Nobody has won. Why should anything change?",
              (_ACCEPTED, "accepted = decisive == 0 or score.wins / decisive >= threshold")),
        Wrong("all drawn: division by zero", "nothing is decided, and the share is taken of no games at all",
              "What is the share of wins when no game was decided?", (_ACCEPTED, "accepted = score.wins / decisive >= threshold")),
        Wrong("the champion's score", "the score is the champion's: a candidate that loses is let through",
              "From whose point of view does `match` count?", (_SCORE, "score = match(game, champion, candidate, openings)")),
        Wrong("threshold fixed", "55 % is written into the function: the argument changes nothing",
              "Where should the number come from?", (">= threshold", ">= 0.55")),
        Wrong("any lead is enough", "more wins than losses are enough, whatever the threshold says",
              "What is the threshold for?", (_ACCEPTED, "accepted = score.wins > score.losses")),
        Wrong("openings ignored", "every game begins at the start",
              "Two players without chance, one start: how many different games can they play?",
              (_SCORE, "score = match(game, candidate, champion, [game.initial_state()] * len(openings))")),
        Wrong("verdict only", "only the verdict is returned", "What will the dashboard draw?", ("return accepted, score", "return accepted")),
    ],
    right=[gate_by_counting, gate_with_numpy],
)  # fmt: skip
