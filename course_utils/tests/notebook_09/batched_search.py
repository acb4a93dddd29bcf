"""batched_search: the four steps, for all games at once. What it asks of the network is recorded and judged, too."""

from functools import lru_cache
from itertools import pairwise
from random import Random
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.networks import UniformNetwork
from course_utils.search.batched import (
    NO_ACTION,
    NO_PARENT,
    ROOT,
    Tree,
    batched_backup,
    batched_evaluate,
    batched_expand,
    batched_select,
)
from course_utils.tests.case import Case, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_09 import forests
from course_utils.tests.notebook_09.forests import (
    C4,
    THREE_LEFT,
    TO_THE_END,
    TTT,
    WON,
    Path,
    as_stored,
    legal_actions,
)
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification
from course_utils.tests.world.puct import puct_visits

# --- what a search is given, and remembers ---------------------------------------------------------------------------------


class Opinions:
    """A network with a made-up opinion about every forests.position, the same in any batch to the last bit.

    Attributes:
        asked: for each call, the keys of the boards that it was asked about, in ascending order.
    """

    def __init__(self, num_actions: int, seed: int = 0):
        self.num_actions, self.seed = num_actions, seed
        self.asked: list[list[int]] = []

    def __call__(self, planes):
        weights = _odd_numbers(self.seed, planes.shape[1:])
        keys = (planes.astype(np.uint64) * weights).sum(axis=(1, 2, 3), dtype=np.uint64)  # modulo 2 to the 64
        self.asked.append(sorted(keys.tolist()))
        mixed = keys[:, None] + _odd_numbers(self.seed, (self.num_actions + 1,))
        for shift in (30, 27, 31):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(0xBF58476D1CE4E5B9)
        shares = (mixed >> np.uint64(11)) / 2**53  # from 0 to 1
        return 1.8 * shares[:, 0] - 0.9, 5 * shares[:, 1:]


