"""The post "Designing AlphaTicTacToe": the search as it is printed, not expanding finished games, and with the sign right, against random moves."""

from functools import partial
from types import SimpleNamespace

import numpy as np

from course_utils.agents.basic import RandomAgent
from course_utils.games import TicTacToe
from course_utils.games.tictactoe import State
from course_utils.learning.arena import play_game
from course_utils.results import Row
from course_utils.search.uct import UctNode, rollout, uct_expand, uct_score
from lab.experiment import Experiment
from lab.experiments.goes_on_after_a_win import GoesOn

GAME = TicTacToe()


def search(state: State, simulations: int, rng: np.random.Generator, ends: bool, sign: bool) -> int:
    """The most visited action. Raises ValueError where it wants to choose among the children of a full board.

    ends: whether the tree knows that a game is over. sign: whether a result is counted for the player who moved into the new
    node; as printed it is X's there, whoever moved, and changes its sign on the way up.
    """
    tree = GAME if ends else GoesOn()
    root = UctNode(tree, state)
    for _ in range(simulations):
        node = root
        while not node.untried and not (ends and node.is_terminal):
            node = max(node.children.values(), key=partial(uct_score, c_uct=1.4))
        if node.untried:
            node = uct_expand(node, tree, rng)
        for_mover = rollout(GAME, node.state, rng)
        result = -for_mover if sign else for_mover * node.state.to_play
        while node is not None:
            node.N += 1
            node.W += result
            result, node = -result, node.parent
    return max(root.children.values(), key=lambda child: child.N).parent_action


def measure(seed: int, ends: bool, sign: bool, games: int, simulations: int) -> list[Row]:
    rng, rows = np.random.default_rng(seed), []
    searches = SimpleNamespace(act=partial(search, simulations=simulations, rng=rng, ends=ends, sign=sign))
    for side, player in (("X", 1), ("O", -1)):
        row = dict(side=side, games=games, raised=0, wins=0, draws=0, losses=0)
        for _ in range(games):
            try:
                winner = play_game(GAME, {player: searches, -player: RandomAgent(GAME, rng)})
            except ValueError:
                row["raised"] += 1
            else:
                row[{1: "wins", 0: "draws", -1: "losses"}[winner * player]] += 1
        rows.append(row)
    return rows


EXPERIMENT = Experiment(
    question="The search of the post AlphaTicTacToe against random moves: how does it fare as printed, without expanding finished games, and with the sign right?",
    published="no games; the author has not run it yet",
    measure=measure,
    base=dict(games=200, simulations=50),
    variants={
        "as printed": dict(ends=False, sign=False),
        "mended: finished games are not expanded": dict(ends=True, sign=False),
        "mended, and the sign right": dict(ends=True, sign=True),
    },
    quick=dict(games=5),
    seeds=range(5),
)
