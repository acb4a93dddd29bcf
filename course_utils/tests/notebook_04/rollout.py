"""rollout: a random game, and what its end is worth to the player who was to move at its beginning."""

from collections import Counter
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import after
from course_utils.tests.case import Case, Such
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_04.trees import (
    GAME,
    LONG_WAYS,
    MADE_UP,
    SEEDS,
    WHOLE_GAMES,
    Arms,
    Choices,
    Spot,
    shares,
)
from course_utils.tests.returns import number
from course_utils.tests.specification import Specification

WHOSE = "Who is to move at the state where the rollout began, and is this result good for that player?"
EVEN = "Is every legal action equally likely, at every move?"


class Draw(NamedTuple):
    spot: Spot  # near enough to the end for the chances to be worked out
    times: int
    seed: int


WIN_DRAW_LOSE = Arms((1, 0, -1), (1, 1, 1), ways=4)  # a fourth action is never legal
DRAWS = st.one_of(
    st.builds(Draw, st.builds(Spot.back, WHOLE_GAMES, st.integers(0, 3)), st.just(30), SEEDS),
    st.builds(Draw, st.builds(Spot, MADE_UP, st.lists(st.integers(0, 3), max_size=3)), st.just(60), SEEDS),
    st.builds(Draw, st.builds(Spot, LONG_WAYS, st.just([])), st.just(10), SEEDS),
)
EDGES = [
    Draw(Spot(Choices(27, 3, 2)), 500, 1),  # dependent moves would show here
    Draw(Spot(Choices(90, 3, 3)), 500, 2),
]


def oracle(draw: Draw) -> Such:
    """The chances by adding up the whole tree."""
    game, state = draw.spot.game, draw.spot.reach()[1]
    chances = {winner * game.to_play(state): chance for winner, chance in shares(game, state).items()}
    text = ", ".join(f"{outcome:+} about {chance * draw.times:.3g} times" for outcome, chance in chances.items())
    return Such(text, lambda counts: _near(counts, chances))


def _near(counts: dict, chances: dict) -> bool:
    """Within 5.5 sigma."""
    times = sum(counts.values())

    def margin(chance: float) -> float:
        return 3 + 5.5 * (times * chance * (1 - chance)) ** 0.5 if 0 < chance < 0.999999 else 0.5

    expected = {outcome: chances.get(outcome, 0.0) for outcome in counts.keys() | chances.keys()}
    return all(abs(counts.get(outcome, 0) - times * chance) < margin(chance) for outcome, chance in expected.items())


def run(rollout, draw: Draw) -> dict:
    game, state, rng = draw.spot.game, draw.spot.reach()[1], np.random.default_rng(draw.seed)
    return dict(Counter(float(rollout(game, state, rng)) for _ in range(draw.times)))


def shown(draw: Draw) -> str:
    return f"{draw.spot.text()}{draw.times} times: rollout(game, state, rng)"


def by_hand(rng):
    seed = int(rng.integers(1000))

    def many(name, spot, times, question=WHOSE, points=1):
        draw = Draw(spot, times, seed)
        answer = lambda answer: run(answer, draw)  # noqa: E731
        return Case(name, answer, oracle(draw), shown(draw), question, spot.drawn(), points)

    won = after(GAME, [0, 3, 1, 4, 2])
    yield Case(
        "a finished game: X has won, O would be to move: -1 for O",
        lambda answer: answer(GAME, won, np.random.default_rng(seed)),
        -1,
        "rollout(game, state, rng)",
        WHOSE,
        str(won),
    )
    # choices are counted among the legal actions
    yield many("X fills the last cell and wins", Spot("tic-tac-toe", [0] * 6 + [1]), 5, points=2)
    yield many("a draw is worth 0", Spot("tic-tac-toe", [0, 0, 0, 1, 0, 0, 1, 0]), 5)
    yield many("X to move, three cells free", Spot("tic-tac-toe", [0, 3, 0, 0, 2, 0]), 60)
    yield many("one choice: win, draw or lose", Spot(WIN_DRAW_LOSE), 1100, EVEN)
    yield many("the first of eight actions wins, the last loses", Spot(Arms((1, *[0] * 6, -1), (1,) * 8)), 1500, EVEN)

    def repeated(answer):
        def games(generator):
            return [float(answer(WIN_DRAW_LOSE, (), generator)) for _ in range(50)]

        one, other = (np.random.default_rng(seed) for _ in range(2))
        beginning, first, second = one.bit_generator.state, games(one), games(other)
        one.bit_generator.state = beginning
        return [second == first, games(one) == first]

    yield Case(
        "the same generator plays the same games",
        repeated,
        [True, True],
        "[rollout(game, state, rng) for _ in range(50)] with rng = np.random.default_rng(0): whether another such rng plays the same,\n"
        "and this one, once its rng.bit_generator.state is put back to what it was",
        "Where does your chance come from?",
    )


