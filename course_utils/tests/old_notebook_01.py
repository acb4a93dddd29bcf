"""Checks of notebook 01: bandits."""

import math

import numpy as np

from course_utils.tests.framework import Case, Such, calls, check, leaves_alone, wrong

# --- ucb_action ------------------------------------------------------------------------------------------------------


def _best_by_hand(Q, N, t, C) -> tuple[int, float]:
    """The best arm by the formula, and how far it is ahead of the next."""
    scores = [q + C * math.sqrt(math.log(t) / n) for q, n in zip(Q, N, strict=True)]
    first, second = sorted(scores, reverse=True)[:2]
    return scores.index(first), first - second


def _scores(Q, N, t, C) -> str:
    rows = [f"arm {arm}: Q = {q:g}, pulled {n} times" for arm, (q, n) in enumerate(zip(Q, N, strict=True))]
    return "\n".join([*rows, f"step t = {t}, C = {C:g}"])


@check
def ucb_action(rng):
    yield calls(
        "ucb_action",
        *(np.array([1.0, 2.0, 0.5]), np.array([5, 5, 5]), 16, 1.0),
        name="all pulled equally often: the best mean",
        expected=1,
        question="If all bonuses are equal, what decides?",
    )
    yield Case(
        "returns a plain int",
        lambda ucb_action: [
            type(ucb_action(np.array([1.0, 2.0]), np.array(N), 16, 1.0)).__name__ for N in ([8, 7], [15, 0])
        ],
        ["int", "int"],
        "type(ucb_action(np.array([1.0, 2.0]), np.array([8, 7]), 16, 1.0)), and the same with N = [15, 0]",
        "What do np.argmax and np.flatnonzero return?",
    )
    # a ladder of positions where one ingredient each decides
    ladder = [
        ("the seldom pulled arm gets the benefit of the doubt", [1.0, 1.2], [2, 50], 53, 2.0, "Which of the two do you know less about?"),
        ("but a good arm stays ahead of a poor, well-known one", [3.0, -1.0], [60, 12], 73, 2.0, "How much bonus does the second arm get, and is it enough?"),
        ("C 0 is greedy", [1.0, 1.1, 0.0], [1, 40, 1], 43, 0.0, "What is left of the score if C is 0?"),
        ("a larger C explores more", [1.0, 1.8], [5, 25], 31, 3.0, "Where does C stand: does it multiply the whole bonus?"),
        ("the same arms with a smaller C", [1.0, 1.8], [5, 25], 31, 0.5, "Where does C stand: does it multiply the whole bonus?"),
        ("the square root tames the bonus", [0.0, 2.6], [1, 30], 32, 1.0, "What stands under the square root?"),
        ("the logarithm grows slowly with t", [0.0, 3.2], [3, 997], 1001, 2.0, "ln t or t, and ln to which base?"),
        ("the natural logarithm, not that to base 10", [1.0, 2.4], [4, 96], 101, 2.0, "ln t: which base is that?"),
        ("the natural logarithm, not that to base 2", [1.0, 1.66], [16, 84], 101, 2.0, "ln t: which base is that?"),
        ("N, not N + 1", [1.0, 1.7], [1, 9], 11, 1.0, "How often was the first arm pulled, and what do you divide by?"),
        ("t, not the pulls before it", [0.0, 0.65], [1, 2], 4, 2.0, "Three pulls lie behind, and this is step 4: which of the two stands under the ln?"),
        ("means below zero", [-4.0, -1.0, -2.5], [10, 20, 2], 33, 1.0, "Is the score a sum, or does Q multiply something?"),
    ]  # fmt: skip
    for name, Q, N, t, C, question in ladder:
        best, _ = _best_by_hand(Q, N, t, C)
        yield calls(
            "ucb_action", np.array(Q), np.array(N), t, C, name=name, expected=best, question=question, board=_scores(Q, N, t, C)
        )  # fmt: skip

    def first(name, Q, N, t, C=2.0, **rest):
        untried = [arm for arm, n in enumerate(N) if n == 0]
        return calls(
            "ucb_action",
            *(np.array(Q), np.array(N), t, C),
            name=name,
            expected=Such(f"arm {' or '.join(map(str, untried))}", lambda arm: arm in untried),
            question="What is the bonus of an arm that was pulled 0 times?",
            board=_scores(Q, N, t, C),
            **rest,
        )

    yield first("an arm never pulled comes first", [5.0, 9.0, 0.0, 7.0], [3, 4, 0, 2], 10, points=2)
    yield first("one never pulled against one that is well known and better", [0.5, 0.0], [20, 0], 21)
    yield first("even one whose estimate stands far below the others", [50.0, -90.0, 60.0], [3, 0, 4], 8)
    yield first("with C 0, too: greedy begins when every arm was tried", [2.0, 5.0, 0.0], [3, 4, 0], 8, C=0.0)
    yield first("the very first step, when nothing was pulled", [0.0, 0.0, 0.0], [0, 0, 0], 1)
    yield first("the second step: the arm that was pulled has to wait", [0.0, 99.0, 0.0], [0, 1, 0], 2)

    positions = []
    while len(positions) < 100:
        arms = int(rng.integers(2, 11))
        N = rng.integers(1, 60, size=arms)
        Q, C = rng.normal(0, 0.4, size=arms).round(2), float(rng.choice([0.3, 1.0, 2.0]))
        position = (Q.tolist(), N.tolist(), int(N.sum()) + 1, C)
        if _best_by_hand(*position)[1] > 1e-4:  # no near ties: rounding is free
            positions.append(position)
    yield Case(
        "100 random situations",
        lambda ucb_action: [ucb_action(np.array(Q), np.array(N), t, C) for Q, N, t, C in positions],
        [_best_by_hand(*position)[0] for position in positions],
        "[ucb_action(Q, N, t, C) for Q, N, t, C in situations]  # random, every arm pulled at least once",
        "Work one of the cases above out by hand: where does your score differ?",
        points=2,
    )
    yield leaves_alone("ucb_action", np.array([1.0, 2.0, 0.5]), np.array([0, 5, 3]), 9, 2.0)


