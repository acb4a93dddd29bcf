"""What the checks of notebook 04 share: games that are nothing but choices, positions of any game, and trees below them."""

import math
from collections.abc import Callable
from functools import cache
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe
from course_utils.search.uct import UctNode
from course_utils.tests.case import show

GAME = TicTacToe()
BOARDS = {
    "tic-tac-toe": GAME,
    "3x4": ConnectN(3, 4, 3),
    "6x7": ConnectN(6, 7, 4),
    "1x5": ConnectN(1, 5, 2),
    "one stone wins": ConnectN(2, 3, 1),
}


class Choices(NamedTuple):
    """A made-up game: a state is the tuple of the actions so far; all else comes of `seed`.

    Attributes:
        branching: at most so many legal actions, from 1 up. What they are called has gaps.
        depth: after so many moves it is over. Up to depth 6 some lines of play end earlier.
        first: the player who begins, +1 or -1.
    """

    seed: int
    branching: int
    depth: int
    first: int = 1

    @property
    def num_actions(self) -> int:
        return 2 * self.branching + 2

    def _chance(self, state: tuple, n: int) -> int:
        """0 to n - 1, always the same for the same state."""
        return (hash((self.seed, n, *state)) >> 7) % n

    def initial_state(self) -> tuple:
        return ()

    def is_terminal(self, state: tuple) -> bool:
        return len(state) == self.depth or (len(state) > 0 and self.depth <= 6 and self._chance(state, 5) == 0)

    def legal_actions(self, state: tuple) -> list[int]:
        if self.is_terminal(state):
            return []
        lowest, step = self._chance(state, 3), 1 + self._chance(state, 2)
        count = self.branching if not state else 1 + self._chance(state, self.branching)
        return [lowest + step * i for i in range(count)]

    def play(self, state: tuple, action: int) -> tuple:
        if action not in self.legal_actions(state):
            raise ValueError(f"action {action} is not legal here; legal: {self.legal_actions(state)}")
        return (*state, int(action))

    def to_play(self, state: tuple) -> int:
        return self.first * (-1) ** len(state)

    def winner(self, state: tuple) -> int:
        return self._chance(state, 3) - 1 if self.is_terminal(state) else 0


class Arms(NamedTuple):
    """A made-up game of one choice: each action begins a row of forced moves that ends with a known result.

    Attributes:
        results: of each action, for the player who chooses it.
        lengths: moves until the end, from 1 up.
        first: the player who begins, +1 or -1.
        wait: so many moves come before the choice, which make no difference.
        ways: and each of them is one of so many.
    """

    results: tuple[int, ...]
    lengths: tuple[int, ...]
    first: int = 1
    wait: int = 0
    ways: int = 1

    @property
    def num_actions(self) -> int:
        return max(len(self.results), self.ways)

    def initial_state(self) -> tuple:
        return ()

    def is_terminal(self, state: tuple) -> bool:
        return len(state) > self.wait and len(state) - self.wait == self.lengths[state[self.wait]]

    def legal_actions(self, state: tuple) -> list[int]:
        if len(state) <= self.wait:
            return list(range(len(self.results) if len(state) == self.wait else self.ways))
        return [] if self.is_terminal(state) else [0]

    play, to_play = Choices.play, Choices.to_play

    def winner(self, state: tuple) -> int:
        return self.results[state[self.wait]] * self.first * (-1) ** self.wait if self.is_terminal(state) else 0


@cache
def shares(game, state) -> dict[int, float]:
    """Chances of winner +1, 0, -1 if both sides play at random from `state`: by adding up the whole tree."""
    if game.is_terminal(state):
        return {game.winner(state): 1.0}
    total: dict[int, float] = {}
    legal = game.legal_actions(state)
    for action in legal:
        for winner, chance in shares(game, game.play(state, action)).items():
            total[winner] = total.get(winner, 0) + chance / len(legal)
    return total


# --- positions -----------------------------------------------------------------------------------------------------------


class Spot(NamedTuple):
    """A position: a board by its name, or a made-up game, and the moves so far, each a choice among the legal actions."""

    board: str | Choices | Arms
    choices: list[int] = []

    @property
    def game(self):
        return BOARDS[self.board] if isinstance(self.board, str) else self.board

    def reach(self, finished: bool = True) -> tuple:
        """(the actions, the state they lead to); one move less where that is the end and a finished game will not do."""
        game, actions, states = self.game, [], [self.game.initial_state()]
        for choice in self.choices:
            legal = game.legal_actions(states[-1])
            if not legal:
                break
            actions.append(legal[choice % len(legal)])
            states.append(game.play(states[-1], actions[-1]))
        if game.is_terminal(states[-1]) and not finished:
            del actions[-1], states[-1]
        return actions, states[-1]

    def back(self, moves: int) -> "Spot":
        """So many moves earlier than where it is."""
        return Spot(self.board, self.choices[: max(len(self.reach()[0]) - moves, 0)])

    def text(self, finished: bool = True) -> str:
        """How the lines of a call begin."""
        name = self.board if isinstance(self.board, str) else f"a made-up game, {self.board!r}"
        return f"state = after(game, {self.reach(finished)[0]})  # {name}\n"

    def drawn(self, finished: bool = True) -> str:
        return str(self.reach(finished)[1]) if isinstance(self.board, str) else ""


