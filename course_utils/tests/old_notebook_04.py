"""Checks of notebook 04: tree search with rollouts."""

import math

import numpy as np

from course_utils.games import TicTacToe
from course_utils.search.uct import UctNode
from course_utils.tests.framework import Case, Raises, check, wrong

GAME = TicTacToe()


def _family(statistics, parent_N=None, actions=None) -> UctNode:
    """A root on the empty board whose children have the given (W, N); nothing is left untried."""
    root = UctNode(GAME, GAME.initial_state())
    root.untried = []
    root.N = sum(N for _, N in statistics) if parent_N is None else parent_N
    for action, (W, N) in zip(actions or range(len(statistics)), statistics, strict=True):
        child = UctNode(GAME, GAME.play(root.state, action), root, action)
        child.W, child.N, child.W2 = W, N, abs(W)
        root.children[action] = child
    return root


def _children(statistics, parent_N=None):
    return list(_family(statistics, parent_N).children.values())


# --- final_action ----------------------------------------------------------------------------------------------------


@check
def final_action(rng):
    statistics = {2: (30.0, 60), 5: (9.0, 12), 7: (2.0, 2), 8: (-4.0, 9)}  # robust 2; max 7; secure 5
    text = "\n".join(f"action {action}: W = {W:g}, N = {N}" for action, (W, N) in statistics.items())

    def asked(*rule, table=statistics, **options):
        def run(answer):
            action = answer(_family(list(table.values()), actions=list(table)), *rule, **options)
            return "a node" if isinstance(action, UctNode) else action

        return run

    for rule, expected, question in [
        ("robust", 2, "Which number says how often the search came back to an action?"),
        ("max", 7, "Which child has the highest mean?"),
        ("secure", 5, "Of how many visits is each mean, and how far may it be off?"),
    ]:
        yield Case(f'"{rule}"', asked(rule), expected, f'final_action(root, "{rule}")', question, board=text, points=2)
    yield Case("without a rule: robust", asked(), 2, "final_action(root)", "What is the default?", board=text)
    yield Case(
        '"max-robust" says None where no child is both',
        asked("max-robust"),
        None,
        'final_action(root, "max-robust")',
        "Is the most visited child also the one with the highest mean?",
        board=text,
    )
    agreed = {0: (-3.0, 9), 3: (20.0, 40), 4: (4.0, 10), 6: (0.0, 1)}
    yield Case(
        '"max-robust" finds the child that is both',
        asked("max-robust", table=agreed),
        3,
        'final_action(root, "max-robust")',
        "Is the most visited child also the one with the highest mean?",
        board="\n".join(f"action {action}: W = {W:g}, N = {N}" for action, (W, N) in agreed.items()),
    )
    for caution, expected in ((0.0, 7), (0.3, 7), (1.0, 5), (2.0, 2)):
        bounds = [W / N - caution / math.sqrt(N) for W, N in statistics.values()]
        assert list(statistics)[int(np.argmax(bounds))] == expected
        yield Case(
            f'"secure" with caution {caution:g}',
            asked("secure", caution=caution),
            expected,
            f'final_action(root, "secure", caution={caution:g})',
            "Does a big uncertainty speak for a child, or against it?",
            board=text,
        )
    losing = {1: (-5.0, 6), 4: (-36.0, 40), 8: (-3.0, 3)}
    for rule, expected in (("robust", 4), ("max", 1), ("secure", 4), ("max-robust", None)):
        yield Case(
            f'"{rule}" where everything loses',
            asked(rule, table=losing),
            expected,
            f'final_action(root, "{rule}")',
            "Does your comparison begin with 0?",
            board="\n".join(f"action {action}: W = {W:g}, N = {N}" for action, (W, N) in losing.items()),
        )
    counts = rng.permutation([3, 8, 15, 24, 31]).tolist()
    means = rng.permutation([-0.6, -0.2, 0.1, 0.4, 0.75]).tolist()
    actions = sorted(rng.choice(9, size=5, replace=False).tolist())
    table = {a: (round(m * n, 2), n) for a, m, n in zip(actions, means, counts, strict=True)}
    shown = "\n".join(f"action {action}: W = {W:g}, N = {N}" for action, (W, N) in table.items())
    most, highest = actions[counts.index(31)], actions[means.index(0.75)]
    secure = max(table, key=lambda a: table[a][0] / table[a][1] - 1 / math.sqrt(table[a][1]))
    for rule, expected in (
        ("robust", most),
        ("max", highest),
        ("secure", secure),
        ("max-robust", most if most == highest else None),
    ):
        yield Case(
            f'"{rule}" on a random table',
            asked(rule, table=table),
            expected,
            f'final_action(root, "{rule}")',
            "Compute the number that the rule compares for each child: which is the highest?",
            board=shown,
        )

    def plain(answer):
        actions = [
            answer(_family(list(statistics.values()), actions=list(statistics)), rule) for rule in ("robust", "max")
        ]
        return [type(action).__name__ for action in actions]

    yield Case(
        "the action is a plain int",
        plain,
        ["int", "int"],
        'type(final_action(root, "robust")), type(final_action(root, "max"))',
        "Did numpy hand you the number?",
    )

    def kept(answer):
        root = _family(list(statistics.values()), actions=list(statistics))
        for rule in ("robust", "max", "secure"):
            answer(root, rule)
        return [list(root.children), [child.N for child in root.children.values()], root.N]

    yield Case(
        "the tree stays as it was",
        kept,
        [[2, 5, 7, 8], [60, 12, 2, 9], 83],
        "final_action(root, rule), then looking at root again",
        "Who else holds the tree? The next search goes on in it.",
    )
    yield Case(
        "an unknown rule is refused",
        asked("best"),
        Raises(ValueError, ("best",)),
        'final_action(root, "best")',
        "Which rules are there?",
    )


