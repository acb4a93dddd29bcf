"""Games by random moves, trees of many games as arrays, and what plain loops over one game after the other say of them."""

from functools import lru_cache
from random import Random
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.search.batched import NO_ACTION, ROOT, Tree
from course_utils.tests.world.games import InCells, Misere, Touching

SHAPES = [(3, 4, 3), (6, 7, 4), (1, 9, 3), (6, 7, 7)]  # the last is 42 moves deep
BOARDS = {"TicTacToe()": TicTacToe(), "Misere()": Misere(), "Touching()": Touching()} | {
    f"ConnectN{shape}": ConnectN(*shape) for shape in SHAPES
}
BOARDS |= {"InCells(6, 7, 4)": InCells(6, 7, 4)}
BATCHED = {board: game.batched() for board, game in BOARDS.items()}
IN_BITS = [board for board in BOARDS if hasattr(BATCHED[board], "slots")]
TTT, C4, IN_CELLS = "TicTacToe()", "ConnectN(6, 7, 4)", "InCells(6, 7, 4)"

Edges = dict[int, tuple[float, float, float]]  # action -> (N, W, P)
Path = tuple[int, ...]  # actions from the root
Spec = tuple[list[int], dict[Path, Edges]]  # the moves to the root, and the edges of each node, parents first


@lru_cache(maxsize=100_000)
def position(board: str, moves: Path):
    """The state after `moves`: as `after`, but many of them begin alike."""
    return BOARDS[board].play(position(board, moves[:-1]), moves[-1]) if moves else BOARDS[board].initial_state()


@lru_cache(maxsize=100_000)
def legal_actions(board: str, moves: Path) -> list[int]:  # not to be changed: it is remembered
    return BOARDS[board].legal_actions(position(board, moves))


def worth(board: str, moves: Path) -> float:
    """What a game that is over is worth to the player to move; 0 if it goes on."""
    game, state = BOARDS[board], position(board, moves)
    return float(game.winner(state) * game.to_play(state))


def play_on(board: str, moves: Path, plies: int, rng: Random) -> Path:
    """`moves` and that many random ones, as far as the game goes."""
    for _ in range(plies):
        legal = legal_actions(board, moves)
        if not legal:
            break
        moves = (*moves, rng.choice(legal))
    return moves


def as_stored(board: str, many) -> np.ndarray:
    """The positions after each of these moves, as an array."""
    return BATCHED[board].from_states([position(board, tuple(moves)) for moves in many])


def in_words(states) -> list[str] | str:
    """States as the bits that are set, since large integers differ where floats don't."""
    states = np.asarray(states)
    if states.dtype == object:
        return [str(state).replace("\n", " / ") for state in states]
    if states.dtype == np.int8 and states.ndim == 3:
        marks = {0: ".", 1: "X", -1: "O"}  # X is mine
        return [" / ".join("".join(marks.get(cell, "?") for cell in row) for row in cells) for cells in states.tolist()]
    if states.ndim != 2 or states.shape[1:] != (2,):
        return f"an array of shape {list(states.shape)}"
    return [f"mine: bits {_bits(mine)}, theirs: bits {_bits(theirs)}" for mine, theirs in states.tolist()]


def _bits(stones: int) -> list[int]:
    return [bit for bit, digit in enumerate(reversed(f"{int(stones) % 2**64:b}")) if digit == "1"]


# --- trees from statistics ---------------------------------------------------------------------------------------------


FIELDS = ("states", "N", "W", "P", "legal", "children", "parent", "parent_action", "is_terminal", "terminal_value")


def forest(board: str, specs: list[Spec], room: int = 2) -> Tree:
    """Trees by hand, one for each spec, as arrays, with room for a few more nodes. `before` remembers their contents."""
    used = 3 + max(len(paths) for _, paths in specs)
    kinds: dict[tuple[int, int], int] = {}  # equal trees are made once
    which = [kinds.setdefault((id(spec), b % 3), len(kinds)) for b, spec in enumerate(specs)]
    firsts = [which.index(kind) for kind in range(len(kinds))]
    tree = Tree.plant(BATCHED[board], as_stored(board, [specs[b][0] for b in firsts]), used + room - 1)
    tree.nodes = used
    for kind, b in enumerate(firsts):
        _fill(tree, kind, board, specs[b], numbers(b, specs[b]))
    for name in FIELDS:
        setattr(tree, name, getattr(tree, name)[which])
    tree.before = {name: getattr(tree, name).copy() for name in FIELDS}
    return tree


