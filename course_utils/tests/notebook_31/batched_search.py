"""Check batched_search: the four steps for all games at once, with few calls of the network."""

from functools import partial

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, TicTacToe, after
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_root_noise
from course_utils.networks import UniformNetwork
from course_utils.search.batched import (
    NO_ACTION,
    ROOT,
    Tree,
    batched_backup,
    batched_evaluate,
    batched_expand,
    batched_select,
)
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_31 import batched_trees
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes
from course_utils.tests.world.networks import HashNetwork, sizes
from course_utils.tests.world.plain_puct import puct_visits

CALLS = [
    "visits = batched_search(game, states, network, {simulations}, {c_puct})\nvisits, sizes(network)",
    "noise, rng = partial(batched_root_noise, alpha=1.0, fraction=0.5), np.random.default_rng({seed})\n"
    "visits = batched_search(game, states, network, {simulations}, {c_puct}, noise=noise, rng=rng)\n"
    "visits, sizes(network)",
    "visits, tree = batched_search(game, states, network, {simulations}, {c_puct}, return_tree=True)\n"
    "visits, tree.nodes, tree.N.sum(axis=2), sizes(network)",
]
DRAWS = st.tuples(
    st.sampled_from(["TicTacToe()", "ConnectN(3, 4, 3)", "ConnectFour()"]),
    batched_trees.RANDOM_GAMES,
    st.one_of(st.integers(1, 8), st.just(20)),  # simulations
    st.sampled_from([1.5, 0.4, 4.0, 0.0]),
    st.integers(0, 9),  # of the network and of the noise
    st.sampled_from(CALLS),
)
ENDINGS = [(7, 1), (6, 2), (batched_trees.TO_THE_END, 0), (4, 3)]


def scene(draw) -> str:
    name, games, simulations, c_puct, seed, call = draw
    return (
        f"game, network = make_batched({name}), HashNetwork({batched_trees.GAMES[name].num_actions}, {seed})\n"
        f"states = game.from_states([after({name}, moves) for moves in {batched_trees.lines_of(name, games)}])\n"
        f"{call.format(simulations=simulations, c_puct=c_puct, seed=seed)}"
    )


def alone(games: list[list[int]], simulations: int, c_puct: float, seed: int) -> list[list[int]]:
    """Search each game of tic-tac-toe by itself with plain loops, and return its visits."""
    states = [after(TicTacToe(), moves) for moves in games]
    searched = [puct_visits(TicTacToe(), state, HashNetwork(9, seed), simulations, c_puct) for state in states]
    return [
        visits if TicTacToe().legal_actions(state) else [0] * 9 for visits, state in zip(searched, states, strict=True)
    ]


BY_HAND = """
    one simulation: the action with the best prior, in each of two games
    >>> game, network = make_batched(TicTacToe()), HashNetwork(9, SEED)
    >>> states = game.from_states([after(TicTacToe(), moves) for moves in [[], [4]]])
    >>> batched_search(game, states, network, 1, 1.4)
    alone([[], [4]], 1, 1.4, SEED)
    ? The roots are evaluated before the first simulation. Does your first simulation leave one visit in each game?

    near the end of a game, where simulations end at finished games again and again (2 points)
    X is to move: in games 0 and 1 three cells are free
    >>> games = [[4, 0, 2, 6, 3, 5], [0, 4, 8, 2, 6, 3], [4]]
    >>> game, network = make_batched(TicTacToe()), HashNetwork(9, SEED)
    >>> states = game.from_states([after(TicTacToe(), moves) for moves in games])
    >>> batched_search(game, states, network, 45, 1.4)
    alone([[4, 0, 2, 6, 3, 5], [0, 4, 8, 2, 6, 3], [4]], 45, 1.4, SEED)
    ? A simulation that reaches a finished game makes no node. What should it still do?

    one game alone, whose whole tree is soon complete (2 points)
    two cells are free
    >>> game, network = make_batched(TicTacToe()), HashNetwork(9, SEED)
    >>> states = game.from_states([after(TicTacToe(), [4, 0, 2, 6, 3, 5, 1])])
    >>> batched_search(game, states, network, 20, 1.4)
    alone([[4, 0, 2, 6, 3, 5, 1]], 20, 1.4, SEED)
    ? At some point there is nothing left to expand in any game. Should visits still be counted?

    games that are over get no visits, and the others get all of theirs (2 points)
    >>> game, network = make_batched(TicTacToe()), HashNetwork(9, SEED)
    >>> states = game.from_states([after(TicTacToe(), moves) for moves in [[0, 3, 1, 4, 2], [4], [0, 3, 1, 4, 2], [0]]])
    >>> batched_search(game, states, network, 30, 1.4)
    alone([[0, 3, 1, 4, 2], [4], [0, 3, 1, 4, 2], [0]], 30, 1.4, SEED)
    ? Which of your steps changes a game whose root is finished?

    finds a win in one and a block, even with a network that knows nothing (2 points)
    X . .    X X .
    . O .    O O .    X wins with 2 on the right, O must block at 2 on the left
    >>> game = make_batched(TicTacToe())
    >>> states = game.from_states([after(TicTacToe(), moves) for moves in [[0, 4, 1], [0, 3, 1, 4]]])
    >>> batched_search(game, states, UniformNetwork(9), 100, 1.5).argmax(axis=1)
    [2, 2]
    ? Where does the value of a finished game come from, and does it reach the root with the right sign?

    one call of the network for the roots, then one per simulation, with the new positions of all games (2 points)
    >>> game, network = make_batched(TicTacToe()), HashNetwork(9, 0)
    >>> games = [[], [4], [0, 3, 1, 4, 2]]  # the last game is over
    >>> states = game.from_states([after(TicTacToe(), moves) for moves in games])
    >>> visits = batched_search(game, states, network, 5, 1.4)
    >>> sizes(network)  # how many boards it was asked about in each call
    [2, 2, 2, 2, 2, 2]
    ? One large call is cheaper than many small ones. Which of your functions calls the network, and how often?
"""

