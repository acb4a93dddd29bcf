"""The notebook 'A search that knows': by perfect play, by PUCT without proofs, and by what was measured."""

import numpy as np

from course_utils.games import TicTacToe, after
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.results import load_result
from course_utils.search.puct import mcts_search

GAME = TicTacToe()


def could_have_stopped():
    """The first simulation after which a winning move has a visit."""
    network, position = TorchNetwork(make_network(GAME, seed=0)), after(GAME, [0, 4, 8, 2, 6, 3])
    return next(n for n in range(1, 33) if mcts_search(GAME, position, network, n, 1.5)[7] > 0)


def one_move_unknown():
    """The values that the position can have, whatever the unknown move is worth."""
    possible = {max(-1, 0, unknown) for unknown in (-1, 0, 1)}
    return "nothing" if len(possible) > 1 else {0: "draw", -1: "loss"}[possible.pop()]


def proven_with_25():
    rows = load_result("proven").where(game="tictactoe", simulations=25)
    return round(100 * sum(row["proven"] for row in rows) / sum(row["of"] for row in rows))


def which_plays_better():
    rows = load_result("proven").where(game="connect_four")
    ahead = np.sign(sum(row["kept"] - row["kept_by_puct"] for row in rows))
    return {1: "the search that knows", -1: "PUCT", 0: "neither"}[ahead]


def visits_of_the_next_root():
    """Of the running example, from a search that keeps its tree."""
    game = TicTacToe()
    network, state = TorchNetwork(make_network(game, seed=0)), after(game, [0, 4, 8, 2, 6, 3])
    visits, root = mcts_search(game, state, network, 32, 1.5, return_root=True)
    assert visits[[1, 5, 7]].tolist() == [2, 3, 27]
    return root.children[5].N.sum()


TRUTHS = {
    "visits-of-the-next-root": visits_of_the_next_root,
    "could-have-stopped": could_have_stopped,
    "one-move-unknown": one_move_unknown,
    "proven-with-25": proven_with_25,
    "which-plays-better": which_plays_better,
}
