"""evaluate: what the network says of a node, and what the rules say of a finished game."""

import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.games import after
from course_utils.networks import masked_policy
from course_utils.search.puct import Node
from course_utils.tests.case import Case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_06 import trees
from course_utils.tests.notebook_06.trees import GAME, GAMES, Line, line
from course_utils.tests.returns import number
from course_utils.tests.specification import Specification


class Scripted:
    """A network that says the same of every position."""

    def __init__(self, value: float, logits, dtype="float32"):
        self.value, self.logits, self.dtype = value, np.array(logits, dtype), dtype

    def __call__(self, planes):
        if np.ndim(planes) != 4:
            raise ValueError(
                f"a network takes [batch, planes, rows, columns], not an array of shape {np.shape(planes)}"
            )
        return np.full(len(planes), self.value, self.dtype), np.tile(self.logits, (len(planes), 1))


# --- draws: a node of a tree, judged by a network, and again after the network has learned ---------------------------------


class Draw(NamedTuple):
    line: Line
    up: int  # how far above the end of the line the node is
    value: float
    scale: float  # of the logits
    dtype: str
    times: int


DRAWS = st.builds(
    Draw,
    trees.LINES,
    st.sampled_from([0, 1, 2]),
    st.one_of(st.sampled_from([0.5, 0.0, 1.0]), st.floats(-1, 1)),
    st.sampled_from([1.0, 0.0, 30.0]),
    st.sampled_from(["float32", "float64"]),
    st.integers(1, 2),
)


def node_of(draw: Draw) -> Node:
    nodes = line(draw.line)
    return nodes[max(0, len(nodes) - 1 - draw.up)]


def networks(draw: Draw) -> list[Scripted]:
    """The opinion that the network comes to have, one after the other."""
    rng, legal = np.random.default_rng(draw.line.seed), node_of(draw).legal
    values = [draw.value, *rng.uniform(-1, 1, draw.times)]
    # high where it is illegal
    logits = [draw.scale * (rng.normal(size=len(legal)) + 5 * ~legal) for _ in range(draw.times)]
    return [Scripted(value, one, draw.dtype) for value, one in zip(values, logits, strict=False)]


def run(evaluate, draw: Draw) -> list:
    """Each time: the value, what the network was asked, and the tree."""
    asked, node, found = trees.Recorder(None), node_of(draw), []
    for asked.network in networks(draw):
        asked.asked.clear()
        found += [float(evaluate(node, asked, GAMES[draw.line.game])), list(asked.asked), trees.told(trees.top(node))]
    return found


def oracle(draw: Draw) -> list:
    def plainly(node, network, game):
        if node.is_terminal:
            return game.winner(node.state) * game.to_play(node.state)
        value, logits = network(np.array([game.encode(node.state)]))
        node.P[:] = trees.priors(logits[0], node.legal)
        return value[0]

    return run(plainly, draw)


def shown(draw: Draw) -> str:
    calls = []
    for network in networks(draw):
        logits = [[float(f"{one:.6g}") for one in network.logits]]
        calls.append(
            f"def network(planes):\n    return np.array([{network.value:.6g}]), np.array({logits})\n\nevaluate(node, network, game)"
        )
    place = max(0, len(line(draw.line)) - 1 - draw.up)
    return (
        f"{trees.show_line(draw.line)}node = nodes[{place}]\n\n"
        + "\n# and once more, the network having learned:\n".join(calls)
    )


# --- by hand -----------------------------------------------------------------------------------------------------------

LOGITS = [1.0, 0.0, -1.0, 2.0, 3.0, 0.5, 0.0, 1.5, -0.5]


