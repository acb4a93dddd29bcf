"""epsilon_greedy: how often each arm is chosen, by a generator that was given."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_number
from course_utils.tests.specification import Specification

RARE = 16  # a right answer's share is this far off with a probability of e^-16
SHARES = "How often should each arm be chosen, by the table above: the best one, another one, one as good as the best?"


class Draw(NamedTuple):
    """Some calls with one generator."""

    Q: tuple[float, ...]
    epsilon: float
    others_only: bool
    times: int = 100
    seed: int = 0
    dtype: str = "float64"


EDGES = [
    Draw((0.0,) * 5, 1, True, 300),
    Draw((2.0, 2.0, 1.0), 0.8, True, 300),
    Draw((2.0, 1.0, 2.0), 0, False, 10),
    Draw((1.0, 2.0), 1, True, 40),
    Draw((2.0, 1.0), 0.5, False),
    Draw((-3.0, -2.5, -1.0), 0.3, False, dtype="float32"),
    Draw(tuple(np.linspace(1, -1, 20)), 1, True, 500),
    Draw((2.0, 1.0, 0.0), 0.0035, True, 8000),  # hardly ever, and nearly always
    Draw((0.0, 1.0, 0.5), 0.985, True, 1100),
]
values = st.one_of(st.integers(-2, 2).map(float), st.floats(-5, 5))  # the first with ties
DRAWS = st.builds(
    Draw,
    st.lists(values, min_size=2, max_size=12).map(tuple),
    st.one_of(st.sampled_from([0, 1, 0.5]), st.floats(0, 1)),
    st.booleans(),
    st.just(100),
    st.integers(0, 99),
    st.sampled_from(["float64", "float32"]),
)


def arguments(draw: Draw) -> dict:
    rng = np.random.default_rng(draw.seed)
    given = {"Q": np.array(draw.Q, dtype=draw.dtype), "epsilon": draw.epsilon, "rng": rng}
    return {**given, "others_only": True} if draw.others_only else given


def run(epsilon_greedy, draw: Draw) -> list[float] | str:
    """How often each arm is chosen, or what is wrong with a choice."""
    given, options = arguments(draw), {"others_only": True} if draw.others_only else {}
    Q, rng = given["Q"], given["rng"]
    arms = [epsilon_greedy(Q, draw.epsilon, rng, **options) for _ in range(draw.times)]
    if complaint := next(filter(None, map(whole_number, arms)), ""):
        return complaint
    if odd := set(arms) - set(range(len(Q))):
        return f"it chose arm {min(odd)}; there are arms 0 to {len(Q) - 1}"
    if not np.array_equal(Q, np.array(draw.Q, dtype=draw.dtype)):
        return "its argument `Q` was changed"
    return (np.bincount(arms, minlength=len(Q)) / draw.times).tolist()


def oracle(draw: Draw) -> Such:
    """Which of several best arms is the greedy pick is free, so these are judged together."""
    Q, arms = np.array(draw.Q, dtype=draw.dtype).tolist(), len(draw.Q)
    best = [arm for arm in range(arms) if Q[arm] == max(Q)]
    other = draw.epsilon / (arms - 1 if draw.others_only else arms)
    together = 1 - other * (arms - len(best))
    text = (
        f"about {together:.1%} for {' and '.join(f'arm {arm}' for arm in best)}{' together' if len(best) > 1 else ''}"
    )
    text += f", {other:.1%} for every other arm" if len(best) < arms else ""

    def holds(shares) -> bool | str:
        if isinstance(shares, str):
            return shares
        for arm in range(arms):
            low, high = (0 if draw.others_only else other, together) if arm in best else (other, other)
            if _far(shares[arm], min(max(shares[arm], low), high), draw.times):
                return f"arm {arm} was chosen {shares[arm]:.1%} of the time"
        if _far(sum(shares[arm] for arm in best), together, draw.times):
            return "the best arms were chosen too often or too seldom"
        upper = [arm for arm in range(arms // 2, arms) if arm not in best]  # together, since one of many arms is rare
        if _far(sum(shares[arm] for arm in upper), other * len(upper), draw.times):
            return f"arms {arms // 2} to {arms - 1}, but for the best: {sum(shares[arm] for arm in upper):.1%} of the choices"
        return True

    return Such(text, holds)


def _far(share: float, p: float, times: int) -> bool:
    """Chernoff's bound: whether a share like this, or further off, is as rare as RARE says where `p` is expected."""
    parts = [(share, p), (1 - share, 1 - p)]
    if any(part > 1e-9 and wanted < 1e-9 for part, wanted in parts):
        return True
    return times * sum(part * math.log(part / wanted) for part, wanted in parts if part > 1e-9) > RARE


def shown(draw: Draw) -> str:
    Q = f"np.array({show(list(draw.Q))}{', dtype=np.float32' if draw.dtype == 'float32' else ''})"
    line = f"epsilon_greedy({Q}, {show(draw.epsilon)}, rng{', others_only=True' if draw.others_only else ''})"
    return f"rng = np.random.default_rng({draw.seed})\n[{line} for _ in range({draw.times})]  # how often each arm?"


# --- by hand -----------------------------------------------------------------------------------------------------------


