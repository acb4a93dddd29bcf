"""Checks of notebook 09: batched search.

Trees are real `Tree`s, filled by the plain loops of `forest` from the rules of one game; positions are bits set one by one.
Expected values come from plain loops over one game after the other, and from `oracles.puct_visits`.
"""

from functools import cache, lru_cache

import numpy as np

from course_utils.games import ConnectFour, ConnectN, Game, TicTacToe, after
from course_utils.games.batched import make_batched
from course_utils.networks import UniformNetwork
from course_utils.search.batched import NO_ACTION, NO_PARENT, ROOT, UNVISITED, Tree
from course_utils.tests.framework import Case, Raises, Such, check, wrong
from course_utils.tests.oracles import HashNetwork, WithPrior, puct_visits

TTT, C4, TALL = TicTacToe(), ConnectFour(), ConnectN(7, 8, 5)
WRITTEN = {TTT: "TicTacToe()", C4: "ConnectFour()", TALL: "ConnectN(7, 8, 5)"}  # as lines to paste
LARGE = "from course_utils.games import ConnectN\n\n"

Edges = dict[int, tuple[float, float, float]]  # action -> (N, W, P)
Spec = tuple[list[int], dict[tuple[int, ...], Edges]]  # the moves to the root, and the edges of each node by its path


# --- positions, bit by bit -------------------------------------------------------------------------------------------


def _slot(game: Game, action: int) -> list[int]:
    """The bits of an action's cells, lowest cell first."""
    if game.num_actions == game.columns:
        return [action * (game.rows + 1) + height for height in range(game.rows)]
    row, column = divmod(action, game.columns)
    return [column * (game.rows + 1) + game.rows - 1 - row]


def _position(game: Game, moves: list[int]) -> list[int]:
    """[the stones of the player to move, the opponent's] after `moves`, as plain ints."""
    sides, taken = [0, 0], set()
    for number, action in enumerate(moves):
        bit = next(bit for bit in _slot(game, action) if bit not in taken)
        taken.add(bit)
        sides[number % 2] |= 1 << bit
    return sides if len(moves) % 2 == 0 else sides[::-1]


@lru_cache(maxsize=50_000)
def _state(game: Game, *moves: int):
    """The state after `moves`: as `after`, but many of them begin alike."""
    return game.play(_state(game, *moves[:-1]), moves[-1]) if moves else game.initial_state()


def _positions(game: Game, many: list[list[int]]) -> np.ndarray:
    return np.array([_position(game, moves) for moves in many], dtype=np.uint64).reshape(-1, 2)


def _in_words(states) -> list[str] | str:
    """States as the bits that are set, since large integers differ where floats don't."""
    states = np.asarray(states)
    if states.ndim != 2 or states.shape[1:] != (2,):
        return f"an array of shape {list(states.shape)}"

    def bits(stones) -> list[int]:
        stones = int(stones) % 2**64
        return [bit for bit in range(64) if stones >> bit & 1]

    return [f"mine: bits {bits(mine)}, theirs: bits {bits(theirs)}" for mine, theirs in states.tolist()]


def _random_moves(rng: np.random.Generator, game: Game, plies: int, over: bool = False) -> list[int]:
    """Random moves from the start, as far as the game goes; it is over at the end only if it may be."""
    while True:
        moves: list[int] = []
        state = game.initial_state()
        while len(moves) < plies and not game.is_terminal(state):
            moves.append(int(rng.choice(game.legal_actions(state))))
            state = game.play(state, moves[-1])
        if over or not game.is_terminal(state):
            return moves


def _boards(game: Game, many: list[list[int]]) -> str:
    return "\n\n".join(f"game {number}:\n{after(game, moves)}" for number, moves in enumerate(many))


def _states_line(game: Game, many: list[list[int]]) -> str:
    """Lines to paste that make `game` and `states`."""
    first = LARGE if game is TALL else ""
    return (
        f"{first}game = make_batched({WRITTEN[game]})\n"
        f"states = game.from_states([after({WRITTEN[game]}, moves) for moves in {many}])\n"
    )


# --- trees -----------------------------------------------------------------------------------------------------------


def forest(game: Game, specs: list[Spec], room: int = 2) -> Tree:
    """Trees by hand, one for each spec, as arrays.

    Args:
        specs: for each game the moves to its root, and {path of actions from the root: {action: (N, W, P)}}, parents first.
        room: how many more nodes fit in.
    """
    many, A = len(specs), game.num_actions
    used = many + max(len(paths) for _, paths in specs)  # game 1 leaves out a number, game 2 two, ...
    shape = (many, used + room)
    tree = Tree(
        states=np.zeros((*shape, 2), dtype=np.uint64),
        N=np.zeros((*shape, A)),
        W=np.zeros((*shape, A)),
        P=np.zeros((*shape, A)),
        legal=np.zeros((*shape, A), dtype=bool),
        children=np.full((*shape, A), UNVISITED),
        parent=np.full(shape, NO_PARENT),
        parent_action=np.full(shape, NO_ACTION),
        is_terminal=np.zeros(shape, dtype=bool),
        terminal_value=np.zeros(shape),
        nodes=used,
    )
    for b, (moves, paths) in enumerate(specs):
        number = _numbers(b, paths)
        for path, edges in paths.items():
            m, state = number[path], _state(game, *moves, *path)
            tree.states[b, m] = np.array(_position(game, [*moves, *path]), dtype=np.uint64)
            tree.legal[b, m, game.legal_actions(state)] = True
            tree.is_terminal[b, m] = game.is_terminal(state)
            tree.terminal_value[b, m] = game.winner(state) * game.to_play(state)
            for action, (visits, total, prior) in edges.items():
                tree.N[b, m, action], tree.W[b, m, action], tree.P[b, m, action] = visits, total, prior
            if path:
                above = number[path[:-1]]
                tree.children[b, above, path[-1]] = m
                tree.parent[b, m], tree.parent_action[b, m] = above, path[-1]
    return tree


def _numbers(b: int, paths) -> dict[tuple[int, ...], int]:
    """The number of each node of game `b`: the root's is 0, the others' begin at 1 + b."""
    return {path: place + b if path else ROOT for place, path in enumerate(paths)}


def _forest_line(game: Game, specs: list[Spec]) -> str:
    lines = ",\n".join(f"    ({moves}, {paths})" for moves, paths in specs)
    return (
        "from course_utils.tests.notebook_09 import forest\n\n"
        f"tree = forest({WRITTEN[game]}, [  # for each game: moves to its root, {{path: {{action: (N, W, P)}}}}\n{lines},\n])\n"
    )


def _picture(game: Game, specs: list[Spec]) -> str:
    """The board at each root, and the statistics of every node."""
    lines = []
    for b, (moves, paths) in enumerate(specs):
        lines += [f"game {b}:", str(after(game, moves))]
        number = _numbers(b, paths)
        for path, edges in paths.items():
            came = f", reached by {path[-1]} from node {number[path[:-1]]}" if path else ""
            end = ": the game is over" if game.is_terminal(_state(game, *moves, *path)) else ""
            lines.append(f"  node {number[path]}{came}{end}")
            for action, (visits, total, prior) in edges.items():
                child = number.get((*path, action))
                leads = f"node {child}" if child is not None else "no child"
                lines.append(f"    action {action}: N {visits:g}, W {total:g}, P {prior:g}, {leads}")
        lines.append("")
    return "\n".join(lines)


def _scores(game: Game, state, edges: Edges, c_puct: float) -> dict[int, float]:
    total = sum(visits for visits, _, _ in edges.values())
    scores = {}
    for action in game.legal_actions(state):
        n, w, p = edges.get(action, (0, 0, 0))
        scores[action] = (w / n if n else 0.0) + c_puct * p * (1 + total) ** 0.5 / (1 + n)
    return scores


def _walk(game: Game, spec: Spec, c_puct: float) -> tuple[tuple[int, ...], int, float]:
    """(path of the node where the walk ends, the action there, by how much the closest choice was decided)."""
    moves, paths = spec
    path: tuple[int, ...] = ()
    margin = np.inf
    while True:
        state = _state(game, *moves, *path)
        if game.is_terminal(state):
            return path, NO_ACTION, margin
        scores = _scores(game, state, paths[path], c_puct)
        ranked = sorted(scores, key=lambda action: (-scores[action], action))
        if len(ranked) > 1:
            margin = min(margin, scores[ranked[0]] - scores[ranked[1]])
        if (*path, ranked[0]) not in paths:
            return path, ranked[0], margin
        path = (*path, ranked[0])


def _places(game: Game, specs: list[Spec], c_puct: float) -> list[list[int]]:
    """[nodes, actions] that `batched_select` should find."""
    nodes, actions = [], []
    for b, spec in enumerate(specs):
        path, action, _ = _walk(game, spec, c_puct)
        nodes.append(_numbers(b, spec[1])[path])
        actions.append(action)
    return [nodes, actions]


def _grow(rng: np.random.Generator, game: Game, moves: list[int], simulations: int, c_puct: float) -> Spec:
    """A tree grown by plain loops, with random priors and values."""
    paths: dict[tuple[int, ...], dict] = {}

    def look(path) -> float:
        """Makes the node; returns what it is worth to its player to move."""
        state = _state(game, *moves, *path)
        legal = game.legal_actions(state)
        paths[path] = {}
        if game.is_terminal(state):
            return float(game.winner(state) * game.to_play(state))
        for action, prior in zip(legal, rng.dirichlet(np.ones(len(legal))).round(4).tolist(), strict=True):
            paths[path][action] = (0, 0.0, prior)
        return round(float(rng.uniform(-0.9, 0.9)), 2)

    look(())
    for _ in range(simulations):
        path, action, _ = _walk(game, (moves, paths), c_puct)
        if action == NO_ACTION:
            state = _state(game, *moves, *path)
            value = float(game.winner(state) * game.to_play(state))
        else:
            path = (*path, action)
            value = look(path)
        for depth in reversed(range(len(path))):
            value = -value
            n, w, p = paths[path[:depth]][path[depth]]
            paths[path[:depth]][path[depth]] = (n + 1, w + value, p)
    return moves, paths


def _grown(seed: int, game: Game, many: int, c_puct: float) -> list[Spec]:
    """`many` random trees of 1 to 20 simulations, some of finished games, whose next walk no rounding can change."""
    rng = np.random.default_rng(seed)
    specs: list[Spec] = []
    while len(specs) < many:
        plies = int(rng.integers(1, 8 if game is TTT else 16))
        moves = _random_moves(rng, game, plies, over=rng.random() < 0.25)
        spec = _grow(rng, game, moves, int(rng.integers(1, 20)), c_puct)
        if _walk(game, spec, c_puct)[2] > 1e-6:
            specs.append(spec)
    return specs


