"""Right answers of notebook 09, written as learners might."""

import math

import numpy as np

from course_utils.search.batched import (
    NO_ACTION,
    NO_PARENT,
    ROOT,
    UNVISITED,
    Tree,
    batched_backup,
    batched_evaluate,
    batched_expand,
    batched_select,
)
from course_utils.tests.grade import CHECKS


def batched_play_game_by_game(game, states, actions):
    moved = np.empty_like(states)
    for b, action in enumerate(actions):
        mine, theirs = (int(stones) for stones in states[b])
        stone = ((mine | theirs) + int(game.bottoms[action])) & int(game.slots[action])
        if stone == 0:
            raise ValueError(f"action {action} is not legal in game {b}")
        moved[b] = theirs, mine | stone
    return moved


def batched_play_by_exclusive_or(game, states, actions):
    """The trick of Connect Four programs: theirs = mine ^ all, and the union with the carry is all stones afterwards."""
    every = np.bitwise_or.reduce(states, axis=1)
    after = every | ((every + game.bottoms[actions]) & game.slots[actions])
    full = np.flatnonzero(after == every)
    if len(full):
        raise ValueError(f"action {actions[full[0]]} is not legal in game {full[0]} of the batch")
    theirs = states[:, 1]
    return np.column_stack((theirs, after ^ theirs))


def batched_play_by_the_free_cells(game, states, actions):
    free = game.slots[actions] & ~(states[:, 0] | states[:, 1])
    if (free == 0).any():
        first = np.flatnonzero(free == 0)[0]
        raise ValueError(f"game {first}: action {actions[first]}: no room")
    lowest = free & (~free + np.uint64(1))
    moved = states[:, ::-1].copy()
    moved[:, 1] |= lowest
    return moved


def batched_select_game_by_game(tree, c_puct):
    nodes, actions = [], []
    for b in range(tree.N.shape[0]):
        node, action = ROOT, NO_ACTION
        while not tree.is_terminal[b, node]:
            legal = np.flatnonzero(tree.legal[b, node])
            total = tree.N[b, node].sum()

            def score(a, b=b, node=node, total=total):
                n = tree.N[b, node, a]
                q = tree.W[b, node, a] / n if n else 0.0
                return q + c_puct * tree.P[b, node, a] * math.sqrt(1 + total) / (1 + n)

            action = max(legal.tolist(), key=score)
            if tree.children[b, node, action] == UNVISITED:
                break
            node, action = int(tree.children[b, node, action]), NO_ACTION
        nodes.append(node)
        actions.append(action)
    return np.array(nodes), np.array(actions)


def batched_select_with_a_mask(tree, c_puct):
    """All games in every round; a mask says which of them still walk."""
    everyone = np.arange(len(tree.N))
    nodes = np.zeros(len(tree.N), dtype=np.int64)
    actions = np.full(len(tree.N), NO_ACTION)
    walking = ~tree.is_terminal[everyone, nodes]
    while walking.any():
        N, W, P = tree.N[everyone, nodes], tree.W[everyone, nodes], tree.P[everyone, nodes]
        Q = np.divide(W, N, out=np.zeros_like(W), where=N > 0)
        scores = Q + c_puct * P * np.sqrt(1 + N.sum(axis=-1))[:, None] / (N + 1)
        scores[~tree.legal[everyone, nodes]] = -np.inf
        best = scores.argmax(-1)
        child = tree.children[everyone, nodes, best]
        arrived = walking & (child == UNVISITED)
        actions[arrived] = best[arrived]
        walking &= ~arrived
        nodes = np.where(walking, child, nodes)
        walking &= ~tree.is_terminal[everyone, nodes]
    return nodes.astype(np.int32), actions.astype(np.int32)


def batched_select_level_by_level(tree, c_puct):
    nodes = np.zeros(len(tree.N), dtype=int)
    actions = np.full(len(tree.N), NO_ACTION)
    for _ in range(tree.N.shape[1]):  # no walk is longer than the tree has nodes
        for b, node in enumerate(nodes):
            if actions[b] == NO_ACTION and not tree.is_terminal[b, node]:
                n = tree.N[b, node]
                u = c_puct * tree.P[b, node] * (1 + n.sum()) ** 0.5 / (1 + n)
                q = tree.W[b, node] / np.where(n == 0, 1, n)
                action = int(np.ma.array(q + u, mask=~tree.legal[b, node]).argmax())
                if tree.children[b, node, action] == UNVISITED:
                    actions[b] = action
                else:
                    nodes[b] = tree.children[b, node, action]
    return [nodes, actions]


