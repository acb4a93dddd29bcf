"""uct_score: the mean of a child, and a bonus for not knowing it."""

import math
from decimal import Decimal
from typing import NamedTuple

from hypothesis import strategies as st

from course_utils.games import ConnectN
from course_utils.tests.case import Case, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_04.trees import GAME, family, table
from course_utils.tests.returns import number
from course_utils.tests.specification import Specification

ROOT2 = math.sqrt(2)
WHICH = "Which N stands under the logarithm, and which one under the line?"


# --- draws: a family whose numbers grow while somebody looks on -----------------------------------------------------------


class Draw(NamedTuple):
    statistics: list[tuple[float, int]]  # W and N of each child
    more: int  # visits of the parent beyond those of its children
    c_uct: float | None  # None: the default
    later: int  # wins of the first child before the same children are looked at again
    over: bool = False  # whether the game is over at each child, which has won it

    def rounds(self) -> list[tuple[list, int]]:
        """W and N of the children, and N of the parent, each time that somebody looks."""
        (W, N), *others = self.statistics
        looks = [self.statistics, [(W + self.later, N + self.later), *others]][: 2 if self.later else 1]
        return [(statistics, sum(N for _, N in statistics) + self.more) for statistics in looks]


VISITS = st.sampled_from([0, 1, 2, 3, 7, 20, 49, 1000])
MEANS = st.one_of(st.sampled_from([0.0, 1.0, -1.0]), st.floats(-1, 1))
CHILD = st.builds(lambda mean, visits: (mean * visits, visits), MEANS, VISITS)
C_UCT = st.one_of(st.none(), st.sampled_from([0.0, 1.0, 0.5, 2.0]), st.floats(0, 5))
DRAWS = st.builds(
    Draw, st.lists(CHILD, min_size=1, max_size=5), st.integers(0, 5), C_UCT, st.integers(0, 3), st.booleans()
)
WON = ConnectN(1, 5, 1)  # by the first stone


def children(draw: Draw) -> list:
    root = family(dict(enumerate(draw.statistics)), draw.rounds()[0][1], WON if draw.over else GAME)
    root.parent, root.parent_action = family({4: (1.0, 77)}), 4  # a grandparent with numbers of its own
    return list(root.children.values())


def oracle(draw: Draw) -> list[list[float]]:
    """In decimals, round by round."""
    c = Decimal(2).sqrt() if draw.c_uct is None else Decimal(draw.c_uct)
    return [
        [float(Decimal(W) / N + c * (Decimal(above).ln() / N).sqrt()) if N else math.inf for W, N in statistics]
        for statistics, above in draw.rounds()
    ]


def run(uct_score, draw: Draw) -> list:
    constant = () if draw.c_uct is None else (draw.c_uct,)
    nodes, scores = children(draw), []
    for statistics, above in draw.rounds():
        nodes[0].parent.N = above
        for node, (W, N) in zip(nodes, statistics, strict=True):
            node.W, node.N = W, N
        scores.append([checked(uct_score(node, *constant)) for node in nodes])
    return scores


def checked(result):
    """The score, or a sentence if it isn't a number."""
    return number(result) or float(result)


def shown(draw: Draw) -> str:
    asked = "child" if draw.c_uct is None else f"child, {show(draw.c_uct)}"
    over = ", the game being over there" if draw.over else ""
    lines = [
        f"(W, N) of the children{over}: {show(statistics)}; parent.N = {above}\n[uct_score({asked}) for child in children]"
        for statistics, above in draw.rounds()
    ]
    return "\nand then, the same children:\n".join(lines)


# --- by hand -----------------------------------------------------------------------------------------------------------


def by_hand(rng):
    def case(name, statistics, expected, question, points=1, constant=(), more=0):
        nodes = list(family(statistics, sum(N for _, N in statistics.values()) + more).children.values())
        asked = ", ".join(["child", *map(show, constant)])
        call = f"[uct_score({asked}) for child in children]  # parent.N = {nodes[0].parent.N}"
        run = lambda answer: [answer(node, *constant) for node in nodes]  # noqa: E731
        return Case(name, run, expected, call, question, table(statistics), points)

    bonus = ROOT2 * math.sqrt(math.log(3))
    yield case(
        "the worked example after three simulations",
        {0: (1, 1), 1: (0, 1), 2: (1, 1)},
        [1 + bonus, bonus, 1 + bonus],
        WHICH,
        points=2,
    )
    bonus = ROOT2 * math.sqrt(math.log(4))
    yield case(
        "the worked example after one more, a loss for the first child",
        {0: (1, 2), 1: (0, 1), 2: (1, 1)},
        [0.5 + bonus / ROOT2, bonus, 1 + bonus],
        WHICH,
        points=2,
    )
    yield case(
        "a child that was never visited comes before all others",
        {0: (0, 0), 1: (5, 5)},
        Such("infinity for the child without visits, a finite number for the other", _first_infinite),
        "What should selection do with a child that it knows nothing about?",
    )
    yield case(
        "with c_uct = 0 only the mean counts",
        {0: (-3, 4), 1: (1, 2), 2: (0, 3)},
        [-0.75, 0.5, 0],
        "What is left of the formula when nothing drives it to explore?",
        constant=(0.0,),
    )
    yield case(
        "the constant multiplies the root, and the parent has a visit of its own",
        {0: (2, 4), 1: (-1, 3)},
        [0.5 + 0.7 * math.sqrt(math.log(9) / 4), -1 / 3 + 0.7 * math.sqrt(math.log(9) / 3)],
        "Which of the two numbers of visits belongs to the parent? Where does the constant stand?",
        constant=(0.7,),
        more=2,
    )


