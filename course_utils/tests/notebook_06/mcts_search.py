"""mcts_search: the loop that makes one search of select, expand, evaluate and backup."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import after
from course_utils.networks import UniformNetwork
from course_utils.search.puct import NO_ACTION, Node, backup, evaluate, expand, select, select_child
from course_utils.tests.case import Case, Raises
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_06 import trees
from course_utils.tests.notebook_06.trees import GAME, GAMES, Opinion, Recorder
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

# --- draws: searches from a position, the network having learned between them ----------------------------------------------


class Draw(NamedTuple):
    game: str
    before: int  # moves before the position, as far as the game goes on
    seed: int  # which moves; what the network thinks, and the noise
    simulations: int
    c_puct: float
    noise: str  # the name of a function, or ""
    return_root: bool
    searches: int
    follow: int  # moves that are played between two searches; 0: the network learns between them


class Diverged(Opinion):
    """Says NaN of one position in three."""

    def __call__(self, planes):
        value, logits = super().__call__(planes)
        return np.where(value > 0.45, np.nan, value), logits


def blend(prior, legal, rng):
    """A noise: half the prior, half chance."""
    mixed = np.array(prior, dtype=np.float64) / 2
    mixed[legal] += rng.dirichlet(np.ones(legal.sum())) / 2
    return mixed


def tilted(prior, legal, rng):
    """One that needs no generator, and is given none."""
    return np.array(prior) * np.linspace(0.1, 1, len(prior))


NOISES = {"blend": blend, "tilted": tilted}
# in place of the moves before the position: the game is over; the network says NaN here and there
OVER, DIVERGED = -1, -2
DRAWS = st.builds(
    Draw,
    trees.ANY_GAME,
    st.sampled_from([0, 0, 1, 2, 3, 4, 5, 6, 99, OVER, DIVERGED]),
    st.integers(0, 99),
    st.one_of(st.integers(1, 8), st.integers(1, 40)),
    st.one_of(st.sampled_from([1.5, 0.3, 5.0]), st.floats(0.1, 9)),
    st.sampled_from(["", "", "blend", "tilted"]),
    st.booleans(),
    st.integers(1, 2),
    st.integers(0, 2),
)


@lru_cache(maxsize=1000)
def position(draw: Draw) -> tuple[list[int], Any]:
    """(the moves to it, the state)."""
    game, rng = GAMES[draw.game], np.random.default_rng(draw.seed)
    actions = trees.position(game, max(0, draw.before), rng)
    state = after(game, actions)
    while draw.before == OVER and not game.is_terminal(state):
        actions.append(int(rng.choice(game.legal_actions(state))))
        state = game.play(state, actions[-1])
    return actions, state


def arguments(draw: Draw) -> dict:
    game = GAMES[draw.game]
    network = (Diverged if draw.before == DIVERGED else Opinion)(game.num_actions, draw.seed)
    given = {"game": game, "state": position(draw)[1], "network": network}
    given |= {"simulations": draw.simulations, "c_puct": draw.c_puct}
    given |= {"noise": NOISES[draw.noise]} if draw.noise else {}
    given |= {"rng": np.random.default_rng(draw.seed)} if draw.noise == "blend" else {}
    return given | ({"return_root": True} if draw.return_root else {})


def run(mcts_search, draw: Draw) -> list:
    """Of each search: its result, what the network was asked, and what the noise was given."""
    found, given = [], arguments(draw)
    asked = given["network"] = Recorder(given["network"])
    perturbed: list = []

    def noise(prior, legal, rng):
        perturbed.append([np.array(prior), np.array(legal, dtype=np.float64), rng is given.get("rng", rng)])
        return NOISES[draw.noise](prior, legal, rng)

    if draw.noise:
        given["noise"] = noise
    game, state, network, *numbers = [given.pop(name) for name in ("game", "state", "network", "simulations", "c_puct")]
    for _ in range(draw.searches):
        asked.asked.clear()
        perturbed.clear()
        result = mcts_search(game, state, network, *numbers, **given)
        one_each = all(len(planes) == 1 for planes in asked.asked)
        batches = np.concatenate(asked.asked) if one_each and asked.asked else [len(planes) for planes in asked.asked]
        found += [*judged(result, {}), batches, [list(call) for call in perturbed]]
        asked.network.seed += draw.follow == 0  # it learns
        for _ in range(draw.follow):
            legal = game.legal_actions(state)
            later = game.play(state, legal[draw.seed % len(legal)])
            state = state if game.is_terminal(later) else later
    return found


def judged(result, arguments) -> list:
    """The visits, and the tree if it comes back, too."""
    if isinstance(result, tuple | list) and len(result) == 2:
        return [np.array(result[0]), trees.told(result[1])]
    return [np.array(result), "no tree"]


def visits(result) -> str:
    return array("float64")(result[0] if isinstance(result, tuple | list) and len(result) == 2 else result)


def oracle(draw: Draw):
    if draw.before == OVER:
        return Raises(ValueError, ("over",))

    def plainly(*positional, noise=None, rng=None, return_root=False):
        root = trees.searched(*positional, noise, rng)
        return (root.N, root) if return_root else root.N

    try:
        return run(plainly, draw)
    except FloatingPointError:
        return Raises(ValueError, ("NaN",))


def shown(draw: Draw) -> str:
    kind = "Diverged" if draw.before == DIVERGED else "Opinion"
    names = ", ".join(sorted({"Misere", kind, *([draw.noise] if draw.noise else [])}))
    further = f", noise={draw.noise}" if draw.noise else ""
    further += f", rng=np.random.default_rng({draw.seed})" if draw.noise == "blend" else ""
    further += ", return_root=True" if draw.return_root else ""
    between = (
        f"the same search {draw.follow} moves later" if draw.follow else "network.seed += 1, and the same search again"
    )
    again = f"\n# {draw.searches - 1} times more: {between}" if draw.searches > 1 else ""
    return (
        f"from course_utils.games import ConnectN, TicTacToe\nfrom course_utils.tests.notebook_06.mcts_search import {names}\n\n"
        f"game = {draw.game}\nnetwork, state = {kind}(game.num_actions, {draw.seed}), after(game, {position(draw)[0]})\n"
        f"mcts_search(game, state, network, {draw.simulations}, {draw.c_puct!r}{further}){again}\n"
        "# what is looked at: visits and tree, the positions that the network is asked about, what `noise` is given"
    )


# --- by hand -----------------------------------------------------------------------------------------------------------

THREE_LEFT = [0, 4, 8, 2, 6, 3]  # X to move wins on 7; 1 and 5 are free
WIN_IN_ONE = [0, 3, 1, 4]  # X to move wins on 2
BLOCK = [0, 4, 1]  # O to move must take 2
UNIFORM = UniformNetwork(9)


def by_hand(rng):
    def board(*positions):
        return "\n\n".join(trees.mover(Node(GAME, after(GAME, actions))) for actions in positions)

    for simulations, expected, question in [
        (
            1,
            [0, 1, 0, 0, 0, 0, 0, 0, 0],
            "The root has been evaluated before the first simulation. Has every simulation of yours left one visit?",
        ),
        (
            4,
            [0, 1, 0, 0, 0, 1, 0, 2, 0],
            "Follow the table of four simulations. A finished game makes no node: what then?",
        ),
        (
            100,
            trees.searched(GAME, after(GAME, THREE_LEFT), UNIFORM, 100, 1.5).N,
            "Where does a win get its visits from, once its node is made?",
        ),
    ]:
        yield Case(
            f"{simulations} simulation{'s' * (simulations > 1)} of the example",
            lambda mcts_search, n=simulations: mcts_search(GAME, after(GAME, THREE_LEFT), UNIFORM, n, 1.5),
            np.array(expected, dtype=np.float64),
            f"mcts_search(game, after(game, {THREE_LEFT}), UniformNetwork(9), {simulations}, 1.5)",
            question,
            board(THREE_LEFT),
        )

    def best(mcts_search):
        both = [mcts_search(GAME, after(GAME, actions), UNIFORM, 100, 1.5) for actions in (WIN_IN_ONE, BLOCK)]
        return [int(np.argmax(counts)) for counts in both]

    yield Case(
        "with a network that knows nothing, finds a win in one and a block",
        best,
        [2, 2],
        f"for actions in ({WIN_IN_ONE}, {BLOCK}):\n"
        "    visits = mcts_search(game, after(game, actions), UniformNetwork(9), 100, 1.5)\n    print(visits.argmax())",
        "Where do you get the value of a finished game from, and does it reach the root with the right sign?",
        board(WIN_IN_ONE, BLOCK),
        points=2,
    )

    def asked(mcts_search):
        network = Recorder(UNIFORM)
        mcts_search(GAME, after(GAME, THREE_LEFT), network, 4, 1.5)
        return [len(planes) for planes in network.asked]

    yield Case(
        "asks the network about each new position once, and never about a finished game",
        asked,
        [1, 1, 1],
        f"mcts_search(game, after(game, {THREE_LEFT}), network, 4, 1.5)\nthe batch size of each call of the network",
        "The network is what a search costs. For which of the nodes in the table is it needed?",
        board(THREE_LEFT),
    )

    def noisy(mcts_search):
        calls = []

        def to_cell_5(prior, legal, generator):
            calls.append(np.flatnonzero(legal).tolist())
            return np.eye(9)[5]

        counts = mcts_search(GAME, after(GAME, THREE_LEFT), UNIFORM, 2, 1.5, noise=to_cell_5, rng=rng)
        return [calls, counts]

    yield Case(
        "noise perturbs the root's priors, once, and no other node's",
        noisy,
        [[[1, 5, 7]], np.array([0, 0, 0, 0, 0, 2.0, 0, 0, 0])],
        "def to_cell_5(prior, legal, rng):\n    return np.eye(9)[5]\n\n"
        f"mcts_search(game, after(game, {THREE_LEFT}), UniformNetwork(9), 2, 1.5, noise=to_cell_5, rng=rng)\n"
        "the legal actions that each call of the noise is given, and the visits",
        "Noise makes self-play try other moves. In how many positions of one search is a move chosen to be played?",
        board(THREE_LEFT),
        points=2,
    )
    yield Case(
        "a finished game is refused",
        lambda mcts_search: mcts_search(GAME, after(GAME, [0, 3, 1, 4, 2]), UNIFORM, 10, 1.5),
        Raises(ValueError, ("over",)),
        "mcts_search(game, after(game, [0, 3, 1, 4, 2]), UniformNetwork(9), 10, 1.5)",
        "There is no move to search for. What should a caller hear?",
        board([0, 3, 1, 4, 2]),
    )


# --- wrong and right -----------------------------------------------------------------------------------------------------

RETURN = "return (root.N, root) if return_root else root.N"

WRONG = [
    Wrong(
        "backup from the parent",
        "backup begins at the node that was expanded instead of at the new one: the last step is never counted",
        "Which node's value do you hold in your hand when backup begins?",
        (
            "            node = expand(node, action, game)\n        value = evaluate(node,",
            "            child = expand(node, action, game)\n        else:\n            child = node\n        value = evaluate(child,",
        ),
    ),
    Wrong(
        "parent evaluated again",
        "the parent is evaluated once more instead of the new child",
        "Which position has nobody judged yet?",
        (
            "            node = expand(node, action, game)\n        value = evaluate(node, network, game)\n        backup(node, value)",
            "            child = expand(node, action, game)\n        else:\n            child = node\n"
            "        value = evaluate(node, network, game)\n        evaluate(child, network, game)\n        backup(child, value)",
        ),
    ),
    Wrong(
        "action 0 taken for none",
        "action 0 is taken for no action, since Python counts 0 as false",
        "Which actions are true in an `if`, and which one is not? What does select say when there is nothing to expand?",
        ("if action != NO_ACTION:", "if action:"),
    ),
    Wrong(
        "expands finished games",
        "expand is called where the game is over, too: NO_ACTION is no move",
        "What does select say when there is nothing to expand?",
        ("        if action != NO_ACTION:\n            node = expand", "        node = expand"),
    ),
    Wrong(
        "one simulation too few",
        "there is one simulation too few: evaluating the root was counted as one",
        "How many times has the loop to run for the visits to add up to `simulations`?",
        ("range(simulations)", "range(simulations - 1)"),
    ),
    Wrong(
        "finished games skipped",
        "a simulation that ends at a finished game is thrown away, or ends the search: wins and losses never reach the root again",
        "A finished game is the surest news there is. What should become of it?",
        (
            "        if action != NO_ACTION:\n            node = expand(node, action, game)\n",
            "        if action == NO_ACTION:\n            continue\n        node = expand(node, action, game)\n",
        ),
    ),
    Wrong(
        "sign changed once more",
        "the value changes its sign before backup, which changes it again: the search looks for the worst move",
        "Whose point of view does evaluate speak from, and whose does backup expect?",
        ("backup(node, value)", "backup(node, -value)"),
    ),
    Wrong(
        "a new tree each time",
        "every simulation begins with a new root: the visits of the ones before are lost",
        "What must be remembered from one simulation to the next?",
        (
            "    for _ in range(simulations):\n",
            "    for _ in range(simulations):\n        root = Node(game, state)\n        evaluate(root, network, game)\n",
        ),
    ),
    Wrong(
        "noise at every node",
        "noise perturbs the priors of every new node, not the root's alone: the tree is no longer what the network thinks",
        "Where is variety wanted, and where is the search to be as good as it can?",
        (
            "        value = evaluate(node, network, game)\n",
            "        value = evaluate(node, network, game)\n"
            "        if noise is not None and not node.is_terminal:\n"
            "            node.P = noise(node.P, node.legal, rng)\n",
        ),
    ),
    Wrong(
        "one level deep",
        "every simulation expands at the root, so that children are made again and the tree never grows below them",
        "What happens to the subtree of a child that is made a second time?",
        (
            "        node, action = select(root, c_puct)\n        if action != NO_ACTION:\n            node = expand(node, action, game)\n",
            "        node = expand(root, select_child(root, c_puct), game)\n",
        ),
    ),
    Wrong(
        "network asked past evaluate",
        "the network's value is used without evaluate: finished games are guessed, and new nodes get no priors",
        "Which two things does evaluate do besides asking the network?",
        ("value = evaluate(node, network, game)", "value = float(network(game.encode(node.state)[None])[0][0])"),
    ),
    Wrong(
        "c_puct not handed on",
        "select is given another c_puct than the caller's",
        "Where does the caller's c_puct have to go?",
        ("select(root, c_puct)", "select(root, 1.0)"),
    ),
]


def mcts_search_with_while(game, state, network, simulations, c_puct, *, noise=None, rng=None, return_root=False):
    if game.is_terminal(state):
        raise ValueError("the game is over at this state: there is nothing to search for")
    root = Node(game, state)
    evaluate(root, network, game)
    if noise is not None:
        root.P = noise(root.P, root.legal, rng)
    done = 0
    while done < simulations:
        node, action = select(root, c_puct)
        if node.is_terminal:
            backup(node, node.terminal_value)
        else:
            assert action != NO_ACTION
            child = expand(node, action, game)
            backup(child, evaluate(child, network, game))
        done += 1
    if np.isnan(root.W).any():
        raise ValueError("NaN")
    return (root.N, root) if return_root else root.N


def mcts_search_recursively(game, state, network, simulations, c_puct, *, noise=None, rng=None, return_root=False):
    if not game.legal_actions(state):
        raise ValueError("this game is over")
    root = Node(game, state)
    _ = evaluate(root, network, game)
    if noise:
        root.P = noise(root.P, root.legal, rng)

    def simulate(node):
        """The value of one simulation through `node`, for its player to move."""
        if node.is_terminal:
            return node.terminal_value
        action = select_child(node, c_puct)
        if action in node.children:
            value = -simulate(node.children[action])
        else:
            value = -evaluate(expand(node, action, game), network, game)
        if value != value:
            raise ValueError("the network says NaN")
        node.N[action] += 1
        node.W[action] += value
        return value

    for _ in range(simulations):
        simulate(root)
    visits = root.N.copy()
    if return_root:
        return visits, root
    return visits


CHECK = Specification(
    draws=DRAWS,
    edges=[
        Draw("ConnectN(4, 1, 4)", 1, 1, 8, 1.5, "", False, 1, 0),  # one legal action
        Draw("ConnectN(4, 1, 4)", OVER, 1, 5, 1.5, "", False, 1, 0),  # a draw
        Draw("TicTacToe()", DIVERGED, 0, 30, 1.5, "", False, 1, 0),
        Draw("TicTacToe()", 3, 1, 3, 1.5, "blend", True, 2, 0),
    ],
    arguments=arguments,
    oracle=oracle,
    run=run,
    judged=judged,
    returns=visits,
    examples=20,
    tolerance=1e-9,
    shown=shown,
    board=lambda draw: trees.mover(Node(GAMES[draw.game], position(draw)[1])),
    question="Select, expand, evaluate, back up: which node does each of them get from the one before?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[mcts_search_with_while, mcts_search_recursively],
)
