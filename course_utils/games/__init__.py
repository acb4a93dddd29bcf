"""The rules."""

from course_utils.games.connect_n import ConnectFour, ConnectN
from course_utils.games.protocol import Game, after
from course_utils.games.tictactoe import TicTacToe

__all__ = ["GAMES", "ConnectFour", "ConnectN", "Game", "TicTacToe", "after", "make_game"]

GAMES = {"tictactoe": TicTacToe, "connect_four": ConnectFour}


def make_game(name: str) -> Game:
    """The game called `name`. Raises ValueError, which lists the known names, for any other."""
    if name not in GAMES:
        raise ValueError(f"no game is called {name!r}; known: {', '.join(GAMES)}")
    return GAMES[name]()
