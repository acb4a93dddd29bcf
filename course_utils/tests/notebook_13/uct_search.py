"""Check uct_search: the four phases in a row, until the simulations or the time are used up."""

import math
import time

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.search import uct
from course_utils.search.uct import UctNode, expand_all
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_13.uct_trees import misplaced, path
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Misere, TreeGame

SIDES = "For which player is the rollout's result, and which function changes its sign?"
ORDER = "In which order do the four phases come, and which node does each pass to the next?"
# Each of three actions leads to a known end, sooner or later.
ARMS = st.permutations([1, 0, -1]).flatmap(
    lambda ends: st.tuples(*(st.sampled_from([end, [end], [[end]]]) for end in ends)).map(list)
)
BOARDS = st.sampled_from(
    [("TicTacToe()", []), ("TicTacToe()", [0, 3, 1, 4]), ("Misere()", [0, 1, 3, 4, 8]),
     ("ConnectN(3, 4, 3)", [1, 2, 1]),
     ("TicTacToe()", [0, 1, 2, 4, 3, 5, 7, 6])]
)  # fmt: skip
SIMULATIONS = st.lists(st.integers(1, 40), min_size=1, max_size=3)


def scene(draw) -> str:
    """Search several times in the same tree. Return the visits if the ends are known; else the tree's faults."""
    (game, moves), simulations, score, seed = draw
    solved = isinstance(game, list)
    begin = f"TreeGame({game}, first={moves})" if solved else game
    score = f", score={score}" if score else ""
    return "\n".join([
        f"game, rng = {begin}, np.random.default_rng({seed})",
        f"root = UctNode(game, after(game, {[] if solved else moves}))",
        *[f"visits = uct_search(game, root, {budget}, rng{score})" for budget in simulations],
        "visits" if solved else "int(visits.sum()), root.N, faults(root, game)",
    ])  # fmt: skip


def faults(root: UctNode, game) -> list[str]:
    """List the faults of a searched tree's nodes: their places, and the simulations that ended at each."""
    complaints, nodes = [], [root]
    for node in nodes:
        below = list(node.children.values())
        nodes += below
        complaints.append(misplaced(node, game) if node is not root else "")
        if sorted([*node.children, *node.untried]) != game.legal_actions(node.state):
            complaints.append(f"at {path(node)}: children and untried actions are not the legal ones")
        ended = node.N - sum(child.N for child in below)
        W, W2 = node.W + sum(child.W for child in below), node.W2 - sum(child.W2 for child in below)
        results = {-1, 0, 1} if not node.is_terminal else {-game.winner(node.state) * game.to_play(node.state)}
        if ended < 1 if node.is_terminal else ended != (node is not root):
            complaints.append(f"at {path(node)}: {ended} simulations ended here")
        elif not any((W, W2) == (ended * result, ended * result**2) for result in results):
            complaints.append(f"at {path(node)}: of {ended} simulations that ended here W is {W} and W2 {W2}")
    return list(filter(None, complaints))


BY_HAND = """
    one choice: to win, to draw or to lose at once (2 points)
    >>> game, rng = TreeGame([1, 0, -1]), np.random.default_rng(SEED)
    >>> uct_search(game, UctNode(game, ()), 30, rng)
    ? What should a simulation do with a selected node whose game is over?

    a win after three moves, a draw after one, a loss after two (2 points)
    >>> game, rng = TreeGame([[[1]], 0, [-1]]), np.random.default_rng(SEED)
    >>> uct_search(game, UctNode(game, ()), 60, rng)
    ? For which player is the rollout's result, and which function changes its sign?

    the second player begins: a loss after two moves, a draw after three, a win after one
    >>> game, rng = TreeGame([[1], [[0]], -1], first=-1), np.random.default_rng(SEED)
    >>> uct_search(game, UctNode(game, ()), 1000, rng)
    ? For which player is the rollout's result, and which function changes its sign?

    children are compared by the given `score`
    >>> game, rng = TreeGame([[[1]], [[0]], [[-1]]]), np.random.default_rng(SEED)
    >>> uct_search(game, UctNode(game, ()), 20, rng, score=lambda child: child.parent_action)
    [1, 1, 18]
    ? The caller may bring another selection policy. Which function does your selection use?

    children are made by the given `expand`
    >>> game, rng = TicTacToe(), np.random.default_rng(SEED)
    >>> root = UctNode(game, game.initial_state())
    >>> visits = uct_search(game, root, 1, rng, expand=expand_all)
    >>> len(root.children), int(visits.sum())
    9, 1
    ? What is the argument `expand` for?

    O sees that it must block (2 points)
    X X .
    . O .
    . . .
    >>> game, rng = TicTacToe(), np.random.default_rng(SEED)
    >>> int(uct_search(game, UctNode(game, after(game, [0, 4, 1])), 500, rng).argmax())
    2
    ? For which player is the rollout's result, and which function changes its sign?

    every rollout in every search is a new random game
    >>> game, rng = TreeGame([[1, 0, -1]] * 40), np.random.default_rng(SEED)
    >>> roots = UctNode(game, ()), UctNode(game, ())
    >>> for root in roots:
    ...     visits = uct_search(game, root, 40, rng)
    >>> first, second = ([root.children[action].W for action in range(40)] for root in roots)
    >>> sorted(set(first)), first != second
    [-1, 0, 1], True
    ? Which generator do your random numbers come from, and when is it made?

    no time at all still allows one simulation
    >>> game, rng = TreeGame([1, 0, -1]), np.random.default_rng(SEED)
    >>> int(uct_search(game, UctNode(game, ()), 50, rng, seconds=0).sum())
    1
    ? When does your code read the clock?

    with time to spare, all simulations are made, and no more
    >>> game, rng = TreeGame([1, 0, -1]), np.random.default_rng(SEED)
    >>> min(int(uct_search(game, UctNode(game, ()), 25, rng, seconds=0.5).sum()), 26)
    25
    ? Is `seconds` an upper limit, or a time that must be used up?

    the clock ends a search that has many simulations to go: 0.03 s each
    >>> def slow(node, game, rng):
    ...     time.sleep(0.03)
    ...     return uct.uct_expand(node, game, rng)
    >>> game, rng, begun = TreeGame([[1]] * 100), np.random.default_rng(SEED), time.perf_counter()
    >>> visits = uct_search(game, UctNode(game, ()), 100, rng, seconds=0.1, expand=slow)
    >>> bool(visits.sum() <= 4), time.perf_counter() - begun > 0.08
    True, True
    ? When does your loop read the clock, and which clock is it?
"""