FIELDS = ("states", "N", "W", "P", "legal", "children", "parent", "parent_action", "is_terminal", "terminal_value")


def _snapshot(tree: Tree) -> dict[str, np.ndarray]:
    return {name: getattr(tree, name).copy() for name in FIELDS}


def _changed(tree: Tree, before: dict[str, np.ndarray], may=()) -> list[str]:
    """Where the tree's arrays differ from what they were: 'N[0, 3]' is the entry of node 3 in game 0.

    Args:
        may: such entries that may differ.
    """
    found = []
    for name, old in before.items():
        new = np.asarray(getattr(tree, name))
        if new.shape != old.shape:
            found.append(f"the shape of {name}")
            continue
        different = (new != old).reshape(*old.shape[:2], -1).any(axis=2)
        found += [f"{name}[{b}, {m}]" for b, m in np.argwhere(different).tolist()]
    return [entry for entry in found if entry not in may]


# --- batched_play ----------------------------------------------------------------------------------------------------


def _plays(name: str, game: Game, many: list[list[int]], actions: list[int], question: str, **rest) -> Case:
    return Case(
        name,
        lambda batched_play: _in_words(batched_play(make_batched(game), _positions(game, many), np.array(actions))),
        _in_words(_positions(game, [[*moves, action] for moves, action in zip(many, actions, strict=True)])),
        f"{_states_line(game, many)}batched_play(game, states, np.array({actions}))",
        question,
        _boards(game, many) if len(many) <= 4 else "",
        **rest,
    )


@check
def batched_play(rng):
    yield _plays(
        "the first stone of Connect Four lies at the bottom of its column",
        C4,
        [[]],
        [3],
        "Which bit is the lowest of column 3? And who is to move afterwards: whose stones come first then?",
    )
    yield _plays(
        "the two sides change places",
        C4,
        [[0, 1, 2]],
        [6],
        "The player who moves now is 'mine'. Who is 'mine' in the position that comes out?",
        points=2,
    )
    yield _plays(
        "a stone lies on the others of its column, whoever's they are",
        C4,
        [[3, 3, 3]],
        [3],
        "Do you add the lowest bit to one side's stones or to all of them?",
        points=2,
    )
    yield _plays(
        "tic-tac-toe, where every slot is a single cell",
        TTT,
        [[4, 0]],
        [8],
        "Does your code take the slots from the game that it is given?",
    )
    yield _plays(
        "three games, each with an action of its own",
        C4,
        [[0, 0, 1], [5, 5, 5, 5, 5], [2, 3, 4, 3, 3]],
        [1, 5, 3],
        "Of `bottoms` each game needs the entry of its own action. What does an array of indices give you?",
        points=2,
    )
    yield _plays(
        "the last free cell of a column, between two full ones",
        C4,
        [[2] * 6 + [4] * 6 + [3] * 5],
        [3],
        "The carry stops at the first free cell. Which bits of the sum are the new stone, and which were there before?",
    )
    yield _plays(
        "a board that needs 63 of the 64 bits",
        TALL,
        [[7, 7, 7, 0, 7], [7] * 6],
        [7, 7],
        "Are these still 64-bit integers without a sign, all the way through?",
    )
    for game in (C4, TTT):
        many = [_random_moves(rng, game, int(rng.integers(8 if game is TTT else 20))) for _ in range(20)]
        actions = [int(rng.choice(game.legal_actions(after(game, moves)))) for moves in many]
        yield _plays(
            f"twenty random positions of {'Connect Four' if game is C4 else 'tic-tac-toe'} at once",
            game,
            many,
            actions,
            "Take one of the games alone, as a batch of one. Is it right then?",
            points=2,
        )
    yield Case(
        "a full column is refused, and the game named",
        lambda batched_play: batched_play(
            make_batched(C4), _positions(C4, [[], [4, 4, 4, 4, 4, 4], []]), np.array([4, 4, 4])
        ),
        Raises(ValueError, ("4", "game 1")),
        f"{_states_line(C4, [[], [4] * 6, []])}batched_play(game, states, np.array([4, 4, 4]))",
        "Above a full column the carry runs into the bit that must stay empty. Does your stone lie on the board?",
        _boards(C4, [[], [4] * 6, []]),
    )
    yield Case(
        "a taken cell is refused, too",
        lambda batched_play: batched_play(make_batched(TTT), _positions(TTT, [[0, 4], [4, 0]]), np.array([8, 4])),
        Raises(ValueError, ("4", "game 1")),
        f"{_states_line(TTT, [[0, 4], [4, 0]])}batched_play(game, states, np.array([8, 4]))",
        "In tic-tac-toe a slot has one cell: where does the carry go if it is taken?",
        _boards(TTT, [[0, 4], [4, 0]]),
    )

    def shape(batched_play):
        moved = batched_play(make_batched(C4), _positions(C4, [[], [3], [3, 3]]), np.array([0, 1, 2]))
        nothing = batched_play(make_batched(C4), _positions(C4, []), np.array([], dtype=int))
        return [moved.dtype.name, list(moved.shape), list(nothing.shape)]

    yield Case(
        "returns uint64 [batch, 2], for an empty batch, too",
        shape,
        Such("['uint64', [3, 2], [0, 2]]", lambda value: value == ["uint64", [3, 2], [0, 2]]),
        f"{_states_line(C4, [[], [3], [3, 3]])}moved = batched_play(game, states, np.array([0, 1, 2]))\n"
        "nothing = batched_play(game, states[:0], np.array([], dtype=int))\nmoved.dtype, moved.shape, nothing.shape",
        "Which axis counts the games, and which the two sides? When every game of a batch is over, a search plays in none.",
    )

    def untouched(batched_play):
        states, actions = _positions(C4, [[3], [3, 3]]), np.array([3, 4])
        moved = batched_play(make_batched(C4), states, actions)
        kept = np.array_equal(states, _positions(C4, [[3], [3, 3]])) and actions.tolist() == [3, 4]
        return kept and not np.shares_memory(moved, states)

    yield Case(
        "leaves its arguments as they were",
        untouched,
        Such("states and actions unchanged, and the result an array of its own", lambda kept: kept),
        f"{_states_line(C4, [[3], [3, 3]])}batched_play(game, states, np.array([3, 4])), then looking at states again",
        "The positions of a search tree have more than one child. What would the second one start from?",
    )


STONE = "stone = ((mine | theirs) + game.bottoms[actions]) & game.slots[actions]"
RESULT = "return np.stack([theirs, mine | stone], axis=1)"

wrong(
    "batched_play",
    "sides not changed",
    "the player who has just moved still stands first: from then on everybody plays with the wrong stones",
    "Who is to move in the position that you return?",
    (RESULT, "return np.stack([mine | stone, theirs], axis=1)"),
)
wrong(
    "batched_play",
    "the opponent's stone",
    "the new stone is given to the opponent",
    "Whose stones are `mine`, and where do they stand in the result?",
    (RESULT, "return np.stack([theirs | stone, mine], axis=1)"),
)
wrong(
    "batched_play",
    "only one's own stones counted",
    "the new stone goes onto one's own stones and falls through the opponent's",
    "Which stones can the new one lie on?",
    ("(mine | theirs) +", "mine +"),
)
wrong(
    "batched_play",
    "the whole sum",
    "the whole sum is taken for the new stone: all other columns come along",
    "How do you keep only the bits of one slot?",
    (STONE, "stone = (mine | theirs) + game.bottoms[actions]"),
)
wrong(
    "batched_play",
    "full columns not noticed",
    "in a full column the stone lands above the board instead of being refused",
    "Which bit does the carry reach when all six cells are taken?",
    (STONE, "stone = ((mine | theirs) + game.bottoms[actions]) & ~(mine | theirs)"),
)
wrong(
    "batched_play",
    "always the bottom",
    "every stone lies in the lowest cell of its slot, whether it is taken or not",
    "How does the number 0111 become 1000?",
    (STONE, "stone = game.bottoms[actions]"),
)
wrong(
    "batched_play",
    "the top of the slot",
    "every stone lies in the highest cell of its slot: it does not fall",
    "Where does a stone come to rest?",
    (STONE, "stone = game.tops[actions] & ~(mine | theirs)"),
)
wrong(
    "batched_play",
    "or instead of plus",
    "the lowest bit is set instead of added: there is no carry, so the stone never climbs",
    "What is 0111 | 1, and what is 0111 + 1?",
    ("(mine | theirs) + game.bottoms[actions]", "mine | theirs | game.bottoms[actions]"),
)
wrong(
    "batched_play",
    "the whole slot",
    "the player gets a whole column at once",
    "How many stones does a move add?",
    (STONE, "stone = game.slots[actions] & ~(mine | theirs)"),
)
wrong(
    "batched_play",
    "one action for all",
    "the action of the first game is played in all of them",
    "Where does each game's own action come in?",
    ("actions[first]", "ACTION[first]"),
    ("[actions]", "[actions[:1]]"),
    ("ACTION[first]", "actions[first]"),
)
wrong(
    "batched_play",
    "earlier stones lost",
    "the player keeps the new stone only, and loses all earlier ones",
    "How do you put one more bit among those that are set?",
    ("mine | stone]", "stone]"),
)
wrong(
    "batched_play",
    "the axes exchanged",
    "the result is [2, batch] instead of [batch, 2]",
    "What does np.stack do with axis=1, and what without it?",
    (", axis=1)", ")"),
)
wrong(
    "batched_play",
    "states changed in place",
    "the move is made in the caller's own array",
    "What would the caller's position look like afterwards?",
    (RESULT, "states[:, 0] |= stone\n    return states[:, ::-1].copy()"),
)
wrong(
    "batched_play",
    "32 bits",
    "the stones are kept in 32 bits: those of columns 5 and 6 are cut off",
    "How many cells does the board have, counting the row that stays empty?",
    (RESULT, RESULT.replace("return ", "moved = ") + "\n    return moved.astype(np.uint32).astype(np.uint64)"),
)
wrong(
    "batched_play",
    "through floats",
    "the bits went through floating-point numbers, which keep only the first 53",
    "Does every step of yours keep the type uint64?",
    (STONE, "stone = ((mine | theirs) + game.bottoms[actions]) & game.slots[actions]\n    mine = mine.astype(float)"),
    (RESULT, "return np.stack([theirs, (mine + stone).astype(np.uint64)], axis=1)"),
)
wrong(
    "batched_play",
    "signed integers",
    "the result is an array of signed integers",
    "What does the docstring say about the type?",
    (RESULT, RESULT.replace("return ", "moved = ") + "\n    return moved.astype(np.int64)"),
)


