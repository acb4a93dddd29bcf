"""The board to play on."""


def play(game_name: str = "tictactoe", *, opponents=None, human: int = 1, simulations: int = 50, seed: int = 0):
    """A board to click on: you against an agent, or agents against each other."""
    raise NotImplementedError("being built")
