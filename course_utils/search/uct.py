"""Monte Carlo tree search with rollouts, exactly as the notebook 'Tree search with rollouts' teaches it.

A simulation walks down the tree (`uct_select`), adds one node (`uct_expand`), plays on at random to the end of the game
(`rollout`) and carries the result back to the root (`uct_backup`). Kocsis and Szepesvari 2006, Coulom 2006.
"""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.search.puct import Node


class UctNode:
    """A position in the search tree, with the statistics of the move that led to it.

    N counts the simulations that came through here. W sums their results (+1, 0, -1) for the player who moved *into*
    this position, which is the player to move at the parent: so the player who chooses among children wants W / N high.
    W2 sums the squares of the results. UCT does without it; some other rules need it.
    """

    def __init__(self, game: Game, state, parent: "UctNode | None" = None, parent_action: int | None = None):
        self.state = state
        self.parent: Any = parent  # None at the root
        self.parent_action = parent_action  # the action that leads from `parent` to here
        self.children: dict[int, UctNode] = {}  # by action
        self.untried = game.legal_actions(state)  # legal actions that have no child yet; [] at the end of the game
        self.is_terminal = game.is_terminal(state)

        self.N = 0
        self.W = 0.0
        self.W2 = 0.0

    @property
    def Q(self) -> float:
        """The mean result for the player who moved *into* this position; 0 before the first visit."""
        return self.W / max(self.N, 1)


ChildScore = Callable[[UctNode], float]  # how much a child wants to be visited next; selection takes the highest


# --- the four phases -------------------------------------------------------------------------------------------------


@exercise("13")
def uct_score(child: UctNode, c_uct: float = math.sqrt(2)) -> float:
    """How promising `child` is to the player to move at its parent.

    W / N + c_uct * sqrt(ln N_parent / N), with the child's W and N, and its parent's N.
    A child that was never visited scores infinity.
    """
    if child.N == 0:
        return math.inf
    return child.W / child.N + c_uct * math.sqrt(math.log(child.parent.N) / child.N)


def uct_select(root: UctNode, score: ChildScore) -> UctNode:
    """Walk down from `root`, at each node to the child with the highest `score(child)`.

    Returns the first node on the way that has untried actions or is terminal (perhaps `root`).
    """
    node = root
    while not node.untried and not node.is_terminal:
        node = max(node.children.values(), key=score)
    return node


def uct_expand(node: UctNode, game: Game, rng: np.random.Generator) -> UctNode:
    """Draw one of `node.untried` with `rng`, each equally likely, and make its child.

    The action leaves `node.untried`, and `node.children[action]` becomes the child, a new
    UctNode that knows its parent and its action. Nothing is counted here.
    Returns the child.
    """
    action = node.untried.pop(int(rng.integers(len(node.untried))))
    child = UctNode(game, game.play(node.state, action), parent=node, parent_action=action)
    node.children[action] = child
    return child


@exercise("13")
def rollout(game: Game, state, rng: np.random.Generator) -> float:
    """Play on from `state` to the end, each legal action equally likely: who wins?

    rng: draw with this generator.
    Returns +1, 0 (draw) or -1 for the player to move at `state`, where the playing began.
    """
    player = game.to_play(state)
    while not game.is_terminal(state):
        legal = game.legal_actions(state)
        state = game.play(state, legal[int(rng.integers(len(legal)))])
    return float(game.winner(state) * player)


@exercise("13")
def uct_backup(leaf: UctNode, value: float) -> None:
    """Add a result to N, W and W2 (the squares) of `leaf` and of every node above it.

    value: for the player to move at `leaf`. A node's W is for the player who moved *into*
        it, so the sign flips before the first addition, and again at each step up.
    """
    node = leaf
    while node is not None:
        value = -value
        node.N += 1
        node.W += value
        node.W2 += value**2
        node = node.parent


@exercise("13")
def uct_search(
    game: Game,
    root: UctNode,
    simulations: int,
    rng: np.random.Generator,
    *,
    seconds: float = math.inf,
    score: ChildScore | None = None,
    expand: Callable | None = None,
) -> np.ndarray:
    """Grow the tree under `root`: select, expand (unless it is terminal), roll out, back up.

    simulations: so many more than the tree may already hold.
    seconds: stop after the first simulation that ends later than this. One is always made.
    score: how selection compares children. expand: (node, game, rng) -> child.
    Returns int [num_actions], the visits of the root's children.
    """
    # begin given
    if root.is_terminal:
        raise ValueError("the game is over at this state: there is nothing to search for")
    score = score or uct_score
    expand = expand or uct_expand
    # end given
    deadline = time.perf_counter() + seconds
    for _ in range(simulations):
        node = uct_select(root, score)
        if not node.is_terminal:
            node = expand(node, game, rng)
        value = rollout(game, node.state, rng)
        uct_backup(node, value)
        if time.perf_counter() >= deadline:
            break
    # begin given
    return child_visits(root, game)
    # end given