def by_hand(rng):
    whose = "The network judges from the point of view of the player to move. Whose value must come back?"
    won = "The rules know what a finished game is worth. To whom: the winner, or the player who would have to move?"
    planes = np.zeros((1, 2, 3, 3))
    planes[0, 0, 0, 0] = planes[0, 1, 1, 1] = planes[0, 1, 0, 1] = 1  # O, who is to move, on 0; X on 4 and 1
    for name, actions, value, look, expected, call, question, points in [
        (
            "X to move: the network's value comes back as it is",
            [4, 0],
            0.375,
            lambda node, asked, result: result,
            0.375,
            "value",
            whose,
            1,
        ),
        (
            "O to move: the network's value comes back as it is",
            [4],
            -0.625,
            lambda node, asked, result: result,
            -0.625,
            "value",
            whose,
            2,
        ),
        (
            "priors of legal actions only, adding up to 1",
            [4, 0, 3],
            0.25,
            lambda node, asked, result: np.array(node.P),
            np.array([0, 0.083617, 0.030761, 0, 0, 0.137861, 0.083617, 0.374745, 0.050716]) / 0.761317,
            "node.P  # 0, 3 and 4 are taken",
            "The network gives every cell a logit, taken or free. What do the priors of the free ones add up to?",
            2,
        ),
        (
            "X has won, O would have to move: -1, and the network is not asked",
            [0, 3, 1, 4, 2],
            0.25,
            lambda node, asked, result: [result, len(asked)],
            [-1.0, 0],
            "value, how often the network was asked",
            won,
            2,
        ),
        (
            "O has won, X would have to move: -1, and the network is not asked",
            [0, 2, 1, 4, 8, 6],
            0.25,
            lambda node, asked, result: [result, len(asked)],
            [-1.0, 0],
            "value, how often the network was asked",
            won,
            2,
        ),
        (
            "a draw is worth 0, and the network is not asked",
            [0, 1, 2, 4, 3, 5, 7, 6, 8],
            0.25,
            lambda node, asked, result: [result, len(asked)],
            [0.0, 0],
            "value, how often the network was asked",
            "The game is over: is there anything left to guess?",
            1,
        ),
        (
            "the network sees a batch of one position, once, from its mover's point of view",
            [4, 0, 1],
            0.25,
            lambda node, asked, result: asked,
            [planes],
            "each array that the network was given",
            "A network takes [batch, planes, rows, columns]. How do you make a batch of one? Why ask twice?",
            1,
        ),
    ]:

        def once(evaluate, at=(actions, value, look)):
            node, network = Node(GAME, after(GAME, at[0])), trees.Recorder(Scripted(at[1], LOGITS))
            result = evaluate(node, network, GAME)
            return at[2](node, network.asked, result)

        code = (
            f"def network(planes):\n    return np.array([{value}]), np.array([{LOGITS}])\n\n"
            f"node = Node(game, after(game, {actions}))\nvalue = evaluate(node, network, game)\n{call}"
        )
        board = trees.mover(Node(GAME, after(GAME, actions)))
        yield Case(name, once, expected, code, question, board, points=points, tolerance=1e-5)


# --- wrong and right -----------------------------------------------------------------------------------------------------

PRIOR = "node.P = masked_policy(logits[0], node.legal)"
SOFTMAX = "weights = np.exp(logits[0] - logits[0].max())"

