"""The rules."""

from course_utils.games.connect_n import ConnectFour, ConnectN, connect_n
from course_utils.games.protocol import BatchedGame, Game, after
from course_utils.games.registry import FAMILIES, GAMES, address, known_game, make_game, register
from course_utils.games.tictactoe import TicTacToe

__all__ = [
    "GAMES",
    "BatchedGame",
    "ConnectFour",
    "ConnectN",
    "Game",
    "TicTacToe",
    "address",
    "after",
    "known_game",
    "make_game",
    "register",
]

register(TicTacToe)
register(ConnectFour)
FAMILIES["connect_n:4x5x3"] = connect_n
