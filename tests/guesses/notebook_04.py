"""the notebook 'Self-play': with fractions, by many draws, by the rules, and by games played out."""

import numpy as np

from course_utils.agents import SearchAgent
from course_utils.games import TicTacToe, after
from course_utils.networks.policy_value import TorchNetwork, make_network


def tau_one_half():
    visits = (60, 30, 10)
    return 100 * visits[0] ** 2 / sum(count**2 for count in visits)


def uneven_alpha():
    rng = np.random.default_rng(0)
    two = {alpha: np.sort(rng.dirichlet([alpha] * 9, size=2000))[:, -2:].sum(axis=1).mean() for alpha in (0.1, 10)}
    assert two[0.1] > 0.75 and two[10] < 0.35
    return max(two, key=two.get)


def six_z():
    game, moves = TicTacToe(), [0, 3, 1, 4, 8, 5]
    winner = game.winner(after(game, moves))
    return [winner * game.to_play(after(game, moves[:ply])) for ply in range(6)]


def sixty_greedy_games():
    """An agent that plays its most visited move against itself."""
    game, games = TicTacToe(), set()
    for _ in range(5):
        agent, state, moves = SearchAgent(game, TorchNetwork(make_network(game, seed=3)), 25), game.initial_state(), []
        while not game.is_terminal(state):
            moves.append(agent.act(state))
            state = game.play(state, moves[-1])
        games.add(tuple(moves))
    return len(games)


TRUTHS = {
    "tau-one-half": tau_one_half,
    "uneven-alpha": uneven_alpha,
    "six-z": six_z,
    "sixty-greedy-games": sixty_greedy_games,
}
