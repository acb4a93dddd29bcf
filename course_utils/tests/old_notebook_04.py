"""Checks of notebook 04: tree search with rollouts."""

import math

import numpy as np

from course_utils.games import TicTacToe, after
from course_utils.search.uct import UctNode
from course_utils.tests.framework import Case, Raises, Such, check, wrong

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


# --- uct_search ------------------------------------------------------------------------------------------------------


class Arms:
    """A game of one choice: each action of the first player begins a row of forced moves that ends with a known result.

    With nothing left to chance, the visits of a search are a matter of arithmetic, which `_arm_visits` does.
    A state is (arm, moves made), the start (None, 0).
    """

    def __init__(self, results: list[int], lengths: list[int], first: int = 1):
        self.results, self.lengths, self.first = results, lengths, first
        self.num_actions = len(results)

    def initial_state(self):
        return (None, 0)

    def is_terminal(self, state):
        arm, made = state
        return arm is not None and made == self.lengths[arm]

    def legal_actions(self, state):
        if state[0] is None:
            return list(range(self.num_actions))
        return [] if self.is_terminal(state) else [0]

    def play(self, state, action):
        if action not in self.legal_actions(state):
            raise ValueError(f"action {action} is not legal here; legal: {self.legal_actions(state)}")
        arm, made = state
        return (action if arm is None else arm, made + 1)

    def to_play(self, state):
        return self.first * (-1) ** state[1]

    def winner(self, state):
        return self.results[state[0]] * self.first if self.is_terminal(state) else 0


def _arm_visits(results, simulations, c=2**0.5) -> list[int]:
    """How often UCB pulls each arm, if arm i always pays results[i] to the player who chooses."""
    counts = [0] * len(results)
    for t in range(simulations):
        if 0 in counts:
            counts[counts.index(0)] += 1
            continue
        scores = [result + c * math.sqrt(math.log(t) / count) for result, count in zip(results, counts, strict=True)]
        counts[scores.index(max(scores))] += 1
    return counts


def _nodes(root) -> list[UctNode]:
    return [root, *(node for child in root.children.values() for node in _nodes(child))]