_FORMULA = "C * np.sqrt(np.log(t) / N)"
for _name, _sentence, _question, _replaces in (
    (
        "logarithm to base 10",
        "the logarithm is to base 10",
        "ln t: which base is that?",
        [("np.log(t)", "np.log10(t)")],
    ),
    ("logarithm to base 2", "the logarithm is to base 2", "ln t: which base is that?", [("np.log(t)", "np.log2(t)")]),
    (
        "square root forgotten",
        "the bonus is C ln t / N, without the square root",
        "What stands under the square root?",
        [(_FORMULA, "C * np.log(t) / N")],
    ),
    (
        "root over the logarithm only",
        "only ln t is under the square root, N is not",
        "How far does the root reach?",
        [(_FORMULA, "C * np.sqrt(np.log(t)) / N")],
    ),
    (
        "logarithm forgotten",
        "the bonus has t where ln t belongs",
        "How fast should curiosity grow while an arm waits?",
        [("np.log(t)", "t")],
    ),
    (
        "turned upside down",
        "N stands over ln t: the arm pulled most often gets the largest bonus",
        "Which arm needs another look: one pulled once, or one pulled fifty times?",
        [("np.log(t) / N", "N / np.log(max(t, 2))")],
    ),
    (
        "C under the root",
        "C stands under the square root",
        "Where does C stand?",
        [(_FORMULA, "np.sqrt(C * np.log(t) / N)")],
    ),
    ("C forgotten", "C is not used", "What should a larger C do?", [("C * ", "")]),
    (
        "lower bound",
        "the bonus is taken off: pessimism about what is not known well, so it never comes back to an arm that began badly",
        "Should doubt count for an arm, or against it?",
        [("Q + C", "Q - C")],
    ),
    (
        "bonus only",
        "the mean is left out: the arm pulled least is chosen, however bad",
        "Which part of the score makes it exploit?",
        [("Q + C", "C")],
    ),
    (
        "greedy",
        "the bonus is left out",
        "Which part of the score makes it explore?",
        [(f"Q + {_FORMULA}", "Q")],
    ),
    (
        "N + 1",
        "the bonus divides by N + 1",
        "How often was the arm pulled?",
        [("np.log(t) / N", "np.log(t) / (N + 1)")],
    ),
    (
        "untried arms not first",
        "1 is put in place of N = 0, so an arm that was never tried has a finite bonus",
        "What can be said about an arm that was never pulled?",
        [("if len(untried):", "if False:"), ("np.log(t) / N", "np.log(t) / np.maximum(N, 1)")],
    ),
    (
        "untried arms wait",
        "the bonus of an arm with N = 0 is set to 0",
        "What can be said about an arm that was never pulled?",
        [
            ("if len(untried):", "if False:"),
            (f"Q + {_FORMULA}", "Q + np.where(np.asarray(N) == 0, 0, C * np.sqrt(np.log(t) / np.maximum(N, 1)))"),
        ],
    ),
    (
        "all tried before the first choice",
        "it goes through the arms in turn for the first steps, whatever was pulled",
        "How do you tell that an arm was never pulled?",
        [("untried = np.flatnonzero(np.asarray(N) == 0)", "untried = [t - 1] if t <= len(N) else []")],
    ),
    (
        "pulls before this one",
        "ln of the pulls so far stands where ln t belongs: t counts this step, too",
        "What is t at the very first step, before anything was pulled?",
        [("np.log(t)", "np.log(np.sum(N))")],
    ),
    (
        "almost zero for zero",
        "a tiny number is added to N, so that with C = 0 an arm that was never pulled gets no bonus at all",
        "What is C times the bonus, if C is 0, and should that arm wait?",
        [("if len(untried):", "if False:"), ("np.log(t) / N", "np.log(t) / (N + 1e-9)")],
    ),
    (
        "numpy integer",
        "np.argmax's own kind of integer comes back instead of a plain int",
        "What does type(...) say about what you return?",
        [("int(untried[0])", "untried[0]"), (f"int(np.argmax(Q + {_FORMULA}))", f"np.argmax(Q + {_FORMULA})")],
    ),
    (
        "the score, not the arm",
        "the best score comes back instead of the arm that has it",
        "Which arm has that score?",
        [("int(np.argmax(Q + C * np.sqrt(np.log(t) / N)))", "float(np.max(Q + C * np.sqrt(np.log(t) / N)))")],
    ),
):
    wrong("ucb_action", _name, _sentence, _question, *_replaces)
