"""Right answers of notebook 04, written in other ways than the references."""

import math
import time

import numpy as np

from course_utils.search import uct

# --- uct_search ------------------------------------------------------------------------------------------------------


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
    """Everything in place, floats for visits, results kept for the first player until the way up."""
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
    visits = np.zeros(game.num_actions)
    for action, child in root.children.items():
        visits[action] = child.N
    return visits


# --- final_action ----------------------------------------------------------------------------------------------------


def final_by_table(root, rule="robust", caution=1.0):
    if rule not in ("robust", "max", "max-robust", "secure"):
        raise ValueError(f"unknown rule: {rule}")
    actions = list(root.children)
    N = np.array([root.children[action].N for action in actions])
    means = np.array([root.children[action].W for action in actions]) / N
    if rule == "max-robust":
        both = (N == N.max()) & (means == means.max())
        return int(actions[int(np.argmax(both))]) if both.any() else None
    values = {"robust": N, "max": means, "secure": means - caution / np.sqrt(N)}[rule]
    return actions[int(np.argmax(values))]


def final_by_match(root, rule="robust", caution=1.0):
    def best(number):
        return sorted(root.children.items(), key=lambda item: number(item[1]))[-1][0]

    match rule:
        case "robust":
            return best(lambda child: child.N)
        case "max":
            return best(lambda child: child.W / child.N)
        case "secure":
            return best(lambda child: child.W / child.N - caution * child.N**-0.5)
        case "max-robust":
            robust, highest = best(lambda child: (child.N, child.Q)), best(lambda child: (child.Q, child.N))
            return robust if robust == highest else None
    raise ValueError(f"there is no rule {rule!r}")


RIGHT = {
    "uct_search": [search_with_while, search_in_one_function],
    "final_action": [final_by_table, final_by_match],
}