def _fill(tree: Tree, b: int, board: str, spec: Spec, number: dict[Path, int]) -> None:
    moves, paths = spec
    tree.states[b, list(number.values())] = as_stored(board, [(*moves, *path) for path in paths])
    for path, edges in paths.items():
        m, here = number[path], (*moves, *path)
        tree.legal[b, m, legal_actions(board, here)] = True
        tree.is_terminal[b, m], tree.terminal_value[b, m] = not legal_actions(board, here), worth(board, here)
        for action, (visits, total, prior) in edges.items():
            tree.N[b, m, action], tree.W[b, m, action], tree.P[b, m, action] = visits, total, prior
        if path:
            tree.children[b, number[path[:-1]], path[-1]] = m
            tree.parent[b, m], tree.parent_action[b, m] = number[path[:-1]], path[-1]


def numbers(b: int, spec: Spec) -> dict[Path, int]:
    """The number of each node of game `b`. Some games leave out a number or two, so that equal numbers mean different nodes."""
    return {path: place + b % 3 if path else ROOT for place, path in enumerate(spec[1])}


def changes(tree: Tree, fields=FIELDS) -> list[str]:
    """What was written into these arrays: 'parent[0, 3] = 1' is that of node 3 in game 0."""
    found = []
    for name in fields:
        old, new = tree.before[name], np.asarray(getattr(tree, name))
        if new.shape != old.shape or new.dtype != old.dtype:
            found.append(f"{name} is {new.dtype} {list(new.shape)} now")
            continue
        different = new != old
        if name in ("states", "legal"):  # row by row
            places = np.argwhere(different.reshape(*old.shape[:2], -1).any(axis=2))
            rows = new[places[:, 0], places[:, 1]]
            words = in_words(rows) if name == "states" else [str(np.flatnonzero(row).tolist()) for row in rows]
        else:
            places = np.argwhere(different)
            words = [f"{entry:g}" for entry in new[different].tolist()]
        found += [f"{name}{place} = {word}" for place, word in zip(places.tolist(), words, strict=True)]
    return found


# --- one game after the other ------------------------------------------------------------------------------------------


def scores(legal: list[int], edges: Edges, c_puct: float) -> dict[int, float]:
    total = sum(visits for visits, _, _ in edges.values())
    found = {}
    for action in legal:
        n, w, p = edges.get(action, (0, 0.0, 0.0))
        found[action] = (w / n if n else 0.0) + c_puct * p * (1 + total) ** 0.5 / (1 + n)
    return found


def walk(board: str, spec: Spec, c_puct: float) -> tuple[Path, int]:
    """The path of the node at which the walk ends, and the action there."""
    moves, paths = spec
    path: Path = ()
    while legal := legal_actions(board, (*moves, *path)):
        ranked = scores(legal, paths[path], c_puct)
        best = min(ranked, key=lambda action: (-ranked[action], action))
        if (*path, best) not in paths:
            return path, best
        path = (*path, best)
    return path, NO_ACTION


# --- draws -------------------------------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """One game: so many random moves to its root, and a tree whose trunk goes so deep, as far as the game goes."""

    plies: int
    depth: int = 0
    mood: str = "sure"  # how the statistics look
    seed: int = 0


class Forest(NamedTuple):
    """`size` games: the plans, over and over."""

    board: str
    plans: tuple[Plan, ...]
    size: int
    c_puct: float = 1.5

    @property
    def specs(self) -> list[Spec]:
        kinds = [grown(self.board, plan, self.c_puct) for plan in self.plans]
        return [kinds[b % len(kinds)] for b in range(self.size)]

    @property
    def tree(self) -> Tree:
        return forest(self.board, self.specs)

    @property
    def lines(self) -> str:
        """Lines to paste that make `tree`."""
        own = "".join(f", {name}" for name in ("InCells", "Misere", "Touching") if self.board.startswith(name))
        return f"from course_utils.tests.notebook_09.forests import Forest, Plan{own}\n\ntree = {self!r}.tree\n"

    @property
    def picture(self) -> str:
        return picture(self.board, self.specs) if self.size <= 3 and max(plan.depth for plan in self.plans) <= 9 else ""


MOODS = ("sure", "even", "losing", "lost", "wild", "close")
LOSE = ("losing", "lost")  # every move was tried
TO_THE_END = 99  # plies


