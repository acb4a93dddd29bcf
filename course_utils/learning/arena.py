"""Matches between agents, and all games that can be played against an agent."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game


class Player(Protocol):
    def act(self, state) -> int: ...


class Score(NamedTuple):
    """Games won, drawn and lost, from the point of view of the first agent named."""

    wins: int
    draws: int
    losses: int


def play_game(game: Game, players: dict[int, Player], state=None) -> int:
    """Play from `state` (the start if None) to the end; `players` maps +1 and -1 to agents.

    Returns the winner: +1, -1 or 0.
    """
    state = game.initial_state() if state is None else state
    while not game.is_terminal(state):
        state = game.play(state, players[game.to_play(state)].act(state))
    return game.winner(state)


def random_openings(game: Game, count: int, plies: int, rng: np.random.Generator) -> list:
    """Draw `count` states that random play reaches after `plies` moves, none of them finished. They may repeat.

    `plies` must be fewer than the longest game has.
    """
    openings: list = []
    while len(openings) < count:
        state = game.initial_state()
        for _ in range(plies):
            legal = game.legal_actions(state)
            if legal:
                state = game.play(state, int(rng.choice(legal)))
        if not game.is_terminal(state):
            openings.append(state)
    return openings


def match(game: Game, agent: Player, other: Player, openings: list) -> Score:
    """Two games from each opening (a position, as `game.play` returns it), each agent playing each color once."""
    results = []
    for opening in openings:
        results.append(play_game(game, {1: agent, -1: other}, opening))
        results.append(-play_game(game, {1: other, -1: agent}, opening))
    return Score(results.count(1), results.count(0), results.count(-1))


def lines(game: Game, agent: Player, side: int) -> Iterator[tuple[list[int], int]]:
    """Every game that can be played against a deterministic agent: all of the opponent's moves, the agent's one.

    Args:
        side: +1 if the agent moves first, -1 if second.

    Yields:
        (actions, outcome): the whole game, and +1, 0 or -1 for the agent.
    """
    stack = [(game.initial_state(), [])]
    replies: dict = {}  # the agent is deterministic, so it is asked once for each position
    while stack:
        state, actions = stack.pop()
        if game.is_terminal(state):
            yield actions, game.winner(state) * side
            continue
        if game.to_play(state) != side:
            choices = game.legal_actions(state)
        else:
            if state not in replies:
                replies[state] = agent.act(state)
            choices = [replies[state]]
        stack += [(game.play(state, action), [*actions, action]) for action in reversed(choices)]


def count_lines(game: Game, agent: Player, side: int) -> Score:
    """How many of `lines` the agent wins, draws and loses.

    No losses: it is *proven* that it never loses on that side.
    """
    outcomes = [outcome for _, outcome in lines(game, agent, side)]
    return Score(outcomes.count(1), outcomes.count(0), outcomes.count(-1))


@exercise("41")
def gate(
    game: Game, candidate: Player, champion: Player, openings: list, threshold: float = 0.55
) -> tuple[bool, Score]:
    """Decide by a match whether the candidate becomes champion.

    They play two games from each opening, one with each color. Draws don't count: the
    candidate must win at least `threshold` of the other games. If there are none, the champion
    stays.
    Returns (accepted, the candidate's score).
    """
    score = match(game, candidate, champion, openings)
    decisive = score.wins + score.losses
    accepted = decisive > 0 and score.wins / decisive >= threshold
    return accepted, score