_ROBUST = "return max(children, key=lambda action: children[action].N)"
_MAX = "return max(children, key=lambda action: children[action].Q)"
_SECURE = "children[action].Q - caution / math.sqrt(children[action].N)"
_BOTH = "next((action for action, child in children.items() if both == (child.N, child.Q)), None)"
wrong(
    "final_action",
    "secure with a plus",
    "the secure child gets a bonus for being uncertain: that is an upper bound, fit for exploring, not for playing. (It is "
    "a known misprint)",
    "When it counts, would you rather play the child that may be good, or the one that is surely not bad?",
    (_SECURE, _SECURE.replace("-", "+")),
)
wrong(
    "final_action",
    "secure without the root",
    "the uncertainty shrinks with N instead of its square root",
    "How much better do you know a mean after four times as many visits?",
    (_SECURE, "children[action].Q - caution / children[action].N"),
)
wrong(
    "final_action",
    "secure: caution ignored",
    "the argument `caution` is not used",
    "Does your answer change when caution does?",
    (_SECURE, "children[action].Q - 1 / math.sqrt(children[action].N)"),
)
wrong(
    "final_action",
    "secure: the sum instead of the mean",
    "W stands where W / N belongs",
    "Is W a sum, or a mean?",
    (_SECURE, _SECURE.replace(".Q", ".W")),
)
wrong(
    "final_action",
    "max by the sum",
    "the highest W is taken, not the highest mean",
    "Ten wins of a hundred, or five of five: which mean is higher?",
    (_MAX, _MAX.replace(".Q", ".W")),
)
wrong(
    "final_action",
    "robust and max exchanged",
    '"robust" and "max" have changed places',
    "Which of the two is the most visited?",
    (_ROBUST, "return max(children, key=lambda action: children[action].Q) "),
    (_MAX + "\n", _ROBUST + "\n"),
)
wrong(
    "final_action",
    "always robust",
    "every rule gives the most visited child",
    "What is the argument `rule` for?",
    ('if rule == "robust":', "if rule:"),
)
wrong(
    "final_action",
    "robust by the fewest visits",
    "the least visited child is taken",
    "What does a high N say?",
    (_ROBUST, _ROBUST.replace("max(", "min(")),
)
wrong(
    "final_action",
    "mean read from the other side",
    "the child with the lowest mean is taken, as if its W belonged to the opponent",
    "Whose result does W of a child sum up?",
    (_MAX, _MAX.replace("max(", "min(")),
)
wrong(
    "final_action",
    "max-robust falls back on robust",
    'where no child is both, "max-robust" gives the most visited instead of asking for more search',
    "What should the caller do when the two disagree?",
    ("    return " + _BOTH, "    " + _ROBUST),
)
wrong(
    "final_action",
    "max-robust falls back on max",
    'where no child is both, "max-robust" gives the highest mean instead of asking for more search',
    "What should the caller do when the two disagree?",
    ("    return " + _BOTH, "    " + _MAX),
)
wrong(
    "final_action",
    "max-robust never content",
    '"max-robust" always asks for more search',
    "What if the most visited child is also the best?",
    ("    return " + _BOTH, "    return None"),
)
wrong(
    "final_action",
    "max-robust: either will do",
    "a child that is best in one respect is enough",
    "Must it be the best in one respect, or in both?",
    (_BOTH, "next((a for a, c in children.items() if c.N == both[0] or c.Q == both[1]), None)"),
)
wrong(
    "final_action",
    "position in the list instead of action",
    "the place of the child among the children comes back, not its action",
    "Which keys does root.children have?",
    ("    children = root.children\n", "    children = dict(enumerate(root.children.values()))\n"),
)
wrong(
    "final_action",
    "a numpy integer",
    "the action is a numpy integer, not a plain int",
    "Did numpy hand you the number?",
    (_ROBUST, "return np.int64(max(children, key=lambda action: children[action].N))"),
    (_MAX, "return np.int64(max(children, key=lambda action: children[action].Q))"),
)
wrong(
    "final_action",
    "child instead of action",
    "the node comes back, not the action that leads to it",
    "What does game.play want?",
    (_ROBUST, "return max(children.values(), key=lambda child: child.N)"),
    (_MAX, "return max(children.values(), key=lambda child: child.Q)"),
)