def child_visits(root: UctNode, game: Game) -> np.ndarray:
    """int [num_actions]: N of each of the root's children, 0 where there is none."""
    visits = np.zeros(game.num_actions, dtype=int)
    for action, child in root.children.items():
        visits[action] = child.N
    return visits


def expand_all(node: UctNode, game: Game, rng: np.random.Generator) -> UctNode:
    """Expand in another way: make the children of all untried actions at once. Returns a random child of these."""
    for action in node.untried:
        node.children[action] = UctNode(game, game.play(node.state, action), parent=node, parent_action=action)
    fresh, node.untried = node.untried, []
    return node.children[fresh[int(rng.integers(len(fresh)))]]


# --- which action to play --------------------------------------------------------------------------------------------

RULES = ("robust", "max", "max-robust", "secure")


def final_action(root: UctNode, rule: str = "robust", caution: float = 1.0) -> int | None:
    """The action to play after a search, by one of four rules.

    "robust": the child with the most visits. "max": the one with the highest mean W / N.
    "max-robust": the one that has both, or None. "secure": the one with the highest lower
    bound, W / N - caution / sqrt(N).
    """
    if rule not in RULES:
        raise ValueError(f"no rule is called {rule!r}; known: {', '.join(RULES)}")
    children = root.children
    if rule == "robust":
        return max(children, key=lambda action: children[action].N)
    if rule == "max":
        return max(children, key=lambda action: children[action].Q)
    if rule == "secure":
        return max(children, key=lambda action: children[action].Q - caution / math.sqrt(children[action].N))
    both = (max(child.N for child in children.values()), max(child.Q for child in children.values()))
    return next((action for action, child in children.items() if both == (child.N, child.Q)), None)


# --- other selection policies ----------------------------------------------------------------------------------------


def spread(node: UctNode) -> float:
    """Standard deviation of the results that came through `node`; infinite below two visits.

    Two equal results would make it 0, and a child that lost twice could never be visited again. So 1 is added to
    the sum of their squared distances from the mean, and the sum divided by N as before.
    """
    if node.N < 2:
        return math.inf
    deviations = max(node.W2 - node.N * node.Q**2, 0.0) + 1
    return math.sqrt(deviations / node.N)


def fairness(child: UctNode, urgency: Callable[[UctNode, UctNode], float]) -> float:
    """N_parent * U(child) / ((N + 1) * the sum of U over its siblings): high if a child is visited less than is urgent.

    Args:
        urgency: U, a function (child, best) -> 0 to 1, where `best` is the sibling with the highest mean.
    """
    siblings = list(child.parent.children.values())
    best = max(siblings, key=lambda node: node.Q if node.N else -math.inf)
    total = sum(urgency(node, best) for node in siblings if node is not child)
    if total == 0:
        return math.inf
    return child.parent.N * urgency(child, best) / ((child.N + 1) * total)


def omc_score(child: UctNode) -> float:
    """Objective Monte Carlo. Urgency is twice the chance that a result of the child beats the mean of the best child.

    This is erfc((V - v) / (sqrt 2 sigma)).
    """

    def urgency(node: UctNode, best: UctNode) -> float:
        sigma = spread(node)
        if node is best or math.isinf(sigma):
            return 1.0
        return math.erfc((best.Q - node.Q) / (math.sqrt(2) * sigma))

    return fairness(child, urgency)


def pbbm_score(child: UctNode) -> float:
    """Probability to be Better than the Best Move: urgency is exp(-2.4 (V - v) / sqrt(2 (S^2 + sigma^2))).

    S is the spread of the best child.
    """

    def urgency(node: UctNode, best: UctNode) -> float:
        sigma = math.hypot(spread(node), spread(best))
        if node is best or math.isinf(sigma):
            return 1.0
        return math.exp(-2.4 * (best.Q - node.Q) / (math.sqrt(2) * sigma))

    return fairness(child, urgency)


def count_nodes(root: UctNode) -> int:
    """How many positions the tree holds, the root included."""
    return 1 + sum(count_nodes(child) for child in root.children.values())


def with_edges(root: UctNode, game: Game) -> Node:
    """Convert the tree to nodes of the notebook 'PUCT search', which keep the numbers one step higher, at the parent.

    N[action] and W[action] of the parent are N and W of the child here, W for the same player.
    """
    node = Node(game, root.state)
    for action, child in root.children.items():
        node.N[action], node.W[action] = child.N, child.W
        node.children[action] = with_edges(child, game)
        node.children[action].parent, node.children[action].parent_action = node, action
    return node
