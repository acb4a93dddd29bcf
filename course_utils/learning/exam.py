"""An exam for agents: positions with a perfect player's scores, and the share of moves that keep a position's value.

A small game is solved: `solved_positions(TicTacToe())` are all of its positions, and `exam("tictactoe")` those that
count. For Connect Four `games/data/connect_four_positions.json` holds positions with the exact score of every move,
recorded from a perfect solver. Where every move keeps the value nothing can go wrong, so the positions that count are
those where some move loses it; and among them the quiet ones, where neither player can win at once and a look one move
ahead is of no help, and the early ones.
"""

import json
from collections import deque
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import course_utils.games
from course_utils.exercise import exercise
from course_utils.games import Game, after, make_game
from course_utils.games.batched import make_batched
from course_utils.games.protocol import BatchedGame
from course_utils.learning.arena import Player
from course_utils.learning.tournament import wilson_interval
from course_utils.networks import Network, settings_of
from course_utils.search.batched import batched_masked_policy, batched_search
from course_utils.search.minimax import solve

POSITIONS = Path(course_utils.games.__file__).parent / "data" / "connect_four_positions.json"


@exercise("32")
def keeps_value(scores: np.ndarray) -> np.ndarray:
    """Find the actions that keep what the position is worth: a win stays a win, a draw a draw.

    A slow win counts as much as a fast one.
    scores: [num_actions], for the player to move: above 0 a win, 0 a draw, below 0 a loss,
        NaN where the action is illegal.
    Returns bool [num_actions], False where the action is illegal.
    """
    return np.sign(scores) == np.sign(np.nanmax(scores))


class Position(NamedTuple):
    """A position and what a perfect player knows about it.

    Attributes:
        moves: the columns played from the start: "334" is three moves.
        state: of the one-game rules. Not finished.
        scores: float64 [num_actions], for the player to move: 0 a draw, above 0 a win (the higher the faster), below 0
            a loss; NaN where the action is illegal.
        tactics: "win" if the player to move can win at once, "block" if the opponent threatens to, else "".
    """

    moves: str
    state: object
    scores: np.ndarray
    tactics: str

    @property
    def ply(self) -> int:
        return len(self.moves)

    @property
    def value(self) -> int:
        """+1, 0 or -1, for the player to move, if both play perfectly from here."""
        return int(np.sign(np.nanmax(self.scores)))

    @property
    def keeps(self) -> np.ndarray:
        """bool [num_actions]: the actions after which the value is still the same. At least one is True."""
        return keeps_value(self.scores)

    @property
    def matters(self) -> bool:
        """Whether some legal action loses value."""
        return bool((np.sign(self.scores) < self.value).any())


class Share(NamedTuple):
    """`kept` of `of` moves kept the value."""

    kept: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share (Wilson)."""
        return wilson_interval(*self)

    def __str__(self) -> str:
        low, high = self.interval
        return f"{100 * self.kept / self.of:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


GROUPS = {
    "all": lambda position: True,
    "matters": lambda position: position.matters,
    "quiet": lambda position: position.matters and not position.tactics,
    "plies 0-6": lambda position: position.matters and position.ply <= 6,
    "plies 7-12": lambda position: position.matters and 7 <= position.ply <= 12,
}


def load_positions(game: Game | None = None, path: Path = POSITIONS) -> list[Position]:
    """The recorded positions of a game, from the first ply to the last; by default of Connect Four."""
    game = make_game("connect_four") if game is None else game
    entries = json.loads(path.read_text("utf-8"))["positions"]
    return [
        Position(
            entry["moves"],
            after(game, [int(move) for move in entry["moves"]]),
            np.array(entry["scores"], dtype=float),  # null becomes NaN
            entry["tactics"],
        )
        for entry in entries
    ]


def solved_positions(game: Game) -> list[Position]:
    """Every unfinished position of a small game, from the start on; scores are +1, 0 or -1."""
    start = game.initial_state()
    values = solve(game, start)  # for the player to move
    paths, positions = {start: ""}, []
    queue = deque([start])
    while queue:
        state = queue.popleft()
        scores = np.full(game.num_actions, np.nan)
        for action in game.legal_actions(state):
            reply = game.play(state, action)
            scores[action] = -values[reply]
            if reply not in paths:
                paths[reply] = paths[state] + str(action)
                if not game.is_terminal(reply):
                    queue.append(reply)
        positions.append(Position(paths[state], state, scores, tactics(game, state)))
    return positions


@cache
def exam(game_name: str) -> list[Position]:
    """The exam of a game: the positions in which some move loses value.

    Of Connect Four those recorded, of a small game all.
    """
    positions = load_positions() if game_name == "connect_four" else solved_positions(make_game(game_name))
    return [position for position in positions if position.matters]


def wins_at_once(game: Game, state) -> bool:
    return any(game.winner(game.play(state, action)) != 0 for action in game.legal_actions(state))


def tactics(game: Game, state) -> str:
    """ "win": the player to move can win at once; "block": the opponent threatens to; else "" (a quiet position)."""
    if wins_at_once(game, state):
        return "win"
    return "block" if wins_at_once(game, state._replace(to_play=-state.to_play)) else ""


def moves_of(agent: Player, positions: list[Position]) -> np.ndarray:
    """int64 [positions]: the agent's moves, position by position."""
    return np.array([agent.act(position.state) for position in positions], dtype=np.int64)


def searched_moves(
    game: Game, network: Network, positions: list[Position], simulations: int, c_puct: float | None = None
) -> np.ndarray:
    """The moves of `SearchAgent` in all positions at once.

    With 0 simulations the network alone. Returns int64 [positions].
    """
    batched = make_batched(game)
    states = batched.from_states([position.state for position in positions])
    return best_moves(batched, states, network, simulations, c_puct)


def best_moves(
    batched: BatchedGame, states, network: Network, simulations: int, c_puct: float | None = None
) -> np.ndarray:
    """`searched_moves` for states of the batched rules."""
    c_puct = settings_of(network).c_puct if c_puct is None else c_puct
    if simulations > 0:
        return batched_search(batched, states, network, simulations, c_puct).argmax(axis=1)
    _, logits = network(batched.encode(states))
    return batched_masked_policy(logits, batched.legal(states)).argmax(axis=1)


def right_moves(
    game: Game, network: Network, positions: list[Position], simulations: int, c_puct: float | None = None
) -> float:
    """The share of `searched_moves` that keep the value, from 0 to 1."""
    moves = searched_moves(game, network, positions, simulations, c_puct)
    return float(np.mean([position.keeps[move] for position, move in zip(positions, moves, strict=True)]))


def share_kept(positions: list[Position], moves: np.ndarray) -> dict[str, Share]:
    """The share of moves that keep the value, in each of the `GROUPS` that has any positions."""
    kept = np.array([position.keeps[move] for position, move in zip(positions, moves, strict=True)])
    shares = {}
    for name, belongs in GROUPS.items():
        members = np.array([belongs(position) for position in positions])
        if members.any():
            shares[name] = Share(int(kept[members].sum()), int(members.sum()))
    return shares
