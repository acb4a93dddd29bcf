"""Build trees of many games in arrays, by a search of random games or by hand."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, Game, TicTacToe, after
from course_utils.networks import UniformNetwork
from course_utils.search.batched import (
    NO_ACTION,
    ROOT,
    UNVISITED,
    Tree,
    batched_evaluate,
)
from course_utils.tests.world.games import Touching
from course_utils.tests.world.positions import random_line

GAMES: dict[str, Game] = {
    "TicTacToe()": TicTacToe(),
    "ConnectN(3, 4, 3)": ConnectN(3, 4, 3),
    "ConnectFour()": ConnectFour(),
    "Touching()": Touching(),  # in which a move may make others legal, and states are boards instead of two numbers
}
NETWORKS = [
    "HashNetwork({actions}, {seed})",
    "ConstantNetwork(0.0, np.zeros({actions}))",  # ties
    "ConstantNetwork(0.5, np.zeros({actions}))",  # every action that was tried looks lost
    "ConstantNetwork(0.0, 20.0 * np.arange({actions}))",  # so certain that a search goes straight down
]
FIELDS = ("states", "N", "W", "P", "legal", "children", "parent", "parent_action", "is_terminal", "terminal_value")
TO_THE_END = 99  # plies
# (plies, seed) of each game
RANDOM_GAMES = st.lists(
    st.tuples(st.one_of(st.sampled_from([0, 3, TO_THE_END]), st.integers(0, 38)), st.integers(0, 19)),
    min_size=1,
    max_size=4,
)
TREES = st.tuples(
    st.sampled_from(list(GAMES)),
    RANDOM_GAMES,
    st.one_of(st.integers(0, 8), st.sampled_from([20, 30])),  # simulations
    st.sampled_from([NETWORKS[0], *NETWORKS]),
    st.integers(0, 9),  # of the network
)
EDGES = [
    ("TicTacToe()", [(TO_THE_END, 0)] * 2, 3, NETWORKS[0], 0),
    ("TicTacToe()", [(7, 3), (TO_THE_END, 0), (0, 0)], 30, NETWORKS[0], 0),
    ("TicTacToe()", [(5, 1), (4, 2), (6, 3)], 12, NETWORKS[2], 0),
    ("ConnectFour()", [(0, 0), (8, 1), (30, 2)], 20, NETWORKS[0], 0),
    ("ConnectFour()", [(0, 0)], 16, NETWORKS[3], 0),
    ("Touching()", [(1, 0), (2, 1)], 0, NETWORKS[0], 0),
]


def lines_of(name: str, games) -> list[list[int]]:
    """List the moves of each game."""
    return [random_line(GAMES[name], plies, seed) for plies, seed in games]


def grown(draw) -> str:
    """Write the line that defines the tree."""
    name, games, simulations, network, seed = draw
    opinion = network.format(actions=GAMES[name].num_actions, seed=seed)
    return f"tree = searched({name}, {lines_of(name, games)}, {simulations}, {opinion})"


def boards(draw) -> str:
    """Draw the positions at the roots."""
    name, games, *_ = draw
    return "\n\n".join(f"game {b}:\n{after(GAMES[name], line)}" for b, line in enumerate(lines_of(name, games)))


def searched(game: Game, games: list[list[int]], simulations: int, network) -> Tree:
    """Grow trees by a search of these games, with room for one more simulation."""
    rules = game.batched()
    tree = Tree.plant(rules, rules.from_states([after(game, moves) for moves in games]), simulations + 1)
    batched_evaluate(tree, np.full(len(games), ROOT), network, rules)
    for _ in range(simulations):
        simulate(tree, [_place(tree, b) for b in range(len(games))], network, rules)
    return tree


def _place(tree: Tree, b: int) -> tuple[int, int]:
    """Return where PUCT ends in game b: the node, and the action to expand there."""
    node = ROOT
    while not tree.is_terminal[b, node]:
        N = tree.N[b, node]
        score = tree.W[b, node] / np.maximum(N, 1) + 1.5 * tree.P[b, node] * np.sqrt(1 + N.sum()) / (1 + N)
        action = int(np.where(tree.legal[b, node], score, -np.inf).argmax())
        if tree.children[b, node, action] == UNVISITED:
            return node, action
        node = tree.children[b, node, action]
    return node, NO_ACTION


def simulate(tree: Tree, places: list[tuple[int, int]], network, rules, values: list[float] | None = None) -> None:
    """Expand each tree at its place, and back up the network's value or these values. It calls no exercise."""
    leaves, child = [], tree.nodes
    tree.nodes += 1
    for b, (node, action) in enumerate(places):
        leaves.append(node if action == NO_ACTION else child)
        if action != NO_ACTION:
            state = rules.play(tree.states[[b], [node]], np.array([action]))
            tree.states[b, child], tree.legal[b, child] = state[0], rules.legal(state)[0]
            tree.is_terminal[b, child], tree.terminal_value[b, child] = (array[0] for array in rules.outcome(state))
            tree.children[b, node, action], tree.parent[b, child], tree.parent_action[b, child] = child, node, action
    worth = batched_evaluate(tree, np.array(leaves), network, rules)
    for b, node in enumerate(leaves):
        value = worth[b] if values is None else values[b]
        while node != ROOT:
            value, action, node = -value, tree.parent_action[b, node], tree.parent[b, node]
            tree.N[b, node, action] += 1
            tree.W[b, node, action] += value


def planted(*games: list[int]) -> Tree:
    """Build trees of tic-tac-toe after these moves: roots with an even prior, and room for nine more nodes."""
    rules = TicTacToe().batched()
    tree = Tree.plant(rules, rules.from_states([after(TicTacToe(), moves) for moves in games]), 9)
    batched_evaluate(tree, np.full(len(games), ROOT), UniformNetwork(9), rules)
    return tree


def grow(tree: Tree, *paths: list[int], values: list[float] | None = None) -> None:
    """Add a simulation of tic-tac-toe to each tree, along this path from its root to a new node ([]: none).

    values: what each new node is worth to its player to move; 0 if left out. Its prior is even.
    """
    places = []
    for b, path in enumerate(paths):
        node = ROOT
        for action in path[:-1]:
            node = tree.children[b, node, action]
        places.append((node, path[-1] if path else NO_ACTION))
    simulate(tree, places, UniformNetwork(9), TicTacToe().batched(), values or [0.0] * len(paths))


def written(before: Tree, tree: Tree) -> list[tuple]:
    """List the changes as (the array's name, [game, node, ...], the new value), without nodes that no tree reaches."""
    changes = []
    for name in FIELDS:
        old, new = getattr(before, name), getattr(tree, name)
        if new.shape != old.shape or new.dtype != old.dtype:
            changes.append((name, list(new.shape), str(new.dtype)))
            continue
        whole = name in ("states", "legal")  # the whole row of a node counts as one entry
        different = (new != old).reshape(*old.shape[:2], -1).any(axis=2) if whole else new != old
        for place in np.argwhere(different).tolist():
            if place[1] == ROOT or (tree.children[place[0]] == place[1]).any():
                changes.append((name, place, str(new[tuple(place)].tolist()) if whole else new[tuple(place)].item()))
    return changes
