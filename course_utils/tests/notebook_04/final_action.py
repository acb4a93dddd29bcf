"""final_action: four rules for the move after a search."""

from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.search.uct import RULES
from course_utils.tests.case import Case, Raises, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_04.trees import family, table
from course_utils.tests.returns import whole_number
from course_utils.tests.specification import Specification

BOTH = "Is the most visited child also the one with the highest mean?"


# --- draws: one tree that grows, and is asked again ------------------------------------------------------------------------


class Ask(NamedTuple):
    rule: str | None  # None: left out
    caution: float | None
    wins: int  # of the first child, since the last time

    def options(self) -> dict:
        return {name: value for name, value in self._asdict().items() if name != "wins" and value is not None}


class Draw(NamedTuple):
    actions: tuple[int, ...]
    statistics: list[tuple[float, int]]  # W and N of the children, by as many of the actions
    asked: list[Ask]

    def tables(self) -> list[dict[int, tuple[float, int]]]:
        """W and N by action, each time that it is asked."""
        (W, N), *others = self.statistics
        wins = np.cumsum([ask.wins for ask in self.asked]).tolist()
        return [dict(zip(self.actions, [(W + won, N + won), *others], strict=False)) for won in wins]


ORDERS = st.sampled_from([(0, 1, 2, 3, 4, 5), (8, 6, 5, 3, 2, 0), (4, 0, 7, 8, 1, 2)])
MEANS = (0.0, 0.5, 0.504, 1.0, -0.5, -1.0, 1 / 3)
CHILD = st.sampled_from([(round(2 * mean * N) / 2, N) for N in (1, 2, 10, 60, 900) for mean in MEANS])  # W in halves
CHILDREN = st.one_of(
    *[st.lists(CHILD, min_size=1, max_size=6)] * 3,
    st.builds(
        lambda mean, N: [(mean * n, n) for n in N],
        st.sampled_from([-1.0, 0.0, 1.0]),
        st.lists(st.sampled_from([1, 2, 60]), min_size=1, max_size=4),
    ),
)  # the last: all lost, drawn or won
CAUTION = st.sampled_from([None, None, 0.0, 0.3, 1.0, 2.0, 5.0])
ASK = st.builds(Ask, st.sampled_from([None, *RULES, "secure", "max-robust"]), CAUTION, st.integers(0, 2))
UNKNOWN = st.sampled_from(["best", "Robust"])
CAREFUL = [Ask("secure", caution, 0) for caution in (None, 0, 0.2, 0.5, 2, 3.0)]
DRAWS = st.one_of(
    *[st.builds(Draw, ORDERS, CHILDREN, st.lists(ASK, min_size=1, max_size=3))] * 3,
    *[st.builds(Draw, ORDERS, st.lists(CHILD, min_size=4, max_size=6), st.just(CAREFUL))] * 2,
    st.builds(Draw, ORDERS, CHILDREN, st.builds(lambda rule: [Ask(rule, None, 0)], UNKNOWN)),
)
IN_BOTH = [Ask("max-robust", None, 0)]
EDGES = [
    Draw((0, 3, 7), [(6.0, 10), (2.0, 10), (1.0, 4)], IN_BOTH),
    Draw((3, 0, 7), [(2.0, 10), (6.0, 10), (3.0, 5)], IN_BOTH),  # ties in N and in the mean
    Draw((3, 5, 7), [(3.0, 5), (2.0, 10), (6.0, 10)], IN_BOTH),
    Draw((1, 2), [(5.0, 10), (5.0, 10)], IN_BOTH),
    Draw((0, 1, 2), [(-1.0, 2), (0.0, 3), (-2.0, 5)], [Ask("max", None, 0)]),
    Draw((1, 4), [(5.0, 10), (0.75, 1)], [Ask("max", None, 0)]),
    Draw((1, 4, 0), [(1.0, 1), (5.0, 10), (20.0, 60)], CAREFUL),
    Draw((1, 2), [(0.0, 3), (-1.0, 4)], CAREFUL),
    Draw((7,), [(-1.0, 1)], [Ask(rule, None, 0) for rule in RULES]),
]


