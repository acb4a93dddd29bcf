"""A search, watched from outside and written down simulation by simulation: what the microscope shows.

It records any of the three searches, by the functions in force, without changing them: only the backup is wrapped. When
it is called, the walk is over, the leaf is in the tree and its value is known; comparing the tree before and after it
shows what the backup did.

A recording is plain data, for JSON. Per simulation it holds less than a search reads and writes, yet enough for
`course_utils/ui/microscope.js` to rebuild the tree as it was at any moment.
"""

import contextlib
import math
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from operator import index
from typing import Any

import numpy as np

from course_utils.exercise import EXERCISES, wrapping
from course_utils.games import Game
from course_utils.games.batched import make_batched
from course_utils.networks import Network
from course_utils.search.batched import NO_PARENT, Tree, batched_search
from course_utils.search.proven import search_until_proven
from course_utils.search.puct import Node, evaluate, mcts_search
from course_utils.search.uct import UctNode, uct_search

Noise = Callable[[np.ndarray, np.ndarray, np.random.Generator], np.ndarray]  # (prior, legal, rng) -> prior
DIGITS = 6


@dataclass
class Recording:
    """A search and its tree.

    Attributes:
        search: "uct", "puct" or "batched".
        c: c_uct, or c_puct.
        nodes: in the order in which they came into the tree, the root first. Each has
            parent, action: the number of the node above, and the action that leads here; None at the root, and at the
                top of what a wrong search has left beside the tree;
            cells: the position, row by row, of "X", "O" and ".";
            to_play: +1 or -1; over: None, or who has won: +1, -1, 0 for a draw;
            legal: the legal actions; P: their priors, None in a search without a network.
        simulations: in order. Each has
            leaf: the node it reached; new: whether it made that node;
            value: the value of the leaf, for the player to move there;
            source: "network", "rules" (the game is over there) or "rollout";
            up: what backup changed, from the leaf upwards: [node, action, change of N, change of W]; W is for the
                player to move at the node.
        unperturbed: the root's priors before the noise; None without noise.
        remark: a note for the viewer about how it was recorded, or "".
    """

    search: str
    c: float
    nodes: list[dict] = field(default_factory=list)
    simulations: list[dict] = field(default_factory=list)
    unperturbed: list[float] | None = None
    remark: str = ""


# --- the three searches ----------------------------------------------------------------------------------------------


def watch_puct(
    game: Game, state, network: Network, simulations: int, c_puct: float, *, noise: Noise | None = None, rng=None
) -> Recording:
    """Record `mcts_search` from `state`. An error that it raises has the recording so far as its `recording`."""

    def search(watch: _Watch) -> None:
        mcts_search(game, state, network, simulations, c_puct, noise=noise and watch.noise, rng=rng)

    return _watched(_Watch(game, "puct", c_puct, _node, noise), "mcts_search", "backup", simulations, search)


def watch_uct(game: Game, state, simulations: int, rng: np.random.Generator) -> Recording:
    """Record `uct_search` from `state`, by `uct_score` and `uct_expand`. Raises as `watch_puct` does."""

    def search(watch: _Watch) -> None:
        watch.root = UctNode(game, state)
        uct_search(game, watch.root, simulations, rng)

    return _watched(_Watch(game, "uct", math.sqrt(2), _uct_node), "uct_search", "uct_backup", simulations, search)


def watch_proven(game: Game, state, network: Network, simulations: int, c_puct: float) -> Recording:
    """Record `search_until_proven` from `state`, which may end early. Raises as `watch_puct` does."""
    watch = _Watch(game, "puct", c_puct, _node)
    watch.root = root = Node(game, state)
    with wrapping({"backup": watch.backup}), watch.keeping():
        evaluate(root, network, game)
        search_until_proven(root, network, game, simulations, c_puct)
    return watch.recording


def watch_batched(
    game: Game, state, network: Network, simulations: int, c_puct: float, *, noise: Noise | None = None, rng=None
) -> Recording:
    """Record `batched_search` of a batch: `state`, which is watched, and the position after each of its moves.

    Raises ValueError: the game is over.
    """
    if game.is_terminal(state):
        raise ValueError("the game is over at this state: there is nothing to search for")
    batched = make_batched(game)
    states = batched.from_states([state, *(game.play(state, action) for action in game.legal_actions(state))])

    def look(place: tuple[Tree, int]) -> _Seen:
        """A node of the first game of the batch."""
        tree, m = place
        parent, action = int(tree.parent[0, m]), int(tree.parent_action[0, m])
        above = None if parent == NO_PARENT else ((tree, parent), action)
        at = batched.to_states(tree.states[0, m][None])[0]
        return _Seen(place, m, above, at, tree.N[0, m].copy(), tree.W[0, m].copy(), tree.P[0, m])

    def search(watch: _Watch) -> None:
        batched_search(batched, states, network, simulations, c_puct, noise=noise and watch.noise_in_all, rng=rng)

    return _watched(
        _Watch(game, "batched", c_puct, look, noise), "batched_search", "batched_backup", simulations, search
    )


def _watched(
    watch: "_Watch", search: str, backup: str, simulations: int, work: Callable[["_Watch"], None]
) -> Recording:
    """Record `work`, in which `search` calls `backup` once a simulation. If the learner's doesn't, record ours."""
    with wrapping({backup: getattr(watch, backup, watch.backup), "evaluate": watch.evaluate}), watch.keeping():
        work(watch)
    if len(watch.recording.simulations) == simulations:
        return watch.recording
    watch = _Watch(watch.game, watch.recording.search, watch.recording.c, watch.look, watch.perturb)
    watch.recording.remark = (
        f"Your {search} does not call {backup} once a simulation, so it can't be watched: "
        "you see ours, with your other functions."
    )
    with wrapping({backup: getattr(watch, backup, watch.backup), search: lambda _: EXERCISES[search].reference}):
        work(watch)
    return watch.recording


