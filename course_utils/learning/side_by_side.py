"""Many games side by side: whoever can evaluate many positions at once is asked about all of theirs in one call."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from course_utils.games import Game
from course_utils.games.batched import make_batched
from course_utils.learning.arena import Player
from course_utils.learning.exam import best_moves
from course_utils.networks import Network


class Searcher:
    """Plays as `SearchAgent` does, and can be asked about many positions at once, which is many times as fast."""

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

    A player that has `acts` is asked about all positions in which it is to move in one call.

    Args:
        players: for each game who plays +1 and -1.
        finished: called as each game ends.

    Returns:
        (the last state of each game, its actions from the start on).
    """
    states = list(starts)
    actions: list[list[int]] = [[] for _ in starts]
    while going := [i for i, state in enumerate(states) if not game.is_terminal(state)]:
        asked: dict[int, tuple[Any, list[int]]] = {}
        for i in going:
            one = players[i][game.to_play(states[i])]
            asked.setdefault(id(one), (one, []))[1].append(i)
        for one, games in asked.values():
            positions = [states[i] for i in games]
            moves = one.acts(positions) if hasattr(one, "acts") else map(one.act, positions)
            for i, move in zip(games, moves, strict=True):
                states[i] = game.play(states[i], move)
                actions[i].append(move)
                if game.is_terminal(states[i]):
                    finished()
    return states, actions


def different_openings(game: Game, count: int, rng: np.random.Generator, plies: int = 2) -> list:
    """`count` different positions in which the game goes on, all after the same number of moves: `plies`, or as many more as it takes.

    A game that has not so many gives those of the ply that has the most.
    """
    level, widest, moves = [game.initial_state()], [game.initial_state()], 0
    while level and (moves < plies or len(level) < count):
        after = (game.play(state, action) for state in level for action in game.legal_actions(state))
        level, moves = list(dict.fromkeys(state for state in after if not game.is_terminal(state))), moves + 1
        widest = max(level, widest, key=len)
    found = level or widest
    return [found[i] for i in rng.choice(len(found), min(count, len(found)), replace=False)]