def tree(statistics: dict[int, tuple[float, int]]):
    return family(statistics, sum(N for _, N in statistics.values()) + 1)


def run(final_action, draw: Draw) -> list:
    tables = draw.tables()
    root, answers = tree(tables[0]), []
    for statistics, ask in zip(tables, draw.asked, strict=True):
        for action, (W, N) in statistics.items():
            root.children[action].W, root.children[action].N = W, N
        answers.append(final_action(root, **ask.options()))
    return answers


def oracle(draw: Draw) -> list | Raises | Such:
    if draw.asked[0].rule not in (None, *RULES):
        return Raises(ValueError)
    allowed = [best(statistics, ask) for statistics, ask in zip(draw.tables(), draw.asked, strict=True)]
    if all(len(actions) == 1 for actions in allowed):
        return [actions[0] for actions in allowed]
    text = ", ".join(" or ".join(map(str, actions)) for actions in allowed)
    return Such(f"[{text}]", lambda got: all(one in actions for one, actions in zip(got, allowed, strict=True)))


def best(statistics: dict[int, tuple[float, int]], ask: Ask) -> list[int | None]:
    """All actions that the rule may choose: visits and means as fractions, bounds as decimals that may differ by rounding."""
    visits = {action: N for action, (_, N) in statistics.items()}
    means = {action: Fraction(W) / N for action, (W, N) in statistics.items()}
    robust, highest = ([a for a in by if by[a] == max(by.values())] for by in (visits, means))
    if ask.rule == "secure":
        caution = Decimal(1 if ask.caution is None else ask.caution)
        bounds = {action: Decimal(W) / N - caution / Decimal(N).sqrt() for action, (W, N) in statistics.items()}
        return [action for action in bounds if max(bounds.values()) - bounds[action] < 1e-9]
    return {"max": highest, "max-robust": [a for a in robust if a in highest] or [None]}.get(ask.rule, robust)


def an_action(result) -> str:
    return "" if result is None else whole_number(result)


def shown(draw: Draw) -> str:
    lines = []
    for statistics, ask in zip(draw.tables(), draw.asked, strict=True):
        options = "".join(f", {name}={show(value)}" for name, value in ask.options().items())
        lines.append(f"children, as action: (W, N): {statistics}\nfinal_action(root{options})")
    return "\nand then, the same tree:\n".join(lines)


# --- by hand -----------------------------------------------------------------------------------------------------------