def _first_infinite(values) -> bool | str:
    first, second = (float(value) for value in values)
    return (first == math.inf and math.isfinite(second)) or "the first must be +infinity, the second finite"


# --- wrong and right -----------------------------------------------------------------------------------------------------

FORMULA = "child.W / child.N + c_uct * math.sqrt(math.log(child.parent.N) / child.N)"


def formula(name: str, sentence: str, question: str, written: str) -> Wrong:
    return Wrong(name, sentence, question, (FORMULA, written))


WRONG = [
    formula(
        "the logarithm of the child's visits",
        "both N in the root are the child's own: the bonus never learns that the siblings were visited",
        "If only the siblings are visited, should this child's bonus grow?",
        "child.W / child.N + c_uct * math.sqrt(math.log(child.N) / child.N)",
    ),
    formula(
        "logarithm forgotten",
        "the parent's visits stand under the root without their logarithm: exploring never calms down",
        "How fast should the bonus of a neglected child grow?",
        "child.W / child.N + c_uct * math.sqrt(child.parent.N / child.N)",
    ),
    formula(
        "root of the logarithm only",
        "the child's visits stand outside the square root",
        "How far does the root reach: over the numerator, or over the whole fraction?",
        "child.W / child.N + c_uct * math.sqrt(math.log(child.parent.N)) / child.N",
    ),
    formula(
        "constant under the root",
        "the constant slipped under the square root",
        "Does the constant multiply the root, or what is in it?",
        "child.W / child.N + math.sqrt(c_uct * math.log(child.parent.N) / child.N)",
    ),
    formula(
        "another 2 under the root",
        "a factor of 2 stands under the root beside the constant: some texts write it so, but here the constant is all of it",
        "Compare your formula with the one above, letter by letter: is there a number in yours?",
        "child.W / child.N + c_uct * math.sqrt(2 * math.log(child.parent.N) / child.N)",
    ),
    formula(
        "W not divided",
        "the sum of the results stands where their mean belongs: what was visited often looks good",
        "Ten wins of a hundred, or five of five: which child is better?",
        "child.W + c_uct * math.sqrt(math.log(child.parent.N) / child.N)",
    ),
    formula(
        "W read from the other side",
        "the mean has the wrong sign: the search looks for what its player likes least",
        "Whose result does W sum up: the player's who chooses among these children, or the opponent's?",
        "-child.W / child.N + c_uct * math.sqrt(math.log(child.parent.N) / child.N)",
    ),
    Wrong(
        "an unvisited child scores zero",
        "a child that nobody has tried gets 0, so that any mediocre sibling comes first",
        "Which should be looked at first: a child that nobody knows, or a known one?",
        ("return math.inf", "return 0.0"),
    ),
    Wrong(
        "another logarithm",
        "the logarithm is that to the base 10: it explores a third less",
        "Which logarithm is `ln`, and how is it called in Python?",
        ("math.log(", "math.log10("),
    ),
    Wrong(
        "an unvisited child is divided by one",
        "the division by 0 is avoided by dividing by 1, so that an unknown child looks like a known, mediocre one",
        "Which should be looked at first: a child that nobody knows, or a known one?",
        ("    if child.N == 0:\n        return math.inf\n", ""),
        (FORMULA, "child.W / max(child.N, 1) + c_uct * math.sqrt(math.log(child.parent.N) / max(child.N, 1))"),
    ),
]


def score_in_one_line(child, c_uct=2**0.5):
    return (child.Q + c_uct * (math.log(child.parent.N) / child.N) ** 0.5) if child.N else float("inf")


def score_in_logarithms(child, c_uct=ROOT2):
    try:
        return (child.W + c_uct * math.sqrt(child.N * math.log(child.parent.N))) / child.N
    except (ZeroDivisionError, ValueError):
        return math.inf


def arguments(draw: Draw) -> dict:
    return {"child": children(draw)[0], **({} if draw.c_uct is None else {"c_uct": draw.c_uct})}


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    run=run,
    edges=[
        Draw([(1.0, 1), (0.0, visits)], 0, None, 2) for visits in (0, 1, 2)
    ],  # of a parent that has hardly been visited
    tolerance=1e-11,
    shown=shown,
    question=WHICH,
    by_hand=by_hand,
    wrong=WRONG,
    right=[score_in_one_line, score_in_logarithms],
)
