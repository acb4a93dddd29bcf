"""Grow search trees for the checks of PUCT, and describe them in words."""

from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, Game, TicTacToe, after
from course_utils.search.puct import Node
from course_utils.tests.world.games import Misere
from course_utils.tests.world.networks import HashNetwork
from course_utils.tests.world.positions import random_line

GAMES: dict[str, Game] = {  # code -> the game
    "TicTacToe()": TicTacToe(),
    "ConnectN(3, 4, 3)": ConnectN(3, 4, 3),
    "ConnectN(6, 7, 4)": ConnectN(6, 7, 4),
    "Misere()": Misere(),
    "ConnectN(12, 1, 12)": ConnectN(12, 1, 12),  # one action, twelve times, and a draw
}
TREES = st.tuples(st.sampled_from([*GAMES]), st.integers(0, 6), st.integers(1, 16), st.integers(0, 99))


def begun(game: str, plies: int, seed: int) -> list[int]:
    """List random moves that lead to an unfinished position."""
    moves = random_line(GAMES[game], plies, seed)
    return moves[:-1] if GAMES[game].is_terminal(after(GAMES[game], moves)) else moves


def planted(draw) -> str:
    """Write the lines that define `root`, from a draw of `TREES`."""
    game, plies, simulations, seed = draw
    return f"game = {game}\nroot = searched(game, {begun(game, plies, seed)}, {simulations}, {seed})\n"


def picture(draw) -> str:
    """Draw the board at the root."""
    game, plies, _, seed = draw
    return mover(Node(GAMES[game], after(GAMES[game], begun(game, plies, seed))))


def searched(game, moves: list[int], simulations: int, seed: int) -> Node:
    """Grow a tree by a search with a made-up network, and return its root.

    It calls no exercise, since an exercise is being checked.
    """
    network = HashNetwork(game.num_actions, seed)
    root = Node(game, after(game, moves))
    _look(root, network, game)
    for _ in range(simulations):
        node = root
        path: list[tuple[Node, int]] = []
        while not node.is_terminal and not (path and not node.N.any() and not node.P.any()):
            score = node.Q + 1.5 * node.P * np.sqrt(1 + node.N.sum()) / (1 + node.N)
            action = int(np.where(node.legal, score, -np.inf).argmax())
            path.append((node, action))
            if action not in node.children:
                node.children[action] = Node(game, game.play(node.state, action), node, action)
            node = node.children[action]
        value = _look(node, network, game)
        for above, action in reversed(path):
            value = -value
            above.N[action] += 1
            above.W[action] += value
    return root


def _look(node: Node, network: HashNetwork, game: Game) -> float:
    """Return a node's value for the player to move, and set its priors."""
    if node.is_terminal:
        return node.terminal_value
    value, logits = network(game.encode(node.state)[None])
    weights = np.where(node.legal, np.exp(logits[0] - logits[0][node.legal].max()), 0)
    node.P = weights / weights.sum()
    return float(value[0])


def longest(root: Node) -> list[Node]:
    """List the nodes of the longest path down from the root."""
    below = max((longest(child) for child in root.children.values()), key=len, default=[])
    return [root, *below]


def way(node: Node) -> list[int]:
    """List the actions that lead from the root to this node."""
    return [] if node.parent is None else [*way(node.parent), node.parent_action]


def mover(node: Node) -> str:
    """Draw a node's position, and say whose turn it is."""
    return f"{node.state}\n{'X' if node.state.to_play == 1 else 'O'} to move"


def told(root: Node, returned: Node | None = None) -> str:
    """Describe the tree, one line a node: its board, and the nonzero entries of N, W and P. `returned` is marked."""
    return "\n".join(_told(root, "root", returned, []))


def _told(node: Node, name: str, returned: Node | None, above: list[Node]) -> Iterator[str]:
    statistics = [f"{key} {{{_entries(getattr(node, key))}}}" for key in "NWP" if np.any(getattr(node, key))]
    over = [f"the game is over, worth {node.terminal_value:g}"] if node.is_terminal else []
    rows = (row.replace(" ", "") for row in str(node.state).splitlines())
    board = " ".join(row for row in rows if not row.isdigit())  # without the row of column numbers
    yield ", ".join([f"{name}: {board}", *statistics, *over]) + " (returned)" * (node is returned)
    for action, child in sorted(node.children.items()):
        if child in [*above, node]:
            yield f"{name}/{action}: a node above it, once more"
        elif child.parent is not node:
            yield f"{name}/{action}: its parent is {'another node' if child.parent else None}"
        elif child.parent_action != action:
            yield f"{name}/{action}: its parent_action is {child.parent_action}"
        else:
            yield from _told(child, f"{name}/{action}", returned, [*above, node])


def _entries(values: np.ndarray) -> str:
    return ", ".join(f"{action}: {values[action]:.3g}" for action in np.flatnonzero(np.abs(values) > 1e-9))
