"""Gumbel AlphaZero, a search that pays with few simulations. Danihelka et al. 2022; the notebook 'A better lesson'.

At the root a few actions are drawn without replacement (`gumbel_top_k`), and simulations are given out by rounds, after
each of which the worse half drops out (`sequential_halving`). Actions that were not tried get a value all the same
(`completed_q`), so that prior and values make a better policy (`improved_policy`): what is learned from, and what
interior nodes follow.

There is a version for one game, on the tree of the notebook 'PUCT search', and one for many games at once, on that of
the notebook 'Batched search'. With the same draws both do the same search.
"""

from typing import NamedTuple

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.games.batched import BatchedGame
from course_utils.networks import Network
from course_utils.search.batched import ROOT, UNVISITED, Tree, batched_backup, batched_evaluate, batched_expand
from course_utils.search.puct import NO_ACTION, Node, backup, evaluate, expand, refuse_nan

CONSIDERED = 16  # actions at the root, at most
C_VISIT, C_SCALE = 50.0, 1.0  # the paper's, for Go and chess
TINY = 1e-30  # what a prior that was rounded down to 0 counts for


# --- the four parts --------------------------------------------------------------------------------------------------


@exercise("34")
def gumbel_top_k(
    logits: np.ndarray,
    legal: np.ndarray,
    gumbel: np.ndarray,
    k: int,
) -> np.ndarray:
    """Choose the k legal actions with the highest logits + gumbel, the best first.

    logits, gumbel: [num_actions]. legal: bool [num_actions].
    Returns an array of k actions, or of all legal actions if there are fewer. If several are
    equal, the lowest comes first.
    """
    score = np.where(legal, logits + gumbel, -np.inf)
    best_first = np.argsort(-score, kind="stable")
    return best_first[: min(k, int(legal.sum()))]


