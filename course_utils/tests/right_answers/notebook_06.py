"""Right answers of notebook 06, written as learners might."""

import inspect
import math

import numpy as np

from course_utils.networks import masked_policy
from course_utils.search import puct
from course_utils.search.puct import NO_ACTION, backup, evaluate, expand, select, select_child

_space = dict(vars(puct))
exec(inspect.getsource(puct.Node), _space)
Node = _space["Node"]  # the same class made anew, as in the notebook


def select_child_by_a_loop(node, c_puct):
    best_action, best_score = None, -math.inf
    total = sum(node.N)
    for action, allowed in enumerate(node.legal):
        if not allowed:
            continue
        q = node.W[action] / node.N[action] if node.N[action] else 0.0
        score = q + c_puct * node.P[action] * math.sqrt(total + 1) / (node.N[action] + 1)
        if score > best_score:
            best_action, best_score = action, score
    return best_action


def select_child_by_max(node, c_puct):
    def score(a):
        return node.Q[a] + c_puct * node.P[a] * (1 + node.N.sum()) ** 0.5 / (1 + node.N[a])

    return max(np.flatnonzero(node.legal).tolist(), key=score)  # max keeps the first of equals


def select_child_with_a_large_penalty(node, c_puct):
    exploration = c_puct * node.P * math.sqrt(1 + np.sum(node.N)) / (node.N + 1)
    return (node.W / np.where(node.N == 0, 1, node.N) + exploration - 1e9 * ~node.legal).argmax().item()


def select_child_in_float32(node, c_puct):
    N, W, P = (array.astype(np.float32) for array in (node.N, node.W, node.P))
    Q = np.divide(W, N, out=np.zeros_like(W), where=N > 0)
    masked = np.ma.array(Q + c_puct * P * np.sqrt(1 + N.sum()) / (1 + N), mask=~node.legal)
    return int(masked.argmax())


def select_recursively(root, c_puct):
    if root.is_terminal:
        return (root, NO_ACTION)
    action = select_child(root, c_puct)
    return select_recursively(root.children[action], c_puct) if action in root.children else (root, action)


def select_with_two_variables(root, c_puct):
    node, child = None, root
    action = NO_ACTION
    while child is not None:
        node = child
        if not node.legal.any():
            return [node, NO_ACTION]
        action = select_child(node, c_puct)
        child = node.children.get(action)
    return [node, action]


def select_forever(root, c_puct):
    here = root
    while True:
        if here.is_terminal:
            return here, -100
        try:
            here = here.children[select_child(here, c_puct)]
        except KeyError as missing:
            return here, missing.args[0]


def expand_in_one_line(node, action, game):
    return node.children.setdefault(action, puct.Node(game, game.play(node.state, action), node, action))


def expand_step_by_step(node, action, game):
    next_state = game.play(node.state, action)
    child = Node(game, next_state)
    child.parent = node
    child.parent_action = action
    node.children.update({action: child})
    return child


def evaluate_with_a_softmax_of_its_own(node, network, game):
    if node.is_terminal:
        return node.terminal_value
    value, logits = network(np.expand_dims(game.encode(node.state), 0))
    weights = np.exp(logits[0] - logits[0].max()) * node.legal  # over all, then masked and renormalized: the same
    node.P = weights / weights.sum()
    return value[0]


def evaluate_in_place(node, network, game):
    if not node.is_terminal:
        batch = np.array([game.encode(node.state)])
        values, logits = network(batch)
        node.P[:] = masked_policy(np.squeeze(logits, 0), node.legal)
        return values.item()
    winner = game.winner(node.state)
    return 0 if winner == 0 else -1


def evaluate_by_a_loop(node, network, game):
    if len(game.legal_actions(node.state)) == 0:
        return float(game.winner(node.state) * game.to_play(node.state))
    (value,), (logits,) = network(game.encode(node.state)[np.newaxis, ...])
    weights = {action: math.exp(logits[action]) for action in game.legal_actions(node.state)}
    for action, weight in weights.items():
        node.P[action] = weight / sum(weights.values())
    return float(value)


def backup_recursively(leaf, value):
    parent, action = leaf.parent, leaf.parent_action
    if parent is None:
        return
    parent.N[action] += 1
    parent.W[action] -= value
    backup_recursively(parent, -value)


def backup_with_a_sign(leaf, value):
    sign = -1
    while (parent := leaf.parent) is not None:
        parent.N[leaf.parent_action] = parent.N[leaf.parent_action] + 1
        parent.W[leaf.parent_action] = parent.W[leaf.parent_action] + sign * value
        sign, leaf = -sign, parent


def backup_by_the_path(leaf, value):
    path = []
    node = leaf
    while node.parent:
        path.append((node.parent, node.parent_action))
        node = node.parent
    for depth, (node, action) in enumerate(path, 1):
        node.N[action] += 1
        node.W[action] += value if depth % 2 == 0 else -value


def backup_by_the_player(leaf, value):
    player = leaf.state.to_play
    node = leaf
    while node.parent is not None:
        node, action = node.parent, node.parent_action
        node.N[action] += 1
        node.W[action] += value if node.state.to_play == player else -value


def mcts_search_with_while(game, state, network, simulations, c_puct, *, noise=None, rng=None, return_root=False):
    if game.is_terminal(state):
        raise ValueError("the game is over at this state: there is nothing to search for")
    root = puct.Node(game, state)
    evaluate(root, network, game)
    if noise is not None:
        root.P = noise(root.P, root.legal, rng)
    done = 0
    while done < simulations:
        node, action = select(root, c_puct)
        if node.is_terminal:
            backup(node, node.terminal_value)
        else:
            child = expand(node, action, game)
            backup(child, evaluate(child, network, game))
        done += 1
    return (root.N, root) if return_root else root.N


def mcts_search_recursively(game, state, network, simulations, c_puct, *, noise=None, rng=None, return_root=False):
    if not game.legal_actions(state):
        raise ValueError("this game is over")
    root = Node(game, state)
    _ = evaluate(root, network, game)
    if noise:
        root.P = noise(root.P, root.legal, rng)

    def simulate(node):
        """The value of one simulation through `node`, for its player to move."""
        if node.is_terminal:
            return node.terminal_value
        action = select_child(node, c_puct)
        if action in node.children:
            value = -simulate(node.children[action])
        else:
            value = -evaluate(expand(node, action, game), network, game)
        node.N[action] += 1
        node.W[action] += value
        return value

    for _ in range(simulations):
        simulate(root)
    visits = root.N.copy()
    if return_root:
        return visits, root
    return visits


RIGHT = {
    "select_child": [
        select_child_by_a_loop,
        select_child_by_max,
        select_child_with_a_large_penalty,
        select_child_in_float32,
    ],
    "select": [select_recursively, select_with_two_variables, select_forever],
    "expand": [expand_in_one_line, expand_step_by_step],
    "evaluate": [evaluate_with_a_softmax_of_its_own, evaluate_in_place, evaluate_by_a_loop],
    "backup": [backup_recursively, backup_with_a_sign, backup_by_the_path, backup_by_the_player],
    "mcts_search": [mcts_search_with_while, mcts_search_recursively],
}
