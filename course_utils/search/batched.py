"""AlphaZero's tree search in many games at once, exactly as the notebook 'Batched search' teaches it.

The four steps and the numbers are those of `puct`; but the trees of all games live in a handful of arrays, each step is
one operation on all games, and the network evaluates all new leaves in one call. DeepMind's mctx (2022) does the same.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from course_utils.exercise import exercise
from course_utils.games.batched import BatchedGame
from course_utils.networks import Network
from course_utils.search.puct import NO_ACTION

ROOT = 0  # the root's index in every tree
UNVISITED = -1  # in `children`: this action was never tried
NO_PARENT = -1  # in `parent`: the root's


@dataclass
class Tree:
    """The search trees of B games. A node is a number from 0 to M - 1, A is the number of actions.

    Attributes:
        states: [B, M, ...], the position at each node; uint64 [B, M, 2] where positions are bitboards.
        N: float64 [B, M, A], how often each action was tried.
        W: float64 [B, M, A], the sum of the values that came back, for the player to move at the node.
        P: float64 [B, M, A], the network's prior; 0 for illegal actions.
        legal: bool [B, M, A]; all False where the game is over.
        children: int64 [B, M, A], the node an action leads to, or UNVISITED.
        parent: int64 [B, M], the node above; NO_PARENT for the root.
        parent_action: int64 [B, M], the action that leads from the parent to here; NO_ACTION for the root.
        is_terminal: bool [B, M].
        terminal_value: float64 [B, M], what a finished game is worth to the player to move; 0 elsewhere.
        nodes: int, how many nodes are in use. A simulation uses one more in every game, needed or not.
    """

    states: np.ndarray
    N: np.ndarray
    W: np.ndarray
    P: np.ndarray
    legal: np.ndarray
    children: np.ndarray
    parent: np.ndarray
    parent_action: np.ndarray
    is_terminal: np.ndarray
    terminal_value: np.ndarray
    nodes: int = 1

    @classmethod
    def plant(cls, game: BatchedGame, states: np.ndarray, simulations: int) -> "Tree":
        """Trees that consist of their roots only, with room for one more node a simulation."""
        B, M, A = len(states), simulations + 1, game.num_actions
        tree = cls(
            states=np.zeros((B, M, *states.shape[1:]), dtype=states.dtype),
            N=np.zeros((B, M, A)),
            W=np.zeros((B, M, A)),
            P=np.zeros((B, M, A)),
            legal=np.zeros((B, M, A), dtype=bool),
            children=np.full((B, M, A), UNVISITED),
            parent=np.full((B, M), NO_PARENT),
            parent_action=np.full((B, M), NO_ACTION),
            is_terminal=np.zeros((B, M), dtype=bool),
            terminal_value=np.zeros((B, M)),
        )
        tree.states[:, ROOT] = states
        tree.legal[:, ROOT] = game.legal(states)
        tree.is_terminal[:, ROOT], tree.terminal_value[:, ROOT] = game.outcome(states)
        return tree


@exercise("31")
def batched_select(tree: Tree, c_puct: float) -> tuple[np.ndarray, np.ndarray]:
    """Walk down from every root by the highest Q + U, until there is no child to walk on to.

    U = c_puct * P * sqrt(1 + sum of N) / (1 + N), the sum over the actions of one node.
    Illegal actions are never taken; ties go to the lowest.
    tree: of B games, some of which may be over at their roots.
    Returns (nodes, actions), int [B]: where each walk ended, and the best action there, or
    NO_ACTION where the game is over.
    """
    nodes = np.full(len(tree.N), ROOT)
    actions = np.full(len(tree.N), NO_ACTION)
    games = np.flatnonzero(~tree.is_terminal[:, ROOT])  # those that are still walking
    while len(games) > 0:
        here = nodes[games]
        N = tree.N[games, here]  # [walking, A]
        Q = tree.W[games, here] / np.maximum(N, 1)
        U = c_puct * tree.P[games, here] * np.sqrt(1 + N.sum(axis=1, keepdims=True)) / (1 + N)
        best = np.where(tree.legal[games, here], Q + U, -np.inf).argmax(axis=1)
        child = tree.children[games, here, best]
        actions[games] = best
        found = child != UNVISITED
        games, child = games[found], child[found]
        nodes[games] = child
        over = tree.is_terminal[games, child]
        actions[games[over]] = NO_ACTION
        games = games[~over]
    return nodes, actions


def batched_expand(
    tree: Tree,
    nodes: np.ndarray,
    actions: np.ndarray,
    game: BatchedGame,
) -> np.ndarray:
    """Make the child that each action leads to, and tie it to its tree.

    All new children get the number `tree.nodes`, which then grows by one, needed or not. Fill
    in position, legal actions, outcome, parent and parent_action; N, W and P stay 0.
    nodes, actions: int [B], what `batched_select` found.
    Returns int [B]: the new nodes, or the node itself where the action is NO_ACTION.
    """
    games = np.flatnonzero(actions != NO_ACTION)
    leaves = nodes.copy()
    leaves[games] = child = tree.nodes
    tree.nodes += 1
    parents, taken = nodes[games], actions[games]
    states = game.play(tree.states[games, parents], taken)
    tree.states[games, child] = states
    tree.legal[games, child] = game.legal(states)
    tree.is_terminal[games, child], tree.terminal_value[games, child] = game.outcome(states)
    tree.children[games, parents, taken] = child
    tree.parent[games, child] = parents
    tree.parent_action[games, child] = taken
    return leaves


def batched_evaluate(tree: Tree, leaves: np.ndarray, network: Network, game: BatchedGame) -> np.ndarray:
    """What each leaf is worth to the player to move there; fills in its priors on the way.

    One call of the network for all leaves at which the game goes on. A finished game is worth what the rules say.

    Returns:
        float64 [B].

    Raises:
        ValueError: the network's value is NaN, or its logits are not finite.
    """
    everyone = np.arange(len(leaves))
    values = tree.terminal_value[everyone, leaves]
    games = np.flatnonzero(~tree.is_terminal[everyone, leaves])
    if len(games) > 0:
        here = leaves[games]
        values[games], logits = network(game.encode(tree.states[games, here]))
        tree.P[games, here] = batched_masked_policy(logits, tree.legal[games, here])
        if np.isnan(values[games]).any():
            raise ValueError("the network's value is NaN: its weights have probably diverged")
    return values


def batched_masked_policy(logits: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Softmax over the legal actions only, row by row: `masked_policy` for [batch, num_actions]. Returns float64.

    Raises:
        ValueError: a legal logit is NaN or infinite.
    """
    if not np.isfinite(logits[legal]).all():
        raise ValueError("the network's logits are not finite: its weights have probably diverged")
    logits = np.where(legal, logits.astype(np.float64), -np.inf)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


