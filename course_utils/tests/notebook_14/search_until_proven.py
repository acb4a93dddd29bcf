"""Check search_until_proven: simulations of PUCT with proofs, until the root is proven or the budget is used up."""

import math
import time

from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.networks import UniformNetwork
from course_utils.search.proven import pass_up_proof
from course_utils.search.puct import NO_ACTION, backup, evaluate, expand, mcts_search, select
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_14.proof_trees import marks
from course_utils.tests.returns import whole_number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Misere
from course_utils.tests.world.networks import HashNetwork
from course_utils.tests.world.trees import begun, picture

POSITIONS = st.tuples(st.sampled_from(["TicTacToe()"] * 3 + ["ConnectN(3, 4, 3)", "Misere()"]), st.integers(3, 7),
                      st.just(0), st.integers(0, 99))  # fmt: skip
ENDS = "Three things can end the search. Which are they, and when does your code check each of them?"


def scene(draw) -> str:
    (game, plies, _, seed), budgets = draw
    return "\n".join([
        f"game = {game}",
        f"network, state = HashNetwork(game.num_actions, {seed}), after(game, {begun(game, plies, seed)})",
        "visits, root = mcts_search(game, state, network, 0, 1.5, return_root=True)",
        *[f"made = search_until_proven(root, network, game, {budget}, 1.5)" for budget in budgets],
        "made, root.N, root.W, marks(root, game)",
    ])  # fmt: skip


EXAMPLE = """
    X . O
    O O .   X to move; 7 wins
    X . X
    >>> game, network = TicTacToe(), UniformNetwork(9)
    >>> state = after(game, [0, 4, 8, 2, 6, 3])
    >>> visits, root = mcts_search(game, state, network, 0, 1.5, return_root=True)"""
START = """
    >>> game, network = TicTacToe(), UniformNetwork(9)
    >>> visits, root = mcts_search(game, game.initial_state(), network, 0, 1.5, return_root=True)"""
BY_HAND = f"""
    the third simulation finds the win, and the search ends (2 points){EXAMPLE}
    >>> search_until_proven(root, network, game, 100, 1.5), root.terminal_value
    (3, 1)
    ? What is left to find out once the root is proven?

    a root that is proven is not searched again{EXAMPLE}
    >>> made = search_until_proven(root, network, game, 100, 1.5)
    >>> search_until_proven(root, network, game, 100, 1.5), root.N.sum()
    (0, 3)
    ? When does your code check whether the root is proven: before a simulation, or after it?

    a draw takes longer, because every move has to be proven (2 points)
    X O X
    . X .   O to move: three moves lose, and 8 leads to a draw
    O . .
    >>> game, network = TicTacToe(), UniformNetwork(9)
    >>> state = after(game, [0, 1, 2, 6, 4])
    >>> visits, root = mcts_search(game, state, network, 0, 1.5, return_root=True)
    >>> made = search_until_proven(root, network, game, 500, 1.5)
    >>> made, root.is_terminal, root.terminal_value
    ? {ENDS}

    the empty board is not proven so soon, so the budget ends the search{START}
    >>> search_until_proven(root, network, game, 20, 1.5), root.N.sum(), root.is_terminal
    (20, 20, False)
    ? {ENDS}

    new simulations are added to the earlier ones{START}
    >>> made = [search_until_proven(root, network, game, 15, 1.5) for _ in range(2)]
    >>> made, root.N.sum()
    ([15, 15], 30)
    ? Should earlier simulations count toward the new budget?

    no time at all still allows one simulation{START}
    >>> search_until_proven(root, network, game, 50, 1.5, seconds=0)
    1
    ? When does your code read the clock?

    the clock ends a search that has many simulations to go: 0.03 s each{START}
    >>> def slow(planes):
    ...     time.sleep(0.03)
    ...     return network(planes)
    >>> 1 <= search_until_proven(root, slow, game, 100, 1.5, seconds=0.1) <= 4
    True
    ? When does your loop read the clock?
"""

