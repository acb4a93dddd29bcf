"""Check mcts_search: the loop of select, expand, evaluate and backup."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after
from course_utils.networks import UniformNetwork
from course_utils.search.puct import NO_ACTION, Node, backup, evaluate, expand, select, select_child
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import Misere
from course_utils.tests.world.networks import ConstantNetwork, HashNetwork, sizes
from course_utils.tests.world.trees import TREES, begun, picture, told


def scene(draw) -> str:
    """Search with the tree returned; every fourth scene asks for the visits alone."""
    (game, plies, simulations, seed), c_puct = draw
    arguments = f"game, state, network, {simulations}, {c_puct}"
    search = f"visits, root = mcts_search({arguments}, return_root=True)\nvisits, told(root)"
    if seed % 4 == 3:
        search = f"mcts_search({arguments})"
    return (
        f"game = {game}\n"
        f"network, state = HashNetwork(game.num_actions, {seed}), after(game, {begun(game, plies, seed)})\n{search}"
    )


def an_array_of_visits(result) -> str:
    return array()(result[0] if isinstance(result, tuple | list) and len(result) == 2 else result)


EXAMPLE = """
    X . O
    O O .   X to move; 7 wins
    X . X
    >>> game = TicTacToe()
    >>> state = after(game, [0, 4, 8, 2, 6, 3])"""
BY_HAND = f"""
    1 simulation of the example{EXAMPLE}
    >>> mcts_search(game, state, UniformNetwork(9), 1, 1.5)
    [0, 1, 0, 0, 0, 0, 0, 0, 0]
    ? The root is evaluated before the first simulation. How many visits does each of your simulations leave there?

    4 simulations of the example{EXAMPLE}
    >>> mcts_search(game, state, UniformNetwork(9), 4, 1.5)
    [0, 1, 0, 0, 0, 1, 0, 2, 0]
    ? Run 1, 2 and 3 simulations as well. After which of them is a visit not where you expect it?

    100 simulations of the example{EXAMPLE}
    >>> mcts_search(game, state, UniformNetwork(9), 100, 1.5)
    ? Action 7 wins. Which value should every visit of its node bring back?

    finds a win in one and a block, even with a network that knows nothing (2 points)
    X X .            X X .
    O O . X to move  . O . O to move
    . . .            . . .
    >>> game, network = TicTacToe(), UniformNetwork(9)
    >>> win, block = after(game, [0, 3, 1, 4]), after(game, [0, 4, 1])
    >>> [mcts_search(game, state, network, 100, 1.5).argmax() for state in [win, block]]
    [2, 2]
    ? Where do you get the value of a finished game from, and does it reach the root with the right sign?

    asks the network about each new position once, and never about a finished game{EXAMPLE}
    >>> network = ConstantNetwork(0.0, [0.0] * 9)
    >>> visits = mcts_search(game, state, network, 4, 1.5)
    >>> sizes(network)
    [1, 1, 1]
    ? The network is the expensive part of a search. At which nodes of this tree is the game not over?

    noise changes the priors of the root once, and those of no other node (2 points){EXAMPLE}
    >>> calls = []
    >>> def to_cell_5(prior, legal, rng):
    ...     calls.append(np.flatnonzero(legal).tolist())
    ...     return np.eye(9)[5]
    >>> visits = mcts_search(game, state, UniformNetwork(9), 2, 1.5, noise=to_cell_5)
    >>> calls, visits
    ([[1, 5, 7]], [0, 0, 0, 0, 0, 2, 0, 0, 0])
    ? Noise makes self-play try other moves. At which node of a search is the move to play chosen?
