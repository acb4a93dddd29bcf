"""Trees for the checks of PUCT: what a search has left, and a tree told in words."""

from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, Game, TicTacToe, after
from course_utils.search.puct import Node
from course_utils.tests.world.games import Misere
from course_utils.tests.world.networks import HashNetwork
from course_utils.tests.world.positions import random_line

GAMES: dict[str, Game] = {  # as one writes them -> the game
    "TicTacToe()": TicTacToe(),
    "ConnectN(3, 4, 3)": ConnectN(3, 4, 3),
    "ConnectN(6, 7, 4)": ConnectN(6, 7, 4),
    "Misere()": Misere(),
    "ConnectN(12, 1, 12)": ConnectN(12, 1, 12),  # one action, twelve times, and a draw
}
TREES = st.tuples(st.sampled_from([*GAMES]), st.integers(0, 6), st.integers(1, 16), st.integers(0, 99))


def begun(game: str, plies: int, seed: int) -> list[int]:
    """Random moves to a position that is not over."""
    moves = random_line(GAMES[game], plies, seed)
    return moves[:-1] if GAMES[game].is_terminal(after(GAMES[game], moves)) else moves


def planted(draw) -> str:
    """A line that makes `root`; a draw is one of `TREES`."""
    game, plies, simulations, seed = draw
    return f"game = {game}\nroot = searched(game, {begun(game, plies, seed)}, {simulations}, {seed})\n"


def picture(draw) -> str:
    """The board at the root."""
    game, plies, _, seed = draw
    return mover(Node(GAMES[game], after(GAMES[game], begun(game, plies, seed))))


def searched(game, moves: list[int], simulations: int, seed: int) -> Node:
    """The root of a tree that a search has grown, with a made-up network.

    It calls no exercise, since one of them is being checked.
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
    """What it is worth to the player to move; fills in its priors."""
    if node.is_terminal:
        return node.terminal_value
    value, logits = network(game.encode(node.state)[None])
    weights = np.where(node.legal, np.exp(logits[0] - logits[0][node.legal].max()), 0)
    node.P = weights / weights.sum()
    return float(value[0])


def longest(root: Node) -> list[Node]:
    """The nodes of the longest way down, from the root to its end."""
    below = max((longest(child) for child in root.children.values()), key=len, default=[])
    return [root, *below]


def way(node: Node) -> list[int]:
    """The actions that lead from the root to this node."""
    return [] if node.parent is None else [*way(node.parent), node.parent_action]


def mover(node: Node) -> str:
    """A node's position and whose turn it is there."""
    return f"{node.state}\n{'X' if node.state.to_play == 1 else 'O'} to move"


def told(root: Node, returned: Node | None = None) -> str:
    """The tree in words, a line for each node: its board, and what is not 0 of N, W and P. `returned` is marked."""
    return "\n".join(_told(root, "root", returned, []))


def _told(node: Node, name: str, returned: Node | None, above: list[Node]) -> Iterator[str]:
    known = [f"{key} {{{_entries(getattr(node, key))}}}" for key in "NWP" if np.any(getattr(node, key))]
    over = [f"the game is over, worth {node.terminal_value:g}"] if node.is_terminal else []
    rows = (row.replace(" ", "") for row in str(node.state).splitlines())
    board = " ".join(row for row in rows if not row.isdigit())  # but for the numbers of the columns
    yield ", ".join([f"{name}: {board}", *known, *over]) + " (returned)" * (node is returned)
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