@exercise("34")
def sequential_halving(simulations: int, considered: int) -> list[int]:
    """Plan a search: say how many visits an action must have to get each simulation.

    There are ceil(log2(considered)) rounds, at least one. In a round each action still in gets
    simulations // (rounds * still_in) visits, at least one, in passes through the actions.
    Then still_in // 2 actions stay, at least two, and so on until the plan is full.
    Returns a list of `simulations` ints, for 8 and 4 actions [0, 0, 0, 0, 1, 1, 2, 2].
    """
    rounds = max(1, (considered - 1).bit_length())  # log2, rounded up
    plan: list[int] = []
    visits, still_in = 0, considered
    while len(plan) < simulations:
        for _ in range(max(1, simulations // (rounds * still_in))):
            plan += [visits] * still_in
            visits += 1
        still_in = max(2, still_in // 2)
    return plan[:simulations]


@exercise("34")
def completed_q(
    Q: np.ndarray,
    N: np.ndarray,
    prior: np.ndarray,
    value: np.ndarray | float,
) -> np.ndarray:
    """Give every action a value: Q if it was tried, and otherwise a mixture.

    The mixture is (value + n * mean) / (1 + n), where n is the sum of N, and mean is the mean
    of Q over the tried actions, weighted by their prior. If nothing was tried, it is `value`.
    Q, N, prior: [num_actions] or [batch, num_actions]. value: a number or [batch], for the
        player to move, as Q is.
    """
    tried = N > 0
    n = N.sum(axis=-1)
    weights = np.where(tried, prior, 0)
    total = np.where(n > 0, weights.sum(axis=-1), 1)
    mean = (weights * Q).sum(axis=-1) / total
    mixed = (value + n * mean) / (1 + n)
    return np.where(tried, Q, mixed[..., None])


def sigma(q: np.ndarray, N: np.ndarray, c_visit: float = C_VISIT, c_scale: float = C_SCALE) -> np.ndarray:
    """The weight of a value beside a logit: (c_visit + largest N) * c_scale * q, with q scaled from -1..1 to 0..1.

    The more simulations there were, the more the values count.

    Args:
        q, N: [..., num_actions].
    """
    return (c_visit + N.max(axis=-1, keepdims=True)) * c_scale * (1 + q) / 2


@exercise("34")
def improved_policy(
    logits: np.ndarray,
    q: np.ndarray,
    N: np.ndarray,
    legal: np.ndarray,
) -> np.ndarray:
    """Correct the network's policy by the search: softmax(logits + sigma(q, N)).

    logits, q, N: [num_actions] or [batch, num_actions]; q: completed values.
    legal: bool, of the same shape.
    Returns the same shape: 0 for illegal actions; each row sums to 1.
    """
    score = np.where(legal, logits + sigma(q, N), -np.inf)
    weights = np.exp(score - score.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


# --- what both searches use ------------------------------------------------------------------------------------------


def log_prior(P: np.ndarray) -> np.ndarray:
    return np.log(np.maximum(P, TINY))


def values_of(N: np.ndarray, W: np.ndarray, P: np.ndarray, value: np.ndarray | float) -> np.ndarray:
    """Compute `completed_q` from a node's statistics."""
    return completed_q(W / np.maximum(N, 1), N, np.maximum(P, TINY), value)


def follow(N: np.ndarray, W: np.ndarray, P: np.ndarray, legal: np.ndarray, value: np.ndarray | float) -> np.ndarray:
    """Choose the action whose share of visits lies furthest below the improved policy, at an interior node.

    Args:
        N, W, P, legal: [..., num_actions]. value: [...], the network's value of the node.

    Returns:
        int64 [...]; ties go to the lowest action.
    """
    policy = improved_policy(log_prior(P), values_of(N, W, P, value), N, legal)
    share = N / (1 + N.sum(axis=-1, keepdims=True))
    return np.where(legal, policy - share, -np.inf).argmax(axis=-1)


def best_of(
    candidates: np.ndarray, gumbel: np.ndarray, N: np.ndarray, W: np.ndarray, P: np.ndarray, value
) -> np.ndarray:
    """Choose the candidate with the highest gumbel + logits + sigma(q).

    Args:
        candidates: bool [..., num_actions].

    Returns:
        int64 [...].
    """
    score = gumbel + log_prior(P) + sigma(values_of(N, W, P, value), N)
    return np.where(candidates, score, -np.inf).argmax(axis=-1)


def check_budget(simulations: int, considered: int) -> None:
    if simulations < 1:
        raise ValueError(f"a Gumbel search needs at least one simulation, not {simulations}")
    if considered < 1:
        raise ValueError(f"a Gumbel search considers at least one action, not {considered}")


# --- one game --------------------------------------------------------------------------------------------------------


class Decision(NamedTuple):
    """The result of a search.

    Attributes:
        action: the action to play.
        policy: float64 [num_actions], the improved policy, which is the training target.
        root: the root of the tree.
    """

    action: int
    policy: np.ndarray
    root: Node


def gumbel_search(
    game: Game,
    state,
    network: Network,
    simulations: int,
    *,
    considered: int = CONSIDERED,
    gumbel: np.ndarray | None = None,
) -> Decision:
    """Search from `state`.

    Args:
        simulations: 1 or more. Evaluating the root is not one of them.
        considered: how many actions are tried at the root, at most.
        gumbel: float64 [num_actions], draws of the Gumbel distribution, for self-play; None: zeros, so that the search
            involves no chance.

    Raises:
        ValueError: the game at `state` is over, there are no simulations or nothing is considered, or values of the
            network are NaN.
    """
    if game.is_terminal(state):
        raise ValueError("the game is over at this state: there is nothing to search for")
    check_budget(simulations, considered)
    root = Node(game, state)
    values = {root: evaluate(root, network, game)}  # the network's value of each node
    gumbel = np.zeros(game.num_actions) if gumbel is None else gumbel
    chosen = gumbel_top_k(log_prior(root.P), root.legal, gumbel, considered)
    is_in = np.isin(np.arange(game.num_actions), chosen)

    def best(candidates: np.ndarray) -> int:
        return int(best_of(candidates, gumbel, root.N, root.W, root.P, values[root]))

    for visits in sequential_halving(simulations, len(chosen)):
        node, action = root, best(is_in & (visits == root.N))
        while action in node.children:
            node = node.children[action]
            action = NO_ACTION
            if not node.is_terminal:
                action = int(follow(node.N, node.W, node.P, node.legal, values[node]))
        if action != NO_ACTION:
            node = expand(node, action, game)
        value = values[node] = evaluate(node, network, game)
        backup(node, value)
    refuse_nan(root)
    q = values_of(root.N, root.W, root.P, values[root])
    policy = improved_policy(log_prior(root.P), q, root.N, root.legal)
    return Decision(best(root.N.max() == root.N), policy, root)


# --- many games ------------------------------------------------------------------------------------------------------


class Decisions(NamedTuple):
    """The results of a search of B positions.

    Attributes:
        actions: int64 [B], the actions to play; NO_ACTION where the game is over.
        policy: float64 [B, num_actions], the improved policies; zeros where the game is over.
        tree: the trees of all games.
    """

    actions: np.ndarray
    policy: np.ndarray
    tree: Tree


def batched_gumbel_search(
    game: BatchedGame,
    states: np.ndarray,
    network: Network,
    simulations: int,
    *,
    considered: int = CONSIDERED,
    gumbel: np.ndarray | None = None,
) -> Decisions:
    """`gumbel_search` from every state of a batch at once; the network is asked as in `batched_search`.

    Args:
        states: [B, ...], as the game stores them. Games that are over get no visits. Not changed.
        gumbel: float64 [B, num_actions], or None: zeros.

    Raises:
        ValueError: there are no simulations, nothing is considered, or values of the network are NaN.
    """
    check_budget(simulations, considered)
    everyone, A = np.arange(len(states)), game.num_actions
    tree = Tree.plant(game, states, simulations)
    values = np.zeros((len(states), simulations + 1))  # the network's value of each node
    values[:, ROOT] = batched_evaluate(tree, np.full(len(states), ROOT), network, game)
    gumbel = np.zeros((len(states), A)) if gumbel is None else gumbel
    going = np.flatnonzero(~tree.is_terminal[:, ROOT])

    is_in = np.zeros((len(states), A), dtype=bool)
    for b in going:
        is_in[b, gumbel_top_k(log_prior(tree.P[b, ROOT]), tree.legal[b, ROOT], gumbel[b], considered)] = True
    plans = np.array([sequential_halving(simulations, max(1, count)) for count in range(A + 1)])
    schedule = plans[is_in.sum(axis=1)]  # [B, simulations]: how many visits the action of each simulation must have

    def best(candidates: np.ndarray) -> np.ndarray:
        here = going, ROOT
        actions = np.full(len(states), NO_ACTION)
        N, W, P = tree.N[here], tree.W[here], tree.P[here]
        actions[going] = best_of(candidates[going], gumbel[going], N, W, P, values[here])
        return actions

    for visits in schedule.T:
        actions = best(is_in & (tree.N[:, ROOT] == visits[:, None]))
        nodes, actions = descend(tree, values, actions)
        leaves = batched_expand(tree, nodes, actions, game)
        values[everyone, leaves] = leaf_values = batched_evaluate(tree, leaves, network, game)
        batched_backup(tree, leaves, leaf_values)

    here, policy = (going, ROOT), np.zeros((len(states), A))
    N, W, P = tree.N[here], tree.W[here], tree.P[here]
    policy[going] = improved_policy(log_prior(P), values_of(N, W, P, values[here]), N, tree.legal[here])
    most = tree.N[:, ROOT] == tree.N[:, ROOT].max(axis=1, keepdims=True)
    return Decisions(best(most & is_in), policy, tree)


def descend(tree: Tree, values: np.ndarray, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Take these actions at the roots, then walk on by `follow`, until there is no child to walk on to.

    Args:
        values: float64 [B, M], the network's value of each node.
        actions: int64 [B]; NO_ACTION where the game is over.

    Returns:
        (nodes, actions), as `batched_select`.
    """
    nodes, actions = np.full(len(actions), ROOT), actions.copy()
    games = np.flatnonzero(actions != NO_ACTION)  # those that are still walking
    while len(games) > 0:
        child = tree.children[games, nodes[games], actions[games]]
        visited = child != UNVISITED
        games, child = games[visited], child[visited]
        nodes[games] = child
        over = tree.is_terminal[games, child]
        actions[games[over]] = NO_ACTION
        games, child = games[~over], child[~over]
        here = games, child
        actions[games] = follow(tree.N[here], tree.W[here], tree.P[here], tree.legal[here], values[here])
    return nodes, actions
