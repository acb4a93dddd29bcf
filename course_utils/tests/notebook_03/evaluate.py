"""Check evaluate: the network's answer for a node, and the rules' answer for a finished game."""

import math

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.networks import masked_policy
from course_utils.search.puct import Node
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Misere
from course_utils.tests.world.networks import ConstantNetwork, HashNetwork, sizes
from course_utils.tests.world.positions import random_line
from course_utils.tests.world.trees import GAMES, mover


def scene(draw) -> str:
    game, plies, seed = draw
    learned = "evaluate(node, network, game)\nnetwork.seed += 1  # it has learned\n" if seed % 3 == 2 else ""
    return (
        f"game = {game}\nnode = Node(game, after(game, {random_line(GAMES[game], plies, seed)}))\n"
        f"network = HashNetwork(game.num_actions, {seed})\n"
        f"{learned}evaluate(node, network, game), node.P, sizes(network)"
    )


def board(draw) -> str:
    game, plies, seed = draw
    return mover(Node(GAMES[game], after(GAMES[game], random_line(GAMES[game], plies, seed))))


LOGITS = "[1.0, 0.0, -1.0, 2.0, 3.0, 0.5, 0.0, 1.5, -0.5]"
ASKED = "\n    >>> evaluate(node, network, game), sizes(network)"
WHOSE = "The network's value is for the player to move. For which player should evaluate return a value?"
WON = (
    "The rules say what a finished game is worth. Is the value for the winner, "
    "or for the player who would have to move?"
)


def at(moves: str, value: float) -> str:
    """Write the lines before the call."""
    return f"""
    >>> game = TicTacToe()
    >>> network = ConstantNetwork({value}, {LOGITS})
    >>> node = Node(game, after(game, {moves}))"""


BY_HAND = f"""
    X to move: the network's value comes back as it is
    O . .
    . X .   X to move
    . . .{at("[4, 0]", 0.375)}
    >>> evaluate(node, network, game)
    0.375
    ? {WHOSE}

    O to move: the network's value comes back as it is (2 points)
    . . .
    . X .   O to move
    . . .{at("[4]", -0.625)}
    >>> evaluate(node, network, game)
    -0.625
    ? {WHOSE}

    priors of legal actions only, adding up to 1 (2 points)
    O . .
    X X .   O to move
    . . .{at("[4, 0, 3]", 0.25)}
    >>> value = evaluate(node, network, game)
    >>> node.P
    ? The network gives every cell a logit, even a taken one. What should the priors of the free cells add up to?

    each node keeps priors of its own
    >>> game, network = TicTacToe(), ConstantNetwork(0.25, [0.0] * 9)
    >>> first, second = Node(game, after(game, [4])), Node(game, after(game, [4, 0]))
    >>> values = [evaluate(node, network, game) for node in [first, second]]
    >>> first.P[8], second.P[8]
    (1 / 8, 1 / 7)
    ? Eight cells are free at the first node, seven at the second. Do the two nodes share one array as `P`?

    X has won, O would have to move: -1, and the network is not asked (2 points)
    X X X
    O O .
    . . .{at("[0, 3, 1, 4, 2]", 0.25)}{ASKED}
    (-1, [])
    ? {WON}

    O has won, X would have to move: -1, and the network is not asked (2 points)
    X X O
    . O .
    O . X{at("[0, 2, 1, 4, 8, 6]", 0.25)}{ASKED}
    (-1, [])
    ? {WON}

    a draw is worth 0, and the network is not asked
    X O X
    X O O
    O X X{at("[0, 1, 2, 4, 3, 5, 7, 6, 8]", 0.25)}{ASKED}
    (0, [])
    ? The game is over. Is there anything left for a network to guess?

    the network is called once, with a batch of one position, as the player to move sees it
    O X .
    . X .   O to move
    . . .{at("[4, 0, 1]", 0.25)}
    >>> value = evaluate(node, network, game)
    >>> sizes(network), network.asked[0]
    ([1], [[[[1, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 1, 0], [0, 0, 0]]]])
    ? A network takes [batch, planes, rows, columns]. How do you turn a single position into a batch,
    ? and how many calls do you need?
"""

# fmt: off
PRIOR = "node.P = masked_policy(logits[0], node.legal)"
SOFTMAX = "weights = np.exp(logits[0] - logits[0].max())"