@lru_cache(maxsize=10_000)
def grown(board: str, plan: Plan, c_puct: float) -> Spec:
    """A tree as a search might leave it: an edge has visits if it has a child, and only then."""
    rng = Random(plan.seed)
    moves = play_on(board, (), plan.plies, rng)
    trunk = play_on(board, moves, min(plan.depth, 3) if plan.mood in LOSE else plan.depth, rng)[len(moves) :]
    paths: dict[Path, Edges] = {(): {}}
    for depth, action in enumerate(trunk):
        legal = legal_actions(board, (*moves, *trunk[:depth]))
        beside = legal if plan.mood in LOSE else rng.sample(legal, 1) if rng.random() < 0.4 else []
        children = list(dict.fromkeys([action, *beside]))
        rng.shuffle(children)
        paths |= {(*trunk[:depth], child): {} for child in children}
    for path in paths:
        legal = legal_actions(board, (*moves, *path))
        tried = [action for action in legal if (*path, action) in paths]
        favorite = trunk[len(path)] if path == trunk[: len(path)] and len(path) < len(trunk) else None
        paths[path] = _statistics(plan.mood, legal, tried, favorite, c_puct, rng)
    return list(moves), paths


def _statistics(
    mood: str, legal: list[int], tried: list[int], favorite: int | None, c_puct: float, rng: Random
) -> Edges:
    if not legal:
        return {}
    if mood == "even":  # ties
        return {action: (float(action in tried), 0.0, 1 / len(legal)) for action in legal}
    shares = [rng.expovariate(1) for _ in legal]
    most = 10 ** rng.randint(0, 2)
    edges = {}
    for action, share in zip(legal, shares, strict=True):
        n = float(rng.randint(1, most)) if action in tried else 0.0
        if mood == "sure":  # the prior says it all, and is 0 elsewhere
            best = legal[-1] if favorite is None else favorite
            edges[action] = (n, n * (0.5 if action == best else -0.5), float(action == best))
        elif mood in LOSE:  # an action that was never tried, or is illegal, would look better
            edges[action] = (n, -n * (1 if mood == "lost" else rng.uniform(0.8, 1)), 0.0)
        else:
            edges[action] = (n, n * rng.uniform(-1, 1), share / sum(shares))
    if mood == "close" and favorite is not None:  # best by little
        n, w, p = edges[favorite]
        found = scores(legal, edges, c_puct)
        rival = max((score for action, score in found.items() if action != favorite), default=0.0)
        edges[favorite] = (n, w + n * (rival + 1e-4 - found[favorite]), p)
    return {action: (n, w if n else 0.0, p) for action, (n, w, p) in edges.items()}


PLANS = st.builds(
    Plan,
    st.one_of(st.sampled_from([0, 3, TO_THE_END]), st.integers(0, 41)),
    st.one_of(st.integers(0, 4), st.sampled_from([8, 30])),
    st.sampled_from(MOODS),
    st.integers(0, 19),
)


SIZES = st.one_of(st.just(0), st.integers(1, 12), st.just(0), st.sampled_from([1, 2, 64]))
FORESTS = st.builds(
    lambda board, plans, c_puct, size: Forest(board, tuple(plans), size or len(plans), c_puct),
    st.sampled_from([*IN_BITS, IN_CELLS]),
    st.lists(PLANS, min_size=1, max_size=4),
    st.sampled_from([1.5, 0.4, 4.0]),
    SIZES,
)


def as_many_as_actions(board: str, more: int) -> Forest:
    """Where so many walk, a row of numbers and a column are of one length; one more is over at its root."""
    actions = BOARDS[board].num_actions
    walking = [Plan(number % 5, 3, "wild", number) for number in range(actions)]
    return Forest(board, (*walking, Plan(TO_THE_END)), actions + more)


EDGES = [
    Forest(TTT, (Plan(3),), 1),
    Forest(TTT, (Plan(TO_THE_END),), 3),
    Forest(TTT, (Plan(TO_THE_END), Plan(3, 2)), 2),
    Forest(TTT, (Plan(3, 1, "even"), Plan(5, 2, "losing"), Plan(3, 2, "wild")), 3),
    Forest(TTT, (Plan(4, 5, seed=3), Plan(1, 3, "losing", 4), Plan(7, 1, "even", 5)), 3, 0.0),
    Forest(TTT, tuple(Plan(plies, 1, "lost", plies) for plies in (2, 3, 4, 5)), 4, 0.0),
    Forest("Misere()", tuple(Plan(plies, 2, "wild", plies) for plies in (5, 6, 7, TO_THE_END)), 4),
    Forest("Misere()", (Plan(0, 12), Plan(3, 12, seed=1)), 2),
    *(Forest(C4, (Plan(plies, 3, "even", plies), Plan(plies, 1, "wild", 3)), 2, 0.0) for plies in (0, 2, 5)),
    Forest(C4, (Plan(8, 12), Plan(2, 2, "close"), Plan(30, 3, "wild")), 64),
    Forest("ConnectN(6, 7, 7)", (Plan(0, 40), Plan(9, 1, "wild")), 2),
    *(as_many_as_actions(board, more) for board in (TTT, "ConnectN(3, 4, 3)", C4) for more in (0, 1)),
    Forest(IN_CELLS, (Plan(0, 12), Plan(10, 2, "wild"), Plan(TO_THE_END), Plan(20, 1)), 4),
    Forest("Touching()", tuple(Plan(1 + seed % 2, 0, "wild", seed) for seed in range(4)), 4),
]