@exercise("31")
def batched_backup(tree: Tree, leaves: np.ndarray, values: np.ndarray) -> None:
    """Carry each value from its leaf up to the root, and count a visit on every edge.

    The sign flips at each step, before the value is added to W.
    leaves: int [B], one node in each game.
    values: float64 [B], for the player to move at the leaf.
    """
    games = np.flatnonzero(leaves != ROOT)  # those that are still climbing
    nodes, values = leaves[games], values[games]
    while len(games) > 0:
        values = -values
        parents, actions = tree.parent[games, nodes], tree.parent_action[games, nodes]
        tree.N[games, parents, actions] += 1
        tree.W[games, parents, actions] += values
        climbing = parents != ROOT
        games, nodes, values = games[climbing], parents[climbing], values[climbing]


@exercise("31")
def batched_search(
    game: BatchedGame,
    states: np.ndarray,
    network: Network,
    simulations: int,
    c_puct: float,
    *,
    noise: Callable | None = None,
    rng: np.random.Generator | None = None,
    return_tree: bool = False,
):
    """Search many games at once, and count how often each action of each root was tried.

    The network is called once for all roots, then once per simulation for all new leaves.
    noise: None, or (priors, legal, rng) -> priors of the roots.
    return_tree: return (visits, tree) instead.
    Returns float64 [B, A]: rows sum to `simulations`, or to 0 where the game is over.
    """
    # begin given
    tree = Tree.plant(game, states, simulations)
    roots = np.full(len(states), ROOT)
    batched_evaluate(tree, roots, network, game)
    if noise is not None:
        tree.P[:, ROOT] = noise(tree.P[:, ROOT], tree.legal[:, ROOT], rng)
    # end given
    for _ in range(simulations):
        nodes, actions = batched_select(tree, c_puct)
        leaves = batched_expand(tree, nodes, actions, game)
        values = batched_evaluate(tree, leaves, network, game)
        batched_backup(tree, leaves, values)
    # begin given
    visits = tree.N[:, ROOT].copy()
    return (visits, tree) if return_tree else visits
    # end given