WRONG = [
    Wrong("network asked about a finished game",
          "the network is asked about a finished game: it guesses a value that the rules already know",
          "Which field of the node holds the value of a finished game?",
          ("    if node.is_terminal:\n        return node.terminal_value\n", ""),
          (PRIOR, "node.P = masked_policy(logits[0], node.legal) if node.legal.any() else node.P")),
    Wrong("finished games not told apart",
          "the network is asked about every node, even where the game is over and nothing is legal",
          "No action is legal when the game is over. Where does the value come from then?",
          ("    if node.is_terminal:\n        return node.terminal_value\n", "")),
    Wrong("a finished game worth 0", "every finished game counts as a draw: wins and losses never reach the search",
          "What is the position worth to the player who has just lost?", ("return node.terminal_value", "return 0.0")),
    Wrong("a finished game worth 1",
          "every finished game counts as a win for the player to move, a draw and a loss alike",
          "Who would have to move after a winning move, and what is the position worth to that player?",
          ("return node.terminal_value", "return 1.0")),
    Wrong("the winner's point of view",
          "the value of a finished game is the winner's, but the player to move there has lost",
          "Who would have to move after a winning move, and what is the position worth to that player?",
          ("return node.terminal_value", "return -node.terminal_value")),
    Wrong("X's point of view at the end",
          "a finished game is valued from X's point of view, even when O would have to move",
          "The network's values are for the player to move. What happens when a tree mixes them with values for X?",
          ("return node.terminal_value", "return float(game.winner(node.state))")),
    Wrong("sign flipped",
          "the network's value is returned with the other sign: backup changes the sign again, "
          "and the search prefers losing moves",
          "Backup changes the sign at each step up. How many steps up have been made when evaluate returns?",
          ("return float(value[0])", "return -float(value[0])")),
    Wrong("X's point of view", "the network's value is turned to X's point of view",
          "The network sees `my marks, their marks` and never X and O. Whose value does it return?",
          ("return float(value[0])", "return float(value[0]) * game.to_play(node.state)")),
    Wrong("logits for priors", "the logits are stored as they are: some are below 0, and they don't add up to 1",
          "Which function from the notebook 'The network' turns logits into probabilities?",
          (PRIOR, "node.P = logits[0]")),
    Wrong("priors not masked", "illegal actions keep a share of the prior",
          "What should the priors of the legal actions add up to?",
          (PRIOR, SOFTMAX + "\n    node.P = weights / weights.sum()")),
    Wrong("priors not renormalized",
          "illegal actions are set to 0 after the softmax, so the rest no longer adds up to 1",
          "What do the legal priors add up to once the illegal ones are 0?",
          (PRIOR, SOFTMAX + "\n    node.P = weights / weights.sum() * node.legal")),
    Wrong("illegal logits set to 0", "illegal logits are set to 0 before the softmax: exp(0) is 1, not 0",
          "Which logit gives a probability of 0?",
          (PRIOR, "masked = logits[0] * node.legal\n    node.P = np.exp(masked) / np.exp(masked).sum()")),
    Wrong("logits with their batch",
          "the logits are still a batch of shape [1, num_actions], but the priors have the shape [num_actions]",
          "A batch goes in, and a batch comes out. Which row of it belongs to your position?",
          (PRIOR, "node.P = masked_policy(logits, node.legal)")),
    Wrong("one array for all nodes",
          "the priors of every node are written into the same array, so all nodes end up with those of the last one",
          "How many arrays does your code make for a hundred nodes?", code="""
        PRIORS = {}

        def evaluate(node, network, game):
            if node.is_terminal:
                return node.terminal_value
            value, logits = network(game.encode(node.state)[None])
            node.P = PRIORS.setdefault(game.num_actions, np.zeros(game.num_actions))
            node.P[:] = masked_policy(logits[0], node.legal)
            return float(value[0])
        """),
    Wrong("priors forgotten", "the priors are not stored: P stays 0, so every U is 0 and the search never explores",
          "Which function fills in node.P, if not evaluate?", ("    " + PRIOR + "\n", "")),
    Wrong("an array of one value", "the value is returned as an array with one entry",
          "A batch goes in, and a batch comes out. Which entry of it belongs to your position?",
          ("return float(value[0])", "return value")),
    Wrong("no batch", "the network gets a bare position [planes, rows, columns] instead of a batch of one",
          "What shape does a network take?", ("game.encode(node.state)[None]", "game.encode(node.state)")),
    Wrong("the state instead of its planes",
          "the network is called with the state itself, which is not an array of numbers",
          "Which function of the game turns a state into what a network sees?",
          ("game.encode(node.state)[None]", "node.state")),
    Wrong("a node for its position",
          "`game.encode` is called with the node, but it needs the position that the node holds",
          "Which field of a node holds its position?", ("game.encode(node.state)", "game.encode(node)")),
    Wrong("a list for a mask",
          "masked_policy is called with a list of the legal actions, but it needs a mask: "
          "True or False for each action",
          "Which array of a node says for each action whether it is legal?",
          (PRIOR, "node.P = masked_policy(logits[0], game.legal_actions(node.state))")),
    Wrong("value and logits exchanged", "the network's first result is taken for the logits, but it is the value",
          "In which order does a network return its two results?", ("value, logits =", "logits, value =")),
    Wrong("asked twice",
          "the network is asked once for the value and once more for the logits: each simulation takes twice as long",
          "What does one call of the network return?",
          (PRIOR, "node.P = masked_policy(network(game.encode(node.state)[None])[1][0], node.legal)")),
]


# fmt: on


def right_by_a_loop(node, network, game):
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


def right_with_a_softmax_of_its_own(node, network, game):
    if node.is_terminal:
        return node.terminal_value
    value, logits = network(np.expand_dims(game.encode(node.state), 0))
    logits = np.where(node.legal, logits[0].astype(float), -np.inf)
    weights = np.exp(logits - logits.max())
    node.P = weights / weights.sum()
    return value[0]


def right_in_place(node, network, game):
    if not node.is_terminal:
        batch = np.array([game.encode(node.state).astype(float)])
        values, logits = network(batch)
        node.P[:] = masked_policy(np.squeeze(logits, 0), node.legal)
        return values.item()
    winner = game.winner(node.state)
    return 0 if winner == 0 else 1 if winner == game.to_play(node.state) else -1


CHECK = Scenes(
    draws=st.tuples(
        st.sampled_from(["TicTacToe()", "Misere()", "ConnectN(6, 7, 4)", "ConnectN(3, 4, 3)"]),
        st.one_of(st.integers(0, 6), st.integers(0, 42)),
        st.integers(0, 99),
    ),
    edges=[("Misere()", 9, 1), ("ConnectN(3, 4, 3)", 12, 0)],
    board=board,
    returns=number,
    changes={"node", "network"},
    tolerance=1e-5,
    question="Is the game over there? If not: what is the network asked, and where do its two answers go?",
)