# --- batched_select --------------------------------------------------------------------------------------------------


def _pair(result):
    """What `batched_select` returned, as plain lists."""
    if not isinstance(result, tuple | list) or len(result) != 2:
        return f"not a pair, but {type(result).__name__}"
    return [np.asarray(part).tolist() for part in result]


def _selects(name: str, game: Game, specs: list[Spec], question: str, c_puct: float = 1.5, **rest) -> Case:
    return Case(
        name,
        lambda batched_select: _pair(batched_select(forest(game, specs), c_puct)),
        _places(game, specs, c_puct),
        f"{_forest_line(game, specs)}nodes, actions = batched_select(tree, {c_puct})",
        question,
        _picture(game, specs),
        **rest,
    )


THREE_LEFT = [0, 4, 8, 2, 6, 3]  # X to move; cells 1, 5 and 7 are free, and 7 wins
WON = [0, 3, 1, 4, 2]
FRESH = {1: (0, 0, 0.3), 5: (0, 0, 0.5), 7: (0, 0, 0.2)}
DEEP = {
    (): {0: (6, 2.4, 0.7), 4: (1, -0.3, 0.3)},
    (0,): {4: (4, -0.8, 0.6), 8: (1, -0.9, 0.4)},
    (4,): {0: (0, 0, 1.0)},
    (0, 4): {2: (1, 0.1, 0.2), 8: (2, 1.2, 0.8)},
    (0, 8): {1: (0, 0, 1.0)},
    (0, 4, 2): {1: (0, 0, 1.0)},
    (0, 4, 8): {2: (0, 0, 0.1), 6: (0, 0, 0.1), 7: (1, 0.5, 0.8)},
    (0, 4, 8, 7): {1: (0, 0, 0.3), 3: (0, 0, 0.7)},
}
WINS = {
    (): {1: (1, 0.0, 0.3), 5: (1, -0.2, 0.3), 7: (3, 3.0, 0.4)},
    (1,): {5: (0, 0, 0.5), 7: (0, 0, 0.5)},
    (5,): {1: (0, 0, 0.5), 7: (0, 0, 0.5)},
    (7,): {},
}
ONE_CHILD = {
    (): {0: (0, 0, 0.2), 4: (1, 0.3, 0.5), 8: (0, 0, 0.3)},
    (4,): {0: (0, 0, 0.6), 1: (0, 0, 0.4)},
}


@check
def batched_select(rng):
    yield _selects(
        "three roots without children",
        TTT,
        [
            ([], {(): {0: (0, 0, 0.2), 4: (0, 0, 0.5), 8: (0, 0, 0.3)}}),
            ([4], {(): {0: (0, 0, 0.6), 8: (0, 0, 0.4)}}),
            (THREE_LEFT, {(): FRESH}),
        ],
        "At each root the prior decides alone. Is each game's best action its own?",
    )
    yield _selects(
        "one game goes down a level, the other stops at its root",
        TTT,
        [([], ONE_CHILD), (THREE_LEFT, {(): FRESH})],
        "What becomes of a game that has arrived while another walks on?",
        points=2,
    )
    yield _selects(
        "walks of four, none and one step",
        TTT,
        [([], DEEP), (THREE_LEFT, {(): FRESH}), ([], ONE_CHILD)],
        "After the first step two games are walking, after the second one. Does each of their numbers still belong to its game?",
        points=2,
    )
    yield _selects(
        "a walk that ends at a finished game, and one that does not",
        TTT,
        [([], ONE_CHILD), (THREE_LEFT, WINS)],
        "Nothing can be played in a finished game. What does the docstring say comes back in place of an action?",
        points=2,
    )
    yield _selects(
        "a root that is a finished game, beside one that is not",
        TTT,
        [(WON, {(): {}}), ([], ONE_CHILD)],
        "Which games may not even take their first step?",
        points=2,
    )
    yield _selects(
        "all games are over",
        TTT,
        [(WON, {(): {}}), (WON, {(): {}})],
        "How often should your loop go round?",
    )
    yield _selects(
        "each game counts its own visits under the square root",
        TTT,
        [
            (
                THREE_LEFT,
                {(): {1: (1, 0.55, 0.3), 5: (0, 0, 0.4), 7: (0, 0, 0.3)}, (1,): {5: (0, 0, 0.7), 7: (0, 0, 0.3)}},
            ),
            ([], {(): {0: (40, 20.0, 0.5), 8: (40, 18.0, 0.5)}, (0,): {4: (39, -9, 1.0)}, (8,): {4: (39, -9, 1.0)}}),
            (
                THREE_LEFT,
                {
                    (): {1: (40, 20.0, 0.5), 5: (30, 12.0, 0.3), 7: (20, 9.8, 0.2)},
                    (1,): {5: (0, 0, 1.0)},
                    (5,): {1: (0, 0, 1.0)},
                    (7,): {},
                },
            ),
        ],
        "N is [walking, actions] here. Over which axis does the sum of the formula run?",
        c_puct=1.2,
        points=2,
    )
    yield _selects(
        "an illegal action is not taken even when all legal ones lose",
        TTT,
        [
            (
                THREE_LEFT,
                {
                    (): {1: (20, -18, 0.3), 5: (20, -10, 0.4), 7: (20, -19, 0.3)},
                    (1,): {5: (19, 17.0, 1.0)},
                    (5,): {1: (1, -0.2, 0.2), 7: (0, 0, 0.8)},
                    (7,): {},
                },
            ),
            (
                THREE_LEFT,
                {
                    (): {1: (2, 0.2, 0.1), 4: (0, 0, 0.6), 5: (1, -0.5, 0.2), 7: (3, 0.3, 0.1)},
                    (1,): {5: (1, 0.1, 0.8), 7: (0, 0, 0.2)},
                    (5,): {1: (0, 0, 0.5), 7: (0, 0, 0.5)},
                    (7,): {},
                },
            ),
        ],
        "Every legal score is below 0 in game 0. What does an illegal action score, and is that below them all?",
    )
    flat = dict.fromkeys(range(1, 9), (0, 0, 0.125))
    yield _selects(
        "ties go to the lowest action",
        TTT,
        [
            ([0], {(): flat}),
            (THREE_LEFT, {(): {1: (2, -0.5, 0.2), 5: (0, 0, 0.4), 7: (0, 0, 0.4)}, (1,): {5: (1, 0.2, 1.0)}}),
        ],
        "Of several best scores, which one does your code keep?",
    )
    choice = {
        (): {0: (3, 1.5, 0.1), 4: (1, 0.0, 0.9)},
        (0,): {4: (2, -0.2, 0.1), 8: (0, 0, 0.9)},
        (4,): {0: (0, 0, 1.0)},
        (0, 4): {8: (1, 0.2, 0.1), 2: (0, 0, 0.9)},
        (0, 4, 8): {2: (0, 0, 1.0)},
    }
    constants = (0.0, 0.1, 0.6, 3.0)
    yield Case(
        "c_puct changes the way down",
        lambda batched_select: [_pair(batched_select(forest(TTT, [([], choice)]), c_puct)) for c_puct in constants],
        [_places(TTT, [([], choice)], c_puct) for c_puct in constants],
        f"{_forest_line(TTT, [([], choice)])}[batched_select(tree, c_puct) for c_puct in {constants}]",
        "Which part of the score does c_puct multiply?",
        _picture(TTT, [([], choice)]),
    )
    seed = int(rng.integers(2**31))
    for game, many in ((TTT, 16), (C4, 6)):
        yield Case(
            f"{many} random trees of {'Connect Four' if game is C4 else 'tic-tac-toe'} at once",
            lambda batched_select, game=game, many=many: _pair(
                batched_select(forest(game, _grown(seed, game, many, 1.4)), 1.4)
            ),
            _places(game, _grown(seed, game, many, 1.4), 1.4),
            f"batched_select(tree, 1.4), for {many} random trees",
            "Find the first game whose node or action is wrong. Is it right if that game is searched alone?",
            points=2,
        )

    def kinds(batched_select):
        nodes, actions = batched_select(forest(TTT, [([], DEEP), (THREE_LEFT, WINS), (WON, {(): {}})]), 1.5)
        return [str(part.dtype.kind in "iu") + str(list(part.shape)) for part in (nodes, actions)]

    yield Case(
        "returns two arrays of integers, one entry a game",
        kinds,
        Such("two integer arrays [3]", lambda value: value == ["True[3]", "True[3]"]),
        _forest_line(TTT, [([], DEEP), (THREE_LEFT, WINS), (WON, {(): {}})])
        + "nodes, actions = batched_select(tree, 1.5)\nnodes.dtype, nodes.shape, actions.dtype, actions.shape",
        "They will be used as indices. What may index an array?",
    )

    def untouched(batched_select):
        tree = forest(TTT, [([], DEEP), (THREE_LEFT, WINS)])
        before = _snapshot(tree)
        batched_select(tree, 1.5)
        return [_changed(tree, before), tree.nodes - forest(TTT, [([], DEEP), (THREE_LEFT, WINS)]).nodes]

    yield Case(
        "only walks: the trees stay as they were",
        untouched,
        [[], 0],
        f"{_forest_line(TTT, [([], DEEP), (THREE_LEFT, WINS)])}batched_select(tree, 1.5), then which entries of the tree changed",
        "Select finds the place. Who makes the child, and who counts the visit?",
    )


EXPLORATION = "U = c_puct * tree.P[games, here] * np.sqrt(1 + N.sum(axis=1, keepdims=True)) / (1 + N)"
MASK = "np.where(tree.legal[games, here], Q + U, -np.inf)"

