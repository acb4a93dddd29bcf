"""PUCT that marks proven nodes, carries proofs up the tree, and stops when its root is proven. Winands et al. 2008.

A *proven* node is marked as a finished game is: `is_terminal` is true, and `terminal_value` is what it is worth to the
player to move there. So `select`, `evaluate` and `backup` treat it as one, and PUCT itself stays as it is. A move that
is proven lost is closed: its entry in `legal` is False, so no walk takes it.
"""

import math
import time

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.networks import Network
from course_utils.search.puct import NO_ACTION, Node, backup, evaluate, expand, select


@exercise("14")
def proven_by_children(node: Node) -> float | None:
    """What the children prove about `node`: 1.0, 0.0 or -1.0 for the player to move there.

    A child is proven if its `is_terminal` is true. Its `terminal_value` is for the player to
    move at the child, who is the opponent. One move that wins is enough. Otherwise every move
    has to be proven, and the best of them counts.
    A closed move (`legal` is False, its child is still there) counts, too: it loses.
    Returns None where nothing is proven yet.
    """
    values = [-child.terminal_value for child in node.children.values() if child.is_terminal]
    if 1.0 in values:
        return 1.0
    open_moves = [int(action) for action in np.flatnonzero(node.legal)]
    if all(action in node.children and node.children[action].is_terminal for action in open_moves):
        return max(values)
    return None


@exercise("14")
def pass_up_proof(leaf: Node) -> None:
    """Carry the proof of `leaf`, a proven node, up the tree as far as it reaches.

    If a child is proven won for the player to move at the child, close the move that leads
    there: `legal[action] = False` at its parent.
    If the children then prove the parent, mark it (`is_terminal`, `terminal_value`) and go on
    from there. Otherwise stop. The root may be marked, too.
    """
    node = leaf
    while node.parent is not None:
        action, won_by_opponent = node.parent_action, node.terminal_value == 1
        node = node.parent
        if won_by_opponent:
            node.legal[action] = False
        value = proven_by_children(node)
        if value is None:
            return
        node.is_terminal, node.terminal_value = True, value


@exercise("14")
def search_until_proven(
    root: Node,
    network: Network,
    game: Game,
    simulations: int,
    c_puct: float,
    seconds: float = math.inf,
) -> int:
    """Search from `root`, which has been evaluated, until it is proven.

    It also ends after `simulations`, or when `seconds` have gone by, but not before its first
    simulation. Each simulation is one of PUCT search; where it ends at a proven node, the
    proof is carried up, after the backup.
    Returns how many simulations were made: 0 if `root` was proven before.
    """
    deadline = time.perf_counter() + seconds
    made = 0
    while made < simulations and not root.is_terminal:
        node, action = select(root, c_puct)
        if action != NO_ACTION:
            node = expand(node, action, game)
        backup(node, evaluate(node, network, game))
        if node.is_terminal:
            pass_up_proof(node)
        made += 1
        if time.perf_counter() >= deadline:
            break
    return made


def visits_that_count(root: Node) -> np.ndarray:
    """The root's visits [num_actions], 0 for moves that are proven to be worse: the largest is the move to play.

    Where no move that may be the best was tried yet, their priors come back instead.
    """
    may_be_best = root.legal
    if root.is_terminal:
        may_be_best = np.zeros_like(root.legal)
        for action, child in root.children.items():
            may_be_best[action] = child.is_terminal and -child.terminal_value == root.terminal_value
    visits = np.where(may_be_best, root.N, 0)
    return visits if visits.any() else np.where(may_be_best, root.P, 0)