def batched_expand_game_by_game(tree, nodes, actions, game):
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


def batched_expand_with_where(tree, nodes, actions, game):
    """Where no game expands, the counter may stay."""
    new = actions != NO_ACTION
    if not new.any():
        return nodes.copy()
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


def batched_backup_game_by_game(tree, leaves, values):
    for b, (leaf, value) in enumerate(zip(leaves.tolist(), values.tolist(), strict=True)):
        node = leaf
        while tree.parent[b, node] != NO_PARENT:
            value = -value
            action, node = tree.parent_action[b, node], tree.parent[b, node]
            tree.N[b, node, action] += 1
            tree.W[b, node, action] += value


def batched_backup_with_add_at(tree, leaves, values):
    games, nodes, sign = np.arange(len(leaves)), np.asarray(leaves), -1
    while True:
        games = games[nodes[games] != ROOT] if len(nodes) else games
        if not len(games):
            return
        above, action = tree.parent[games, nodes[games]], tree.parent_action[games, nodes[games]]
        np.add.at(tree.N, (games, above, action), 1.0)
        np.add.at(tree.W, (games, above, action), sign * values[games])
        nodes, sign = nodes.copy(), -sign
        nodes[games] = above


def batched_backup_with_a_mask(tree, leaves, values):
    """All games in every round; those at the root add nothing."""
    everyone, nodes, values = np.arange(len(leaves)), leaves.copy(), np.array(values, dtype=float)
    while np.any(nodes > 0):
        values = -values
        up = nodes > 0
        parents = np.where(up, tree.parent[everyone, nodes], 0)
        actions = np.where(up, tree.parent_action[everyone, nodes], 0)
        tree.N[everyone, parents, actions] += up
        tree.W[everyone, parents, actions] += np.where(up, values, 0)
        nodes = parents


def batched_search_in_one_line(game, states, network, simulations, c_puct, *, noise=None, rng=None, return_tree=False):
    tree = Tree.plant(game, states, simulations)
    batched_evaluate(tree, np.zeros(len(states), dtype=int), network, game)
    if noise is not None:
        tree.P[:, 0] = noise(tree.P[:, 0], tree.legal[:, 0], rng)
    done = 0
    while done < simulations:
        leaves = batched_expand(tree, *batched_select(tree, c_puct), game)
        batched_backup(tree, leaves, batched_evaluate(tree, leaves, network, game))
        done += 1
    return (tree.N[:, 0], tree) if return_tree else tree.N[:, 0]


def batched_search_that_skips_expand(
    game, states, network, simulations, c_puct, *, noise=None, rng=None, return_tree=False
):
    """Expand and evaluate only if some game has something to expand."""
    tree = Tree.plant(game, states, simulations)
    roots = np.full(len(states), ROOT)
    batched_evaluate(tree, roots, network, game)
    if noise is not None:
        tree.P[:, ROOT] = noise(tree.P[:, ROOT], tree.legal[:, ROOT], rng)
    for _ in range(simulations):
        nodes, actions = batched_select(tree, c_puct)
        if (actions != NO_ACTION).any():
            nodes = batched_expand(tree, nodes, actions, game)
            values = batched_evaluate(tree, nodes, network, game)
        else:
            tree.nodes += 1
            values = tree.terminal_value[np.arange(len(nodes)), nodes]
        batched_backup(tree, nodes, values)
    visits = tree.N[:, ROOT].copy()
    return (visits, tree) if return_tree else visits


RIGHT = {
    "batched_play": [batched_play_game_by_game, batched_play_by_exclusive_or, batched_play_by_the_free_cells],
    "batched_select": [batched_select_game_by_game, batched_select_with_a_mask, batched_select_level_by_level],
    "batched_expand": [batched_expand_game_by_game, batched_expand_with_where],
    "batched_backup": [batched_backup_game_by_game, batched_backup_with_add_at, batched_backup_with_a_mask],
    "batched_search": [batched_search_in_one_line, batched_search_that_skips_expand],
}

RIGHT |= {  # these stand in their specifications
    name: CHECKS[name].right for name in ("completes_line", "connect_legal_actions", "connect_play", "connect_encode")
}