wrong(
    "batched_select",
    "stops with the first",
    "all walks stop as soon as one of them has arrived",
    "Which games are done after a step: all, or those without a child to walk on to?",
    (
        "        games, child = games[found], child[found]\n",
        "        if not found.all():\n            break\n        games, child = games[found], child[found]\n",
    ),
)
wrong(
    "batched_select",
    "one level only",
    "every walk goes down one level at most",
    "What kind of statement does a thing an unknown number of times?",
    ("        games = games[~over]\n", "        games = games[:0]\n"),
    ("        actions[games[over]] = NO_ACTION\n", "        actions[games] = NO_ACTION\n"),
)
wrong(
    "batched_select",
    "finished games walk on",
    "at a finished game an action is chosen although none is legal",
    "All scores are minus infinity there: what does argmax make of that?",
    ("        games = games[~over]\n", ""),
)
wrong(
    "batched_select",
    "finished roots walk",
    "a game that is over before the search begins is searched, too",
    "Which games are walking at the start?",
    ("games = np.flatnonzero(~tree.is_terminal[:, ROOT])", "games = np.arange(len(tree.N))"),
)
wrong(
    "batched_select",
    "the way that led there",
    "at a finished game the action that led there comes back instead of NO_ACTION",
    "What is left in `actions` from the step before?",
    ("        actions[games[over]] = NO_ACTION\n", ""),
)
wrong(
    "batched_select",
    "-1 for no action",
    "-1 stands for no action instead of NO_ACTION: as an index it is the last",
    "Which value was agreed on, and why such an odd one?",
    ("= NO_ACTION\n", "= -1\n"),
    ("np.full(len(tree.N), NO_ACTION)", "np.full(len(tree.N), -1)"),
)
wrong(
    "batched_select",
    "numbers slip into other games",
    "once a game has arrived, the others' nodes are written to the first places instead of their own",
    "`child` has one entry for each game that is still walking. Which games are these?",
    ("        nodes[games] = child\n", "        nodes[: len(games)] = child\n"),
    ("while len(games) > 0:", "for _ in range(tree.N.shape[1]):"),
)
wrong(
    "batched_select",
    "the statistics of game 0",
    "all games read the statistics of the first one's tree",
    "`tree.N[games, here]` pairs each game with its own node. What does `tree.N[0, here]` do?",
    ("N = tree.N[games, here]", "N = tree.N[0, here]"),
    ("tree.W[games, here]", "tree.W[0, here]"),
)
wrong(
    "batched_select",
    "the children of game 0",
    "all games walk by the first one's `children`",
    "Node 3 of one game and node 3 of another: are they the same position?",
    ("tree.children[games, here, best]", "tree.children[0, here, best]"),
)
wrong(
    "batched_select",
    "always the root",
    "every level asks the root again instead of the node that the walk has come to",
    "Whose statistics decide on the second level?",
    ("        N = tree.N[games, here]", "        N = tree.N[games, ROOT]"),
    ("tree.W[games, here]", "tree.W[games, ROOT]"),
    ("tree.P[games, here]", "tree.P[games, ROOT]"),
)
wrong(
    "batched_select",
    "visits of all games together",
    "the sum under the square root runs over all games instead of one game's actions",
    "What shape should the sum have?",
    ("N.sum(axis=1, keepdims=True)", "N.sum()"),
)
wrong(
    "batched_select",
    "summed over the games",
    "the visits are summed over the games, action by action, instead of over the actions of each game",
    "Which axis of [walking, actions] counts the actions?",
    ("N.sum(axis=1, keepdims=True)", "N.sum(axis=0, keepdims=True)"),
)
wrong(
    "batched_select",
    "sqrt of the sum of N, without the 1",
    "the 1 under the square root is missing: before the first simulation every U is 0 and the prior has no say",
    "What is the sum of N at a node that was just made?",
    ("np.sqrt(1 + N.sum", "np.sqrt(N.sum"),
)
wrong(
    "batched_select",
    "U divided by N",
    "U is divided by N (at least 1) instead of 1 + N",
    "By how much does U fall from no visit to one?",
    ("/ (1 + N)", "/ np.maximum(N, 1)"),
)
wrong(
    "batched_select",
    "illegal actions not masked",
    "illegal actions take part in the comparison",
    "What may the player to move play here?",
    (MASK, "(Q + U)"),
)
wrong(
    "batched_select",
    "masked by prior",
    "an action with prior 0 is taken for illegal, one with a prior for legal",
    "Which field says what is legal?",
    ("np.where(tree.legal[games, here],", "np.where(tree.P[games, here] > 0,"),
)
wrong(
    "batched_select",
    "highest on ties",
    "of several equal scores the last is taken",
    "argmax keeps the first of equals. Have you turned anything round?",
    (f"{MASK}.argmax(axis=1)", f"tree.N.shape[2] - 1 - {MASK}[:, ::-1].argmax(axis=1)"),
)
wrong(
    "batched_select",
    "the opponent's point of view",
    "the mean value enters with a minus: the player to move picks what is good for the opponent",
    "W is in the perspective of the node's own player. Does it need another sign here?",
    ("Q + U, -np.inf", "-Q + U, -np.inf"),
)
wrong(
    "batched_select",
    "sum instead of mean",
    "W is used where Q belongs: an action looks better the more often it was tried",
    "What is W divided by to become a mean?",
    (" / np.maximum(N, 1)", ""),
)
wrong(
    "batched_select",
    "Q forgotten",
    "only U is compared: what the simulations brought back is not used",
    "Which term remembers how good an action turned out to be?",
    ("Q + U, -np.inf", "U, -np.inf"),
)
wrong(
    "batched_select",
    "c_puct forgotten",
    "c_puct is not used",
    "What should happen at c_puct = 0?",
    ("c_puct * tree.P", "tree.P"),
)
wrong(
    "batched_select",
    "the missing child",
    "UNVISITED comes back as if it were a node",
    "Where will the new node be hung: at the node you came to, or at one that does not exist?",
    ("        nodes[games] = child\n", ""),
    ("        found = child != UNVISITED\n", "        nodes[games] = child\n        found = child != UNVISITED\n"),
)
wrong(
    "batched_select",
    "actions first",
    "the pair comes in the order (actions, nodes)",
    "What does the docstring return first?",
    ("return nodes, actions", "return actions, nodes"),
)


# --- batched_expand --------------------------------------------------------------------------------------------------

TO_EXPAND: list[Spec] = [([], DEEP), (THREE_LEFT, WINS), ([], ONE_CHILD)]
NODES, ACTIONS = [7, 3, 0], [3, 5, 8]  # game 0 far down, game 1 below its action 5 (node 3 there), game 2 at its root
NODES[1] = _numbers(1, WINS)[(5,)]
ACTIONS[1] = 7


def _expands(
    name: str, look, specs, nodes: list[int], actions: list[int], expected, question: str, what: str, game=TTT, **rest
) -> Case:
    """A case that looks at something after one expansion: `look(tree, leaves)`."""

    def run(batched_expand):
        tree = forest(game, specs)
        leaves = batched_expand(tree, np.array(nodes), np.array(actions), make_batched(game))
        return look(tree, leaves)

    return Case(
        name,
        run,
        expected,
        f"{_forest_line(game, specs)}nodes, actions = np.array({nodes}), np.array({actions})\n"
        f"leaves = batched_expand(tree, nodes, actions, make_batched({WRITTEN[game]}))\n{what}",
        question,
        _picture(game, specs) if len(specs) <= 4 else "",
        **rest,
    )


def _plain(values) -> list:
    return np.asarray(values).tolist()


def _new(tree: Tree, field: str, child: int, games) -> list:
    """A field of the new node in each of the games."""
    return [_plain(getattr(tree, field)[b, child]) for b in games]


def _random_places(seed: int, game: Game, many: int) -> tuple[list[Spec], list[int], list[int]]:
    specs = _grown(seed, game, many, 1.4)
    nodes, actions = _places(game, specs, 1.4)
    return specs, nodes, actions


def _moves_after(specs: list[Spec], nodes: list[int], actions: list[int]) -> list[list[int]]:
    """For each game the moves from the start to the node, and the action."""
    many = []
    for b, ((moves, paths), node, action) in enumerate(zip(specs, nodes, actions, strict=True)):
        path = next(path for path, number in _numbers(b, paths).items() if number == node)
        many.append([*moves, *path] + ([action] if action != NO_ACTION else []))
    return many


