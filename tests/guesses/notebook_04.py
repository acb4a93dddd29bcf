"""The notebook 'Self-play': with fractions, by many draws, by the rules, and by games played out."""

from course_utils.agents import SearchAgent
from course_utils.games import TicTacToe, after
from course_utils.networks.policy_value import TorchNetwork, make_network


def tau_one_half():
    visits = (60, 30, 10)
    return 100 * visits[0] ** 2 / sum(count**2 for count in visits)


def noise_on_seven():
    """A mix keeps the sum of 1, so move 7 has what the others, shrunk to three quarters, leave over."""
    return 1 - 0.75 * (0.342 + 0.360)


def six_z():
    game, moves = TicTacToe(), [0, 3, 1, 4, 8, 5]
    winner = game.winner(after(game, moves))
    return [winner * game.to_play(after(game, moves[:ply])) for ply in range(6)]


def sixty_greedy_games():
    """An agent that plays its most visited move against itself."""
    game, games = TicTacToe(), set()
    for _ in range(5):
        agent, state, moves = SearchAgent(game, TorchNetwork(make_network(game, seed=0)), 25), game.initial_state(), []
        while not game.is_terminal(state):
            moves.append(agent.act(state))
            state = game.play(state, moves[-1])
        games.add(tuple(moves))
    return len(games)


TRUTHS = {
    "tau-one-half": tau_one_half,
    "noise-on-seven": noise_on_seven,
    "six-z": six_z,
    "sixty-greedy-games": sixty_greedy_games,
}
