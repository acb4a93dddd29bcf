"""The notebook 'Play': by every game against a random player, weighed."""

from course_utils import agents
from course_utils.games import TicTacToe
from course_utils.tests.guesses.notebook_06 import GUESSES

GAME = TicTacToe()


def won_against_random(agent, state, side) -> float:
    """The probability that the agent wins, from here on."""
    if GAME.is_terminal(state):
        return float(GAME.winner(state) == side)
    if GAME.to_play(state) == side:
        return won_against_random(agent, GAME.play(state, agent.act(state)), side)
    replies = GAME.legal_actions(state)
    return sum(won_against_random(agent, GAME.play(state, reply), side) for reply in replies) / len(replies)


def who_beats_random():
    start = GAME.initial_state()
    perfect, searching = (
        sum(won_against_random(agent, start, side) for side in (1, -1)) / 2
        for agent in (agents.MinimaxAgent(GAME), agents.load("tictactoe", 50))
    )
    assert f"{searching:.0%} against {perfect:.0%}".replace("%", " %") in GUESSES["who-beats-random"].why
    return "perfect play" if perfect >= searching else "the shipped agent"


TRUTHS = {
    "who-beats-random": who_beats_random,
}