@check
def batched_expand(rng):
    new = forest(TTT, TO_EXPAND).nodes
    there = (TO_EXPAND, NODES, ACTIONS)
    moves = _moves_after(*there)
    yield _expands(
        "returns the new node of every game: the same number in all",
        lambda tree, leaves: _plain(leaves),
        *there,
        [new] * 3,
        "Which number is the next one that no tree uses yet?",
        "leaves",
    )
    yield _expands(
        "uses one more node, however many games there are",
        lambda tree, leaves: _plain(tree.nodes),
        *there,
        new + 1,
        "All new children have the same number. By how much does `tree.nodes` grow?",
        "tree.nodes",
        points=2,
    )
    yield _expands(
        "the parent knows its child",
        lambda tree, leaves: [
            _plain(tree.children[b, m, a]) for b, (m, a) in enumerate(zip(NODES, ACTIONS, strict=True))
        ],
        *there,
        [new] * 3,
        "How will the next walk find the new node?",
        "tree.children[[0, 1, 2], nodes, actions]",
    )
    yield _expands(
        "the child knows its parent, and the action that led to it",
        lambda tree, leaves: [_new(tree, "parent", new, range(3)), _new(tree, "parent_action", new, range(3))],
        *there,
        [NODES, ACTIONS],
        "How will the value find its way home?",
        f"tree.parent[:, {new}], tree.parent_action[:, {new}]",
        points=2,
    )
    yield _expands(
        "the child's position is the one after the action",
        lambda tree, leaves: _in_words([tree.states[b, new] for b in range(3)]),
        *there,
        _in_words(_positions(TTT, moves)),
        "From which position is the action played, in each game?",
        f"tree.states[:, {new}]",
        points=2,
    )
    yield _expands(
        "legal actions and end of the game are known for the child",
        lambda tree, leaves: [
            [np.flatnonzero(row).tolist() for row in _new(tree, "legal", new, range(3))],
            _new(tree, "is_terminal", new, range(3)),
            _new(tree, "terminal_value", new, range(3)),
        ],
        *there,
        [
            [TTT.legal_actions(after(TTT, one)) for one in moves],
            [TTT.is_terminal(after(TTT, one)) for one in moves],
            [float(TTT.winner(after(TTT, one)) * TTT.to_play(after(TTT, one))) for one in moves],
        ],
        "Three fields of a node say what the rules know of it. `game.legal` and `game.outcome` fill them.",
        f"tree.legal[:, {new}], tree.is_terminal[:, {new}], tree.terminal_value[:, {new}]",
        points=2,
    )
    full = [4, 0, 2, 6, 3, 5, 1, 7]  # X to move; 8 is free, and nobody wins
    ends = [(THREE_LEFT, {(): FRESH}), (full, {(): {8: (0, 0, 1.0)}})]
    yield _expands(
        "a win is worth -1 to the player who would be to move, a draw 0",
        lambda tree, leaves: [
            _new(tree, "is_terminal", tree.nodes - 1, range(2)),
            _new(tree, "terminal_value", tree.nodes - 1, range(2)),
            [sum(row) for row in _new(tree, "legal", tree.nodes - 1, range(2))],
        ],
        ends,
        [0, 0],
        [7, 8],
        [[True, True], [-1.0, 0.0], [0, 0]],
        "Whose point of view does `game.outcome` have, and whose does `terminal_value`?",
        "tree.is_terminal[:, tree.nodes - 1], tree.terminal_value[:, tree.nodes - 1]",
    )
    waiting = [([], ONE_CHILD), (THREE_LEFT, WINS), (WON, {(): {}})]
    at = [_numbers(0, ONE_CHILD)[(4,)], _numbers(1, WINS)[(7,)], ROOT]
    free = forest(TTT, waiting).nodes
    yield _expands(
        "where there is nothing to expand, the node itself comes back",
        lambda tree, leaves: _plain(leaves),
        waiting,
        at,
        [0, NO_ACTION, NO_ACTION],
        [free, *at[1:]],
        "A walk that ended at a finished game has no new node. Which node should its value be carried up from?",
        "leaves",
        points=2,
    )

    def rest_unchanged(batched_expand):
        tree = forest(TTT, waiting)
        before = _snapshot(tree)
        batched_expand(tree, np.array(at), np.array([0, NO_ACTION, NO_ACTION]), make_batched(TTT))
        new_rows = [f"{name}[{b}, {free}]" for name in FIELDS for b in range(3)]
        return _changed(tree, before, may=[*new_rows, f"children[0, {at[0]}]"])

    yield Case(
        "nothing else changes, in this game or in another",
        rest_unchanged,
        [],
        f"{_forest_line(TTT, waiting)}batched_expand(tree, np.array({at}), np.array([0, {NO_ACTION}, {NO_ACTION}]), "
        "make_batched(TicTacToe()))\nwhich entries of the tree changed, besides the new node and its parent's children",
        "`tree.children[games, parents, taken]` names one entry in each game. What does a `:` in the first place name?",
        points=2,
    )

    def all_over(batched_expand):
        tree = forest(TTT, [(WON, {(): {}})] * 2)
        before = _snapshot(tree)
        leaves = batched_expand(tree, np.array([0, 0]), np.array([NO_ACTION] * 2), make_batched(TTT))
        spare = range(forest(TTT, [(WON, {(): {}})] * 2).nodes, tree.N.shape[1])
        return [
            _plain(leaves),
            _changed(tree, before, may=[f"{name}[{b}, {m}]" for name in FIELDS for b in range(2) for m in spare]),
        ]

    yield Case(
        "no game has anything to expand",
        all_over,
        [[0, 0], []],
        f"{_forest_line(TTT, [(WON, {(): {}})] * 2)}"
        f"batched_expand(tree, np.array([0, 0]), np.array([{NO_ACTION}] * 2), make_batched(TicTacToe()))",
        "Does your code work with an array of no games?",
    )

    def twice(batched_expand):
        tree = forest(TTT, [([], ONE_CHILD), ([], ONE_CHILD)])
        game, found = make_batched(TTT), []
        for actions in ([0, 8], [8, 1]):
            found.append(_plain(batched_expand(tree, np.array([0, 0]), np.array(actions), game)))
        return [found, _plain(tree.children[:, 0, [0, 1, 4, 8]])]

    first = forest(TTT, [([], ONE_CHILD), ([], ONE_CHILD)]).nodes
    yield Case(
        "the next expansion uses the next number",
        twice,
        [[[first] * 2, [first + 1] * 2], [[first, -1, 1, first + 1], [-1, first + 1, 2, first]]],
        f"{_forest_line(TTT, [([], ONE_CHILD), ([], ONE_CHILD)])}game = make_batched(TicTacToe())\n"
        "first = batched_expand(tree, np.array([0, 0]), np.array([0, 8]), game)\n"
        "second = batched_expand(tree, np.array([0, 0]), np.array([8, 1]), game)\n"
        "first, second, tree.children[:, 0, [0, 1, 4, 8]]",
        "If the counter stands still, what happens to the node that was made before?",
    )
    seed = int(rng.integers(2**31))
    for game, many in ((TTT, 16), (C4, 6)):
        specs, nodes, actions = _random_places(seed, game, many)
        later = [after(game, one) for one in _moves_after(specs, nodes, actions)]
        expanded = [b for b in range(many) if actions[b] != NO_ACTION]
        child = forest(game, specs).nodes

        def look(tree, leaves, game=game, child=child, expanded=expanded):
            return {
                "leaves": _plain(leaves),
                "positions": _in_words(np.array([tree.states[b, child] for b in expanded]).reshape(-1, 2)),
                "legal": [np.flatnonzero(row).tolist() for row in _new(tree, "legal", child, expanded)],
                "is_terminal": [str(over) for over in _new(tree, "is_terminal", child, expanded)],
                "terminal_value": _new(tree, "terminal_value", child, expanded),
                "parent": _new(tree, "parent", child, expanded),
                "parent_action": _new(tree, "parent_action", child, expanded),
            }

        case = _expands(
            f"{many} random trees of {'Connect Four' if game is C4 else 'tic-tac-toe'} at once",
            look,
            specs,
            nodes,
            actions,
            {
                "leaves": [child if b in expanded else nodes[b] for b in range(many)],
                "positions": _in_words(
                    _positions(
                        game, [one for b, one in enumerate(_moves_after(specs, nodes, actions)) if b in expanded]
                    )
                ),
                "legal": [game.legal_actions(later[b]) for b in expanded],
                "is_terminal": [str(game.is_terminal(later[b])) for b in expanded],
                "terminal_value": [float(game.winner(later[b]) * game.to_play(later[b])) for b in expanded],
                "parent": [nodes[b] for b in expanded],
                "parent_action": [actions[b] for b in expanded],
            },
            "Find the first game that is wrong. Is it right if that game is expanded alone?",
            "",
            game,
            points=2,
        )
        case.call = f"leaves = batched_expand(tree, nodes, actions, game), for {many} random trees"
        yield case

    def arguments(batched_expand):
        nodes, actions = np.array(NODES), np.array(ACTIONS)
        batched_expand(forest(TTT, TO_EXPAND), nodes, actions, make_batched(TTT))
        return [nodes.tolist(), actions.tolist()]

    yield Case(
        "leaves nodes and actions as they were",
        arguments,
        [NODES, ACTIONS],
        f"{_forest_line(TTT, TO_EXPAND)}nodes, actions = np.array({NODES}), np.array({ACTIONS})\n"
        "batched_expand(tree, nodes, actions, make_batched(TicTacToe()))\nnodes, actions",
        "`b = a` gives an array a second name. What makes a second array?",
    )


wrong(
    "batched_expand",
    "counter not advanced",
    "`tree.nodes` stays as it is: the next simulation overwrites this one's nodes",
    "Which number will the next new node get?",
    ("    tree.nodes += 1\n", ""),
)
wrong(
    "batched_expand",
    "counter advanced by the number of games",
    "`tree.nodes` grows by the number of games: the room for the nodes is soon used up",
    "All trees use the same number. How many numbers are gone?",
    ("tree.nodes += 1", "tree.nodes += len(games)"),
)
wrong(
    "batched_expand",
    "a number of its own for each game",
    "every game's new node gets another number, though each tree has numbers of its own",
    "Can node 5 of one game get in the way of node 5 of another?",
    (
        "leaves[games] = child = tree.nodes\n    tree.nodes += 1",
        "leaves[games] = child = (tree.nodes + np.arange(len(games))) % tree.N.shape[1]\n    tree.nodes += 1",
    ),
)
wrong(
    "batched_expand",
    "finished games expanded",
    "NO_ACTION is played as if it were a move",
    "Which games have something to expand?",
    ("np.flatnonzero(actions != NO_ACTION)", "np.arange(len(actions))"),
)
wrong(
    "batched_expand",
    "a leaf that was not made",
    "finished games get the new number, too, though they have no such node",
    "Which node did the walk of a finished game end at?",
    ("leaves[games] = child = tree.nodes", "leaves[:] = child = tree.nodes"),
)
wrong(
    "batched_expand",
    "the parents come back",
    "the nodes that select found come back instead of the new ones",
    "Which node has nobody judged yet?",
    ("return leaves", "return nodes"),
)
wrong(
    "batched_expand",
    "parent forgotten",
    "the child does not know its parent: backup takes it for a root's neighbor and gets lost",
    "Which two fields lead from a child back to where it came from?",
    ("    tree.parent[games, child] = parents\n", ""),
)
wrong(
    "batched_expand",
    "action forgotten",
    "the child does not know the action that led to it",
    "Which two fields lead from a child back to where it came from?",
    ("    tree.parent_action[games, child] = taken\n", ""),
)
wrong(
    "batched_expand",
    "child not hung in",
    "the parent does not know its child: every simulation makes it anew",
    "How will the next walk find the new node?",
    ("    tree.children[games, parents, taken] = child\n", ""),
)
wrong(
    "batched_expand",
    "hung into every tree",
    "the child is hung into the trees of all games, at the same place",
    "What does a `:` in the first place of an index name?",
    ("tree.children[games, parents, taken] = child", "tree.children[:, parents, taken] = child"),
)
wrong(
    "batched_expand",
    "legal actions forgotten",
    "the child's legal actions are never written: all of them stay False",
    "What will select mask with when it comes to the new node?",
    ("    tree.legal[games, child] = game.legal(states)\n", ""),
)
wrong(
    "batched_expand",
    "the parent's legal actions",
    "the child gets its parent's legal actions, the one just played among them",
    "Of which position should `game.legal` be asked?",
    ("game.legal(states)", "tree.legal[games, parents]"),
)
wrong(
    "batched_expand",
    "end of the game forgotten",
    "the child never says that its game is over",
    "Who asks the rules whether the new position is a finished game?",
    ("    tree.is_terminal[games, child], tree.terminal_value[games, child] = game.outcome(states)\n", ""),
)
wrong(
    "batched_expand",
    "the winner's point of view",
    "a finished game is worth +1: that is what it is worth to the winner, who is not to move",
    "Who would be to move after a winning move?",
    (
        "    tree.children[games, parents",
        "    tree.terminal_value[games, child] *= -1\n    tree.children[games, parents",
    ),
)
wrong(
    "batched_expand",
    "played from the root",
    "the action is played in the root's position instead of the node's",
    "Where did the walk end?",
    ("tree.states[games, parents]", "tree.states[games, ROOT]"),
)
wrong(
    "batched_expand",
    "the positions of game 0",
    "the action is played in the first game's tree for all games",
    "Which two indices name a node?",
    ("game.play(tree.states[games, parents], taken)", "game.play(tree.states[0, parents], taken)"),
)
wrong(
    "batched_expand",
    "the parent overwritten",
    "the parent's position is overwritten by the child's",
    "A node has more than one child. What would the next one start from?",
    (
        "    tree.states[games, child] = states\n",
        "    tree.states[games, child] = tree.states[games, parents] = states\n",
    ),
)
wrong(
    "batched_expand",
    "position forgotten",
    "the child's position is never stored",
    "What will the network be shown?",
    ("    tree.states[games, child] = states\n", ""),
)
wrong(
    "batched_expand",
    "counts the visit",
    "expand counts a visit itself: backup will count it again",
    "Which of the four steps writes to N?",
    ("    return leaves", "    tree.N[games, parents, taken] += 1\n    return leaves"),
)
wrong(
    "batched_expand",
    "nodes changed in place",
    "the caller's `nodes` are overwritten",
    "Is `leaves = nodes` a second array or a second name?",
    ("nodes.copy()", "nodes"),
    ("leaves[games] = child = tree.nodes", "parents = nodes[games]\n    leaves[games] = child = tree.nodes"),
    ("parents, taken = nodes[games], actions[games]", "taken = actions[games]"),
)