@check
def uct_search(rng):
    seed = int(rng.integers(1000))
    arms = [1, 0, -1]

    def on_arms(lengths, simulations, first=1, what="visits", **options):
        def run(answer):
            game = Arms(arms, lengths, first)
            root = UctNode(game, game.initial_state())
            visits = answer(game, root, simulations, np.random.default_rng(seed), **options)
            if what == "visits":
                return visits
            return [root.children[action].W / max(root.children[action].N, 1) for action in range(3)]

        return run

    game_text = "a game of one choice: action 0 wins, 1 draws, 2 loses, after {} moves\n"
    sides = "Whose result does the rollout bring back, and who turns it round?"
    yield Case(
        "the game is over after one move: win, draw, loss",
        on_arms([1, 1, 1], 30),
        _arm_visits(arms, 30),
        game_text.format("1") + "uct_search(game, root, 30, rng)",
        "What happens to a selected node whose game is over: is there anything to expand? Does it still count?",
        points=2,
    )
    yield Case(
        "results one, two and three moves away",
        on_arms([3, 1, 2], 60),
        _arm_visits(arms, 60),
        game_text.format("3, 1 and 2") + "uct_search(game, root, 60, rng)",
        sides,
        points=2,
    )
    yield Case(
        "the same for the second player",
        on_arms([2, 3, 1], 60, first=-1),
        _arm_visits(arms, 60),
        game_text.format("2, 3 and 1") + "(player -1 begins)\nuct_search(game, root, 60, rng)",
        sides,
    )
    yield Case(
        "the mean of each child is the result of its action for the player at the root",
        on_arms([3, 2, 4], 40, what="means"),
        arms,
        game_text.format("3, 2 and 4") + "uct_search(game, root, 40, rng)\n[child.W / child.N for child in children]",
        sides,
    )
    greedy = lambda child: child.parent_action  # noqa: E731
    yield Case(
        "children are compared by the `score` that is handed in",
        on_arms([2, 2, 2], 20, score=greedy),
        [1, 1, 18],
        game_text.format("2") + "uct_search(game, root, 20, rng, score=lambda child: child.parent_action)",
        "The caller may bring another selection policy. Which function does your selection use?",
    )

    def other_expand(answer):
        calls = []

        def lowest(node, game, rng):
            calls.append(node)
            action = node.untried.pop(0)
            child = node.children[action] = UctNode(game, game.play(node.state, action), node, action)
            return child

        root = UctNode(GAME, GAME.initial_state())
        answer(GAME, root, 5, np.random.default_rng(seed), expand=lowest)
        return [len(calls), sorted(root.children)]

    yield Case(
        "nodes are added by the `expand` that is handed in",
        other_expand,
        [5, [0, 1, 2, 3, 4]],
        "uct_search(game, root, 5, rng, expand=lowest_first)\nhow often it was called, and the root's children",
        "The caller may bring another way to expand. Which function do you call?",
    )

    def searched(actions, simulations):
        root = UctNode(GAME, after(GAME, actions))
        return root, lambda answer: answer(GAME, root, simulations, np.random.default_rng(seed))

    def bookkeeping(answer):
        root, search = searched([], 300)
        visits = search(answer)
        inner = [node for node in _nodes(root) if node is not root and not node.is_terminal]
        return [
            int(np.sum(visits)),
            root.N,
            np.shape(visits),
            all(node.N - sum(child.N for child in node.children.values()) == 1 for node in inner),
            all(abs(node.W) <= node.N for node in _nodes(root)),
        ]

    yield Case(
        "300 simulations from the empty board: every visit is accounted for",
        bookkeeping,
        [300, 300, (9,), True, True],
        "visits = uct_search(game, root, 300, rng)\nvisits.sum(), root.N, visits.shape, and for each node below the root:\n"
        "its N is 1, for its own rollout, and the N of its children",
        "How many nodes does one simulation add, and from where does it roll out?",
        points=2,
    )

    def grows(answer):
        root, search = searched([], 40)
        search(answer)
        return len(_nodes(root))

    yield Case(
        "each simulation adds one node",
        grows,
        41,
        "uct_search(game, root, 40, rng), and the number of nodes in the tree",
        "How many nodes does one simulation add?",
    )

    def best(actions, simulations):
        def run(answer):
            _, search = searched(actions, simulations)
            return int(np.argmax(search(answer)))

        return run

    win = after(GAME, [0, 3, 1, 4])
    yield Case(
        "X sees the win in one",
        best([0, 3, 1, 4], 200),
        2,
        "uct_search(game, root, 200, rng).argmax()",
        sides,
        board=str(win),
    )
    block = after(GAME, [0, 4, 1])
    yield Case(
        "O sees that it must block",
        best([0, 4, 1], 600),
        2,
        "uct_search(game, root, 600, rng).argmax()",
        sides,
        board=str(block),
        points=2,
    )

    def goes_on(answer):
        root, search = searched([], 30)
        search(answer)
        before = dict(root.children)
        visits = answer(GAME, root, 20, np.random.default_rng(seed + 1))
        return [
            int(np.sum(visits)),
            root.N,
            all(root.children.get(action) is child for action, child in before.items()),
        ]

    yield Case(
        "a second search goes on in the same tree",
        goes_on,
        [50, 50, True],
        "uct_search(game, root, 30, rng)\nvisits = uct_search(game, root, 20, rng)\nvisits.sum(), root.N",
        "Do the simulations that were there before count towards the new ones? Is the tree still the same?",
    )

    def clock(seconds, simulations):
        def run(answer):
            game = Arms(arms, [1, 1, 1])
            root = UctNode(game, game.initial_state())
            visits = answer(game, root, simulations, np.random.default_rng(seed), seconds=seconds)
            return round(float(np.sum(visits)))  # shares add up to 0.999... or 1

        return run

    yield Case(
        "no time at all still allows one simulation",
        clock(0.0, 50),
        1,
        "uct_search(game, root, 50, rng, seconds=0).sum()",
        "When do you look at the clock: before a simulation, or after it?",
    )

    def stopped_early(answer):
        made = clock(0.02, 60_000)(answer)
        return "early" if 1 <= made < 60_000 else made

    yield Case(
        "the clock ends a search that has many simulations to go",
        stopped_early,
        "early",
        "uct_search(game, root, 60_000, rng, seconds=0.02).sum()",
        "When does your loop look at the clock?",
    )
    yield Case(
        "with time to spare, all simulations are made",
        lambda answer: min(clock(0.5, 25)(answer), 26),
        25,
        "uct_search(game, root, 25, rng, seconds=0.5).sum()",
        "Is `seconds` a limit, or a goal?",
    )

    def repeatable(answer):
        return [list(map(int, searched([4], 100)[1](answer))) for _ in range(2)]

    yield Case(
        "the same generator gives the same visits",
        repeatable,
        Such("twice the same", lambda runs: runs[0] == runs[1]),
        "uct_search(game, root, 100, np.random.default_rng(0)), twice",
        "Where does your chance come from?",
    )
    over = after(GAME, [0, 3, 1, 4, 2])
    yield Case(
        "a finished game is refused",
        lambda answer: answer(GAME, UctNode(GAME, over), 10, np.random.default_rng(seed)),
        Raises(ValueError),
        "uct_search(game, root, 10, rng), root finished",
        "What is there to search for?",
        board=str(over),
    )


