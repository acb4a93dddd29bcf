"""Play many games side by side: an agent that can search many positions at once gets its positions in one call."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from course_utils.games import Game
from course_utils.games.batched import make_batched
from course_utils.learning.arena import Player
from course_utils.learning.exam import best_moves
from course_utils.networks import Network


class Searcher:
    """Plays as `SearchAgent` does, and can search many positions at once, which is many times as fast."""

    def __init__(self, game: Game, network: Network, simulations: int):
        self.batched, self.network, self.simulations = make_batched(game), network, simulations

    def act(self, state) -> int:
        return self.acts([state])[0]

    def acts(self, states: list) -> list[int]:
        return best_moves(self.batched, self.batched.from_states(states), self.network, self.simulations).tolist()


def play_out(
    game: Game,
    players: Sequence[Mapping[int, Player]],
    starts: Sequence,
    finished: Callable[[], Any] = lambda: None,
) -> tuple[list, list[list[int]]]:
    """One game from each start, all side by side.

    A player that has `acts` gets all positions in which it is to move in one call.

    Args:
        players: for each game the players +1 and -1.
        finished: called as each game ends.

    Returns:
        (the last state of each game, its actions from the start on).
    """
    states = list(starts)
    actions: list[list[int]] = [[] for _ in starts]
    while going := [i for i, state in enumerate(states) if not game.is_terminal(state)]:
        turns: dict[int, tuple[Any, list[int]]] = {}
        for i in going:
            player = players[i][game.to_play(states[i])]
            turns.setdefault(id(player), (player, []))[1].append(i)
        for player, games in turns.values():
            positions = [states[i] for i in games]
            moves = player.acts(positions) if hasattr(player, "acts") else map(player.act, positions)
            for i, move in zip(games, moves, strict=True):
                states[i] = game.play(states[i], move)
                actions[i].append(move)
                if game.is_terminal(states[i]):
                    finished()
    return states, actions


def different_openings(game: Game, count: int, rng: np.random.Generator, plies: int = 2) -> list:
    """Draw `count` different unfinished positions, all after the same number of moves: `plies`, or more if needed.

    If no ply has so many positions, all are from the ply that has the most.
    """
    level, widest, moves = [game.initial_state()], [game.initial_state()], 0
    while level and (moves < plies or len(level) < count):
        after = (game.play(state, action) for state in level for action in game.legal_actions(state))
        level, moves = list(dict.fromkeys(state for state in after if not game.is_terminal(state))), moves + 1
        widest = max(level, widest, key=len)
    positions = level or widest
    return [positions[i] for i in rng.choice(len(positions), min(count, len(positions)), replace=False)]