WRONG = [
    Wrong(
        "network asked about a finished game",
        "the network is asked about a finished game: it guesses where the rules know",
        "Who has won is no matter of opinion. Where does the node keep it?",
        ("    if node.is_terminal:\n        return node.terminal_value\n", ""),
        (PRIOR, "node.P = masked_policy(logits[0], node.legal) if node.legal.any() else node.P"),
    ),
    Wrong(
        "finished games not told apart",
        "the network is asked about every node, even where the game is over and nothing is legal",
        "What is there to choose from when the game is over, and who knows what it is worth?",
        ("    if node.is_terminal:\n        return node.terminal_value\n", ""),
    ),
    Wrong(
        "the winner's point of view",
        "a finished game counts for the winner, but the player to move there is the loser",
        "Who would have to move after a winning move, and what is the position worth to that player?",
        ("return node.terminal_value", "return -node.terminal_value"),
    ),
    Wrong(
        "X's point of view at the end",
        "a finished game counts for X whoever would have to move",
        "The network's values are the mover's. What happens when a tree mixes them with X's?",
        ("return node.terminal_value", "return float(game.winner(node.state))"),
    ),
    Wrong(
        "sign flipped",
        "the network's value comes back with the other sign: backup changes it once more, and the search prefers losing",
        "Backup changes the sign at each step up. Has the first step been made already?",
        ("return float(value[0])", "return -float(value[0])"),
    ),
    Wrong(
        "X's point of view",
        "the network's value is turned to X's point of view",
        "The network sees `my stones, your stones` and never X and O. Whose value is it?",
        ("return float(value[0])", "return float(value[0]) * game.to_play(node.state)"),
    ),
    Wrong(
        "priors not masked",
        "illegal actions keep a share of the prior",
        "What should the priors of the legal actions add up to?",
        (PRIOR, SOFTMAX + "\n    node.P = weights / weights.sum()"),
    ),
    Wrong(
        "priors not renormalized",
        "illegal actions are set to 0 after the softmax and the rest no longer adds up to 1",
        "What do the legal priors add up to after you took the illegal ones away?",
        (PRIOR, SOFTMAX + "\n    node.P = weights / weights.sum() * node.legal"),
    ),
    Wrong(
        "illegal logits set to 0",
        "illegal logits are set to 0 before the softmax: exp(0) is 1, not 0",
        "Which logit makes a probability of 0?",
        (PRIOR, "masked = logits[0] * node.legal\n    node.P = np.exp(masked) / np.exp(masked).sum()"),
    ),
    Wrong(
        "priors forgotten",
        "the priors are not stored: P stays 0, every U is 0 and the search looks nowhere new",
        "Who fills in node.P, if not evaluate?",
        ("    " + PRIOR + "\n", ""),
    ),
    Wrong(
        "an array of one value",
        "the value comes back as an array of one",
        "A batch goes in, a batch comes out. Which entry of it is yours?",
        ("return float(value[0])", "return value"),
    ),
    Wrong(
        "no batch",
        "the network gets a bare position [planes, rows, columns] instead of a batch of one",
        "What shape does a network take?",
        ("game.encode(node.state)[None]", "game.encode(node.state)"),
    ),
    Wrong(
        "asked twice",
        "the network is asked once for the value and once more for the logits: each simulation takes twice as long",
        "What does one call of the network return?",
        (PRIOR, "node.P = masked_policy(network(game.encode(node.state)[None])[1][0], node.legal)"),
    ),
]


def evaluate_with_a_softmax_of_its_own(node, network, game):
    if node.is_terminal:
        return node.terminal_value
    value, logits = network(np.expand_dims(game.encode(node.state), 0))
    logits = np.where(node.legal, logits[0].astype(float), -np.inf)
    weights = np.exp(logits - logits.max())
    node.P = weights / weights.sum()
    return value[0]


def evaluate_in_place(node, network, game):
    if not node.is_terminal:
        batch = np.array([game.encode(node.state)])
        values, logits = network(batch)
        node.P[:] = masked_policy(np.squeeze(logits, 0), node.legal)
        return values.item()
    winner = game.winner(node.state)
    return 0 if winner == 0 else 1 if winner == game.to_play(node.state) else -1


def evaluate_by_a_loop(node, network, game):
    actions = game.legal_actions(node.state)
    if len(actions) == 0:
        return float(game.winner(node.state) * game.to_play(node.state))
    (value,), (logits,) = network(game.encode(node.state)[np.newaxis, ...])
    highest = max(float(logits[action]) for action in actions)
    weights = {action: math.exp(float(logits[action]) - highest) for action in actions}
    node.P.fill(0)
    for action, weight in weights.items():
        node.P[action] = weight / sum(weights.values())
    return float(value)


def evaluate_with_planes_of_doubles(node, network, game):
    if node.is_terminal:
        return node.terminal_value
    value, logits = network(game.encode(node.state).astype(float)[None])
    node.P = masked_policy(logits[0], node.legal)
    return value[0]


CHECK = Specification(
    draws=DRAWS,
    edges=[Draw(end, 0, 0.25, 1.0, "float32", 1) for end in (trees.DRAWN, trees.WON)],
    arguments=lambda draw: {"node": node_of(draw), "network": networks(draw)[0], "game": GAMES[draw.line.game]},
    oracle=oracle,
    run=run,
    judged=lambda result, arguments: [float(result), trees.told(trees.top(arguments["node"]))],
    returns=number,
    changes={"node"},
    tolerance=1e-5,
    examples=20,
    shown=shown,
    board=lambda draw: trees.mover(node_of(draw)),
    question="Is the game over there? If not: what is the network asked, and where do its two answers go?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[evaluate_with_a_softmax_of_its_own, evaluate_in_place, evaluate_by_a_loop, evaluate_with_planes_of_doubles],
)