_EXPAND = "        if not node.is_terminal:\n            node = expand(node, game, rng)\n"
_VALUE = "value = rollout(game, node.state, rng)"
_LOOP = "    for _ in range(simulations):"
_BREAK = "        if time.perf_counter() >= deadline:\n            break\n"
wrong(
    "uct_search",
    "nothing is expanded",
    "no node is ever added: every simulation is a rollout from the root, and there is nothing to choose from",
    "Which of the four phases makes the tree grow?",
    (_EXPAND, ""),
)
wrong(
    "uct_search",
    "rollout from the root",
    "every rollout begins at the root, so that it says nothing about the node that was selected",
    "About which position should the rollout say something?",
    (_VALUE, "value = rollout(game, root.state, rng)"),
)
wrong(
    "uct_search",
    "rollout from the selected node",
    "the rollout begins at the selected node, not at the child that was just added: the child gets its parent's result",
    "Which node is new, and from where does its rollout begin?",
    (_EXPAND, ""),
    (
        _VALUE,
        _VALUE + "\n        if not node.is_terminal:\n            node = expand(node, game, rng)",
    ),
)
wrong(
    "uct_search",
    "child thrown away",
    "a child is made and never used: rollout and backup go on with its parent",
    "What does `expand` return, and which node should be played out?",
    (_EXPAND, "        if not node.is_terminal:\n            expand(node, game, rng)\n"),
)
wrong(
    "uct_search",
    "selected node is backed up",
    "the child gets its rollout, but the result is handed to its parent: the child itself stays unvisited",
    "At which node does the way up begin?",
    (_EXPAND, "        leaf = node if node.is_terminal else expand(node, game, rng)\n"),
    (_VALUE, "value = rollout(game, leaf.state, rng)"),
)
wrong(
    "uct_search",
    "sign turned once more",
    "the result changes its sign before the backup, which does that itself: the search loves what it should hate",
    "For whom is the value that `uct_backup` expects?",
    ("uct_backup(node, value)", "uct_backup(node, -value)"),
)
wrong(
    "uct_search",
    "told from the root",
    "the result is told from the side of the player at the root, but `uct_backup` expects the player to move at the leaf",
    "For whom is the value that `uct_backup` expects?",
    ("uct_backup(node, value)", "uct_backup(node, value * game.to_play(node.state) * game.to_play(root.state))"),
)
wrong(
    "uct_search",
    "finished games skipped",
    "a simulation that ends at a finished game is thrown away: wins and losses that are certain are not counted",
    "What does a selected node whose game is over tell, for certain?",
    (
        _EXPAND,
        "        if node.is_terminal:\n            continue\n        node = expand(node, game, rng)\n",
    ),
)
wrong(
    "uct_search",
    "finished games expanded",
    "a finished game is to be expanded, but it has no actions",
    "What is there to add below a finished game?",
    (_EXPAND, "        node = expand(node, game, rng)\n"),
)
wrong(
    "uct_search",
    "score ignored",
    "selection always uses UCT, whatever score the caller brings",
    "What is the argument `score` for?",
    ("uct_select(root, score)", "uct_select(root, uct_score)"),
)
wrong(
    "uct_search",
    "expand ignored",
    "nodes are always added by `uct_expand`, whatever the caller brings",
    "What is the argument `expand` for?",
    ("node = expand(node, game, rng)", "node = uct_expand(node, game, rng)"),
)
wrong(
    "uct_search",
    "one simulation too few",
    "the loop ends one simulation early",
    "How often does range(1, simulations) go round?",
    (_LOOP, "    for _ in range(1, simulations):"),
)
wrong(
    "uct_search",
    "one simulation too many",
    "the loop goes round once too often",
    "How often does range(simulations + 1) go round?",
    (_LOOP, "    for _ in range(simulations + 1):"),
)
wrong(
    "uct_search",
    "earlier simulations counted in",
    "the simulations that the tree already holds are taken off the budget",
    "Do the simulations that were there before count towards the new ones?",
    (_LOOP, "    while root.N < simulations:"),
)
wrong(
    "uct_search",
    "a new tree each time",
    "a new root is made: what the old one knew is lost, and the caller's tree stays empty",
    "Who else holds the root, and wants to look at its children afterwards?",
    (
        "    deadline = ",
        "    fresh = UctNode(game, root.state)\n    root.children, root.untried = fresh.children, fresh.untried\n"
        "    root.N, root.W = 0, 0.0\n    deadline = ",
    ),
)
wrong(
    "uct_search",
    "search on a copy",
    "the tree grows on a copy: the caller's root never gets its children",
    "Who else holds the root, and wants to look at its children afterwards?",
    ("    deadline = ", "    import copy\n    root = copy.deepcopy(root)\n    deadline = "),
)
wrong(
    "uct_search",
    "clock ignored",
    "the search never looks at the clock",
    "What is the argument `seconds` for?",
    (_BREAK, ""),
)
wrong(
    "uct_search",
    "clock before the first simulation",
    "the clock is read before the first simulation, so that no time means no move at all",
    "At least one simulation is promised: where must the clock be read?",
    (_BREAK, ""),
    (_LOOP + "\n", _LOOP + "\n" + _BREAK),
)
wrong(
    "uct_search",
    "waits for the clock",
    "the search goes on until the time is up, however many simulations that makes",
    "Which of the two limits comes first?",
    (_LOOP, "    while True:"),
    ("time.perf_counter() >= deadline", "time.perf_counter() >= (deadline if math.isfinite(seconds) else 0)"),
)
wrong(
    "uct_search",
    "means instead of visits",
    "the mean results come back instead of the visits",
    "What should come back: how good each action looks, or how often it was tried?",
    (
        "return child_visits(root, game)",
        "return child_visits(root, game) * [root.children[a].Q if a in root.children else 0 "
        "for a in range(game.num_actions)]",
    ),
)
wrong(
    "uct_search",
    "visits by order of children",
    "the visits stand in the order in which the children were made, not at the index of their action",
    "At which index do the visits of action 7 belong?",
    ("return child_visits(root, game)", "return np.array([child.N for child in root.children.values()])"),
)
wrong(
    "uct_search",
    "shares instead of visits",
    "the visits come back divided by their sum",
    "How many visits are there in all?",
    ("return child_visits(root, game)", "return child_visits(root, game) / max(root.N, 1)"),
)


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