def by_hand(rng):
    seed = int(rng.integers(1 << 30))
    Q = (1.0, 4.0, -2.0, 3.0, 0.5)

    def often(name, Q, epsilon, others_only, question, times=500, points=1):
        draw = Draw(Q, epsilon, others_only, times, seed)
        return Case(name, lambda answer: run(answer, draw), oracle(draw), shown(draw), question, points=points)

    yield often(
        "epsilon 0 never explores, even where every mean is negative",
        *((-3.0, -2.5, -1.0), 0.0, False),
        "With no exploration at all, which arm is chosen every time? Does its sign matter?",
        times=50,
    )
    yield often(
        "epsilon 1 explores always, all arms alike",
        *(Q, 1.0, False),
        "Every arm should get its even share, the first, the last and the best one, too. Which doesn't?",
        points=2,
    )
    yield often(
        "epsilon 0.4: the rest of the time the best arm",
        *(Q, 0.4, False),
        "In what share of the steps do you explore? And may a random pick land on the best arm?",
        points=2,
    )
    yield often(
        "others_only: epsilon 1 spares the best arm, the others alike",
        *(Q, 1.0, True),
        "Four arms share the exploration. Can your random pick be the best arm, or miss the last one?",
        points=2,
    )
    yield often(
        "others_only: epsilon 0.4 leaves 0.6 to the best arm",
        *(Q, 0.4, True),
        "What is the probability of the best arm if exploring never picks it?",
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

_MOVED = "arm = int(rng.integers(len(Q) - 1))\n    return arm if arm < best else arm + 1  # the arms above the best move up by one"
WRONG = [
    Wrong("epsilon the wrong way round", "epsilon is taken as the probability of being greedy",
          "With epsilon = 0.1, how often should it explore?", ("rng.random() >= epsilon", "rng.random() < epsilon")),
    Wrong("others_only ignored", "the random pick is among all arms even where others_only asks for the others",
          "Which arms may be explored if others_only is True?", ("if not others_only:", "if True:")),
    Wrong("others_only always on", "the random pick always spares the best arm",
          "Which arms may be explored if others_only is False?", ("if not others_only:", "if False:")),
    Wrong("last arm never explored", "the random pick stops one short: the last arm never comes up",
          "rng.integers(n) gives numbers below n: what is the highest of them?",
          ("rng.integers(len(Q)))", "rng.integers(len(Q) - 1))")),
    Wrong("best arm not skipped over", "of the others, one is drawn from 0 to arms - 2 and not moved past the best arm: the best can be drawn, the last cannot",
          "If arm 1 is the best of five, which arms should your four numbers 0, 1, 2, 3 mean?",
          ("return arm if arm < best else arm + 1", "return arm")),
    Wrong("arms as good as the best left out", "the others are told by their value, so that an arm that ties with the best is never explored, and none is left where all are equal",
          "At the first step every Q is 0. Which arms are the others then?",
          (_MOVED, "return int(rng.choice(np.flatnonzero(Q != Q[best])))")),
    Wrong("one number for two purposes", "the number that was below epsilon also picks the arm, so only the first arms are ever explored",
          "If rng.random() was below 0.1, which arms can 5 times that number mean?",
          ("if rng.random() >= epsilon:", "if (u := rng.random()) >= epsilon:"), ("int(rng.integers(len(Q)))", "int(u * len(Q))")),
    Wrong("biggest by size", "the arms are compared by size without their sign, so that a very bad arm looks good",
          "Which is the better reward, -3 or 1?", ("np.argmax(Q)", "np.argmax(np.abs(Q))")),
    Wrong("its own randomness", "chance comes from elsewhere than the generator it was given, so that a run can't be repeated",
          "Which generator should the randomness come from?", ("best = int", "rng = np.random.default_rng()\n    best = int")),
    Wrong("numpy integer", "np.argmax's own kind of integer comes back instead of a plain int",
          "What does type(...) say about what you return?",
          ("int(np.argmax(Q))", "np.argmax(Q)"), ("int(rng.integers(len(Q)))", "rng.integers(len(Q))")),
    Wrong("the value, not the arm", "the best mean comes back instead of the arm that has it",
          "Which arm has that mean?", ("best = int(np.argmax(Q))", "best = float(np.max(Q))")),
    Wrong("whole percent", "the chance is rounded to whole percent, so that an epsilon below 0.01 is something else",
          "With epsilon = 0.005, in how many of 1000 steps do you explore?",
          ("rng.random() >= epsilon", "rng.integers(100) >= 100 * epsilon")),
    Wrong("never explores", "it is greedy whatever epsilon says",
          "What happens in the share epsilon of the steps?", ("if rng.random() >= epsilon:", "if True:")),
]  # fmt: skip


def greedy_by_probabilities(Q, epsilon, rng, *, others_only=False):
    arms = len(Q)
    best = int(np.argmax(Q))
    p = np.full(arms, epsilon / (arms - 1 if others_only else arms))
    p[best] = 1 - epsilon if others_only else p[best] + 1 - epsilon
    return int(rng.choice(arms, p=p / p.sum()))


def greedy_with_lists(Q, epsilon, rng, others_only=False):
    """Breaks ties at random; `others_only` also by position."""
    values = [float(q) for q in Q]
    best = int(rng.choice([arm for arm, value in enumerate(values) if value == max(values)]))
    if rng.uniform() < epsilon:
        candidates = [arm for arm in range(len(values)) if arm != best or not others_only]
        return candidates[rng.integers(0, len(candidates))]
    return best


def greedy_by_a_step_around_the_circle(Q, epsilon, rng, *, others_only=False):
    explore = rng.random() < epsilon
    step = int(rng.integers(1 if others_only else 0, len(Q)))
    best = int(np.asarray(Q).argmax())
    return (best + step) % len(Q) if explore else best


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    run=run,
    returns=whole_number,
    shown=shown,
    edges=EDGES,
    question=SHARES,
    by_hand=by_hand,
    examples=20,
    wrong=WRONG,
    right=[greedy_by_probabilities, greedy_with_lists, greedy_by_a_step_around_the_circle],
)
