"""What a proving search proves, how soon it stops, and how well it plays (the notebook 'A search that knows')."""

from collections.abc import Iterator
from itertools import groupby

import numpy as np

from course_utils import agents
from course_utils.agents import SearchAgent
from course_utils.games import ConnectFour, Game, TicTacToe
from course_utils.learning.arena import match, random_openings
from course_utils.learning.exam import Position, exam, searched_moves
from course_utils.networks import Network, settings_of
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.fast import fast_inference
from course_utils.networks.policy_value import make_network
from course_utils.results import Row
from course_utils.search.proven import search_until_proven, visits_that_count
from course_utils.search.puct import Node, mcts_search
from lab.command import command

EVERY = 4  # of Connect Four's exam: one position takes about as long as a hundred of tic-tac-toe
OPENINGS = {"tictactoe": (600, 2), "connect_four": (50, 4)}  # (how many at most, of how many random moves)


def networks(seeds) -> Iterator[tuple[Game, str, int, Network, list[Position], tuple[int, ...]]]:
    """(game, the network's name, its seed, the network, positions, simulations)."""
    game, four = TicTacToe(), ConnectFour()
    for seed in seeds:
        untrained = CachedNetwork(fast_inference(make_network(game, seed=seed)))
        yield game, "untrained", seed, untrained, exam("tictactoe"), (25, 100)
    shipped = CachedNetwork(fast_inference(agents.load("connect_four").network.net))
    yield four, "shipped", 0, shipped, exam("connect_four")[::EVERY], (100,)


@command("proven")
def proven(seeds=(0, 1, 2), begun=()) -> Iterator[list[Row]]:
    """Proofs in the exam's positions, by their tactics, and how many of them are right.

    Also the simulations used, and the moves that keep the value, beside PUCT with as many simulations.
    """
    for game, name, seed, network, positions, budgets in networks(seeds):
        positions = sorted(positions, key=lambda position: position.tactics)
        for count in budgets:
            head = dict(game=game.name, network=name, seed=seed, simulations=count)
            if any(head.items() <= row.items() for row in begun):
                continue
            plain = iter(searched_moves(game, network, positions, count))
            rows = []
            for tactics, some in groupby(positions, key=lambda position: position.tactics):
                row = dict(head, tactics=tactics, of=0, proven=0, right=0, used=0, kept=0, kept_by_puct=0)
                for position in some:
                    root = searched(game, network, position.state, count)
                    row["of"] += 1
                    row["used"] += int(root.N.sum())
                    row["kept"] += bool(position.keeps[visits_that_count(root).argmax()])
                    row["kept_by_puct"] += bool(position.keeps[next(plain)])
                    if root.is_terminal:
                        row["proven"] += 1
                        row["right"] += root.terminal_value == position.value
                rows.append(row)
            yield rows


def searched(game: Game, network: Network, state, simulations: int) -> Node:
    """The root of a search that proves."""
    c_puct = settings_of(network).c_puct
    _, root = mcts_search(game, state, network, 0, c_puct, return_root=True)
    search_until_proven(root, network, game, simulations, c_puct)
    return root


@command("proven_match")
def proven_match(seeds=(0,)) -> Iterator[Row]:
    """A proving search against PUCT with the same network and budget: each opening twice, with sides exchanged."""
    for game, name, seed, network, _, budgets in networks(seeds):
        openings = list(dict.fromkeys(random_openings(game, *OPENINGS[game.name], np.random.default_rng(seed))))
        for count in budgets:
            one, other = (SearchAgent(game, network, count, prove=prove) for prove in (True, False))
            score = match(game, one, other, openings)
            yield dict(game=game.name, network=name, seed=seed, simulations=count, **score._asdict())
