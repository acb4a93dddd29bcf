"""batched_expand: a new node in every tree that needs one."""

import copy

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, TicTacToe
from course_utils.games.batched import make_batched
from course_utils.search.batched import NO_ACTION, batched_select
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_31 import trees
from course_utils.tests.notebook_31.trees import grow, planted, searched, written
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Touching
from course_utils.tests.world.networks import ConstantNetwork, HashNetwork


def scene(draw) -> str:
    forest, c_puct = draw
    return (
        f"{trees.grown(forest)}\nnodes, actions = batched_select(tree, {c_puct})\nbefore = copy.deepcopy(tree)\n"
        f"leaves = batched_expand(tree, nodes, actions, make_batched({forest[0]}))\nleaves, tree.nodes, written(before, tree)"
    )


BY_HAND = """
    returns the new node of every game: the same number in all (2 points)
    >>> tree = planted([], [0, 4, 8, 2, 6, 3])
    >>> grow(tree, [4], [])  # node 1 of game 0
    >>> leaves = batched_expand(tree, np.array([1, 0]), np.array([8, 5]), make_batched(TicTacToe()))
    >>> leaves, tree.nodes
    [2, 2], 3
    ? Which number is the next one that no tree uses yet? By how much does `tree.nodes` grow?

    the parent knows its child, the child its parent and the action that led to it (2 points)
    >>> tree = planted([], [0, 4, 8, 2, 6, 3])
    >>> grow(tree, [4], [])
    >>> leaves = batched_expand(tree, np.array([1, 0]), np.array([8, 5]), make_batched(TicTacToe()))
    >>> tree.children[[0, 1], [1, 0], [8, 5]], tree.parent[:, 2], tree.parent_action[:, 2]
    [2, 2], [1, 0], [8, 5]
    ? How will the next walk find the new node? How will the value find its way home?

    the child's position is the one after the action, with the legal actions of that (2 points)
    >>> tree, game = planted([4], [0, 4, 8, 2, 6, 3]), make_batched(TicTacToe())
    >>> leaves = batched_expand(tree, np.array([0, 0]), np.array([8, 5]), game)
    >>> [state.cells for state in game.to_states(tree.states[:, 1])], [np.flatnonzero(row).tolist() for row in tree.legal[:, 1]]
    [(0, 0, 0, 0, 1, 0, 0, 0, -1), (1, 0, -1, -1, -1, 1, 1, 0, 1)], [[0, 1, 2, 3, 5, 6, 7], [1, 7]]
    ? From which position is the action played, in each game? Of which position should `game.legal` be asked?

    a win is worth -1 to the player who would be to move, a draw 0 (2 points)
    >>> tree = planted([0, 4, 8, 2, 6, 3], [4, 0, 2, 6, 3, 5, 1, 7])
    >>> leaves = batched_expand(tree, np.array([0, 0]), np.array([7, 8]), make_batched(TicTacToe()))
    >>> tree.is_terminal[:, 1].tolist(), tree.terminal_value[:, 1]
    [True, True], [-1, 0]
    ? Whose point of view does `game.outcome` have, and whose does `terminal_value`?

    where there is nothing to expand, the node itself comes back, and nothing else changes (2 points)
    >>> tree = planted([0, 4, 8, 2, 6, 3], [], [0, 3, 1, 4, 2])
    >>> grow(tree, [7], [4], [])  # node 1 of game 0 is a finished game, as is the root of game 2
    >>> before = copy.deepcopy(tree)
    >>> leaves = batched_expand(tree, np.array([1, 1, 0]), np.array([NO_ACTION, 0, NO_ACTION]), make_batched(TicTacToe()))
    >>> leaves, sorted({place[0] for _, place, _ in written(before, tree)})  # and the games in which something was written
    [1, 2, 0], [1]
    ? A walk that ended at a finished game has no new node. Which node should its value be carried up from?

    where no game has anything to expand, the number is used up all the same (2 points)
    >>> tree = planted([0, 3, 1, 4, 2], [0, 3, 1, 4, 2])
    >>> leaves = batched_expand(tree, np.array([0, 0]), np.array([NO_ACTION, NO_ACTION]), make_batched(TicTacToe()))
    >>> leaves, tree.nodes
    [0, 0], 2
    ? May the number of nodes depend on how many games have something to expand?
"""

