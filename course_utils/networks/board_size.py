"""Check that a network is made for the board of a game."""

from course_utils.games import Game
from course_utils.limits import shown

BOARD = ("planes", "rows", "columns", "num_actions")


def board_of(network: object) -> dict[str, int]:
    """The sizes of a network's board by the names of `BOARD`; {} for all but the course's torch networks."""
    while network is not None:
        config = getattr(network, "config", None)
        if isinstance(config, dict):
            return {name: config[name] for name in BOARD if name in config}
        attributes = getattr(network, "__dict__", {})
        network = attributes.get("net", attributes.get("network"))
    return {}


def check_game(game: object) -> None:
    """Raises ValueError: not a game, but its name, say."""
    if not hasattr(game, "initial_state"):
        raise ValueError(f"game is an object, such as make_game('tictactoe') makes, not {shown(game)}")


def check_board(network: object, game: Game) -> None:
    """Raises ValueError: the network is made for another board than this game's, or the game is only its name."""
    check_game(game)
    made = {name: size for name, size in board_of(network).items() if size != getattr(game, name)}
    if made:
        actual = ", ".join(f"{name}={size}" for name, size in made.items())
        expected = ", ".join(f"{name}={getattr(game, name)}" for name in made)
        raise ValueError(
            f"this network is not made for the board of {game.name} (it has {actual} instead of {expected}): "
            "give a network and a game that belong together"
        )