# --- a node at one moment, for each kind of tree ----------------------------------------------------------------------


@dataclass
class _Seen:
    node: Any  # to look at again
    key: Hashable  # identifies the node
    above: tuple[Any, Any] | None  # the parent and the action that leads here; None at the root
    state: Any
    N: np.ndarray  # [num_actions], of the actions that leave it
    W: np.ndarray
    P: np.ndarray | None


def _node(node: Node) -> _Seen:
    above = None if node.parent is None else (node.parent, node.parent_action)
    return _Seen(node, node, above, node.state, node.N.copy(), node.W.copy(), node.P)


def _uct_node(node: UctNode) -> _Seen:
    above = None if node.parent is None else (node.parent, node.parent_action)
    actions = max([*node.children, *node.untried, -1]) + 1
    N, W = np.zeros((2, actions))
    for action, child in node.children.items():
        N[action], W[action] = child.N, child.W  # for the player who chooses among the children: as in a `Node`
    return _Seen(node, node, above, node.state, N, W, None)


# --- watching --------------------------------------------------------------------------------------------------------


class _Watch:
    """Writes down what happens while a search is at work."""

    def __init__(self, game: Game, search: str, c: float, look: Callable[[Any], _Seen], perturb: Noise | None = None):
        self.game, self.look, self.perturb = game, look, perturb
        self.recording = Recording(search, float(c))
        self.numbers: dict[Hashable, int] = {}  # a node's key -> its number
        self.root: Any = None  # if it is known before the first backup

    def backup(self, in_force: Callable) -> Callable:
        return lambda leaf, value: self.simulation(leaf, value, lambda: in_force(leaf, value))

    def evaluate(self, in_force: Callable) -> Callable:
        """A search of a `Node` evaluates its root before all others."""

        def watched(node, *more):
            self.root = node if self.root is None else self.root
            return in_force(node, *more)

        return watched

    def batched_backup(self, in_force: Callable) -> Callable:
        def watched(tree, leaves, values):
            self.simulation((tree, int(leaves[0])), values[0], lambda: in_force(tree, leaves, values))

        return watched

    def simulation(self, leaf, value: float, backup: Callable[[], None]) -> None:
        before = self.way_up(leaf)
        if self.root is not None:  # in a tree that is put together wrongly the way may not lead there
            self.number(self.look(self.root))
        count = len(self.numbers)
        for seen in reversed(before):
            self.number(seen)
        try:
            backup()
        finally:  # a backup that raises may have written something
            self.note(before, count, value)

    def note(self, before: list[_Seen], count: int, value: float) -> None:
        """Record a simulation: the nodes of its way up before its backup, and how many nodes there were before it."""
        up = []
        for old in before:
            new = self.look(old.node)
            N, W = new.N - old.N, new.W - old.W
            for action in np.flatnonzero((N != 0) | (W != 0)):
                up.append([self.numbers[old.key], int(action), float(N[action]), rounded(W[action])])
        leaf = self.numbers[before[0].key]
        over = self.recording.nodes[leaf]["over"] is not None
        source = "rules" if over else "rollout" if self.recording.search == "uct" else "network"
        simulation = dict(leaf=leaf, new=leaf >= max(count, 1), value=rounded(value), source=source, up=up)
        self.recording.simulations.append(simulation)

    @contextlib.contextmanager
    def keeping(self) -> Iterator[None]:
        """Attach the recording to an error that leaves the block."""
        try:
            yield
        except BaseException as error:
            if self.root is not None:
                with contextlib.suppress(Exception):  # of a root that the answer has spoiled
                    self.number(self.look(self.root))
            error.recording = self.recording  # type: ignore[attr-defined]
            raise

    def way_up(self, leaf) -> list[_Seen]:
        """The leaf, its parent, ..., the root. In a tree with a cycle it ends before a node comes again."""
        way = [self.look(leaf)]
        while way[-1].above is not None:
            upper = self.look(way[-1].above[0])
            if upper.key in [seen.key for seen in way]:
                break
            way.append(upper)
        return way

    def number(self, seen: _Seen) -> None:
        """Record the node, unless it is recorded already."""
        if seen.key in self.numbers:
            return
        game, state, above = self.game, seen.state, seen.above
        legal = [int(action) for action in game.legal_actions(state)]
        parent = None if above is None else self.numbers.get(self.look(above[0]).key)
        self.numbers[seen.key] = len(self.numbers)
        self.recording.nodes.append(
            dict(
                parent=parent,
                action=None if parent is None or above is None else index(above[1]),
                cells="".join("O.X"[int(cell) + 1] for cell in game.cells(state).flat),
                to_play=int(game.to_play(state)),
                over=int(game.winner(state)) if game.is_terminal(state) else None,
                legal=legal,
                P=None if seen.P is None else [rounded(seen.P[action]) for action in legal],
            )
        )

    def noise(self, prior: np.ndarray, legal: np.ndarray, rng) -> np.ndarray:
        assert self.perturb is not None
        if self.recording.unperturbed is None:  # of a batch the first
            self.recording.unperturbed = [rounded(share) for share in prior[legal]]
        return self.perturb(prior, legal, rng)

    def noise_in_all(self, priors: np.ndarray, legal: np.ndarray, rng) -> np.ndarray:
        """As `noise`, for a batch; games that are over have no prior to perturb."""
        pairs = zip(priors, legal, strict=True)
        return np.array([self.noise(*pair, rng) if pair[1].any() else pair[0] for pair in pairs])


def rounded(number: float) -> float:
    return round(float(number), DIGITS)