EXPAND = "        if not node.is_terminal:\n            node = expand(node, game, rng)\n"
VALUE = "value = rollout(game, node.state, rng)"
LOOP = "    for _ in range(simulations):"
BREAK = "        if time.perf_counter() >= deadline:\n            break\n"
# fmt: off
WRONG = [
    Wrong("child thrown away", "a child is made but never used, because rollout and backup go on with its parent",
          "What does `expand` return, and from which node should the rollout begin?",
          (EXPAND, "        if not node.is_terminal:\n            expand(node, game, rng)\n")),
    Wrong("rolled out from the root",
          "the rollout begins at the root, before a node is selected, "
          "so its result says nothing about the node that it is backed up from",
          "Which position does a rollout's result tell you about?",
          (f"        {VALUE}\n", ""),
          ("        node = uct_select", "        value = rollout(game, root.state, rng)\n        node = uct_select")),
    Wrong("rolled out before it is expanded",
          "the rollout begins at the selected node, before the child is made, so the child gets its parent's result, "
          "which is for the other player",
          "From which position should the rollout begin: the old one, or the new one?",
          (EXPAND, f"        {VALUE}\n{EXPAND}"), (f"{EXPAND}        {VALUE}\n", EXPAND)),
    Wrong("selected node is backed up",
          "the child gets its rollout, but backup begins at its parent, so the child itself stays unvisited",
          "At which node should backup begin?",
          (EXPAND, "        leaf = node if node.is_terminal else expand(node, game, rng)\n"),
          (VALUE, "value = rollout(game, leaf.state, rng)")),
    Wrong("sign turned once more",
          "the result changes its sign before backup, which changes it again, so the search prefers the worst moves",
          "For which player is the value that `uct_backup` expects?",
          ("uct_backup(node, value)", "uct_backup(node, -value)")),
    Wrong("finished games skipped",
          "a simulation that ends at a finished game is thrown away, so certain wins and losses are not counted",
          "What is certain about a selected node whose game is over?",
          (EXPAND, "        if node.is_terminal:\n            continue\n        node = expand(node, game, rng)\n")),
    Wrong("finished games expanded", "`expand` is called for a finished game, which has no actions",
          "Which children can a finished game have?", (EXPAND, "        node = expand(node, game, rng)\n")),
    Wrong("expand ignored", "children are always made by uct_expand, whatever `expand` the caller gives",
          "What is the argument `expand` for?",
          ("node = expand(node, game, rng)", "node = uct_expand(node, game, rng)")),
    Wrong("score ignored", "selection always uses UCT, whatever `score` the caller gives",
          "What is the argument `score` for?", ("uct_select(root, score)", "uct_select(root, uct_score)")),
    Wrong("earlier simulations counted in",
          "the simulations that the tree already holds are subtracted from the budget",
          "Should earlier simulations count toward the new budget?", (LOOP, "    while root.N < simulations:")),
    Wrong("clock before the first simulation",
          "the clock is read before the first simulation, so with no time there is no simulation at all",
          "One simulation must always be made. Where must the clock be read?", (BREAK, ""),
          (LOOP + "\n", LOOP + "\n" + BREAK)),
    Wrong("waits for the clock", "the search goes on until the time is up, however many simulations that is",
          "Which of the two limits should end the search?", (LOOP, "    while True:"),
          ("time.perf_counter() >= deadline", "time.perf_counter() >= (deadline if math.isfinite(seconds) else 0)")),
]
# fmt: on


def right_search_in_one_function(game, root, simulations, rng, *, seconds=math.inf, score=None, expand=None):
    """Do everything in place, with results for the first player until the backup."""
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


def right_search_with_while(game, root, simulations, rng, *, seconds=float("inf"), score=None, expand=None):
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


CHECK = Scenes(
    draws=st.tuples(
        st.one_of(st.tuples(ARMS, st.sampled_from([1, -1])), BOARDS),
        SIMULATIONS,
        st.sampled_from(["", "", "lambda child: child.parent_action"]),
        st.integers(0, 99),
    ),
    edges=[(("TicTacToe()", []), [5, 5], "", 0)],  # twice the same
    returns=array("int"),
    asks="many searches give the right visits where every end is known, and a consistent tree elsewhere",
    changes={"root"},
    question=ORDER,
)