def by_hand(rng):
    def case(name, statistics, rule, expected, question, points=1, **options):
        given = "".join([f', "{rule}"' if rule else "", *(f", {name}={value:g}" for name, value in options.items())])
        run = lambda answer: answer(tree(statistics), *([rule] if rule else []), **options)  # noqa: E731
        return Case(name, run, expected, f"final_action(root{given})", question, table(statistics), points)

    four = {2: (30.0, 60), 5: (9.0, 12), 7: (2.0, 2), 8: (-4.0, 9)}
    yield case('"robust"', four, "robust", 2, "Which number says how often the search came back to an action?", 2)
    yield case('"max"', four, "max", 7, "Which child has the highest mean?", 2)
    yield case('"secure"', four, "secure", 5, "Of how many visits is each mean, and how far may it be off?", 2)
    yield case("without a rule: robust", four, "", 2, "What is the default?")
    yield case('"max-robust" says None where no child is both', four, "max-robust", None, BOTH)
    agreed = {0: (-3.0, 9), 3: (20.0, 40), 4: (4.0, 10), 6: (0.0, 1)}
    yield case('"max-robust" finds the child that is both', agreed, "max-robust", 3, BOTH)
    yield case(
        '"secure" with little caution',
        four,
        "secure",
        7,
        "Does a big uncertainty speak for a child, or against it?",
        caution=0.3,
    )
    yield case(
        '"max" where everything loses', {1: (-5.0, 6), 4: (-36.0, 40)}, "max", 1, "Does your comparison begin with 0?"
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

ROBUST = "return max(children, key=lambda action: children[action].N)"
MAX = "return max(children, key=lambda action: children[action].Q)"
SECURE = "children[action].Q - caution / math.sqrt(children[action].N)"
MAX_ROBUST = "next((action for action, child in children.items() if both == (child.N, child.Q)), None)"
WRONG = [
    Wrong(
        "secure with a plus",
        "the secure child gets a bonus for being uncertain: that is an upper bound, fit for exploring, not for playing. (It is "
        "a known misprint)",
        "When it counts, would you rather play the child that may be good, or the one that is surely not bad?",
        (SECURE, SECURE.replace("-", "+")),
    ),
    Wrong(
        "secure without the root",
        "the uncertainty shrinks with N instead of its square root",
        "How much better do you know a mean after four times as many visits?",
        (SECURE, "children[action].Q - caution / children[action].N"),
    ),
    Wrong(
        "secure: caution ignored",
        "the argument `caution` is not used",
        "Does your answer change when caution does?",
        (SECURE, "children[action].Q - 1 / math.sqrt(children[action].N)"),
    ),
    Wrong(
        "max by the sum",
        "the highest W is taken, not the highest mean",
        "Ten wins of a hundred, or five of five: which mean is higher?",
        (MAX, MAX.replace(".Q", ".W")),
    ),
    Wrong(
        "max-robust falls back on robust",
        'where no child is both, "max-robust" gives the most visited instead of asking for more search',
        "What should the caller do when the two disagree?",
        ("    return " + MAX_ROBUST, "    " + ROBUST),
    ),
    Wrong(
        "max-robust compares two actions",
        'one of the most visited is compared with one of the best: where there is a tie, "max-robust" may miss the child that is both',
        "If two children have the same N, which one does `max` return?",
        (
            "    return " + MAX_ROBUST,
            "    most = max(children, key=lambda action: children[action].N)\n"
            "    best = max(children, key=lambda action: children[action].Q)\n    return most if most == best else None",
        ),
    ),
    Wrong(
        "position in the list instead of action",
        "the place of the child among the children comes back, not its action",
        "Which keys does root.children have?",
        ("    children = root.children\n", "    children = dict(enumerate(root.children.values()))\n"),
    ),
    Wrong(
        "a numpy integer",
        "the action is a numpy integer, not a plain int",
        "Did numpy hand you the number?",
        (ROBUST, ROBUST.replace("max(", "np.int64(max(") + ")"),
        (MAX, MAX.replace("max(", "np.int64(max(") + ")"),
    ),
]


def final_by_table(root, rule="robust", caution=1.0):
    if rule not in ("robust", "max", "max-robust", "secure"):
        raise ValueError(f"unknown rule: {rule}")
    actions = list(root.children)
    N = np.array([root.children[action].N for action in actions])
    means = np.array([root.children[action].W for action in actions]) / N
    if rule == "max-robust":
        both = (N.max() == N) & (means == means.max())
        return int(actions[int(np.argmax(both))]) if both.any() else None
    values = {"robust": N, "max": means, "secure": means - caution / np.sqrt(N)}[rule]
    return actions[int(np.argmax(values))]


def final_by_match(root, rule="robust", caution=1.0):
    def best(number):
        return sorted(root.children.items(), key=lambda item: number(item[1]))[-1][0]

    match rule:
        case "robust":
            return best(lambda child: child.N)
        case "max":
            return best(lambda child: child.W / child.N)
        case "secure":
            return best(lambda child: child.W / child.N - caution * child.N**-0.5)
        case "max-robust":
            robust, highest = best(lambda child: (child.N, child.Q)), best(lambda child: (child.Q, child.N))
            return robust if robust == highest else None
    raise ValueError(f"there is no rule {rule!r}")


CHECK = Specification(
    draws=DRAWS,
    arguments=lambda draw: {"root": tree(draw.tables()[0]), **draw.asked[0].options()},
    oracle=oracle,
    run=run,
    returns=an_action,
    shown=shown,
    question="Work out the number that the rule compares, for each child: which is the highest?",
    edges=EDGES,
    examples=20,
    by_hand=by_hand,
    wrong=WRONG,
    right=[final_by_table, final_by_match],
)
