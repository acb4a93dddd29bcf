"""uct_search: the four phases in a row, until the simulations or the time are used up."""

import math
import time
from collections import Counter
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import after
from course_utils.search import uct
from course_utils.search.uct import UctNode
from course_utils.tests.case import Case, Raises, Such, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_04.trees import (
    ARMS,
    GAME,
    SEEDS,
    SPOTS,
    Arms,
    Choices,
    Spot,
    ends,
    hang,
    nodes_of,
    path,
    shares,
)
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

CLOCKS = 0.02  # seconds by which two clocks may differ, of which some tick sixty times a second
SIDES = "Whose result does the rollout bring back, and who turns it round?"


# --- draws: searches one after the other in the same tree ------------------------------------------------------------------


class Draw(NamedTuple):
    spot: Spot
    simulations: list[int]  # of each search
    score: str
    expand: str
    seconds: float | None  # None: left out
    seed: int


SCORES = {
    "uct_score": None,
    "lambda child: child.parent_action": lambda child: child.parent_action,
    "lambda child: -child.N": lambda child: -child.N,
    "lambda child: child.Q - child.N / 10": lambda child: child.Q - child.N / 10,
}


class Expand:
    """The `expand` of a draw: adds the lowest untried action, or all of them and returns the one in the middle."""

    def __init__(self, how: str, expected: tuple):
        self.how, self.expected = how, expected
        self.returned: list[UctNode] = []
        self.complaint = ""

    def __call__(self, node: UctNode, game, rng) -> UctNode:
        if game is not self.expected[0] or rng is not self.expected[1]:
            self.complaint = "`expand` was not given the game and the rng that the search was given"
        actions = node.untried[:1] if self.how == "the lowest" else list(node.untried)
        children = [hang(node, action, game) for action in actions]
        self.returned.append(children[len(children) // 2])
        return self.returned[-1]


DRAWS = st.builds(
    Draw,
    st.one_of(SPOTS, st.builds(Spot, ARMS, st.just([]))),
    st.builds(lambda many, few: [many, *few], st.integers(1, 40), st.sampled_from([[], [1] * 8, [7, 1, 1, 1]])),
    st.sampled_from(list(SCORES)),
    st.sampled_from(["uct_expand", "the lowest", "all"]),
    st.sampled_from([None, None, 0.0]),
    SEEDS,
)


DEEP = Spot(Choices(5, 3, 8))
EDGES = [Draw(DEEP, [25, *[1] * 8], score, "uct_expand", None, seed) for seed, score in enumerate(SCORES)]
ONE_LEFT = Spot("tic-tac-toe", [0, 0, 0, 1, 0, 0, 1, 0])  # a single legal action
EDGES += [
    Draw(DEEP, [130], "uct_score", "uct_expand", None, 9),
    Draw(ONE_LEFT, [5], "uct_score", "uct_expand", None, 9),
]


def arguments(draw: Draw) -> dict:
    game, rng = draw.spot.game, np.random.default_rng(draw.seed)
    root = UctNode(game, draw.spot.reach()[1])
    options = {
        "seconds": draw.seconds,
        "score": SCORES[draw.score],
        "expand": None if draw.expand == "uct_expand" else Expand(draw.expand, (game, rng)),
    }
    options = {name: value for name, value in options.items() if value is not None}
    return {"game": game, "root": root, "simulations": draw.simulations[0], "rng": rng, **options}


def run(uct_search, draw: Draw) -> str:
    asked = arguments(draw)
    game, root, rng, expand = asked.pop("game"), asked.pop("root"), asked.pop("rng"), asked.get("expand")
    asked.pop("simulations")
    made = 0
    for simulations in draw.simulations:
        before = {id(node): own(node)[0] for node in nodes_of(root)}
        allowed = ends(root, SCORES[draw.score] or ucb)
        visits = uct_search(game, root, simulations, rng, **asked)
        now = simulations if draw.seconds is None else min(simulations, 1)
        made += now
        if made != root.N:
            return f"root.N is {show(root.N)} after {made} simulations in all"
        expected = [root.children[action].N if action in root.children else 0 for action in range(game.num_actions)]
        if list(visits) != expected:
            return f"it returned {show(visits)}; the visits of the root's children are {expected}"
        if now == 1:
            (leaf,) = [node for node in nodes_of(root) if own(node)[0] != before.get(id(node), 0)] or [root]
            if (leaf if id(leaf) in before else leaf.parent) not in allowed:
                return f"the last simulation went to {path(leaf)}, which is not where the score leads"
    returned = None if expand is None else {id(node) for node in expand.returned}
    return next(filter(None, (odd(node, game, returned) for node in nodes_of(root))), "") or (
        expand.complaint if expand else ""
    )


def ucb(child: UctNode) -> float:
    return child.Q + math.sqrt(2 * math.log(child.parent.N) / child.N) if child.N else math.inf


def own(node: UctNode) -> tuple[float, float, float]:
    """N, W and W2 of the simulations that ended here: what came through the node, less what came through its children."""
    below = node.children.values()
    return (
        node.N - sum(child.N for child in below),
        node.W + sum(child.W for child in below),
        node.W2 - sum(child.W2 for child in below),
    )


def odd(node: UctNode, game, returned: set[int] | None) -> str:
    """What is wrong with a node of the tree that a search left behind, or ""."""
    where, (ended, W, W2) = f"at the node {path(node)}: ", own(node)
    legal = game.legal_actions(node.state)
    if sorted([*node.children, *node.untried]) != legal:
        return (
            f"{where}the children {sorted(node.children)} and the untried actions {node.untried} are not the legal ones"
        )
    for action, child in node.children.items():
        if child.parent is not node or child.parent_action != action or child.state != game.play(node.state, action):
            return f"{where}its child by action {action} has another parent, action or state"
    if node.is_terminal:
        wanted = max(ended, 0 if returned else 1)
    else:
        wanted = int(node.parent is not None and (returned is None or id(node) in returned))
    if ended != wanted:
        return f"{where}{ended} simulations ended here with their rollout, instead of {wanted}"
    results = {-game.winner(node.state) * game.to_play(node.state)} if node.is_terminal else possible(game, node.state)
    if all((ended * result, ended * result**2) != (W, W2) for result in results):
        return f"{where}of its own {ended} rollouts, W is {show(W)} and W2 {show(W2)}; each result is one of {results}"
    return ""


def possible(game, state) -> set[int]:
    """The results of a rollout for the player who moved here."""
    if hasattr(game, "rows"):
        return {-1, 0, 1}  # boards: too many games to look through
    return {-winner * game.to_play(state) for winner in shares(game, state)}


def oracle(draw: Draw) -> str | Raises:
    return Raises(ValueError) if draw.spot.game.is_terminal(draw.spot.reach()[1]) else ""


def shown(draw: Draw) -> str:
    options = {
        "seconds": None if draw.seconds is None else show(draw.seconds),
        "score": None if draw.score == "uct_score" else draw.score,
        "expand": None if draw.expand == "uct_expand" else f"expand  # makes {draw.expand}",
    }
    asked = ", ".join(["rng", *(f"{name}={value}" for name, value in options.items() if value)])
    calls = [f"uct_search(game, root, {simulations}, {asked})" for simulations in draw.simulations]
    return "\n".join([f"{draw.spot.text()}root = UctNode(game, state)", *calls, "what is wrong with the tree"])


# --- by hand -----------------------------------------------------------------------------------------------------------


def arm_visits(results, simulations: int) -> list[int]:
    """How often UCB pulls each arm, if arm i always pays results[i] to the player who chooses."""
    counts = [0] * len(results)
    for t in range(simulations):
        scores = [
            result + math.sqrt(2 * math.log(t) / n) if n else math.inf
            for result, n in zip(results, counts, strict=True)
        ]
        counts[scores.index(max(scores))] += 1
    return counts


def by_hand(rng):
    seed = int(rng.integers(1000))
    results = (1, 0, -1)

    def searched(facts, game, simulations, actions=(), **options):
        def run(answer):
            root = UctNode(game, after(game, actions))
            return facts(answer(game, root, simulations, np.random.default_rng(seed), **options), root)

        return run

    for lengths, first, simulations in (((1, 1, 1), 1, 30), ((3, 1, 2), 1, 60), ((2, 3, 1), -1, 1500)):
        yield Case(
            f"wins, draws and losses {', '.join(map(str, lengths))} moves away, player {first} begins",
            searched(lambda visits, root: visits, Arms(results, lengths, first), simulations),
            arm_visits(results, simulations),
            f"a game of one choice: action 0 wins, 1 draws, 2 loses, after {lengths} moves\n"
            f"uct_search(game, root, {simulations}, rng)",
            SIDES
            if lengths != (1, 1, 1)
            else "What happens to a selected node whose game is over? Does it still count?",
            points=2 if first == 1 else 1,
        )
    yield Case(
        "children are compared by the `score` that is handed in",
        searched(lambda visits, root: visits, Arms(results, (2, 2, 2)), 20, score=lambda child: child.parent_action),
        [1, 1, 18],
        "a game of one choice\nuct_search(game, root, 20, rng, score=lambda child: child.parent_action)",
        "The caller may bring another selection policy. Which function does your selection use?",
    )
    block = [0, 4, 1]

    def blocked(visits, root):
        results: dict = {}  # of the first rollouts of each position
        for node in nodes_of(root)[1:]:
            if not node.is_terminal:
                results.setdefault(node.state, []).append(own(node)[1])
        return [int(np.argmax(visits)), any(len(set(many)) > 1 for many in results.values())]

    yield Case(
        "O sees that it must block",
        searched(blocked, GAME, 500, block),
        [2, True],
        "uct_search(game, root, 500, rng).argmax(), and whether a position that was met twice had a game of its own each time",
        SIDES,
        board=str(after(GAME, block)),
        points=2,
    )
    for name, seconds, simulations, expected, question in (
        ("no time at all still allows one simulation", 0.0, 50, 1, "When do you look at the clock?"),
        ("with time to spare, all simulations are made", 0.5, 25, 25, "Is `seconds` a limit, or a goal?"),
    ):
        yield Case(
            name,
            searched(lambda visits, root: min(root.N, 26), Arms(results, (1, 1, 1)), simulations, seconds=seconds),
            expected,
            f"uct_search(game, root, {simulations}, rng, seconds={seconds:g})\nmin(root.N, 26)",
            question,
        )

    def timed(answer, pauses):
        """A sentence about a search that ends too early or too late by the clock itself: on a busy machine any rollout may be late."""
        began, over = [], []

        class Slow(Arms):
            def winner(self, state):
                if len(over) < len(began):
                    time.sleep(pauses[len(over)] if len(over) < len(pauses) else 0.03)
                    over.append(time.perf_counter() - began[0])
                return super().winner(state)

        def noted(node, game, rng):
            began.append(time.perf_counter())
            return hang(node, node.untried[0], game)

        called = time.perf_counter()
        searched(lambda visits, root: None, Slow((0,) * 40, (2,) * 40), 40, seconds=0.15, expand=noted)(answer)
        ended = time.perf_counter() - called
        if ended < 0.15 - CLOCKS:
            return f"over after {ended:.1f} s and {len(over)} rollouts: there is time for more"
        if any(seconds > 0.15 + CLOCKS for seconds in over[:-1]):
            return f"made {len(over)} rollouts: it went on after one that ended too late"
        return "ended in time"

    yield Case(
        "the clock ends a search that has many simulations to go",
        lambda answer: [timed(answer, (0, 0, 0.19)), timed(answer, (0.08, 0.1))],
        Such(
            "each over after 0.15 s or more, with no simulation after the first that ended later than this",
            lambda said: said == ["ended in time"] * 2,
        ),
        "uct_search(game, root, 40, rng, seconds=0.15), where two rollouts take no time, and the third 0.19 s;\n"
        "and one where the first takes 0.08 s, the second 0.1 s\n"
        "what the clock says of each",
        "When does your loop look at the clock, and at which one?",
    )

    def one_each(answer):
        """Results of 30 rollouts in each of ten searches, which go by one generator."""
        game, generator, found = Arms((1, 0, -1), (1, 1, 1), wait=1, ways=30), np.random.default_rng(seed), []
        for _ in range(10):
            root = UctNode(game, ())
            answer(game, root, 30, generator)
            found.append([child.W for child in root.children.values()])
        counts = Counter(int(result) for search in found for result in search)
        return [all(50 < counts[result] < 150 for result in results), found.count(found[0]) < 10]

    yield Case(
        "each rollout is a game of its own, in each search",
        one_each,
        [True, True],
        "a game whose second move decides: a win, a draw or a loss\n10 times: uct_search(game, UctNode(game, state), 30, rng)\n"
        "whether each result came about 100 times, and whether the searches differ",
        "Where does your chance come from, and when is the generator made?",
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

EXPAND = "        if not node.is_terminal:\n            node = expand(node, game, rng)\n"
VALUE = "value = rollout(game, node.state, rng)"
LOOP = "    for _ in range(simulations):"
BREAK = "        if time.perf_counter() >= deadline:\n            break\n"
WRONG = [
    Wrong(
        "child thrown away",
        "a child is made and never used: rollout and backup go on with its parent",
        "What does `expand` return, and which node should be played out?",
        (EXPAND, "        if not node.is_terminal:\n            expand(node, game, rng)\n"),
    ),
    Wrong(
        "selected node is backed up",
        "the child gets its rollout, but the result is handed to its parent: the child itself stays unvisited",
        "At which node does the way up begin?",
        (EXPAND, "        leaf = node if node.is_terminal else expand(node, game, rng)\n"),
        (VALUE, "value = rollout(game, leaf.state, rng)"),
    ),
    Wrong(
        "sign turned once more",
        "the result changes its sign before the backup, which does that itself: the search loves what it should hate",
        "For whom is the value that `uct_backup` expects?",
        ("uct_backup(node, value)", "uct_backup(node, -value)"),
    ),
    Wrong(
        "finished games skipped",
        "a simulation that ends at a finished game is thrown away: wins and losses that are certain are not counted",
        "What does a selected node whose game is over tell, for certain?",
        (EXPAND, "        if node.is_terminal:\n            continue\n        node = expand(node, game, rng)\n"),
    ),
    Wrong(
        "finished games expanded",
        "a finished game is to be expanded, but it has no actions",
        "What is there to add below a finished game?",
        (EXPAND, "        node = expand(node, game, rng)\n"),
    ),
    Wrong(
        "expand ignored",
        "children are always made by uct_expand, whatever the caller brings",
        "What is the argument `expand` for?",
        ("node = expand(node, game, rng)", "node = uct_expand(node, game, rng)"),
    ),
    Wrong(
        "score ignored",
        "selection always uses UCT, whatever score the caller brings",
        "What is the argument `score` for?",
        ("uct_select(root, score)", "uct_select(root, uct_score)"),
    ),
    Wrong(
        "earlier simulations counted in",
        "the simulations that the tree already holds are taken off the budget",
        "Do the simulations that were there before count towards the new ones?",
        (LOOP, "    while root.N < simulations:"),
    ),
    Wrong(
        "clock before the first simulation",
        "the clock is read before the first simulation, so that no time means no move at all",
        "At least one simulation is promised: where must the clock be read?",
        (BREAK, ""),
        (LOOP + "\n", LOOP + "\n" + BREAK),
    ),
    Wrong(
        "waits for the clock",
        "the search goes on until the time is up, however many simulations that makes",
        "Which of the two limits comes first?",
        (LOOP, "    while True:"),
        ("time.perf_counter() >= deadline", "time.perf_counter() >= (deadline if math.isfinite(seconds) else 0)"),
    ),
]


def search_with_while(game, root, simulations, rng, *, seconds=float("inf"), score=None, expand=None):
    if game.is_terminal(root.state):
        raise ValueError("nothing to search for: the game is over")
    score, expand = score or uct.uct_score, expand or uct.uct_expand
    start, done = time.time(), 0
    while done < simulations and (done == 0 or time.time() - start < seconds):
        leaf = uct.uct_select(root, score)
        if leaf.untried:
            leaf = expand(leaf, game, rng)
        uct.uct_backup(leaf, uct.rollout(game, leaf.state, rng))
        done += 1
    return np.array([root.children[a].N if a in root.children else 0 for a in range(game.num_actions)])


def search_in_one_function(game, root, simulations, rng, *, seconds=math.inf, score=None, expand=None):
    """Everything in place, results kept for the first player until the way up."""
    if root.is_terminal:
        raise ValueError("the game is over")
    score, expand = score or uct.uct_score, expand or uct.uct_expand
    end = time.monotonic() + seconds
    for _ in range(simulations):
        node = root
        while not node.untried and node.children:
            node = max(node.children.values(), key=score)
        if node.untried:
            node = expand(node, game, rng)
        state = node.state
        while not game.is_terminal(state):
            state = game.play(state, int(rng.choice(game.legal_actions(state))))
        winner = game.winner(state)
        while node is not None:
            result = -winner * game.to_play(node.state)
            node.N += 1
            node.W += result
            node.W2 += result**2
            node = node.parent
        if time.monotonic() >= end:
            break
    return uct.child_visits(root, game)


def judged(visits, arguments) -> list:
    """The visits and the whole tree."""
    return [list(visits), [[path(node), node.N, node.W, node.W2] for node in nodes_of(arguments["root"])]]


CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=oracle,
    judged=judged,
    run=run,
    returns=array("int"),
    changes={"root", "expand"},
    examples=20,
    edges=EDGES,
    shown=shown,
    board=lambda draw: draw.spot.drawn(),
    question="In which order do the four phases come, and which node does each hand to the next?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[search_with_while, search_in_one_function],
)