# --- in words ------------------------------------------------------------------------------------------------------------


def forest_lines(board: str, specs: list[Spec]) -> str:
    """Lines to paste that make `tree`."""
    lines = ",\n".join(f"    ({moves}, {paths})" for moves, paths in specs)
    return (
        "from course_utils.tests.notebook_09.forests import forest\n\n"
        f'tree = forest("{board}", [  # for each game: moves to its root, {{path: {{action: (N, W, P)}}}}\n{lines},\n])\n'
    )


def states_lines(board: str, many) -> str:
    """Lines to paste that make `game` and `states`."""
    first = "from course_utils.games import ConnectN\n\n" if board.startswith("ConnectN") else ""
    first = "from course_utils.tests.notebook_09.forests import Misere\n\n" if board == "Misere()" else first
    return (
        f"{first}game = make_batched({board})\n"
        f"states = game.from_states([after({board}, moves) for moves in {[list(moves) for moves in many]}])\n"
    )


def boards(board: str, many) -> str:
    return "\n\n".join(f"game {number}:\n{after(BOARDS[board], list(moves))}" for number, moves in enumerate(many))


def picture(board: str, specs: list[Spec]) -> str:
    """The board at each root, and the statistics of every node."""
    lines = []
    for b, (moves, paths) in enumerate(specs):
        lines += [f"game {b}:", str(position(board, tuple(moves)))]
        number = numbers(b, (moves, paths))
        for path, edges in paths.items():
            came = f", reached by {path[-1]} from node {number[path[:-1]]}" if path else ""
            end = "" if legal_actions(board, (*moves, *path)) else ": the game is over"
            lines.append(f"  node {number[path]}{came}{end}")
            for action, (visits, total, prior) in edges.items():
                child = number.get((*path, action))
                leads = f"node {child}" if child is not None else "no child"
                lines.append(f"    action {action}: N {visits:g}, W {total:g}, P {prior:g}, {leads}")
        lines.append("")
    return "\n".join(lines)


# --- trees by hand -------------------------------------------------------------------------------------------------------

THREE_LEFT = [0, 4, 8, 2, 6, 3]  # X to move; cells 1, 5 and 7 are free, and 7 wins
WON = [0, 3, 1, 4, 2]
OVER = (WON, {(): {}})
FRESH = (THREE_LEFT, {(): {1: (0, 0, 0.3), 5: (0, 0, 0.5), 7: (0, 0, 0.2)}})
ONE_CHILD = ([], {(): {0: (0, 0, 0.2), 4: (1, 0.3, 0.5), 8: (0, 0, 0.3)}, (4,): {0: (0, 0, 0.6), 1: (0, 0, 0.4)}})
DEEP = {(): {0: (6, 2.4, 0.7), 4: (1, -0.3, 0.3)}, (0,): {4: (4, -0.8, 0.6), 8: (1, -0.9, 0.4)}, (4,): {0: (0, 0, 1.0)}}
DEEP |= {(0, 4): {2: (1, 0.1, 0.2), 8: (2, 1.2, 0.8)}, (0, 8): {1: (0, 0, 1.0)}, (0, 4, 2): {1: (0, 0, 1.0)}}
DEEP |= {(0, 4, 8): {2: (0, 0, 0.2), 7: (1, 0.5, 0.8)}, (0, 4, 8, 7): {1: (0, 0, 0.3), 3: (0, 0, 0.7)}}
DEEP = ([], DEEP)
WINS = {(): {1: (1, 0.0, 0.3), 5: (1, -0.2, 0.3), 7: (3, 3.0, 0.4)}, (7,): {}}
WINS = (THREE_LEFT, WINS | {(1,): {5: (0, 0, 0.5), 7: (0, 0, 0.5)}, (5,): {1: (0, 0, 0.5), 7: (0, 0, 0.5)}})
