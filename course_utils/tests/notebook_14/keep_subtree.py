"""Check keep_subtree: the next search continues from the move that was played."""

import copy

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.networks import UniformNetwork
from course_utils.search.puct import Node, evaluate, expand, mcts_search, search_on
from course_utils.tests.case import show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Misere
from course_utils.tests.world.networks import HashNetwork, sizes
from course_utils.tests.world.trees import GAMES, TREES, begun, picture, told

CLIMB = "Which link does backup follow, and where should it end now?"


def scene(draw) -> str:
    """Play a move that does not end the game, since no search follows a finished game."""
    (game, plies, simulations, seed), which, more = draw
    moves = begun(game, plies, seed)
    going_on = moves_that_go_on(draw[0])
    return f"""game = {game}
network, state = HashNetwork(game.num_actions, {seed}), after(game, {moves})
visits, root = mcts_search(game, state, network, {simulations}, 1.5, return_root=True)
kept = keep_subtree(root, {going_on[which % len(going_on)]}, network, game)
search_on(kept, network, game, {more}, 1.5)
told(kept), visits, len(network.asked)"""


def moves_that_go_on(tree) -> list[int]:
    """List the legal actions at the root of one of `TREES` after which the game is not over."""
    name, plies, _, seed = tree
    game, state = GAMES[name], after(GAMES[name], begun(name, plies, seed))
    return [action for action in game.legal_actions(state) if not game.is_terminal(game.play(state, action))]


def a_node(result) -> str:
    good = all(hasattr(result, field) for field in ("parent", "children", "N", "W", "P"))
    return "" if good else f"expected a node, got {show(result)} of type {type(result).__name__}"


def searched(simulations: int) -> str:
    return f"""
    X . O
    O O .   X to move; 7 wins
    X . X
    >>> game, network = TicTacToe(), UniformNetwork(9)
    >>> state = after(game, [0, 4, 8, 2, 6, 3])
    >>> visits, root = mcts_search(game, state, network, {simulations}, 1.5, return_root=True)"""


BY_HAND = f"""
    X plays 5 after 32 simulations: the tree below 5 is kept{searched(32)}
    >>> told(keep_subtree(root, 5, network, game))
    ? Which node does the action lead to, and do its numbers need to change?

    with more simulations it equals a new search with the same total (2 points){searched(32)}
    >>> kept = keep_subtree(root, 5, network, game)
    >>> search_on(kept, network, game, 20 - int(kept.N.sum()), 1.5)
    >>> kept.N
    mcts_search(TicTacToe(), after(TicTacToe(), [0, 4, 8, 2, 6, 3, 5]), UniformNetwork(9), 20, 1.5)
    ? For which player are the numbers of a node, and does that change when it becomes the root?

    the next search does not change the old root (2 points){searched(32)}
    >>> before = root.N.copy()
    >>> kept = keep_subtree(root, 5, network, game)
    >>> search_on(kept, network, game, 10, 1.5)
    >>> (root.N - before).sum()
    0
    ? {CLIMB}

    a move that was never tried (2 points){searched(1)}
    >>> kept = keep_subtree(root, 5, network, game)  # the only simulation tried 1
    >>> kept.N.sum(), kept.P
    (0, [0, 0.5, 0, 0, 0, 0, 0, 0.5, 0])
    ? What does a search do with a new root before its first simulation?

    the network is called only where there was no node{searched(1)}
    >>> network = HashNetwork(9)
    >>> for action in [1, 5]:  # 1 was tried, 5 was not
    ...     kept = keep_subtree(root, action, network, game)
    >>> sizes(network)
    [1]
    ? Which numbers does the node of a tried move already hold?
"""

# fmt: off
NEW = "        child = expand(root, action, game)\n        evaluate(child, network, game)\n"
WRONG = [
    Wrong("the link to the old root stays",
          "the new root still has a parent, so the next search's backups go on into the old tree, "
          "which stays in memory for nothing",
          CLIMB, ("    child.parent = None\n", "")),
    Wrong("the old root cut off instead", "the old root's link to its parent is cut instead of the new root's",
          CLIMB, ("    child.parent = None\n", "    root.parent = None\n")),
    Wrong("cut only where a node was made", "the link upwards is cut only for a node that has just been made",
          CLIMB, (NEW + "    child.parent = None\n", NEW + "        child.parent = None\n")),
    Wrong("cut only where a node was there", "a node that has just been made keeps its link to the old root",
          CLIMB, ("    child.parent = None\n    return child",
                  "    else:\n        child.parent = None\n    return child")),
    Wrong("W flipped",
          "the signs of W are changed, although a node's W belongs to the player to move there, before and after",
          "For which player are the numbers of a node, and does that change when it becomes the root?",
          ("    child.parent = None\n", "    child.parent = None\n    child.W = -child.W\n")),
    Wrong("begins anew", "a new node is always made, so the earlier search is thrown away",
          "What has the last search found out below this move?",
          ("    child = root.children.get(action)\n", "    child = None\n")),
    Wrong("the tree below thrown away", "the numbers are kept, but the nodes below are thrown away",
          "What does the next simulation need below the root, to go on where the last one ended?",
          ("    child.parent = None\n", "    child.parent = None\n    child.children = {}\n")),
    Wrong("evaluated again", "the network is called again for a position whose prior is already known",
          "Which numbers does the node of a tried move already hold?",
          ("        evaluate(child, network, game)\n", "    evaluate(child, network, game)\n")),
    Wrong("never tried: not evaluated",
          "the node of a move that was never tried has no priors, because the network was not called",
          "What does a search do with a new root before its first simulation?",
          ("        evaluate(child, network, game)\n", "")),
    Wrong("never tried: nothing", "None is returned for a move that was never tried, because it has no node",
          "The move is played all the same. At which node should the next search begin?",
          ("    if child is None:\n" + NEW + "    child.parent = None\n",
           "    if child is not None:\n        child.parent = None\n")),
    Wrong("never tried: an error", "looking up the node of a move that was never tried raises an error",
          "Which actions have an entry in `children`?", ("root.children.get(action)", "root.children[action]")),
    Wrong("the most visited", "the most visited child is returned, whatever move was played",
          "Another move than the most visited may be played. Which argument says which one?",
          ("root.children.get(action)", "root.children[int(root.N.argmax())]")),
    Wrong("the old root comes back",
          "the old root is returned, so the next search begins at the position before the move",
          "Which position should the next search begin at?", ("    return child", "    return root")),
]
# fmt: on


def right_keep_by_cases(root, action, network, game):
    if action in root.children:
        kept = root.children.pop(action)
        kept.parent = None
        return kept
    fresh = Node(game, game.play(root.state, action))
    evaluate(fresh, network, game)
    return fresh


def right_keep_with_an_else(root, action, network, game):
    if action not in root.children:
        evaluate(expand(root, action, game), network, game)
    kept = root.children[action]
    kept.parent, kept.parent_action = None, -100
    del root.children[action]
    return kept


def right_keep_a_copy(root, action, network, game):
    there = root.children.get(action)
    if not there:
        visits, there = mcts_search(game, game.play(root.state, action), network, 0, 1.0, return_root=True)
        return there
    above, there.parent = there.parent, None
    kept = copy.deepcopy(there)
    there.parent = above
    return kept


CHECK = Scenes(
    draws=st.tuples(TREES.filter(moves_that_go_on), st.integers(0, 6), st.integers(0, 12)),
    examples=25,
    board=lambda draw: picture(draw[0]),
    returns=a_node,
    changes={"root", "network"},
    fresh=False,  # the search goes on in it
    question="Which node is the next root, and what must be true of a root?",
)