"""

# fmt: off
WRONG = [
    Wrong("the walk goes on where it ended",
          "select begins at the node where the last simulation ended, so only the first walk begins at the root",
          "At which node must each simulation begin?",
          ("    for _ in range(simulations):\n        node, action = select(root,",
           "    node = root\n    for _ in range(simulations):\n        node, action = select(node,")),
    Wrong("shares for counts", "the visits are divided by their sum: the caller wants counts and gets shares",
          "What does the docstring ask for: how often each action was tried, or its share of the visits?",
          ("else root.N\n", "else root.N / root.N.sum()\n")),
    Wrong("shares for counts, with the root, too",
          "the visits are divided by their sum: the caller wants counts and gets shares",
          "What does the docstring ask for: how often each action was tried, or its share of the visits?",
          ("return (root.N, root) if return_root else root.N\n",
           "shares = root.N / root.N.sum()\n    return (shares, root) if return_root else shares\n")),
    Wrong("the new node not kept",
          "expand makes a new node, but evaluate and backup work on its parent: the new node is never evaluated",
          "expand returns the new node. What does your code do with it?", ("node = expand(", "expand(")),
    Wrong("nothing backed up",
          "no visit is ever counted: backup is not called, or begins at the root, which has no parent",
          "At which node should backup begin?", ("backup(node, value)", "backup(root, value)")),
    Wrong("the root evaluated again",
          "the root is evaluated in every simulation instead of the node that the walk has reached",
          "Which position has not been evaluated yet?", ("value = evaluate(node", "value = evaluate(root")),
    Wrong("a finished game worth 0",
          "a simulation that ends at a finished game counts as a draw: wins and losses never reach the root",
          "Which of the four steps returns the value of a finished game?",
          ("value = evaluate(node, network, game)",
           "value = evaluate(node, network, game) if action != NO_ACTION else 0.0")),
    Wrong("one simulation too many", "there is one simulation too many",
          "How many times must the loop run for the visits to add up to `simulations`?",
          ("range(simulations)", "range(simulations + 1)")),
    Wrong("backup from the parent",
          "backup begins at the new node's parent instead of at the new node, so the last step is never counted",
          "Which node does the value belong to that you give to backup?",
          ("            node = expand(node, action, game)\n        value = evaluate(node,",
           "            child = expand(node, action, game)\n        else:\n            child = node\n"
           "        value = evaluate(child,")),
    Wrong("parent evaluated again", "the new node's parent is evaluated again instead of the new node",
          "Which position has not been evaluated yet?",
          ("            node = expand(node, action, game)\n        value = evaluate(node, network, game)\n"
           "        backup(node, value)",
           "            child = expand(node, action, game)\n        else:\n            child = node\n"
           "        value = evaluate(node, network, game)\n        evaluate(child, network, game)\n"
           "        backup(child, value)")),
    Wrong("action 0 taken for none", "action 0 is taken for no action, because Python treats 0 as false",
          "What does select return when there is nothing to expand, and how do you test for exactly that value?",
          ("if action != NO_ACTION:", "if action:")),
    Wrong("expands finished games", "expand is called even where the game is over, but NO_ACTION is not a move",
          "What does select return when there is nothing to expand?",
          ("        if action != NO_ACTION:\n            node = expand", "        node = expand")),
    Wrong("one simulation too few", "there is one simulation too few: evaluating the root was counted as one",
          "How many times must the loop run for the visits to add up to `simulations`?",
          ("range(simulations)", "range(simulations - 1)")),
    Wrong("finished games skipped",
          "a simulation that ends at a finished game is thrown away, or ends the search: "
          "wins and losses never reach the root again",
          "The value of a finished game is certain. How should it reach the root?",
          ("        if action != NO_ACTION:\n            node = expand(node, action, game)\n",
           "        if action == NO_ACTION:\n            continue\n        node = expand(node, action, game)\n")),
    Wrong("sign changed once more",
          "the value changes its sign before backup, which changes it again: the search looks for the worst move",
          "For which player does evaluate return a value, and for which player does backup expect it?",
          ("backup(node, value)", "backup(node, -value)")),
    Wrong("a new tree each time", "every simulation begins with a new root, so the visits of the earlier ones are lost",
          "What must be remembered from one simulation to the next?",
          ("    for _ in range(simulations):\n",
           "    for _ in range(simulations):\n        root = Node(game, state)\n        evaluate(root, network, game)\n"
           "")),
    Wrong("noise at every node",
          "noise changes the priors of every new node instead of the root's alone, "
          "so the search no longer follows the network's priors",
          "Noise should vary the move that is played. At which node is that move chosen?",
          ("        value = evaluate(node, network, game)\n",
           "        value = evaluate(node, network, game)\n        if noise is not None and not node.is_terminal:\n"
           "            node.P = noise(node.P, node.legal, rng)\n")),
    Wrong("one level deep",
          "every simulation expands at the root, so children are made again and the tree never grows below them",
          "What happens to the subtree of a child that is made a second time?",
          ("        node, action = select(root, c_puct)\n        if action != NO_ACTION:\n"
           "            node = expand(node, action, game)\n",
           "        node = expand(root, select_child(root, c_puct), game)\n")),
    Wrong("network asked past evaluate",
          "the network is called directly instead of evaluate: finished games are guessed, and new nodes get no priors",
          "Which two things does evaluate do besides asking the network?",
          ("value = evaluate(node, network, game)", "value = float(network(game.encode(node.state)[None])[0][0])")),
    Wrong("c_puct not handed on", "select is called with another c_puct than the caller's",
          "Which call needs the caller's c_puct?", ("select(root, c_puct)", "select(root, 1.0)")),
    Wrong("shares instead of visits", "the visits are divided by their number: shares come back instead of counts",
          "What does the docstring ask for: how often each action was tried, or its share of all simulations?",
          ("(root.N, root) if return_root else root.N",
           "(root.N / max(1, simulations), root) if return_root else root.N / max(1, simulations)")),
]


# fmt: on


def right_recursively(game, state, network, simulations, c_puct, *, noise=None, rng=None, return_root=False):
    if not game.legal_actions(state):
        raise ValueError("this game is over")
    root = Node(game, state)
    _ = evaluate(root, network, game)
    if noise:
        root.P = noise(root.P, root.legal, rng)

    def simulate(node):
        """Run a simulation through `node`, and return its value for the player to move there."""
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


def right_with_while(game, state, network, simulations, c_puct, *, noise=None, rng=None, return_root=False):
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


CHECK = Scenes(
    draws=st.tuples(TREES, st.sampled_from([1.5, 0.3, 5.0])),
    edges=[(("TicTacToe()", 6, 40, 0), 1.5), (("ConnectN(12, 1, 12)", 3, 16, 1), 1.5)],
    examples=20,
    board=lambda draw: picture(draw[0]),
    returns=an_array_of_visits,
    changes={"network"},
    question="Select, expand, evaluate, back up: which node does each of them get from the one before?",
)