# fmt: off
WRONG = [
    Wrong("counter not advanced", "`tree.nodes` stays as it is: the next simulation overwrites this one's nodes",
          "Which number will the next new node get?", ("    tree.nodes += 1\n", "")),
    Wrong("no number where nobody expands",
          "where no game has anything to expand, `tree.nodes` stays as it is: numbers and simulations get out of step",
          "May the number of nodes depend on how many games have something to expand?",
          ("    tree.nodes += 1\n", "    tree.nodes += len(games) > 0\n")),
    Wrong("finished games expanded", "NO_ACTION is played as if it were a move", "Which games have something to expand?",
          ("np.flatnonzero(actions != NO_ACTION)", "np.arange(len(actions))")),
    Wrong("parent forgotten", "the child does not know its parent: backup takes it for a root's neighbor and gets lost",
          "Which two fields lead from a child back to where it came from?", ("    tree.parent[games, child] = parents\n", "")),
    Wrong("child not hung in", "the parent does not know its child: every simulation makes it anew",
          "How will the next walk find the new node?", ("    tree.children[games, parents, taken] = child\n", "")),
    Wrong("hung into every tree", "the child is hung into the trees of all games, at the same place",
          "What does a `:` in the first place of an index name?",
          ("tree.children[games, parents, taken] = child", "tree.children[:, parents, taken] = child")),
    Wrong("the parent's legal actions", "the child gets its parent's legal actions, the one just played among them",
          "Of which position should `game.legal` be asked?", ("game.legal(states)", "tree.legal[games, parents]")),
    Wrong("no new legal actions",
          "the child's legal actions are taken from among its parent's: in a game whose moves open others, those are missing",
          "Of which position should `game.legal` be asked? Can its answer hold an action that the parent's did not?",
          ("game.legal(states)", "game.legal(states) & tree.legal[games, parents]")),
    Wrong("the winner's point of view", "a finished game is worth +1: that is what it is worth to the winner, who is not to move",
          "Who would be to move after a winning move?",
          ("    tree.children[games, parents", "    tree.terminal_value[games, child] *= -1\n    tree.children[games, parents")),
    Wrong("nodes changed in place", "the caller's `nodes` are overwritten", "Is `leaves = nodes` a second array or a second name?",
          ("nodes.copy()", "nodes"),
          ("leaves[games] = child = tree.nodes", "parents = nodes[games]\n    leaves[games] = child = tree.nodes"),
          ("parents, taken = nodes[games], actions[games]", "taken = actions[games]")),
]
# fmt: on


def right_game_by_game(tree, nodes, actions, game):
    child = tree.nodes
    tree.nodes = child + 1
    leaves = np.array(nodes)
    for b in range(len(nodes)):
        if actions[b] == NO_ACTION:
            continue
        state = game.play(tree.states[b : b + 1, nodes[b]], actions[b : b + 1])
        over, value = game.outcome(state)
        tree.states[b, child] = state[0]
        tree.legal[b, child] = game.legal(state)[0]
        tree.is_terminal[b, child] = over[0]
        tree.terminal_value[b, child] = value[0]
        tree.children[b, nodes[b], actions[b]] = child
        tree.parent[b, child] = nodes[b]
        tree.parent_action[b, child] = actions[b]
        leaves[b] = child
    return leaves


def right_with_where(tree, nodes, actions, game):
    new = actions != NO_ACTION
    child = tree.nodes
    (games,) = np.nonzero(new)
    states = game.play(tree.states[games, nodes[new]], actions[new])
    over, value = game.outcome(states)
    for field, row in (
        (tree.states, states),
        (tree.legal, game.legal(states)),
        (tree.is_terminal, over),
        (tree.terminal_value, value),
        (tree.parent, nodes[new]),
        (tree.parent_action, actions[new]),
    ):
        field[games, child] = row
    tree.children[games, nodes[new], actions[new]] = child
    tree.nodes = child + 1
    return np.where(new, child, nodes)


CHECK = Scenes(
    draws=st.tuples(trees.TREES, st.sampled_from([1.5, 0.4, 4.0, 0.0])),
    board=lambda draw: trees.boards(draw[0]),
    edges=[(tree, 1.5) for tree in trees.EDGES],
    examples=20,
    returns=array("int"),
    changes={"tree"},
    question="Find the first game that is wrong. Is it right if that game is expanded alone?",
)
