"""Check uct_score: the mean of a child, and a bonus for uncertainty."""

import math

from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_13.uct_trees import tree
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes

# (W, N) of each child
CHILDREN = st.lists(
    st.tuples(st.integers(-8, 8), st.sampled_from([0, 1, 2, 3, 7, 20, 1000])).map(
        lambda child: (child[0] / 8 * child[1], child[1])
    ),
    min_size=1,
    max_size=5,
)


def scene(draw) -> str:
    """Score a child below the root, since the root's visits must not count for a grandchild."""
    children, more, c_uct = draw
    N = sum(visits for _, visits in children) + more
    family = {action: child for action, child in enumerate(children)}
    constant = "" if c_uct is None else f", c_uct={c_uct}"
    return f"""root = tree({{8: (0.5, {N}, {family})}}, N={N + 77})
[uct_score(child{constant}) for child in root.children[8].children.values()]"""


BY_HAND = """
    the worked example after three simulations (2 points)
    >>> root = tree({0: (1, 1), 1: (0, 1), 2: (1, 1)}, N=3)  # W and N of each child
    >>> [uct_score(child) for child in root.children.values()]
    [1 + math.sqrt(2 * math.log(3)), math.sqrt(2 * math.log(3)), 1 + math.sqrt(2 * math.log(3))]
    ? Which N is under the logarithm, and which N is the denominator?

    the worked example after one more, a loss for the first child (2 points)
    >>> root = tree({0: (1, 2), 1: (0, 1), 2: (1, 1)}, N=4)
    >>> [uct_score(child) for child in root.children.values()]
    [0.5 + math.sqrt(math.log(4)), math.sqrt(2 * math.log(4)), 1 + math.sqrt(2 * math.log(4))]
    ? Which N is under the logarithm, and which N is the denominator?

    a child that was never visited comes before all others
    >>> root = tree({0: (0, 0), 1: (5, 5)}, N=5)
    >>> [uct_score(child) for child in root.children.values()]
    [math.inf, 1 + math.sqrt(2 * math.log(5) / 5)]
    ? What should selection do with a child that it knows nothing about?

    the same child, before and after its first visit
    >>> root = tree({0: (0, 0), 1: (1, 1)}, N=1)
    >>> before = uct_score(root.children[0])
    >>> root.N, root.children[0].N, root.children[0].W = 2, 1, -1.0
    >>> before, uct_score(root.children[0])
    [math.inf, -1 + math.sqrt(2 * math.log(2))]
    ? N and W change between the two calls. Does your code read them at each call?

    with c_uct = 0 only the mean counts
    >>> root = tree({0: (-3, 4), 1: (1, 2), 2: (0, 3)}, N=9)
    >>> [uct_score(child, c_uct=0) for child in root.children.values()]
    [-0.75, 0.5, 0]
    ? What is left of the formula when the constant is 0?

    the constant multiplies the root, and the parent has two visits of its own
    >>> root = tree({0: (2, 4), 1: (-1, 3)}, N=9)
    >>> [uct_score(child, c_uct=0.7) for child in root.children.values()]
    [0.5 + 0.7 * math.sqrt(math.log(9) / 4), -1 / 3 + 0.7 * math.sqrt(math.log(9) / 3)]
    ? Which of the two numbers of visits is the parent's, and what does the constant multiply?
"""

FORMULA = "child.W / child.N + c_uct * math.sqrt(math.log(child.parent.N) / child.N)"
# fmt: off
WRONG = [
    Wrong("the logarithm of the child's visits",
          "both N under the root are the child's own, so the bonus does not grow when the siblings are visited",
          "If only the siblings are visited, should this child's bonus grow?",
          (FORMULA, "child.W / child.N + c_uct * math.sqrt(math.log(child.N) / child.N)")),
    Wrong("logarithm forgotten",
          "the parent's visits are under the root without their logarithm, so exploration never slows down",
          "How fast should the bonus of a neglected child grow?",
          (FORMULA, "child.W / child.N + c_uct * math.sqrt(child.parent.N / child.N)")),
    Wrong("root of the logarithm only", "the child's visits are outside the square root",
          "What does the root cover: the numerator, or the whole fraction?",
          (FORMULA, "child.W / child.N + c_uct * math.sqrt(math.log(child.parent.N)) / child.N")),
    Wrong("constant under the root", "the constant is under the square root",
          "Does the constant multiply the root, or what is in it?",
          (FORMULA, "child.W / child.N + math.sqrt(c_uct * math.log(child.parent.N) / child.N)")),
    Wrong("another 2 under the root",
          "a factor of 2 is under the root besides the constant, as in some texts, but here the constant includes it",
          "Which number is under the root in your code, and which in the docstring?",
          (FORMULA, "child.W / child.N + c_uct * math.sqrt(2 * math.log(child.parent.N) / child.N)")),
    Wrong("W not divided",
          "the sum of the results is used instead of their mean, so a child that was visited often looks good",
          "Which child is better: one with ten wins of a hundred, or one with five of five?",
          (FORMULA, "child.W + c_uct * math.sqrt(math.log(child.parent.N) / child.N)")),
    Wrong("W read from the other side",
          "the mean has the wrong sign, so the search looks for the moves that its player likes least",
          "For which player are the results in W: the one who chooses among these children, or the opponent?",
          (FORMULA, "-child.W / child.N + c_uct * math.sqrt(math.log(child.parent.N) / child.N)")),
    Wrong("an unvisited child scores zero", "a child that was never tried gets 0, so any mediocre sibling comes first",
          "Which child should be tried first: one that was never visited, or one that was?",
          ("return math.inf", "return 0.0")),
    Wrong("another logarithm", "the logarithm is to base 10, so the search explores a third less",
          "Which logarithm is `ln`, and what is it called in Python?", ("math.log(", "math.log10(")),
    Wrong("the first score kept",
          "a child's first score is cached and returned again, however often the child has been visited since",
          "N and W of a child change with each visit. When does your code read them?",
          ("def uct_score", "import functools\n\n@functools.lru_cache(maxsize=None)\ndef uct_score")),
    Wrong("rounded", "the score is rounded, so children with close scores become equal and the first is taken",
          "Which number should decide: the rounded score, or the exact one?", (FORMULA, f"round({FORMULA}, 2)")),
    Wrong("an unvisited child is divided by one",
          "the division by 0 is avoided by dividing by 1, so an unvisited child looks like a visited, mediocre one",
          "Which child should be tried first: one that was never visited, or one that was?",
          ("    if child.N == 0:\n        return math.inf\n", ""),
          (FORMULA, "child.W / max(child.N, 1) + c_uct * math.sqrt(math.log(child.parent.N) / max(child.N, 1))")),
]
# fmt: on


def right_score_over_one_line(child, c_uct=2**0.5):
    if child.N == 0:
        return math.inf
    return (child.W + c_uct * (child.N * math.log(child.parent.N)) ** 0.5) / child.N


def right_score_in_one_line(child, c_uct=2**0.5):
    return (child.Q + c_uct * (math.log(child.parent.N) / child.N) ** 0.5) if child.N else float("inf")


CHECK = Scenes(
    draws=st.tuples(CHILDREN, st.integers(1, 5), st.sampled_from([None, None, 0.0, 0.5, 1.0, 2.0, 5.0])),
    returns=number,
    edges=[([(0.0, 0)], 1, None), ([(1.0, 1)], 0, None)],  # of a parent with a single visit
    question="Which N is under the logarithm, and which N is the denominator?",
)