# --- batched_backup --------------------------------------------------------------------------------------------------


def _gained(tree: Tree, before: dict[str, np.ndarray]) -> list[str]:
    """Every edge whose N or W changed, in words."""
    dN, dW = tree.N - before["N"], tree.W - before["W"]
    edges = np.argwhere((np.abs(dN) > 1e-9) | (np.abs(dW) > 1e-9)).tolist()
    return [f"game {b}, node {m}, action {a}: N {dN[b, m, a]:+.6g}, W {dW[b, m, a] + 0.0:+.6g}" for b, m, a in edges]


def _should_gain(specs: list[Spec], places: list[tuple[int, ...]], values: list[float]) -> list[str]:
    """The same for one backup from the nodes at the paths `places`."""
    found = []
    for b, ((_, paths), path, value) in enumerate(zip(specs, places, values, strict=True)):
        number = _numbers(b, paths)
        edges = []
        for depth in range(len(path)):
            sign = -1 if (len(path) - depth) % 2 else 1
            edges.append((number[path[:depth]], path[depth], sign * value))
        found += [f"game {b}, node {m}, action {a}: N +1, W {gain + 0.0:+.6g}" for m, a, gain in sorted(edges)]
    return found


def _backs_up(
    name: str, specs: list[Spec], places: list[tuple[int, ...]], values: list[float], question: str, game=TTT, **rest
) -> Case:
    leaves = [_numbers(b, paths)[path] for b, ((_, paths), path) in enumerate(zip(specs, places, strict=True))]

    def run(batched_backup):
        tree = forest(game, specs)
        before = _snapshot(tree)
        batched_backup(tree, np.array(leaves), np.array(values))
        return _gained(tree, before)

    return Case(
        name,
        run,
        _should_gain(specs, places, values),
        f"{_forest_line(game, specs)}batched_backup(tree, np.array({leaves}), np.array({values}))\n"
        "what was added to N and W of which edges",
        question,
        _picture(game, specs),
        **rest,
    )


@check
def batched_backup(rng):
    yield _backs_up(
        "one step up: the value changes its sign",
        [([], ONE_CHILD)],
        [(4,)],
        [0.5],
        "The leaf is worth 0.5 to its player. What is that to the player who chose the action leading there?",
    )
    yield _backs_up(
        "two steps up: minus, then plus",
        [([], DEEP)],
        [(0, 8)],
        [0.25],
        "Whose turn is it at each of the nodes on the way?",
        points=2,
    )
    yield _backs_up(
        "four steps up",
        [([], DEEP)],
        [(0, 4, 8, 7)],
        [-0.4],
        "The sign changes at each step. Does yours at the third and the fourth?",
    )
    yield _backs_up(
        "three games, whose leaves lie one, two and four steps deep",
        [([], ONE_CHILD), ([], DEEP), ([], DEEP)],
        [(4,), (0, 8), (0, 4, 8, 7)],
        [0.3, -0.6, 0.9],
        "A game that has come to its root is done. Do the others go on, each with its own value?",
        points=2,
    )
    yield _backs_up(
        "the deepest leaf comes first",
        [([], DEEP), ([], ONE_CHILD), ([], DEEP)],
        [(0, 4, 8, 7), (4,), (0, 4, 2)],
        [0.7, -0.2, 0.1],
        "When game 1 is done, do games 0 and 2 keep their own numbers?",
        points=2,
    )
    yield _backs_up(
        "a leaf that is the root changes nothing",
        [(WON, {(): {}}), ([], ONE_CHILD), (WON, {(): {}})],
        [(), (4,), ()],
        [-1.0, 0.5, -1.0],
        "No action led to the root. Which games climb at all?",
        points=2,
    )
    yield _backs_up(
        "all leaves are roots",
        [(WON, {(): {}}), (WON, {(): {}})],
        [(), ()],
        [-1.0, -1.0],
        "How often should your loop go round?",
    )
    yield _backs_up(
        "a finished game's loss is the winner's gain; a draw is a visit, too",
        [(THREE_LEFT, WINS), ([4, 0, 2, 6, 3, 5, 1, 7], {(): {8: (0, 0, 1.0)}, (8,): {}})],
        [(7,), (8,)],
        [-1.0, 0.0],
        "A value of 0 adds nothing to W. What does it add to N?",
    )

    def again(batched_backup):
        specs = [([], DEEP), ([], ONE_CHILD)]
        tree = forest(TTT, specs)
        deep, flat = _numbers(0, DEEP)[(0, 4)], _numbers(1, ONE_CHILD)[(4,)]
        for value in (0.5, -0.25, 1.0):
            batched_backup(tree, np.array([deep, flat]), np.array([value, -value]))
        return [tree.N[0, 0, 0], tree.W[0, 0, 0], tree.N[1, 0, 4], tree.W[1, 0, 4]]

    yield Case(
        "visits and values add up",
        again,
        [6 + 3, 2.4 + 1.25, 1 + 3, 0.3 + 1.25],
        f"{_forest_line(TTT, [([], DEEP), ([], ONE_CHILD)])}"
        "for value in (0.5, -0.25, 1.0):\n"
        f"    batched_backup(tree, np.array([{_numbers(0, DEEP)[(0, 4)]}, {_numbers(1, ONE_CHILD)[(4,)]}]), "
        "np.array([value, -value]))\n"
        "tree.N[0, 0, 0], tree.W[0, 0, 0], tree.N[1, 0, 4], tree.W[1, 0, 4]",
        "What was in the tree before the visit: is it still counted?",
    )
    seed = int(rng.integers(2**31))
    for game, many in ((TTT, 16), (C4, 6)):
        specs = _grown(seed, game, many, 1.4)
        draw = np.random.default_rng(seed)
        places = [list(paths)[draw.integers(len(paths))] for _, paths in specs]
        values = draw.uniform(-1, 1, size=many).round(3).tolist()
        case = _backs_up(
            f"{many} random trees of {'Connect Four' if game is C4 else 'tic-tac-toe'} at once",
            specs,
            places,
            values,
            "Find the first edge that is wrong. How deep is that game's leaf, and how deep are the others'?",
            game,
            points=2,
        )
        case.call, case.board = f"batched_backup(tree, leaves, values), for {many} random trees", ""
        yield case

    def untouched(batched_backup):
        specs = [([], ONE_CHILD), ([], DEEP)]
        tree = forest(TTT, specs)
        before, nodes = _snapshot(tree), tree.nodes
        leaves = np.array([_numbers(0, ONE_CHILD)[(4,)], _numbers(1, DEEP)[(0, 4, 2)]])
        given = [leaves.copy(), np.array([0.5, -0.5])]
        batched_backup(tree, *given)
        changed = [entry for entry in _changed(tree, before) if entry[0] not in "NW"]
        return [changed, tree.nodes - nodes, given[0].tolist() == leaves.tolist(), given[1].tolist()]

    yield Case(
        "writes N and W and nothing else; leaves and values stay as they were",
        untouched,
        [[], 0, True, [0.5, -0.5]],
        f"{_forest_line(TTT, [([], ONE_CHILD), ([], DEEP)])}leaves, values = np.array([1, {_numbers(1, DEEP)[(0, 4, 2)]}]), np.array([0.5, -0.5])\n"
        "batched_backup(tree, leaves, values)\nwhich other entries of the tree changed, by how much tree.nodes, leaves, values",
        "`values *= -1` works on the array that you were given. Who else holds it?",
    )


FLIP = "        values = -values\n"

