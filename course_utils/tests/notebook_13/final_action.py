"""final_action: four rules for the move after a search."""

import numpy as np
from hypothesis import strategies as st

from course_utils.search.uct import RULES
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_13.trees import tree
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes

BOTH = "Is the most visited child also the one with the highest mean?"
CELLS = st.sampled_from([(0, 1, 2, 3, 4, 5), (8, 6, 5, 3, 2, 0), (4, 0, 7, 8, 1, 2)])
MEANS = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0])
CHILDREN = st.lists(
    st.builds(lambda mean, N: (mean * N, N), MEANS, st.sampled_from([1, 4, 12, 60, 900])), min_size=1, max_size=6
)
CAUTIONS = st.sampled_from([None, None, 0, 0.3, 2.5])


def scene(draw) -> str:
    cells, children, rule, caution = draw
    asked = "".join([f', rule="{rule}"' if rule else "", f", caution={caution}" if caution is not None else ""])
    return f"root = tree({dict(zip(cells, children, strict=False))})\nfinal_action(root{asked})"


def one_is_best(draw) -> bool:
    """Whether no two children tie in what the rule compares; by "max-robust" only one may have both."""
    _, children, rule, caution = draw
    numbers = {
        "max": lambda W, N: W / N,
        "secure": lambda W, N: round(W / N - (1 if caution is None else caution) / N**0.5, 9),
        "max-robust": lambda W, N: (N, W),
    }.get(rule, lambda W, N: N)
    ranked = sorted(numbers(*child) for child in children)
    return ranked[-1:] != ranked[-2:-1]


BY_HAND = """
    "robust" (2 points)
    >>> root = tree({2: (30, 60), 5: (9, 12), 7: (2, 2), 8: (-4, 9)})  # W and N of each child
    >>> final_action(root, rule="robust")
    2
    ? Which number says how often the search came back to an action?

    "max" (2 points)
    >>> root = tree({2: (30, 60), 5: (9, 12), 7: (2, 2), 8: (-4, 9)})
    >>> final_action(root, rule="max")
    7
    ? Which child has the highest mean?

    "secure" (2 points)
    >>> root = tree({2: (30, 60), 5: (9, 12), 7: (2, 2), 8: (-4, 9)})
    >>> final_action(root, rule="secure")
    5
    ? Of how many visits is each mean, and how far may it be off?

    "max-robust" says None where no child is both
    >>> root = tree({2: (30, 60), 5: (9, 12), 7: (2, 2), 8: (-4, 9)})
    >>> final_action(root, rule="max-robust")
    None
    ? Is the most visited child also the one with the highest mean?

    "max-robust" finds the child that is both, although another has as many visits
    >>> root = tree({3: (20, 40), 0: (30, 40), 4: (4, 10), 6: (0, 1)})
    >>> final_action(root, rule="max-robust")
    0
    ? Is the most visited child also the one with the highest mean?

    "secure" with little caution
    >>> root = tree({2: (30, 60), 5: (9, 12), 7: (2, 2), 8: (-4, 9)})
    >>> final_action(root, rule="secure", caution=0.3)
    7
    ? Does a big uncertainty speak for a child, or against it?

    "max" where everything loses
    >>> root = tree({1: (-5, 6), 4: (-36, 40)})
    >>> final_action(root, rule="max")
    1
    ? Does your comparison begin with 0?
"""

ROBUST = "return max(children, key=lambda action: children[action].N)"
MAX = "return max(children, key=lambda action: children[action].Q)"
SECURE = "children[action].Q - caution / math.sqrt(children[action].N)"
MAX_ROBUST = "next((action for action, child in children.items() if both == (child.N, child.Q)), None)"
# fmt: off
WRONG = [
    Wrong("secure with a plus", "the secure child gets a bonus for being uncertain: that is an upper bound, fit for exploring, not for playing. (It is a known misprint)",
          "When it counts, would you rather play the child that may be good, or the one that is surely not bad?", (SECURE, SECURE.replace("-", "+"))),
    Wrong("secure without the root", "the uncertainty shrinks with N instead of its square root",
          "How much better do you know a mean after four times as many visits?", (SECURE, "children[action].Q - caution / children[action].N")),
    Wrong("secure: caution ignored", "the argument `caution` is not used",
          "Does your answer change when caution does?", (SECURE, "children[action].Q - 1 / math.sqrt(children[action].N)")),
    Wrong("max by the sum", "the highest W is taken, not the highest mean",
          "Ten wins of a hundred, or five of five: which mean is higher?", (MAX, MAX.replace(".Q", ".W"))),
    Wrong("max-robust falls back on robust", 'where no child is both, "max-robust" gives the most visited instead of asking for more search',
          "What should the caller do when the two disagree?", ("    return " + MAX_ROBUST, "    " + ROBUST)),
    Wrong("max-robust compares two actions", 'one of the most visited is compared with one of the best: where there is a tie, "max-robust" may miss the child that is both',
          "If two children have the same N, which one does `max` return?",
          ("    return " + MAX_ROBUST, "    most = max(children, key=lambda action: children[action].N)\n    best = max(children, key=lambda action: children[action].Q)\n    return most if most == best else None")),
    Wrong("position in the list instead of action", "the place of the child among the children comes back, not its action",
          "Which keys does root.children have?", ("    children = root.children\n", "    children = dict(enumerate(root.children.values()))\n")),
]
# fmt: on


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


CHECK = Scenes(
    draws=st.tuples(CELLS, CHILDREN, st.sampled_from([None, *RULES, "secure", "max-robust"]), CAUTIONS).filter(
        one_is_best
    ),
    scene=scene,
    names=globals(),
    by_hand=BY_HAND,
    examples=40,
    edges=[
        (range(9), [(2.0, 2), (9.0, 12)], "secure", 0),
        (range(9), [(9.0, 12), (225.0, 900)], "secure", 2.5),
        (range(9), [(2.75, 3), (25.0, 100)], "secure", None),
        (range(9), [(1.0, 1), (5.0, 9)], "max", None),
    ],
    returns=lambda result: "" if result is None else whole_number(result),
    question="Work out the number that the rule compares, for each child: which is the highest?",
    wrong=WRONG,
    right=[final_by_table, final_by_match],
)
