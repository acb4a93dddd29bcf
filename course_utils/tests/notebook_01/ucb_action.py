"""ucb_action: the mean, and a bonus for what is not known well."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case, Such
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.specification import Specification

HAND = "Work the bonus of each arm out by hand: where does your score differ?"


class Draw(NamedTuple):
    Q: tuple[float, ...]
    N: tuple[int, ...]
    t: int
    C: float
    dtypes: tuple[str, str] = ("float64", "int64")


def contest(arms, C, dtypes=("float64", "int64")) -> Draw:
    """Means that their bonuses almost make up for, so that a little more or less of a bonus decides."""
    N = tuple(n for n, _ in arms)
    t = sum(N) + 1
    Q = tuple(round(lead - C * math.sqrt(math.log(t) / max(n, 1)), 4) for n, lead in arms)
    return Draw(Q, N, t, C, dtypes)


EDGES = [
    Draw((0.0, 0.0, 0.0), (0, 0, 0), 1, 2.0),
    Draw((0.0, 99.0, 0.0), (0, 1, 0), 2, 2.0),
    Draw((1.0, 0.0, -1.0), (4, 4, 4), 13, 1.0),
    Draw((1.0, 1.1, 0.0), (1, 40, 1), 43, 0.0),
    Draw((0.7,), (3,), 4, 1.0),
    Draw((0.7,), (0,), 1, 1.0),
    Draw((0.0, 0.0, 0.0), (7, 7, 7), 22, 2.0),
    *(contest([(1, lead), (2, 0.0)], 1.0) for lead in (0.02, -0.02)),
]


def contests(n, lead, most=10):
    return st.builds(
        contest,
        st.lists(st.tuples(n, lead), min_size=1, max_size=most),
        st.one_of(st.sampled_from([0.5, 1.0, 2.0]), st.floats(0.01, 10)),
        st.tuples(st.sampled_from(["float64", "float32"]), st.sampled_from(["int64", "float64"])),
    )


hundredths = st.integers(-10, 10).map(lambda number: number / 100)
DRAWS = st.one_of(
    contests(st.integers(1, 4), hundredths, most=4),
    contests(st.integers(1, 60), hundredths),
    contests(st.integers(1, 5000), hundredths, most=4),
    contests(st.integers(0, 60), st.floats(-10, 10, width=32)),
)


def highest(draw: Draw) -> list[int]:
    """The arms never pulled; if there are none, those within rounding of the highest score."""
    if 0 in draw.N:
        return [arm for arm, n in enumerate(draw.N) if n == 0]
    Q = np.array(draw.Q, dtype=draw.dtypes[0]).tolist()
    scores = [q + draw.C * math.sqrt(math.log(draw.t) / n) for q, n in zip(Q, draw.N, strict=True)]
    rounding = (1e-6 if draw.dtypes[0] == "float32" else 1e-12) * max(map(abs, [*Q, *scores]))
    return [arm for arm, score in enumerate(scores) if score >= max(scores) - rounding]


def oracle(draw: Draw) -> Such:
    arms = highest(draw)
    return Such(f"arm {' or '.join(map(str, arms))}", lambda arm: whole_number(arm) or arm in arms)


def arguments(draw: Draw) -> dict:
    Q, N = (np.array(values, dtype=dtype) for values, dtype in zip(draw[:2], draw.dtypes, strict=True))
    return {"Q": Q, "N": N, "t": draw.t, "C": draw.C}


def shown(draw: Draw) -> str:
    Q = ", dtype=np.float32" if draw.dtypes[0] == "float32" else ""
    N = ", dtype=float" if draw.dtypes[1] == "float64" else ""
    return f"ucb_action(np.array({list(draw.Q)}{Q}), np.array({list(draw.N)}{N}), {draw.t}, {draw.C})"


def board(draw: Draw) -> str:
    rows = [f"arm {arm}: Q = {q:g}, pulled {n} times" for arm, (q, n) in enumerate(zip(draw.Q, draw.N, strict=True))]
    return "\n".join([*rows, f"step t = {draw.t}, C = {draw.C:g}"])


# --- by hand -----------------------------------------------------------------------------------------------------------

LADDER = [  # one ingredient decides in each
    ("all pulled equally often: the best mean", (1.0, 2.0, 0.5), (5, 5, 5), 16, 1.0, "If all bonuses are equal, what decides?"),
    ("the seldom pulled arm gets the benefit of the doubt", (1.0, 1.2), (2, 50), 53, 2.0, "Which of the two do you know less about?"),
    ("but a good arm stays ahead of a poor, well-known one", (3.0, -1.0), (60, 12), 73, 2.0, "How much bonus does the second arm get, and is it enough?"),
    ("a larger C explores more", (1.0, 1.8), (5, 25), 31, 3.0, "Where does C stand: does it multiply the whole bonus?"),
    ("the square root tames the bonus", (0.0, 2.6), (1, 30), 32, 1.0, "What stands under the square root?"),
    ("an arm never pulled comes first", (5.0, 9.0, 0.0, 7.0), (3, 4, 0, 2), 10, 2.0, "What is the bonus of an arm that was pulled 0 times?"),
    ("it does with C 0, too: greedy begins when every arm was tried", (2.0, 5.0, 0.0), (3, 4, 0), 8, 0.0, "What is the bonus of an arm that was pulled 0 times?"),
]  # fmt: skip


def by_hand(rng):
    for name, *numbers, question in LADDER:
        draw = Draw(*numbers)

        def run(ucb_action, draw=draw):
            return ucb_action(**arguments(draw))

        yield Case(name, run, oracle(draw), shown(draw), question, board(draw))
    close = []
    for _ in range(20):
        pulls, leads = rng.integers(1, 60, 5).tolist(), (0.03 * rng.permutation(5)).tolist()
        close.append(contest(list(zip(pulls, leads, strict=True)), float(rng.choice([0.3, 1, 2]))))
    yield Case(
        "20 close contests",
        lambda ucb_action: [ucb_action(**arguments(draw)) for draw in close],
        [highest(draw)[0] for draw in close],
        "[ucb_action(Q, N, t, C) for Q, N, t, C in situations]  # five arms, each pulled at least once",
        HAND,
        points=2,
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

_FORMULA = "C * np.sqrt(np.log(t) / N)"
WRONG = [
    Wrong("logarithm to base 10", "the logarithm is to base 10", "ln t: which base is that?", ("np.log(t)", "np.log10(t)")),
    Wrong("square root forgotten", "the bonus is C ln t / N, without the square root",
          "What stands under the square root?", (_FORMULA, "C * np.log(t) / N")),
    Wrong("root over the logarithm only", "only ln t is under the square root, N is not",
          "How far does the root reach?", (_FORMULA, "C * np.sqrt(np.log(t)) / N")),
    Wrong("logarithm forgotten", "the bonus has t where ln t belongs",
          "How fast should curiosity grow while an arm waits?", ("np.log(t)", "t")),
    Wrong("C under the root", "C stands under the square root", "Where does C stand?", (_FORMULA, "np.sqrt(C * np.log(t) / N)")),
    Wrong("lower bound", "the bonus is taken off: pessimism about what is not known well, so it never comes back to an arm that began badly",
          "Should doubt count for an arm, or against it?", ("Q + C", "Q - C")),
    Wrong("greedy", "the bonus is left out", "Which part of the score makes it explore?", (f"Q + {_FORMULA}", "Q")),
    Wrong("N + 1", "the bonus divides by N + 1", "How often was the arm pulled?", ("np.log(t) / N", "np.log(t) / (N + 1)")),
    Wrong("pulls before this one", "ln of the pulls so far stands where ln t belongs: t counts this step, too",
          "What is t at the very first step, before anything was pulled?", ("np.log(t)", "np.log(np.sum(N))")),
    Wrong("untried arms not first", "1 is put in place of N = 0, so an arm that was never tried has a finite bonus",
          "What can be said about an arm that was never pulled?",
          ("if len(untried):", "if False:"), ("np.log(t) / N", "np.log(t) / np.maximum(N, 1)")),
    Wrong("almost zero for zero", "a tiny number is added to N, so that with C = 0 an arm that was never pulled gets no bonus at all",
          "What is C times the bonus, if C is 0, and should that arm wait?",
          ("if len(untried):", "if False:"), ("np.log(t) / N", "np.log(t) / (N + 1e-9)")),
    Wrong("a mean of zero taken for untried", "an arm whose mean is 0 counts as never pulled",
          "Which of Q and N says how often an arm was pulled?", ("np.asarray(N) == 0", "np.asarray(Q) == 0")),
    Wrong("numpy integer", "np.argmax's own kind of integer comes back instead of a plain int",
          "What does type(...) say about what you return?",
          ("int(untried[0])", "untried[0]"), (f"int(np.argmax(Q + {_FORMULA}))", f"np.argmax(Q + {_FORMULA})")),
]  # fmt: skip


def ucb_with_a_loop(Q, N, t, C):
    best_arm, best_score = 0, -math.inf
    for arm in range(len(Q)):
        score = math.inf if N[arm] == 0 else Q[arm] + C * (math.log(t) / N[arm]) ** 0.5
        if score > best_score:
            best_arm, best_score = arm, score
    return best_arm


def ucb_with_infinities(Q, N, t, C):
    with np.errstate(divide="ignore", invalid="ignore"):
        bonus = C * np.sqrt(np.log(t) / np.asarray(N, dtype=float))
    return int(np.argmax(np.where(np.asarray(N) == 0, np.inf, Q + bonus)))


def ucb_takes_the_last_untried(Q, N, t, C):
    if 0 in list(N):
        return max(arm for arm, n in enumerate(N) if n == 0)
    return max(range(len(Q)), key=lambda arm: Q[arm] + C * math.sqrt(math.log(t)) / math.sqrt(N[arm]))


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    shown=shown,
    board=board,
    edges=EDGES,
    question=HAND,
    by_hand=by_hand,
    wrong=WRONG,
    right=[ucb_with_a_loop, ucb_with_infinities, ucb_takes_the_last_untried],
)
