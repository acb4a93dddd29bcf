"""Trees of notebook 06: made from small descriptions, searched by plain loops, and told as plain data.

They are made of real `Node`s, since an answer may use any of their fields. What an answer returns is judged by its fields
alone, since the notebook defines a `Node` of its own.
"""

import functools
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.search.puct import NO_ACTION, Node
from course_utils.tests.case import show
from course_utils.tests.specification import copies
from course_utils.tests.world.games import Misere

GAMES = {  # as one writes them -> the game
    "TicTacToe()": TicTacToe(),
    "ConnectN(3, 4, 3)": ConnectN(3, 4, 3),
    "ConnectN(6, 7, 4)": ConnectN(6, 7, 4),
    "Misere()": Misere(),
    "ConnectN(1, 6, 3)": ConnectN(1, 6, 3),
    "ConnectN(4, 1, 4)": ConnectN(4, 1, 4),  # one action, four times, and a draw
}
PASTE = "from course_utils.games import ConnectN, TicTacToe\nfrom course_utils.tests.notebook_06.trees import Line, Misere, line\n\n"
GAME = GAMES["TicTacToe()"]


# --- a line: from a root down to a leaf, with what other simulations left ----------------------------------------------


class Line(NamedTuple):
    """A root, and a line of nodes that goes down from it."""

    game: str  # one of GAMES
    before: int  # moves before the root
    depth: int  # levels below the root, as far as the game goes on
    seed: int  # which moves, and what others left on them; nothing if 0
    stray: float = 0.5  # how often, at a node of the line, another action has the best of it


ANY_GAME = st.sampled_from([*GAMES, "Misere()"])
LINES = st.builds(
    Line,
    ANY_GAME,
    st.one_of(st.just(0), st.integers(0, 5)),
    st.one_of(st.integers(0, 4), st.integers(0, 12)),
    st.integers(0, 99),
    st.sampled_from([0.0, 0.1, 0.5]),
)


DEEP = Line("ConnectN(6, 7, 4)", 1, 42, 2, 0.0)
DRAWN = Line("ConnectN(4, 1, 4)", 2, 2, 1)
WON = Line("Misere()", 0, 9, 1)  # by the player who would be to move


def hang(node: Node, action: int, game) -> Node:
    node.children[action] = Node(game, game.play(node.state, action), node, action)
    return node.children[action]


def position(game, moves: int, rng: np.random.Generator) -> list[int]:
    """Random moves from the start to a position that is not over."""
    actions, state = [], game.initial_state()
    while len(actions) < moves:
        action = int(rng.choice(game.legal_actions(state)))
        state = game.play(state, action)
        if game.is_terminal(state):
            break
        actions.append(action)
    return actions


@copies
def line(drawn: Line) -> list[Node]:
    """Its nodes, from the root to the leaf."""
    game, rng = GAMES[drawn.game], np.random.default_rng(drawn.seed)
    before = position(game, drawn.before, rng)
    nodes = [Node(game, after(game, before))]
    while len(nodes) <= drawn.depth and not nodes[-1].is_terminal:
        hang(nodes[-1], int(rng.choice(np.flatnonzero(nodes[-1].legal))), game)
        nodes.append(next(iter(nodes[-1].children.values())))
    for node in nodes if drawn.seed else ():
        if not node.is_terminal:
            legal, ahead = np.flatnonzero(node.legal), next(iter(node.children), None)
            if rng.random() < 0.5 and ahead != legal[-1]:  # a child beside the line
                hang(node, int(legal[-1]), game)
            mark(node, rng, None if rng.random() < drawn.stray else ahead)
    return nodes


def mark(node: Node, rng: np.random.Generator, best: int | None = None) -> None:
    """Leave N, W and P there, `best` being so much better than the others that any search goes there."""
    legal = np.flatnonzero(node.legal)
    node.N[legal] = rng.integers(0, rng.choice([1, 5, 50, 1000]), len(legal))
    node.W[legal] = node.N[legal] * rng.uniform(-1, 0.5, len(legal))
    node.P[legal] = rng.dirichlet(np.ones(len(legal)))
    if best is not None:
        node.N[best], node.W[best] = 2, 1.9
        node.P[:] = 0.01 * node.P
        node.P[best] += 0.99


