"""AlphaZero's tree search, one game at a time, exactly as the notebook 'PUCT search' teaches it.

A simulation walks down the tree (`select`), adds one node (`expand`), asks the network what it is worth (`evaluate`)
and carries that value back to the root (`backup`). Silver et al. 2018.
"""

import math
import time

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.networks import Network, masked_policy

NO_ACTION = -100  # "there is nothing to expand"; not -1, which is an index (the last), but one that fails at once


class Node:
    """A position in the search tree, with the statistics of the actions that leave it.

    N, W and P are float64 [num_actions], `legal` is bool [num_actions]:
    N[a] counts the simulations that took action a here;
    W[a] sums the values they brought back, from the point of view of the player to move *here*;
    P[a] is the network's prior, 0 until `evaluate` fills it in.
    """

    def __init__(self, game: Game, state, parent: "Node | None" = None, parent_action: int = NO_ACTION):
        self.state = state
        self.parent = parent
        self.parent_action = parent_action  # the action that leads from `parent` to here
        self.children: dict[int, Node] = {}  # made lazily, one a simulation

        self.N = np.zeros(game.num_actions)
        self.W = np.zeros(game.num_actions)
        self.P = np.zeros(game.num_actions)
        self.legal = np.zeros(game.num_actions, dtype=bool)
        self.legal[game.legal_actions(state)] = True

        self.is_terminal = game.is_terminal(state)
        # 0 for a draw; -1 if the last move has won: the player to move here has lost
        self.terminal_value = float(game.winner(state) * game.to_play(state)) if self.is_terminal else 0.0

    @property
    def Q(self) -> np.ndarray:
        """[num_actions]: the mean value of each action for the player to move here; 0 where it was never tried."""
        return self.W / np.maximum(self.N, 1)


@exercise("03")
def select_child(node: Node, c_puct: float) -> int:
    """The legal action with the highest Q + U, U = c_puct * P * sqrt(1 + sum of N) / (1 + N).

    Ties go to the lowest action. Returns an int.
    """
    U = c_puct * node.P * np.sqrt(1 + node.N.sum()) / (1 + node.N)
    score = np.where(node.legal, node.Q + U, -np.inf)
    return int(score.argmax())


@exercise("03")
def select(root: Node, c_puct: float) -> tuple[Node, int]:
    """Walk down from `root`, always by `select_child`, until there is no child to walk on to.

    Returns (node, action): the place to expand, where the best action has no child yet; or a
    finished game, with NO_ACTION.
    """
    node = root
    while not node.is_terminal:
        action = select_child(node, c_puct)
        if action not in node.children:
            return node, action
        node = node.children[action]
    return node, NO_ACTION


@exercise("03")
def expand(node: Node, action: int, game: Game) -> Node:
    """Make the child that `action` leads to, and tie it to the tree.

    Returns the new node. It knows its parent and the action that led to it, and
    `node.children[action]` is it.
    """
    child = Node(game, game.play(node.state, action), parent=node, parent_action=action)
    node.children[action] = child
    return child


@exercise("03")
def evaluate(node: Node, network: Network, game: Game) -> float:
    """What `node` is worth to the player to move there; fills in its priors.

    A finished game is worth `node.terminal_value`; the network is not asked. Otherwise it gets
    a batch of this one position: the logits become `node.P`, probabilities over legal actions,
    and its value comes back, a float.
    """
    if node.is_terminal:
        return node.terminal_value
    value, logits = network(game.encode(node.state)[None])  # [1], [1, num_actions]
    node.P = masked_policy(logits[0], node.legal)
    return float(value[0])


@exercise("03")
def backup(leaf: Node, value: float) -> None:
    """Carry `value` from `leaf` up to the root, and count one visit of every move on the way.

    value: for the player to move at `leaf`. The sign flips at each step up, *before* the value
        is added to W.
    """
    node = leaf
    while node.parent is not None:
        value = -value
        action = node.parent_action
        node = node.parent
        node.N[action] += 1
        node.W[action] += value


@exercise("03")
def mcts_search(
    game: Game,
    state,
    network: Network,
    simulations: int,
    c_puct: float,
    *,
    noise=None,
    rng: np.random.Generator | None = None,
    return_root: bool = False,
):
    """Search from `state` with a new tree; count how often each action was tried at the root.

    simulations: how often to select, expand, evaluate and back up.
    noise: None, or (prior, legal, rng) -> prior, which perturbs the root's prior.
    Returns float64 [num_actions], the root's N; (N, root) if `return_root`.
    """
    # begin given
    if game.is_terminal(state):
        raise ValueError("the game is over at this state: there is nothing to search for")
    root = Node(game, state)
    evaluate(root, network, game)
    if noise is not None:
        root.P = noise(root.P, root.legal, rng)
    # end given
    for _ in range(simulations):
        node, action = select(root, c_puct)
        if action != NO_ACTION:
            node = expand(node, action, game)
        value = evaluate(node, network, game)
        backup(node, value)
    # begin given
    if np.isnan(root.W).any():
        raise ValueError("the network's value is NaN: its weights have probably diverged")
    return (root.N, root) if return_root else root.N
    # end given


# --- a tree kept from move to move -----------------------------------------------------------------------------------


@exercise("14")
def keep_subtree(root: Node, action: int, network: Network, game: Game) -> Node:
    """The root of the next search after `action`: its node, with all that is known below.

    Its N, W and P stay as they are: they belong to the player to move there.
    No backup may climb above it any more.
    If `action` was never tried, there is no node yet: `expand` makes one, and it is evaluated.
    A node that is there was evaluated when it was made.
    """
    child = root.children.get(action)
    if child is None:
        child = expand(root, action, game)
        evaluate(child, network, game)
    child.parent = None
    return child


def search_on(
    root: Node, network: Network, game: Game, simulations: int, c_puct: float, seconds: float = math.inf
) -> None:
    """Continue the search of `root`, which has been evaluated, by `simulations`, or fewer if the time is up before.

    Raises:
        ValueError: as `mcts_search`.
    """
    deadline = time.perf_counter() + seconds
    for _ in range(simulations):
        node, action = select(root, c_puct)
        if action != NO_ACTION:
            node = expand(node, action, game)
        backup(node, evaluate(node, network, game))
        if time.perf_counter() >= deadline:
            break
    refuse_nan(root)


def refuse_nan(root: Node) -> None:
    """Raises ValueError: a value that came back to `root` was NaN."""
    if np.isnan(root.W).any():
        raise ValueError("the network's value is NaN: its weights have probably diverged")