BOARD_NAMES = st.sampled_from(list(BOARDS))
SEEDS = st.integers(0, 999)
FIRST = st.sampled_from([1, -1])
MADE_UP = st.builds(Choices, SEEDS, st.integers(1, 4), st.integers(1, 4), FIRST)
LONG = st.builds(Choices, SEEDS, st.integers(1, 2), st.integers(30, 60), FIRST)
LENGTHS = st.sampled_from([(3, 1, 2), (1, 2, 3), (1, 1, 1)])
ARMS = st.builds(Arms, st.just((1, 0, -1)), LENGTHS, FIRST, st.just(0), st.just(1))
LONG_WAYS = st.builds(Arms, st.just((1, 0, -1)), LENGTHS, FIRST, st.integers(0, 60), st.just(1))
MOVES = st.lists(st.integers(0, 6), max_size=42)
WHOLE_GAMES = st.builds(  # of seeds by which some games fill the board
    lambda board, seed: Spot(board, Random(seed).choices(range(7), k=42)),
    BOARD_NAMES,
    st.sampled_from([148, 263, 309, 409, 501, 541, 598, 680, 716, 902]),
)
WIDE = st.builds(
    Spot, st.builds(Choices, SEEDS, st.just(12), st.just(3), FIRST), st.lists(st.integers(0, 11), max_size=2)
)
SPOTS = st.one_of(
    st.builds(Spot, BOARD_NAMES, MOVES), st.builds(Spot, MADE_UP, st.lists(st.integers(0, 3), max_size=4))
)


# --- trees -----------------------------------------------------------------------------------------------------------------


def hang(parent: UctNode, action: int, game) -> UctNode:
    """The child of `parent` by an untried action, hung into the tree."""
    parent.untried.remove(action)
    parent.children[action] = UctNode(game, game.play(parent.state, action), parent, action)
    return parent.children[action]


def chain(length: int) -> list[UctNode]:
    """A root on the empty board and `length` descendants, each by the lowest action."""
    nodes = [UctNode(GAME, GAME.initial_state())]
    for _ in range(length):
        nodes.append(hang(nodes[-1], nodes[-1].untried[0], GAME))
    return nodes


class Tree(NamedTuple):
    """A tree that other simulations have left: of `size` nodes that were opened, most with all their children."""

    spot: Spot
    size: int
    seed: int

    def root(self) -> UctNode:
        game, random = self.spot.game, Random(self.seed)
        root = UctNode(game, self.spot.reach()[1])
        opened = [root]
        for _ in range(self.size):
            node = opened[-1] if random.random() < 0.7 else random.choice(opened)  # deep, but not only
            for action in list(node.untried) if random.random() < 0.8 else node.untried[:1]:
                opened.append(hang(node, action, game))
        for node in nodes_of(root) if self.seed else ():
            node.N = random.choice([0, random.randint(1, 50)])
            node.W, node.W2 = random.uniform(-node.N, node.N), random.uniform(0, node.N)
        return root


LONG_STARTS = st.builds(Spot, LONG, st.just([]))
TREES = st.builds(Tree, st.one_of(SPOTS, LONG_STARTS), st.integers(0, 25), st.integers(0, 99))
DEEPEST = Tree(Spot(Arms((1,), (5,), 1, 40)), 60, 0)  # one line of play
DEEP_TREES = st.builds(Tree, LONG_STARTS, st.integers(60, 90), st.integers(0, 99))


def nodes_of(root: UctNode) -> list[UctNode]:
    """Every node from `root` down, those of a parent before their children."""
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children.values())
    return nodes


def path(node: UctNode) -> list[int]:
    """The actions from the top of the tree to `node`."""
    actions = []
    while node.parent is not None:
        actions.append(node.parent_action)
        node = node.parent
    return actions[::-1]


def ends(node: UctNode, score: Callable) -> list[UctNode]:
    """Where a walk down from here to the highest score may end. Scores that differ by rounding are equal."""
    if node.untried or not node.children:
        return [node]
    scores = [score(child) for child in node.children.values()]
    best = [
        child
        for child, one in zip(node.children.values(), scores, strict=True)
        if one == max(scores) or math.isclose(one, max(scores), rel_tol=1e-12)
    ]
    return [end for child in best for end in ends(child, score)]


def family(statistics: dict[int, tuple[float, int]], parent_N: int | None = None, game=GAME) -> UctNode:
    """A root on the empty board whose children have the given (W, N) by action; nothing is left untried."""
    root = UctNode(game, game.initial_state())
    root.untried = []
    root.N = sum(N for _, N in statistics.values()) if parent_N is None else parent_N
    for action, (W, N) in statistics.items():
        child = root.children[action] = UctNode(game, game.play(root.state, action), root, action)
        child.W, child.N, child.W2 = W, N, abs(W)
    return root


def table(statistics: dict[int, tuple[float, int]]) -> str:
    """The same as text."""
    return "\n".join(f"action {action}: W = {show(W)}, N = {N}" for action, (W, N) in statistics.items())


def a_node(result) -> str:
    """Whether it is a node: any object with a node's fields."""
    good = all(hasattr(result, field) for field in ("parent", "parent_action", "children", "untried", "state"))
    return "" if good else f"expected a node, got {show(result)} of type {type(result).__name__}"
