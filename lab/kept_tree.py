"""What a tree kept from move to move saves, and whether it plays better with as many new simulations (the notebook 'Batched search')."""

from collections.abc import Iterator

import numpy as np

from course_utils import agents
from course_utils.agents import SearchAgent
from course_utils.games import ConnectFour, ConnectN, Game, TicTacToe
from course_utils.learning.arena import match, play_game, random_openings
from course_utils.networks import Network, UniformNetwork
from course_utils.networks.fast import fast_inference
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.results import Row
from course_utils.search.minimax import solve
from course_utils.search.puct import keep_subtree, mcts_search, search_on
from lab.command import command
from lab.gumbel import on_their_way

OPENINGS = {"tictactoe": (600, 2), "connect_four": (100, 4)}  # (how many, of how many random moves)


class Counting:
    """An agent whose moves are counted, and the visits that they find in the tree."""

    def __init__(self, agent: SearchAgent):
        self.agent = agent
        self.moves = self.kept = 0

    def act(self, state) -> int:
        visits = int(self.agent.statistics(state)["visits"].sum())
        self.moves, self.kept = self.moves + 1, self.kept + visits - self.agent.simulations
        return self.agent.act(state)


def networks(seed: int) -> Iterator[tuple[Game, str, Network, tuple[int, ...]]]:
    """(game, name, network, simulations)."""
    game, four = TicTacToe(), ConnectFour()
    half = next(net for stage, net in on_their_way(game, seed) if stage == 2)
    yield game, "uniform", UniformNetwork(9), (25, 100)
    yield game, "after 2 iterations", TorchNetwork(half), (25, 100)
    yield four, "uniform", UniformNetwork(7), (25, 100)
    yield four, "shipped", agents.load("connect_four").network, (25,)  # each call takes long


@command("kept_tree")
def kept_tree(seeds=(0,), begun=()) -> Iterator[list[Row]]:
    """Visits that a kept tree brings along a move, against another player and against itself; and a match of kept against thrown away."""
    for seed in seeds:
        for game, name, network, budgets in networks(seed):
            openings = list(dict.fromkeys(random_openings(game, *OPENINGS[game.name], np.random.default_rng(seed))))
            for count in budgets:
                head = dict(game=game.name, network=name, seed=seed, simulations=count)
                if any(head.items() <= row.items() for row in begun):
                    continue
                keeping = Counting(SearchAgent(game, network, count, keep_tree=True))
                score = match(game, keeping, SearchAgent(game, network, count), openings)
                alone = Counting(SearchAgent(game, network, count, keep_tree=True))
                for opening in openings:
                    play_game(game, {1: alone, -1: alone}, opening)
                yield [
                    dict(head, played="an opponent", moves=keeping.moves, kept=keeping.kept, **score._asdict()),
                    dict(head, played="itself", moves=alone.moves, kept=alone.kept),
                ]


def solved_networks() -> Iterator[tuple[Game, str, Network]]:
    """Games that are small enough to say of every move whether it is right."""
    game, wider = TicTacToe(), ConnectN(4, 4, 3)
    half = next(net for stage, net in on_their_way(game, 0) if stage == 2)
    yield game, "untrained", fast_inference(make_network(game, seed=0))
    yield game, "after 2 iterations", fast_inference(half)
    yield wider, "untrained", fast_inference(make_network(wider, seed=0))


def self_play(game: Game, network: Network, simulations: int, values: dict, rng: np.random.Generator) -> Row:
    """One game in a kept tree, its moves drawn by the visits. At each position from the second on: what was kept, and both searches' moves.

    Counted are `moves`, the simulations that were `known` of the `simulations` asked for, and of the positions where some move loses
    value (`of`) those where a search of as many new simulations keeps it: `kept` with the tree, `anew` without.
    """
    count: Row = dict(moves=0, known=0, of=0, kept=0, anew=0)
    state = game.initial_state()
    _, root = mcts_search(game, state, network, simulations, 1.5, return_root=True)
    while True:
        action = int(rng.choice(game.num_actions, p=root.N / root.N.sum()))
        state, root = game.play(state, action), keep_subtree(root, action, network, game)
        if game.is_terminal(state):
            return count
        count["moves"] += 1
        count["known"] += min(simulations, int(root.N.sum()))
        search_on(root, network, game, simulations, 1.5)
        right = {move for move in game.legal_actions(state) if -values[game.play(state, move)] == values[state]}
        if len(right) < len(game.legal_actions(state)):
            count["of"] += 1
            count["kept"] += int(root.N.argmax()) in right
            count["anew"] += int(mcts_search(game, state, network, simulations, 1.5).argmax()) in right


@command("kept_moves")
def kept_moves(games=20, simulations=(25, 100), seeds=(0, 1, 2, 3, 4), begun=()) -> Iterator[Row]:
    """In games of self-play, with as many new simulations: right moves of a search in the kept tree, and of one that begins anew."""
    for game, name, network in solved_networks():
        values = solve(game, game.initial_state())
        for count in simulations:
            for seed in seeds:
                head = dict(game=game.name, network=name, simulations=count, seed=seed)
                if any(head.items() <= row.items() for row in begun):
                    continue
                rng = np.random.default_rng([seed, count])
                rows = [self_play(game, network, count, values, rng) for _ in range(games)]
                yield dict(head, games=games, **{key: sum(row[key] for row in rows) for key in rows[0]})
