"""evaluate: what the network says of a node, and what the rules say of a finished game."""

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
        f"network = HashNetwork(game.num_actions, {seed})\n{learned}evaluate(node, network, game), node.P, sizes(network)"
    )


def board(draw) -> str:
    game, plies, seed = draw
    return mover(Node(GAMES[game], after(GAMES[game], random_line(GAMES[game], plies, seed))))


LOGITS = "[1.0, 0.0, -1.0, 2.0, 3.0, 0.5, 0.0, 1.5, -0.5]"
ASKED = "\n    >>> evaluate(node, network, game), sizes(network)"
WHOSE = "The network judges from the point of view of the player to move. Whose value must come back?"
WON = "The rules know what a finished game is worth. To whom: the winner, or the player who would have to move?"


def at(moves: str, value: float) -> str:
    """The lines before the call."""
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
    ? The network gives every cell a logit, taken or free. What do the priors of the free ones add up to?

    each node keeps priors of its own
    >>> game, network = TicTacToe(), ConstantNetwork(0.25, [0.0] * 9)
    >>> first, second = Node(game, after(game, [4])), Node(game, after(game, [4, 0]))
    >>> values = [evaluate(node, network, game) for node in [first, second]]
    >>> first.P[8], second.P[8]
    (1 / 8, 1 / 7)
    ? Eight cells are free at the first node, seven at the second. Is `P` of both one and the same array?

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
    ? The game is over: is there anything left to guess?

    the network sees a batch of one position, once, from its mover's point of view
    O X .
    . X .   O to move
    . . .{at("[4, 0, 1]", 0.25)}
    >>> value = evaluate(node, network, game)
    >>> sizes(network), network.asked[0]
    ([1], [[[[1, 0, 0], [0, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 1, 0], [0, 0, 0]]]])
    ? A network takes [batch, planes, rows, columns]. How do you make a batch of one? Why ask twice?
"""

# fmt: off
PRIOR = "node.P = masked_policy(logits[0], node.legal)"
SOFTMAX = "weights = np.exp(logits[0] - logits[0].max())"

WRONG = [
    Wrong("network asked about a finished game", "the network is asked about a finished game: it guesses where the rules know",
          "Nobody has to guess who has won. Where does the node keep it?",
          ("    if node.is_terminal:\n        return node.terminal_value\n", ""),
          (PRIOR, "node.P = masked_policy(logits[0], node.legal) if node.legal.any() else node.P")),
    Wrong("finished games not told apart", "the network is asked about every node, even where the game is over and nothing is legal",
          "What is there to choose from when the game is over, and who knows what it is worth?",
          ("    if node.is_terminal:\n        return node.terminal_value\n", "")),
    Wrong("a finished game worth 0", "every finished game counts as a draw: wins and losses never reach the search",
          "What is the position worth to the player who has just lost?", ("return node.terminal_value", "return 0.0")),
    Wrong("a finished game worth 1", "every finished game counts as a win for the player to move, a draw and a loss alike",
          "Who would have to move after a winning move, and what is the position worth to that player?", ("return node.terminal_value", "return 1.0")),
    Wrong("the winner's point of view", "a finished game counts for the winner, but the player to move there is the loser",
          "Who would have to move after a winning move, and what is the position worth to that player?",
          ("return node.terminal_value", "return -node.terminal_value")),
    Wrong("X's point of view at the end", "a finished game is valued from X's point of view, even when O would have to move",
          "The network's values are the mover's. What happens when a tree mixes them with X's?",
          ("return node.terminal_value", "return float(game.winner(node.state))")),
    Wrong("sign flipped", "the network's value comes back with the other sign: backup changes it once more, and the search prefers losing",
          "Backup changes the sign at each step up. Has the first step been made already?",
          ("return float(value[0])", "return -float(value[0])")),
    Wrong("X's point of view", "the network's value is turned to X's point of view",
          "The network sees `my stones, your stones` and never X and O. Whose value is it?",
          ("return float(value[0])", "return float(value[0]) * game.to_play(node.state)")),
    Wrong("logits for priors", "the logits are stored as they are: some are below 0, and they don't add up to 1",
          "Which function of the notebook 'The network' turns logits into probabilities?", (PRIOR, "node.P = logits[0]")),
    Wrong("priors not masked", "illegal actions keep a share of the prior",
          "What should the priors of the legal actions add up to?",
          (PRIOR, SOFTMAX + "\n    node.P = weights / weights.sum()")),
    Wrong("priors not renormalized", "illegal actions are set to 0 after the softmax and the rest no longer adds up to 1",
          "What do the legal priors add up to after you took the illegal ones away?",
          (PRIOR, SOFTMAX + "\n    node.P = weights / weights.sum() * node.legal")),
    Wrong("illegal logits set to 0", "illegal logits are set to 0 before the softmax: exp(0) is 1, not 0",
          "Which logit gives a probability of 0?",
          (PRIOR, "masked = logits[0] * node.legal\n    node.P = np.exp(masked) / np.exp(masked).sum()")),
    Wrong("logits with their batch", "the logits are still a batch, [1, num_actions], where the priors are [num_actions]",
          "A batch goes in, a batch comes out. Which row of it is yours?", (PRIOR, "node.P = masked_policy(logits, node.legal)")),
    Wrong("one array for all nodes", "the priors of every node are written into one and the same array, so that all nodes have those of the last one",
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
    Wrong("priors forgotten", "the priors are not stored: P stays 0, every U is 0 and the search looks nowhere new",
          "Who fills in node.P, if not evaluate?", ("    " + PRIOR + "\n", "")),
    Wrong("an array of one value", "the value comes back as an array of one",
          "A batch goes in, a batch comes out. Which entry of it is yours?", ("return float(value[0])", "return value")),
    Wrong("no batch", "the network gets a bare position [planes, rows, columns] instead of a batch of one",
          "What shape does a network take?", ("game.encode(node.state)[None]", "game.encode(node.state)")),
    Wrong("the state instead of its planes", "the network gets the state itself, which is not an array of numbers",
          "Which function of the game turns a state into what a network sees?", ("game.encode(node.state)[None]", "node.state")),
    Wrong("a node for its position", "`game.encode` is given the node, where it needs the position that the node keeps",
          "Which field of a node is its position?", ("game.encode(node.state)", "game.encode(node)")),
    Wrong("a list for a mask", "masked_policy gets a list of the legal actions, where it needs a mask: True or False for each action",
          "Which array of a node says of each action whether it is legal?", (PRIOR, "node.P = masked_policy(logits[0], game.legal_actions(node.state))")),
    Wrong("value and logits exchanged", "what comes back first is taken for the logits, but it is the value",
          "In which order does a network return its two answers?", ("value, logits =", "logits, value =")),
    Wrong("asked twice", "the network is asked once for the value and once more for the logits: each simulation takes twice as long",
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