STOP = "while made < simulations and not root.is_terminal:"
UP = "        if node.is_terminal:\n            pass_up_proof(node)\n"
BREAK = "        if time.perf_counter() >= deadline:\n            break\n"
EXPAND = "        if action != NO_ACTION:\n            node = expand(node, action, game)\n"
# fmt: off
WRONG = [
    Wrong("never stops early", "the search uses all of its simulations, although the root is proven long before",
          "What is left to find out once the root is proven?", (STOP, "while made < simulations:")),
    Wrong("proof not passed up", "nothing is passed up, so the root is never proven",
          "A simulation has reached a finished game. Which function passes the proof up?", (UP, "")),
    Wrong("stops at the first proof", "the search ends as soon as any node is proven, not only the root",
          "Which node has to be proven before the search may stop?",
          (UP, UP + "            made += 1\n            break\n")),
    Wrong("stops only for a win", "the search ends for a win, but goes on when a draw or a loss is proven",
          "What is left to find when every move is known to lose?",
          ("not root.is_terminal:", "not (root.is_terminal and root.terminal_value == 1):")),
    Wrong("one more after the proof",
          "the root is checked only after a simulation, so a root that is already proven is searched once more",
          "When does your code check whether the root is proven: before a simulation, or after it?",
          (STOP, "while made < simulations:"),
          ("        made += 1\n", "        made += 1\n        if root.is_terminal:\n            break\n")),
    Wrong("earlier simulations counted in",
          "the simulations that the tree already holds are subtracted from the budget",
          "Should earlier simulations count toward the new budget?",
          ("made < simulations", "root.N.sum() < simulations")),
    Wrong("the root's visits come back", "all visits of the root are returned, including those of earlier searches",
          "How many simulations did this call make?", ("return made", "return int(root.N.sum())")),
    Wrong("only new nodes counted", "a simulation that ends at a proven node is not counted",
          "What counts as a simulation: a new node, or a walk?",
          ("        made += 1\n", "        made += action != NO_ACTION\n")),
    Wrong("proven nodes not backed up", "a walk that ends at an already proven node is not backed up",
          "Should the value of a proven node still reach N and W above it?",
          (EXPAND, "        if action == NO_ACTION:\n            made += 1\n            continue\n"
                   "        node = expand(node, action, game)\n")),
    Wrong("the parent is evaluated", "the new node is made but not used, and its parent is evaluated again",
          "What does `expand` return?",
          (EXPAND, "        if action != NO_ACTION:\n            expand(node, action, game)\n")),
    Wrong("passed up from the root", "the proof is passed up from the root, which has no parent",
          "At which node does the proof begin?", ("pass_up_proof(node)", "pass_up_proof(root)")),
    Wrong("clock before the first simulation",
          "the clock is read before the first simulation, so with no time there is no simulation at all",
          "One simulation must always be made. Where must the clock be read?", (BREAK, ""),
          (STOP + "\n", STOP + "\n" + BREAK)),
    Wrong("clock ignored", "the time limit is never checked",
          "What is the argument `seconds` for?", (BREAK, "")),
    Wrong("one too few", "the last simulation, the one that proves the root, is not counted",
          "If the first simulation proves the root, how many were made?",
          (UP + "        made += 1\n", UP + "        if root.is_terminal:\n            break\n        made += 1\n")),
    Wrong("returns the root's value", "the root's value comes back, not how many simulations were made",
          "What does the docstring say that comes back?", ("return made", "return int(root.terminal_value)")),
]
# fmt: on


def right_with_for(root, network, game, simulations, c_puct, seconds=math.inf):
    end = time.monotonic() + seconds
    for done in range(simulations):
        if root.is_terminal or (done and time.monotonic() >= end):
            return done
        leaf, action = select(root, c_puct)
        leaf = leaf if action == NO_ACTION else expand(leaf, action, game)
        backup(leaf, evaluate(leaf, network, game))
        if leaf.is_terminal:
            pass_up_proof(leaf)
    return simulations


def right_proof_before_backup(root, network, game, simulations, c_puct, seconds=float("inf")):
    begun, made = time.time(), 0
    while not root.is_terminal and made < simulations and (made == 0 or time.time() - begun < seconds):
        made = made + 1
        node, action = select(root, c_puct)
        if action != NO_ACTION:
            node = expand(node, action, game)
        value = evaluate(node, network, game)
        if node.is_terminal:
            pass_up_proof(node)
        backup(node, value)
    return made


CHECK = Scenes(
    draws=st.tuples(POSITIONS, st.lists(st.integers(1, 30), min_size=1, max_size=2)),
    edges=[(("TicTacToe()", 6, 0, 68), [12]), (("Misere()", 7, 0, 87), [6, 8])],  # proven nodes are visited once more
    examples=20,
    board=lambda draw: picture(draw[0]),
    returns=whole_number,
    changes={"root", "network"},
    fresh=False,
    question=ENDS,
)