def moves(nodes: list[Node]) -> str:
    return " --> ".join(["root", *(str(node.parent_action) for node in nodes[1:])])


def show_line(drawn: Line) -> str:
    """As lines to paste."""
    return f"{PASTE}game = {drawn.game}\nnodes = line({drawn!r})  # {moves(line(drawn))}\n"


def draw_line(drawn: Line) -> str:
    nodes = line(drawn)
    return f"{nodes[0].state}\n{moves(nodes)}"


# --- a tree by hand ----------------------------------------------------------------------------------------------------


def tree(actions: list[int], statistics: dict, game=GAME) -> Node:
    """The root of a tree at the position after `actions`.

    Args:
        statistics: for each path that has a node, parents first: {action: (N, W, P)}.
    """
    nodes = {(): Node(game, after(game, actions))}
    for path, edges in statistics.items():
        if path:
            nodes[path] = hang(nodes[path[:-1]], path[-1], game)
        for action, (visits, total, prior) in edges.items():
            nodes[path].N[action], nodes[path].W[action], nodes[path].P[action] = visits, total, prior
    return nodes[()]


def picture(root: Node) -> str:
    """The root's board, and every node's statistics."""
    rows = [str(root.state), ""]
    for name, node in every(root):
        if node.is_terminal:
            rows.append(f"{name}: the game is over")
            continue
        known = np.flatnonzero((node.N > 0) | (node.P > 0) | (node.legal & (len(root.children) == 0))).tolist()
        rows.append(f"{name}: children {list(node.children) or 'none'}")
        rows.append("  action " + "".join(f"{action:7}" for action in known))
        rows += [f"  {key}      " + "".join(f"{getattr(node, key)[action]:7.3g}" for action in known) for key in "NWP"]
    return "\n".join(rows)


def mover(node) -> str:
    """A node's position and whose turn it is there."""
    state = getattr(node, "state", None)
    if not hasattr(state, "to_play"):
        return f"no node with a state, but {type(node).__name__}"
    return f"{state}\n{'X' if state.to_play == 1 else 'O'} to move"


# --- a tree as plain data ----------------------------------------------------------------------------------------------


class Told(dict):
    """All that a tree remembers, node by node: "names", such as "root/4/0", and what each knows. Shown as few lines."""

    def __repr__(self) -> str:
        lines = []
        for i, name in enumerate(self["names"]):
            known = [f"{key} {{{_entries(self[key][i])}}}" for key in "NWP" if np.any(self[key][i])]
            lines.append(f"{name}: {', '.join(known) or 'N, W and P are 0'}{self['ties'][i]}")
        return "\n".join(lines)


def _entries(values: np.ndarray) -> str:
    return (
        ", ".join(f"{i}: {show(float(values[i]))}" for i in np.flatnonzero(values))
        if values.ndim == 1
        else show(values)
    )


def every(root) -> Iterator[tuple[str, Node]]:
    """(name, node) of the whole tree, each node once, in order of name."""
    waiting, seen = [("root", root)], set()
    while waiting:
        name, node = waiting.pop()
        yield name, node
        if id(node) not in seen and isinstance(getattr(node, "children", None), dict):
            seen.add(id(node))
            below = sorted(
                ((f"{name}/{action}", child) for action, child in node.children.items()), key=lambda one: one[0]
            )
            waiting += reversed(below)


def told(root) -> Told:
    names, nodes = zip(*every(root), strict=True)
    found = Told(names=names, state=[repr(node.state) for node in nodes], ties=[_ties(node) for node in nodes])
    for key in ("N", "W", "P", "legal", "is_terminal", "terminal_value"):
        values = [np.asarray(getattr(node, key)) for node in nodes]
        alike = len({value.shape for value in values}) == 1
        found[key] = np.array(values, dtype=np.float64) if alike else values
    return found


def _ties(node) -> str:
    lost = [a for a, child in node.children.items() if child.parent is not node or child.parent_action != a]
    return f" (children that do not know where they hang: {lost})" if lost else ""