wrong(
    "batched_backup",
    "sign flip forgotten",
    "backup forgets to change the sign: what is good for one player counts as good for the other",
    "Who chooses at the parent, and is a good value for the child good news there?",
    (FLIP, ""),
)
wrong(
    "batched_backup",
    "sign changed too late",
    "the sign changes after the value was added instead of before",
    "Whose W is written first, and is that player glad of the value?",
    (FLIP, ""),
    ("        climbing = parents", "        values = -values\n        climbing = parents"),
)
wrong(
    "batched_backup",
    "sign changed once",
    "the sign changes once, before the climb, and never again",
    "How many players are there between a leaf and the root four steps up?",
    (FLIP, ""),
    ("nodes, values = leaves[games], values[games]", "nodes, values = leaves[games], -values[games]"),
)
wrong(
    "batched_backup",
    "added to every game",
    "the visit is counted in the trees of all games, at the same place",
    "What does a `:` in the first place of an index name?",
    ("tree.N[games, parents, actions] += 1", "tree.N[:, parents, actions] += 1"),
)
wrong(
    "batched_backup",
    "W of every game",
    "the value is added in the trees of all games, at the same place",
    "`tree.W[:, parents, actions]` has the shape [games, games]. Which entries of it are meant?",
    ("tree.W[games, parents, actions] += values", "tree.W[:, parents, actions] += values"),
)
wrong(
    "batched_backup",
    "written to the first games",
    "once a game has come to its root, the others write into the first games' trees",
    "`parents` has one entry for each game that is still climbing. Which games are these?",
    ("        tree.N[games,", "        games_ = np.arange(len(games))\n        tree.N[games_,"),
    ("        tree.W[games,", "        tree.W[games_,"),
)
wrong(
    "batched_backup",
    "the values of the first games",
    "once a game has come to its root, the others go on with the first games' values",
    "`games`, `nodes` and `values` belong together. Do you shorten all three in the same way?",
    (
        "games, nodes, values = games[climbing], parents[climbing], values[climbing]",
        "games, nodes = games[climbing], parents[climbing]\n        values = values[: len(games)]",
    ),
)
wrong(
    "batched_backup",
    "stops with the first",
    "all stop as soon as one has come to its root",
    "Which games are done after a step?",
    (
        "        games, nodes, values = games",
        "        if not climbing.all():\n            break\n        games, nodes, values = games",
    ),
)
wrong(
    "batched_backup",
    "one step only",
    "the news is told to the parent and goes no further",
    "How does the root hear of it?",
    ("        climbing = parents != ROOT\n", "        climbing = np.zeros(len(games), dtype=bool)\n"),
)
wrong(
    "batched_backup",
    "the root left out",
    "the root's edges are never written: the search returns no visits",
    "Is a child of the root done before or after the root has been told?",
    (
        "        tree.N[games",
        "        below = parents != ROOT\n        games, parents, actions, values = games[below], parents[below], actions[below], values[below]\n"
        "        tree.N[games",
    ),
)
wrong(
    "batched_backup",
    "only the root",
    "only the root's edges are written",
    "The next walk reads N and W at every node. Who writes them?",
    (
        "        tree.N[games, parents, actions] += 1\n        tree.W[games, parents, actions] += values\n",
        "        top = parents == ROOT\n        tree.N[games[top], ROOT, actions[top]] += 1\n"
        "        tree.W[games[top], ROOT, actions[top]] += values[top]\n",
    ),
)
wrong(
    "batched_backup",
    "N forgotten",
    "no visit is counted",
    "Which two numbers of an edge change with a visit?",
    ("        tree.N[games, parents, actions] += 1\n", ""),
)
wrong(
    "batched_backup",
    "W forgotten",
    "the values are not added to W",
    "Which two numbers of an edge change with a visit?",
    ("        tree.W[games, parents, actions] += values\n", ""),
)
wrong(
    "batched_backup",
    "W replaced",
    "W becomes the last value instead of the sum of all",
    "What was in W before?",
    ("tree.W[games, parents, actions] += values", "tree.W[games, parents, actions] = values"),
)
wrong(
    "batched_backup",
    "the visit weighted by the value",
    "N grows by the size of the value instead of by 1",
    "How many visits does one simulation make?",
    ("tree.N[games, parents, actions] += 1", "tree.N[games, parents, actions] += np.abs(values)"),
)
wrong(
    "batched_backup",
    "the parent's own action",
    "the action is read one node too high: it is the one that led to the parent",
    "Which node knows the action that led from the parent to the child?",
    (
        "tree.parent[games, nodes], tree.parent_action[games, nodes]",
        "tree.parent[games, nodes], tree.parent_action[games, tree.parent[games, nodes]]",
    ),
)
wrong(
    "batched_backup",
    "the parents of game 0",
    "all games climb by the first one's `parent` and `parent_action`",
    "Node 3 of one game and node 3 of another: have they the same parent?",
    (
        "tree.parent[games, nodes], tree.parent_action[games, nodes]",
        "tree.parent[0, nodes], tree.parent_action[0, nodes]",
    ),
    ("        tree.N[games", "        if (parents < 0).any():\n            break\n        tree.N[games"),
)
wrong(
    "batched_backup",
    "the root climbs",
    "a leaf that is the root is climbed from, though it has no parent",
    "Which games climb at all?",
    ("np.flatnonzero(leaves != ROOT)", "np.arange(len(leaves))"),
)
wrong(
    "batched_backup",
    "draws not counted",
    "a simulation that brings back 0 leaves no visit",
    "Is a draw news?",
    ("np.flatnonzero(leaves != ROOT)", "np.flatnonzero((leaves != ROOT) & (values != 0))"),
)
wrong(
    "batched_backup",
    "values changed in place",
    "the caller's values come back with other signs",
    "`values *= -1` works on the array that you were given. Who else holds it?",
    code="""
    def batched_backup(tree, leaves, values):
        nodes = leaves.copy()
        while (nodes != ROOT).any():
            values *= -1
            games = np.flatnonzero(nodes != ROOT)
            parents, actions = tree.parent[games, nodes[games]], tree.parent_action[games, nodes[games]]
            tree.N[games, parents, actions] += 1
            tree.W[games, parents, actions] += values[games]
            nodes[games] = parents
    """,
)


# --- batched_search --------------------------------------------------------------------------------------------------

ALMOST_FULL = [4, 0, 2, 6, 3, 5]  # X to move; 1, 7 and 8 are free
WIN_IN_ONE, BLOCK = [0, 3, 1, 4], [0, 4, 1]  # X wins on 2; O must take 2


@cache
def _visits(game: Game, moves: tuple[int, ...], seed: int, simulations: int, c_puct: float) -> list[float]:
    """Of a search in one game; zeros if it is over."""
    state = after(game, list(moves))
    if game.is_terminal(state):
        return [0.0] * game.num_actions
    visits = puct_visits(game, state, HashNetwork(game.num_actions, seed), simulations, c_puct)
    return [float(n) for n in visits]


@cache
def _asked(many: tuple[tuple[int, ...], ...], seed: int, simulations: int, c_puct: float) -> list[int]:
    """How many games need the network in each call: for their roots, then simulation by simulation; no call for none."""
    upto = np.zeros(simulations + 2, dtype=int)
    for moves in many:
        if TTT.is_terminal(after(TTT, list(moves))):
            continue
        for count in range(simulations + 1):
            network = HashNetwork(9, seed)
            puct_visits(TTT, after(TTT, list(moves)), network, count, c_puct)
            upto[count + 1] += len(network.calls)
    return [count for count in np.diff(upto).tolist() if count > 0]


def _network_line(seed: int, actions: int) -> str:
    return (
        "from course_utils.tests.oracles import HashNetwork  # made-up opinions\n\n"
        f"network = HashNetwork({actions}, {seed})\n"
    )


def _searches(
    name: str, game: Game, many: list[list[int]], seed: int, simulations: int, question: str, c_puct=1.4, **rest
) -> Case:
    """A case that judges the visits in every game by those of `puct_visits` in that game alone."""
    return Case(
        name,
        lambda batched_search: batched_search(
            make_batched(game), _positions(game, many), HashNetwork(game.num_actions, seed), simulations, c_puct
        ),
        np.array([_visits(game, tuple(moves), seed, simulations, c_puct) for moves in many]),
        f"{_network_line(seed, game.num_actions)}{_states_line(game, many)}"
        f"batched_search(game, states, network, {simulations}, {c_puct})",
        question,
        _boards(game, many) if len(many) <= 4 else "",
        **rest,
    )


def _push(prior, legal, rng):
    """A noise that tests can foresee: half the prior, half the second lowest legal action of each row."""
    pushed = np.array(prior, dtype=np.float64) / 2
    for row, allowed in zip(pushed, legal, strict=True):
        row[np.flatnonzero(allowed)[1]] += 0.5
    return pushed


def _prior(game: Game, moves: list[int], seed: int) -> np.ndarray:
    state = after(game, moves)
    _, logits = HashNetwork(game.num_actions, seed)(game.encode(state)[None])
    legal = game.legal_actions(state)
    prior = np.zeros(game.num_actions)
    prior[legal] = np.exp(logits[0, legal])
    return prior / prior.sum()