@lru_cache
def _odd_numbers(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(seed).integers(2**63, size=shape, dtype=np.uint64) * np.uint64(2) + np.uint64(1)


class Noise:
    """Half the prior, half chance. It writes down what it was given."""

    def __init__(self, rng: np.random.Generator):
        self.rng, self.given = rng, []

    def __call__(self, priors, legal, rng):
        generator = f"another generator: {rng}" if self.rng and rng is not self.rng else "the caller's generator"
        self.given.append([np.array(priors), np.array(legal, dtype=int), generator])
        return perturbed(priors, legal, self.rng or np.random.default_rng(0))


def perturbed(priors, legal, rng) -> np.ndarray:
    chance = rng.random(np.shape(priors)) * legal
    return priors / 2 + chance / np.maximum(chance.sum(axis=1, keepdims=True), 1e-9) / 2


class Draw(NamedTuple):
    board: str
    games: tuple[tuple[int, int], ...]  # (plies, seed) of random moves, over and over
    size: int
    simulations: int
    c_puct: float = 1.5
    seed: int = 0  # of the network and of the generator
    noise: bool = False
    return_tree: bool = False

    @property
    def many(self) -> list[Path]:
        """The moves to each root."""
        kinds = [forests.play_on(self.board, (), plies, Random(seed)) for plies, seed in self.games]
        return [kinds[b % len(kinds)] for b in range(self.size)]


def build(board, games, size, simulations, c_puct, seed, noise, return_tree) -> Draw:
    size = min(size or len(games), 4 if noise else 64)  # each of them gets a noise of its own
    return Draw(board, tuple(games), size, simulations, c_puct, seed, noise, return_tree)


DRAWS = st.builds(
    build,
    st.sampled_from(forests.IN_BITS),
    st.lists(
        st.tuples(st.one_of(st.integers(0, 8), st.sampled_from([20, 38, TO_THE_END])), st.integers(0, 19)),
        min_size=1,
        max_size=4,
    ),
    forests.SIZES,
    st.one_of(st.integers(1, 8), st.sampled_from([1, 2, 20])),
    st.sampled_from([1.5, 0.1, 4.0]),
    st.integers(0, 9),
    st.sampled_from([False, False, True]),
    st.booleans(),
)
EDGES = [
    Draw(TTT, ((TO_THE_END, 0),), 3, 5, return_tree=True),
    Draw(TTT, ((7, 3),), 1, 30),
    Draw(TTT, ((7, 3), (8, 0)), 2, 60),
    Draw("Misere()", ((5, 3), (6, 0), (6, 1)), 3, 40, return_tree=True),
    Draw(TTT, ((7, 1), (6, 2), (TO_THE_END, 0), (4, 3)), 4, 40, return_tree=True),
    Draw(TTT, ((3, 0), (1, 0)), 2, 30, 0.0, return_tree=True),
    Draw(TTT, ((2, 0), (2, 0), (5, 5)), 3, 25, seed=1, noise=True),
    Draw(C4, ((8, 1), (30, 2), (TO_THE_END, 3)), 64, 12),
]


# --- one game after the other ----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1000)
def alone(board: str, moves: Path, seed: int, simulations: int, c_puct: float, prior: tuple[float, ...] | None = None):
    """(visits, for the root and then for each simulation the keys of what the network was asked about) of one game."""
    game, state = forests.BOARDS[board], forests.position(board, moves)
    if not legal_actions(board, moves):
        return [0.0] * game.num_actions, [[] for _ in range(simulations + 1)]
    network, until = Opinions(game.num_actions, seed), [0]
    noise = None if prior is None else lambda given: {action: prior[action] for action in given}
    visits = puct_visits(game, state, network, simulations, c_puct, noise, lambda: until.append(len(network.asked)))
    return visits, [sum(network.asked[a:b], []) for a, b in pairwise(until)]  # noqa: RUF017


def root_priors(board: str, many: list[Path], seed: int) -> np.ndarray:
    priors = np.zeros((len(many), forests.BOARDS[board].num_actions))
    for row, moves in zip(priors, many, strict=True):
        if legal := legal_actions(board, moves):
            _, logits = Opinions(len(row), seed)(forests.BOARDS[board].encode(forests.position(board, moves))[None])
            row[legal] = np.exp(logits[0, legal]) / np.exp(logits[0, legal]).sum()
    return priors


def oracle(draw: Draw) -> dict:
    many, heard, priors = draw.many, {}, [None] * draw.size
    if draw.noise:
        before = root_priors(draw.board, many, draw.seed)
        legal = np.array(
            [[action in legal_actions(draw.board, moves) for action in range(len(before[0]))] for moves in many]
        )
        priors = [tuple(row) for row in perturbed(before, legal, np.random.default_rng(draw.seed)).tolist()]
        heard = {"noise": [[before, legal.astype(int), "the caller's generator"]]}
    found = [
        alone(draw.board, moves, draw.seed, draw.simulations, draw.c_puct, prior)
        for moves, prior in zip(many, priors, strict=True)
    ]
    calls = [sorted(key for _, asked in found for key in asked[turn]) for turn in range(draw.simulations + 1)]
    tree = {"tree": ABOUT_TREE | {"nodes": draw.simulations + 1}} if draw.return_tree else {}
    visits = np.array([visits for visits, _ in found], dtype=np.float64)
    return {"visits": visits, "calls": in_words(filter(None, calls)), **heard, **tree}


def in_words(calls) -> list[str]:
    """Each call of the network: how many forests.boards, and a number that says which."""
    return [f"{len(keys)} boards (#{sum(keys) % 10_000})" for keys in calls]


ABOUT_TREE = {"visits are N at the roots": True, "an array of their own": True, "N of an edge is 1 + N below": True}


def about(tree: Tree, visits: np.ndarray) -> dict:
    b, m = np.nonzero((tree.parent != NO_PARENT) & ~tree.is_terminal)
    above = tree.N[b, tree.parent[b, m], tree.parent_action[b, m]]
    agrees = np.array_equal(visits, tree.N[:, ROOT]), not np.shares_memory(visits, tree.N)
    levels = bool((above == 1 + tree.N[b, m].sum(axis=1)).all())
    return dict(zip(ABOUT_TREE, (*agrees, levels), strict=True)) | {"nodes": tree.nodes}


def arguments(draw: Draw) -> dict:
    game = forests.BOARDS[draw.board].batched()
    rng = np.random.default_rng(draw.seed) if draw.seed else None  # a noise may do without
    given = {"game": game, "states": as_stored(draw.board, draw.many), "network": Opinions(game.num_actions, draw.seed)}
    given |= {"simulations": draw.simulations, "c_puct": draw.c_puct}
    given |= {"noise": Noise(rng)} if draw.noise else {}
    given |= {"rng": rng} if draw.noise and rng else {}
    return given | ({"return_tree": True} if draw.return_tree else {})


def judged(result, arguments: dict) -> dict | str:
    tree = None
    if arguments.get("return_tree"):
        if not isinstance(result, tuple | list) or len(result) != 2 or not hasattr(result[1], "parent_action"):
            return f"no pair (visits, tree), but {show(result)}"
        result, tree = result
    found = {"visits": result, "calls": in_words(arguments["network"].asked)}
    if "noise" in arguments:
        found["noise"] = arguments["noise"].given
    return found | ({} if tree is None else {"tree": about(tree, result)})


def returns(result) -> str:
    return array("float64")(result[0] if isinstance(result, tuple | list) and len(result) == 2 else result)


def shown(draw: Draw) -> str:
    more = (
        "".join(f", {name}={name}" for name in ("noise", "rng") if draw.noise) + ", return_tree=True" * draw.return_tree
    )
    lines = (
        "from course_utils.tests.notebook_09.batched_search import Noise, Opinions, as_stored\n\n"
        f"states = as_stored({draw.board!r}, {[list(moves) for moves in draw.many[: len(draw.games)]]}"
        f"{f' * {draw.size // len(draw.games) + 1})[:{draw.size}]' if draw.size > len(draw.games) else ')'}\n"
        f"network = Opinions({forests.BOARDS[draw.board].num_actions}, {draw.seed})\n"
    )
    lines += (
        f"rng = {f'np.random.default_rng({draw.seed})' if draw.seed else None}\nnoise = Noise(rng)\n"
        if draw.noise
        else ""
    )
    return (
        f"{lines}batched_search(make_batched({draw.board}), states, network, {draw.simulations}, {draw.c_puct}{more})\n"
        "# the visits, and what the network was asked about in each call"
    )


# --- by hand -------------------------------------------------------------------------------------------------------------

ALMOST_FULL = [4, 0, 2, 6, 3, 5]  # X to move; 1, 7 and 8 are free
LAST_TWO = [4, 0, 2, 6, 3, 5, 1]  # O to move; 7 and 8 are free
WIN_IN_ONE, BLOCK = [0, 3, 1, 4], [0, 4, 1]  # X wins on 2; O must take 2


def by_hand(rng):
    seed = int(rng.integers(100))

    def case(name: str, many: list[list[int]], simulations: int, question: str, points: int = 2, asked=False) -> Case:
        """Judges the visits in every game by those of `puct_visits` in that game alone; or how large the network's batches are."""
        found = [alone(TTT, tuple(moves), seed, simulations, 1.4) for moves in many]
        turns = zip(*(calls for _, calls in found), strict=True)

        def run(batched_search):
            network = Opinions(9, seed)
            visits = batched_search(forests.BATCHED[TTT], as_stored(TTT, many), network, simulations, 1.4)
            return [len(keys) for keys in network.asked] if asked else visits

        sizes, visits = [sum(map(len, turn)) for turn in turns if any(turn)], [visits for visits, _ in found]
        call = (
            "from course_utils.tests.notebook_09.batched_search import Opinions  # a network: made-up opinions\n\n"
            f"network = Opinions(9, {seed})\n{forests.states_lines(TTT, many)}"
            f"batched_search(game, states, network, {simulations}, 1.4)"
            + "\n[len(keys) for keys in network.asked]  # the batch size of each call"
            * asked
        )
        expected = sizes if asked else np.array(visits, dtype=float)
        return Case(name, run, expected, call, question, forests.boards(TTT, many), points)

    one = "The roots have been evaluated before the first simulation. Has yours left one visit in each game?"
    yield case("one simulation: the action with the best prior, in each of two games", [[], [4]], 1, one, 1)
    near = "A simulation that comes to a finished game makes no node. What does it still do?"
    ends = "near the end of a game, where simulations end at finished games again and again"
    yield case(ends, [ALMOST_FULL, THREE_LEFT, [4]], 45, near)
    known = "From some simulation on there is nothing to expand in any game. Does a visit count all the same?"
    yield case("one game alone, of which the whole tree is soon known", [LAST_TWO], 20, known)
    over = "Which of your steps touches a game whose root is finished?"
    yield case("games that are over get no visits, those beside them all of theirs", [WON, [4], WON, [0]], 30, over)

    def best(batched_search):
        states = as_stored(TTT, [WIN_IN_ONE, BLOCK])
        return batched_search(forests.BATCHED[TTT], states, UniformNetwork(9), 100, 1.5).argmax(axis=1)

    yield Case(
        "with a network that knows nothing, finds a win in one and a block",
        best,
        [2, 2],
        f"from course_utils.networks import UniformNetwork\n\n{forests.states_lines(TTT, [WIN_IN_ONE, BLOCK])}"
        "batched_search(game, states, UniformNetwork(9), 100, 1.5).argmax(axis=1)",
        "Where does the value of a finished game come from, and does it reach the root with the right sign?",
        forests.boards(TTT, [WIN_IN_ONE, BLOCK]),
    )
    cheap = "One large call is cheaper than many small ones: that is what all of this is for. Which of your functions asks the network?"
    calls = "one call of the network a simulation, with the new positions of all games"
    yield case(calls, [ALMOST_FULL, THREE_LEFT, [], WON], 12, cheap, asked=True)


# --- wrong and right -------------------------------------------------------------------------------------------------------

WRONG = [
    Wrong(
        "one simulation too few",
        "there is one simulation too few: evaluating the roots was counted as one",
        "How many times has the loop to run for the visits of each game to add up to `simulations`?",
        ("range(simulations)", "range(simulations - 1)"),
    ),
    Wrong(
        "the parents backed up",
        "the values are carried up from the nodes that select found instead of the new leaves: one step is missing",
        "Which nodes do the values belong to?",
        ("batched_backup(tree, leaves, values)", "batched_backup(tree, nodes, values)"),
    ),
    Wrong(
        "sign changed once more",
        "the values change their sign before backup, which changes it again: the search looks for the worst move",
        "Whose point of view does evaluate speak from, and whose does backup expect?",
        ("batched_backup(tree, leaves, values)", "batched_backup(tree, leaves, -values)"),
    ),
    Wrong(
        "finished games skipped",
        "a simulation that ends at a finished game is thrown away: wins and losses never reach the root again",
        "A finished game is the surest news there is. What should become of it?",
        (
            "batched_backup(tree, leaves, values)",
            "batched_backup(tree, np.where(actions == NO_ACTION, ROOT, leaves), values)",
        ),
    ),
    Wrong(
        "one call a game",
        "the network is called once for every game: right, and as slow as one game after the other",
        "What is the largest batch that you could ask about in one simulation?",
        (
            "        values = batched_evaluate(tree, leaves, network, game)\n",
            "        values = np.zeros(len(leaves))\n        for b in range(len(leaves)):\n"
            "            one = Tree(*(getattr(tree, name)[b : b + 1] for name in Tree.__dataclass_fields__ if name != 'nodes'))\n"
            "            values[b] = batched_evaluate(one, leaves[b : b + 1], network, game)[0]\n",
        ),
    ),
    Wrong(
        "network asked past evaluate",
        "the network's values are used without batched_evaluate: finished games are guessed, and new nodes get no priors",
        "Which two things does batched_evaluate do besides asking the network?",
        (
            "        values = batched_evaluate(tree, leaves, network, game)\n",
            "        values, _ = network(game.encode(tree.states[np.arange(len(leaves)), leaves]))\n",
        ),
    ),
    Wrong(
        "c_puct not handed on",
        "select is given another c_puct than the caller's",
        "Where does the caller's c_puct have to go?",
        ("batched_select(tree, c_puct)", "batched_select(tree, 1.0)"),
    ),
    Wrong(
        "noise in every simulation",
        "the roots get new noise in every simulation: after a few it is noise and nothing else",
        "How often should the roots' priors change during a search?",
        (
            "        nodes, actions = batched_select",
            "        if noise is not None:\n            tree.P[:, ROOT] = noise(tree.P[:, ROOT], tree.legal[:, ROOT], rng)\n"
            "        nodes, actions = batched_select",
        ),
    ),
    Wrong(
        "stops when nothing is new",
        "the search ends as soon as no game has anything to expand: the simulations that are left bring no visits",
        "A finished game that is visited again is news for the root. How many visits did the caller ask for?",
        (
            "        leaves = batched_expand",
            "        if (actions == NO_ACTION).all():\n            break\n        leaves = batched_expand",
        ),
    ),
]


def batched_search_in_one_line(game, states, network, simulations, c_puct, *, noise=None, rng=None, return_tree=False):
    tree = Tree.plant(game, states, simulations)
    batched_evaluate(tree, np.zeros(len(states), dtype=int), network, game)
    if noise is not None:
        tree.P[:, 0] = noise(tree.P[:, 0], tree.legal[:, 0], rng)
    done = 0
    while done < simulations:
        leaves = batched_expand(tree, *batched_select(tree, c_puct), game)
        batched_backup(tree, leaves, batched_evaluate(tree, leaves, network, game))
        done += 1
    return (tree.N[:, 0].copy(), tree) if return_tree else tree.N[:, 0]


def batched_search_that_skips_expand(
    game, states, network, simulations, c_puct, *, noise=None, rng=None, return_tree=False
):
    """Expand and evaluate only if some game has something to expand."""
    tree = Tree.plant(game, states, simulations)
    roots = np.full(len(states), ROOT)
    batched_evaluate(tree, roots, network, game)
    if noise is not None:
        tree.P[:, ROOT] = noise(tree.P[:, ROOT], tree.legal[:, ROOT], rng)
    for _ in range(simulations):
        nodes, actions = batched_select(tree, c_puct)
        if (actions != NO_ACTION).any():
            nodes = batched_expand(tree, nodes, actions, game)
            values = batched_evaluate(tree, nodes, network, game)
        else:
            tree.nodes += 1
            values = tree.terminal_value[np.arange(len(nodes)), nodes]
        batched_backup(tree, nodes, values)
    visits = tree.N[:, ROOT].copy()
    return (visits, tree) if return_tree else visits


CHECK = Specification(
    draws=DRAWS,
    edges=EDGES,
    arguments=arguments,
    oracle=oracle,
    judged=judged,
    returns=returns,
    changes={"network", "noise"},
    examples=16,
    tolerance=1e-9,
    shown=shown,
    board=lambda draw: forests.boards(draw.board, draw.many) if draw.size <= 3 else "",
    question="Find the first game that is wrong. Is it right if that game is searched alone?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[batched_search_in_one_line, batched_search_that_skips_expand],
)