def top(node: Node) -> Node:
    """The root of its tree."""
    return node if node.parent is None else top(node.parent)


def place(root: Node, node) -> str:
    """The name of `node` in the tree, in words if it has none."""
    if not hasattr(node, "parent_action"):
        return f"not a node, but {type(node).__name__}"
    return next((name for name, known in every(root) if known is node), "a node that is not in the tree")


# --- a search by plain loops ---------------------------------------------------------------------------------------------


def scores(node: Node, c_puct: float) -> dict[int, float]:
    """Q + U of each legal action, in plain numbers."""
    N, W, P = node.N.tolist(), node.W.tolist(), node.P.tolist()
    wide = c_puct * math.sqrt(1 + sum(N))
    return {
        action: (W[action] / N[action] if N[action] else 0.0) + wide * P[action] / (1 + N[action])
        for action in np.flatnonzero(node.legal).tolist()
    }


def way_down(root: Node, c_puct: float) -> tuple[list[Node], int]:
    """(the nodes of a simulation, from the root; the action that has no child there, or NO_ACTION)."""
    nodes, action = [root], NO_ACTION
    while not nodes[-1].is_terminal:
        score = scores(nodes[-1], c_puct)
        action = max(score, key=score.get)  # the first of equals, and they come in order
        if action not in nodes[-1].children:
            return nodes, action
        nodes.append(nodes[-1].children[action])
    return nodes, NO_ACTION


def priors(logits, legal) -> np.ndarray:
    """Softmax over the legal actions, one by one."""
    allowed = [action for action, may in enumerate(legal) if may]
    top = max(float(logits[action]) for action in allowed)
    weights = {action: math.exp(float(logits[action]) - top) for action in allowed}
    return np.array([weights.get(action, 0.0) / math.fsum(weights.values()) for action in range(len(legal))])


def searched(game, state, network, simulations: int, c_puct: float, noise=None, rng=None) -> Node:
    """The root of a searched tree. Raises FloatingPointError: a value that is backed up is NaN."""

    def look(node: Node) -> float:
        if node.is_terminal:
            return float(game.winner(node.state) * game.to_play(node.state))
        value, logits = network(game.encode(node.state)[None])
        node.P[:] = priors(logits[0], node.legal)
        return float(value[0])

    root = Node(game, state)
    look(root)
    if noise is not None:
        root.P[:] = noise(root.P, root.legal, rng)
    for _ in range(simulations):
        nodes, action = way_down(root, c_puct)
        if action != NO_ACTION:
            nodes.append(hang(nodes[-1], action, game))
        value = look(nodes[-1])
        if math.isnan(value):
            raise FloatingPointError
        for steps, node in enumerate(reversed(nodes[1:]), 1):
            node.parent.N[node.parent_action] += 1
            node.parent.W[node.parent_action] += value * (-1) ** steps
    return root


class Opinion:
    """A network with a made-up judgement of every position, the same each time. It learns by being given another `seed`."""

    def __init__(self, num_actions: int, seed: int):
        self.num_actions, self.seed = num_actions, seed

    def __call__(self, planes):
        flat = np.asarray(planes, dtype=np.float64).reshape(len(planes), -1)
        if np.ndim(planes) != 4:
            raise ValueError(
                f"a network takes [batch, planes, rows, columns], not an array of shape {np.shape(planes)}"
            )
        weights, bias = _weights(self.seed, flat.shape[1], self.num_actions)
        judged = np.sin((flat[:, :, None] * weights).sum(axis=1) + bias)  # no sum that depends on the batch's size
        return 0.9 * judged[:, -1], 2 * judged[:, :-1]


@functools.cache
def _weights(seed: int, cells: int, num_actions: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(scale=5, size=(cells, num_actions + 1)), rng.normal(size=num_actions + 1)


class Recorder:
    """Hands on what it is asked to a network, and remembers it."""

    def __init__(self, network):
        self.network, self.asked = network, []

    def __call__(self, planes):
        self.asked.append(np.array(planes, dtype=np.float64))
        return self.network(planes)