END = "    return float(game.winner(state) * player)"
MOVE = "        state = game.play(state, legal[int(rng.integers(len(legal)))])"
WRONG = [
    Wrong(
        "for the player to move at the end",
        "the result is told from the side of whoever would be to move when the game is over, not where the rollout began",
        "At the end another player may be to move. Whose result did the caller ask for?",
        (END, "    return float(game.winner(state) * game.to_play(state))"),
    ),
    Wrong(
        "always for X",
        "the winner comes back as it is: +1 for X even where O asks",
        "What is +1, when O is to move at the beginning?",
        (END, "    return float(game.winner(state))"),
    ),
    Wrong(
        "a draw counts as a loss",
        "whoever does not win loses: draws come back as -1",
        "What is a draw worth?",
        (END, "    return 1.0 if game.winner(state) == player else -1.0"),
    ),
    Wrong(
        "always the first legal action",
        "the lowest legal action is always played: every rollout from a position is the same game",
        "How much does a second rollout tell you, if it repeats the first?",
        (MOVE, "        state = game.play(state, legal[0])"),
    ),
    Wrong(
        "the last action is never played",
        "the range of the random index is one too short, so the highest legal action is hardly ever played",
        "Does the upper end of `rng.integers` belong to the range?",
        ("rng.integers(len(legal))", "rng.integers(max(len(legal) - 1, 1))"),
    ),
    Wrong(
        "rounded to the ends",
        "a random number is rounded to an index: the first and the last action are played half as often as the others",
        "Which random numbers are rounded to 0, and which to 1?",
        ("legal[int(rng.integers(len(legal)))]", "legal[round(rng.random() * (len(legal) - 1))]"),
    ),
    Wrong(
        "one move only",
        "one random move is made, and then the game is counted as a draw if nobody has won",
        "When is it known who won?",
        ("    while not game.is_terminal(state):", "    if not game.is_terminal(state):"),
    ),
    Wrong(
        "own source of chance",
        "chance comes from a new generator, not from the one that was handed in: no search can be repeated",
        "What is the argument `rng` for?",
        ("rng.integers(", "np.random.default_rng().integers("),
    ),
]


def rollout_by_recursion(game, state, rng):
    if game.is_terminal(state):
        return game.winner(state) * game.to_play(state)
    return -rollout_by_recursion(game, game.play(state, int(rng.choice(game.legal_actions(state)))), rng)


def rollout_by_cases(game, state, rng):
    me = game.to_play(state)
    while legal := game.legal_actions(state):
        state = game.play(state, legal[int(rng.random() * len(legal))])
    winner = game.winner(state)
    if winner == 0:
        return 0.0
    return 1.0 if winner == me else -1.0


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {
        "game": draw.spot.game,
        "state": draw.spot.reach()[1],
        "rng": np.random.default_rng(draw.seed),
    },
    oracle=oracle,
    run=run,
    returns=number,
    shown=shown,
    board=lambda draw: draw.spot.drawn(),
    question=WHOSE,
    edges=EDGES,
    examples=20,
    by_hand=by_hand,
    wrong=WRONG,
    right=[rollout_by_recursion, rollout_by_cases],
)