# fmt: off
WRONG = [
    Wrong("parents evaluated again", "the parents of the new nodes are evaluated again, and the new nodes never are",
          "Which nodes have not been evaluated yet?",
          ("batched_evaluate(tree, leaves,", "batched_evaluate(tree, nodes,")),
    Wrong("one simulation too few", "there is one simulation too few: evaluating the roots was counted as one",
          "How many times must the loop run for the visits of each game to add up to `simulations`?",
          ("range(simulations)", "range(simulations - 1)")),
    Wrong("the parents backed up",
          "backup begins at the nodes that select returned instead of the new leaves, so one step is missing",
          "Which nodes do the values belong to?",
          ("batched_backup(tree, leaves, values)", "batched_backup(tree, nodes, values)")),
    Wrong("sign changed once more",
          "the values change their sign before backup, which changes it again: the search looks for the worst move",
          "For which player does evaluate return values, and for which player does backup expect them?",
          ("batched_backup(tree, leaves, values)", "batched_backup(tree, leaves, -values)")),
    Wrong("finished games skipped",
          "a simulation that ends at a finished game is thrown away, so wins and losses never reach the root",
          "The value of a finished game is certain. How should it reach the root?",
          ("batched_backup(tree, leaves, values)",
           "batched_backup(tree, np.where(actions == NO_ACTION, ROOT, leaves), values)")),
    Wrong("one call a game",
          "the network is called once for every game, which is right but as slow as one game after the other",
          "How large a batch could one simulation give to the network?",
          ("        values = batched_evaluate(tree, leaves, network, game)\n",
           "        values = np.zeros(len(leaves))\n        for b in range(len(leaves)):\n"
           "            one = Tree(*(getattr(tree, name)[b : b + 1] for name in "
           "Tree.__dataclass_fields__ if name != 'nodes'))\n"
           "            values[b] = batched_evaluate(one, leaves[b : b + 1], network, game)[0]\n")),
    Wrong("network asked past evaluate",
          "the network is called directly instead of batched_evaluate: finished games are guessed, "
          "and new nodes get no priors",
          "Which two things does batched_evaluate do besides asking the network?",
          ("        values = batched_evaluate(tree, leaves, network, game)\n",
           "        values, _ = network(game.encode(tree.states[np.arange(len(leaves)), leaves]))\n")),
    Wrong("c_puct not handed on", "select is called with another c_puct than the caller's",
          "Which call needs the caller's c_puct?",
          ("batched_select(tree, c_puct)", "batched_select(tree, 1.0)")),
    Wrong("noise in every simulation", "the roots get new noise in every simulation, so after a few only noise is left",
          "How often should the roots' priors change during a search?",
          ("        nodes, actions = batched_select",
           "        if noise is not None:\n            tree.P[:, ROOT] = noise(tree.P[:, ROOT], "
           "tree.legal[:, ROOT], rng)\n"
           "        nodes, actions = batched_select")),
    Wrong("stops when nothing is new",
          "the search ends as soon as no game has anything to expand, so the remaining simulations add no visits",
          "A simulation counts a visit even where nothing is expanded. How many visits did the caller ask for?",
          ("        leaves = batched_expand",
           "        if (actions == NO_ACTION).all():\n            break\n        leaves = batched_expand")),
]
# fmt: on


def right_in_one_line(game, states, network, simulations, c_puct, *, noise=None, rng=None, return_tree=False):
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


def right_that_skips_expand(game, states, network, simulations, c_puct, *, noise=None, rng=None, return_tree=False):
    """Expand and evaluate only if some game has a node to expand."""
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


CHECK = Scenes(
    draws=DRAWS,
    board=batched_trees.boards,
    edges=[("TicTacToe()", ENDINGS, 30, 1.5, seed, call) for call in CALLS for seed in (0, 1)],
    examples=16,
    returns=lambda result: array()(result[0] if isinstance(result, tuple | list) and len(result) == 2 else result),
    changes={"network", "noise"},
    tolerance=1e-9,
    question="Find the first game that is wrong. Is the result right if that game is searched alone?",
)