@check
def batched_search(rng):
    seed = int(rng.integers(2**31))
    pair = [[], [4]]
    yield _searches(
        "one simulation: the action with the best prior, in each of two games",
        TTT,
        pair,
        seed,
        1,
        "The roots have been evaluated before the first simulation. Has yours left one visit in each game?",
    )
    yield _searches(
        "two simulations",
        TTT,
        pair,
        seed,
        2,
        "Work the second one by hand: what did the first change at the roots?",
    )
    yield _searches(
        "thirty simulations",
        TTT,
        [[], [4], [0, 4, 8]],
        seed,
        30,
        "Select, expand, evaluate, back up: what does each of them get from the one before?",
        points=2,
    )
    yield _searches(
        "near the end of a game, where simulations end at finished games again and again",
        TTT,
        [ALMOST_FULL, THREE_LEFT, [4]],
        seed,
        45,
        "A simulation that comes to a finished game makes no node. What does it still do?",
        points=2,
    )
    yield _searches(
        "games that are over get no visits, those beside them all of theirs",
        TTT,
        [WON, [4], WON, [0]],
        seed,
        30,
        "Which of your steps touches a game whose root is finished?",
        points=2,
    )
    many = [_random_moves(rng, TTT, int(rng.integers(9)), over=True) for _ in range(12)]
    yield _searches(
        "twelve random positions of tic-tac-toe, finished ones among them, and another c_puct",
        TTT,
        many,
        seed,
        30,
        "Is the c_puct that you were given the one that you hand on?",
        c_puct=2.6,
        points=2,
    )
    many = [_random_moves(rng, C4, int(rng.integers(38)), over=True) for _ in range(5)]
    yield _searches(
        "five random positions of Connect Four",
        C4,
        many,
        seed,
        20,
        "Does your code ask the game that it is given?",
        points=2,
    )

    def best(batched_search):
        visits = batched_search(make_batched(TTT), _positions(TTT, [WIN_IN_ONE, BLOCK]), UniformNetwork(9), 100, 1.5)
        return [int(np.argmax(row)) for row in visits]

    yield Case(
        "with a network that knows nothing, finds a win in one and a block",
        best,
        [2, 2],
        "from course_utils.networks import UniformNetwork\n\n"
        f"{_states_line(TTT, [WIN_IN_ONE, BLOCK])}"
        "batched_search(game, states, UniformNetwork(9), 100, 1.5).argmax(axis=1)",
        "Where does the value of a finished game come from, and does it reach the root with the right sign?",
        _boards(TTT, [WIN_IN_ONE, BLOCK]),
    )

    batch = (tuple(ALMOST_FULL), tuple(THREE_LEFT), (), tuple(WON))

    def asked(batched_search):
        network = HashNetwork(9, seed)
        batched_search(make_batched(TTT), _positions(TTT, [list(moves) for moves in batch]), network, 12, 1.4)
        return network.calls

    yield Case(
        "one call of the network a simulation, with the new positions of all games",
        asked,
        _asked(batch, seed, 12, 1.4),
        f"{_network_line(seed, 9)}{_states_line(TTT, [list(moves) for moves in batch])}"
        "batched_search(game, states, network, 12, 1.4)\nnetwork.calls  # the batch size of each call",
        "One large call is cheaper than many small ones: that is what all of this is for. Which of your functions asks the network?",
        points=2,
    )

    def nobody(batched_search):
        network = HashNetwork(9, seed)
        visits = batched_search(make_batched(TTT), _positions(TTT, [WON, WON]), network, 5, 1.4)
        return [visits, len(network.calls)]

    yield Case(
        "a batch of finished games: no visits, and the network is not asked",
        nobody,
        [np.zeros((2, 9)), 0],
        f"{_network_line(seed, 9)}{_states_line(TTT, [WON, WON])}"
        "batched_search(game, states, network, 5, 1.4), network.calls",
        "Which of your steps can't do with no games?",
    )

    def none(batched_search):
        visits = batched_search(make_batched(C4), make_batched(C4).initial(3), HashNetwork(7, seed), 0, 1.4)
        return [type(visits).__name__, list(np.shape(visits)), float(np.sum(visits))]

    yield Case(
        "no simulations, no visits",
        none,
        Such("['ndarray', [3, 7], 0.0]", lambda value: value == ["ndarray", [3, 7], 0.0]),
        f"{_network_line(seed, 7)}game = make_batched(ConnectFour())\nbatched_search(game, game.initial(3), network, 0, 1.4)",
        "How often does your loop go round?",
    )

    def with_tree(batched_search):
        visits, tree = batched_search(
            make_batched(TTT), _positions(TTT, pair), HashNetwork(9, seed), 40, 1.4, return_tree=True
        )
        one = [_visits(TTT, tuple(moves), seed, 40, 1.4) for moves in pair]
        per_level = tree.N.sum(axis=2)  # visits that leave each node
        agree = all(
            tree.N[b, tree.parent[b, m], tree.parent_action[b, m]] == per_level[b, m] + 1
            for b in range(2)
            for m in range(1, tree.nodes)
            if tree.parent[b, m] != NO_PARENT and not tree.is_terminal[b, m]
        )
        return [visits, np.array_equal(visits, tree.N[:, ROOT]), [sum(row) for row in one], agree, tree.nodes]

    yield Case(
        "return_tree: the trees come back, too, and their visits agree from level to level",
        with_tree,
        [np.array([_visits(TTT, tuple(moves), seed, 40, 1.4) for moves in pair]), True, [40.0, 40.0], True, 41],
        f"{_network_line(seed, 9)}{_states_line(TTT, pair)}"
        "visits, tree = batched_search(game, states, network, 40, 1.4, return_tree=True)\n"
        "visits, (visits == tree.N[:, ROOT]).all(), their sums, whether N of each edge is 1 + the visits below, tree.nodes",
        "Is there one set of trees that lives through all simulations? How many nodes does a simulation use?",
    )

    def noisy(batched_search):
        given = []

        def noise(prior, legal, generator):
            given.append([np.array(prior).round(6).tolist(), np.array(legal).tolist(), generator is rng])
            return _push(prior, legal, generator)

        visits = batched_search(
            make_batched(TTT), _positions(TTT, pair), HashNetwork(9, seed), 45, 1.4, noise=noise, rng=rng
        )
        return [visits, len(given), given[0] if given else "was not called"]

    legal = np.array([[action not in moves for action in range(9)] for moves in pair])
    priors = np.stack([_prior(TTT, moves, seed) for moves in pair])
    pushed = _push(priors, legal, rng)
    expected = [
        puct_visits(
            TTT,
            after(TTT, moves),
            WithPrior(HashNetwork(9, seed), TTT.encode(after(TTT, moves)), pushed[b]),
            45,
            1.4,
        )
        for b, moves in enumerate(pair)
    ]
    yield Case(
        "noise perturbs the roots' priors, once, and no other node's",
        noisy,
        [np.array(expected, dtype=float), 1, [priors.round(6).tolist(), legal.tolist(), True]],
        f"{_network_line(seed, 9)}{_states_line(TTT, pair)}"
        "batched_search(game, states, network, 45, 1.4, noise=noise, rng=rng)\n"
        "visits, how often noise was called, what it was given the first time (priors, legal, whether it was that rng)",
        "In how many positions of one search is a move chosen to be played?",
        tolerance=2e-6,
    )

    def untouched(batched_search):
        states = _positions(TTT, [[4], [0, 8]])
        batched_search(make_batched(TTT), states, HashNetwork(9, seed), 10, 1.4)
        return _in_words(states)

    yield Case(
        "leaves the states as they were",
        untouched,
        _in_words(_positions(TTT, [[4], [0, 8]])),
        f"{_network_line(seed, 9)}{_states_line(TTT, [[4], [0, 8]])}"
        "batched_search(game, states, network, 10, 1.4)\nstates",
        "The search plays thousands of moves. In whose positions?",
    )


wrong(
    "batched_search",
    "one simulation too few",
    "there is one simulation too few: evaluating the roots was counted as one",
    "How many times has the loop to run for the visits of each game to add up to `simulations`?",
    ("range(simulations)", "range(simulations - 1)"),
)
wrong(
    "batched_search",
    "simulations shared out",
    "the simulations are shared out among the games",
    "How many simulations should each game get?",
    ("range(simulations)", "range(simulations // max(len(states), 1))"),
)
wrong(
    "batched_search",
    "the parents backed up",
    "the values are carried up from the nodes that select found instead of the new leaves: one step is missing",
    "Which nodes do the values belong to?",
    ("batched_backup(tree, leaves, values)", "batched_backup(tree, nodes, values)"),
)
wrong(
    "batched_search",
    "the parents evaluated",
    "the nodes that select found are evaluated once more instead of the new leaves",
    "Which positions has nobody judged yet?",
    (
        "batched_evaluate(tree, leaves, network, game)\n        batched_backup",
        "batched_evaluate(tree, nodes, network, game)\n        batched_backup",
    ),
)
wrong(
    "batched_search",
    "sign changed once more",
    "the values change their sign before backup, which changes it again: the search looks for the worst move",
    "Whose point of view does evaluate speak from, and whose does backup expect?",
    ("batched_backup(tree, leaves, values)", "batched_backup(tree, leaves, -values)"),
)
wrong(
    "batched_search",
    "values ignored",
    "the values never reach backup: the search knows priors and nothing else",
    "What did you ask the network for?",
    ("batched_backup(tree, leaves, values)", "batched_backup(tree, leaves, np.zeros(len(leaves)))"),
)
wrong(
    "batched_search",
    "finished games skipped",
    "a simulation that ends at a finished game is thrown away: wins and losses never reach the root again",
    "A finished game is the surest news there is. What should become of it?",
    (
        "batched_backup(tree, leaves, values)",
        "batched_backup(tree, np.where(actions == NO_ACTION, ROOT, leaves), values)",
    ),
)
wrong(
    "batched_search",
    "one game stops all",
    "the search ends as soon as one game has nothing to expand",
    "Should a game be searched less because another one is decided?",
    (
        "        leaves = batched_expand",
        "        if (actions == NO_ACTION).any():\n            break\n        leaves = batched_expand",
    ),
)
wrong(
    "batched_search",
    "new trees each time",
    "every simulation begins with new trees: the visits of the ones before are lost",
    "What must be remembered from one simulation to the next?",
    (
        "        nodes, actions = batched_select",
        "        tree = Tree.plant(game, states, simulations)\n        batched_evaluate(tree, roots, network, game)\n"
        "        nodes, actions = batched_select",
    ),
)
wrong(
    "batched_search",
    "select once",
    "select is asked once, before the loop: every simulation goes the same way",
    "What changes between two simulations?",
    (
        "    for _ in range(simulations):\n        nodes, actions = batched_select(tree, c_puct)\n",
        "    nodes, actions = batched_select(tree, c_puct)\n    for _ in range(simulations):\n",
    ),
)
wrong(
    "batched_search",
    "one call a game",
    "the network is called once for every game: right, and as slow as one game after the other",
    "What is the largest batch that you could ask about in one simulation?",
    (
        "        values = batched_evaluate(tree, leaves, network, game)\n",
        "        values = np.zeros(len(leaves))\n        for b in range(len(leaves)):\n"
        "            one = Tree(*(getattr(tree, name)[b : b + 1] for name in Tree.__dataclass_fields__ if name != 'nodes'))\n"
        "            values[b] = batched_evaluate(one, leaves[b : b + 1], network, game)[0]\n",
    ),
)
wrong(
    "batched_search",
    "network asked past evaluate",
    "the network's values are used without batched_evaluate: finished games are guessed, and new nodes get no priors",
    "Which two things does batched_evaluate do besides asking the network?",
    (
        "        values = batched_evaluate(tree, leaves, network, game)\n",
        "        values, _ = network(game.encode(tree.states[np.arange(len(leaves)), leaves]))\n",
    ),
)
wrong(
    "batched_search",
    "c_puct not handed on",
    "select is given another c_puct than the caller's",
    "Where does the caller's c_puct have to go?",
    ("batched_select(tree, c_puct)", "batched_select(tree, 1.0)"),
)
wrong(
    "batched_search",
    "backed up twice",
    "every simulation is backed up twice: N grows by 2",
    "How many visits should one simulation leave in a game?",
    ("        batched_backup(tree, leaves, values)\n", "        batched_backup(tree, leaves, values)\n" * 2),
)
wrong(
    "batched_search",
    "evaluated twice",
    "every leaf is evaluated twice: the visits are right, and the network does double work",
    "How many calls does one simulation need?",
    (
        "        values = batched_evaluate(tree, leaves, network, game)\n        batched_backup",
        "        values = batched_evaluate(tree, leaves, network, game)\n"
        "        values = batched_evaluate(tree, leaves, network, game)\n        batched_backup",
    ),
)
wrong(
    "batched_search",
    "noise in every simulation",
    "the roots get new noise in every simulation: after a few it is noise and nothing else",
    "How often should the roots' priors change during a search?",
    (
        "        nodes, actions = batched_select",
        "        if noise is not None:\n            tree.P[:, ROOT] = noise(tree.P[:, ROOT], tree.legal[:, ROOT], rng)\n"
        "        nodes, actions = batched_select",
    ),
)
wrong(
    "batched_search",
    "W returned",
    "the sums of values are returned instead of the visits",
    "What does the docstring return?",
    ("visits = tree.N[:, ROOT].copy()", "visits = tree.W[:, ROOT].copy()"),
)
wrong(
    "batched_search",
    "the trees forgotten",
    "return_tree has no effect",
    "What comes back if the caller asks for the trees?",
    ("return (visits, tree) if return_tree else visits", "return visits"),
)
