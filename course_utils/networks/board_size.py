"""For which board a network is made, and whether that is the game's."""

from course_utils.games import Game
from course_utils.limits import shown

BOARD = ("planes", "rows", "columns", "num_actions")


def board_of(network: object) -> dict[str, int]:
    """What a torch network of the course, or one that asks it, says of its board, by the names of `BOARD`; {} if nothing."""
    while network is not None:
        config = getattr(network, "config", None)
        if isinstance(config, dict):
            return {name: config[name] for name in BOARD if name in config}
        asked = getattr(network, "__dict__", {})
        network = asked.get("net", asked.get("network"))
    return {}


def check_game(game: object) -> None:
    """Raises ValueError: it is no game, but its name, say."""
    if not hasattr(game, "initial_state"):
        raise ValueError(f"game is an object, such as make_game('tictactoe') makes, not {shown(game)}")


def check_board(network: object, game: Game) -> None:
    """Raises ValueError: the network is made for another board than this game's, or the game is only its name."""
    check_game(game)
    made = {name: size for name, size in board_of(network).items() if size != getattr(game, name)}
    if made:
        theirs = ", ".join(f"{name}={size}" for name, size in made.items())
        ours = ", ".join(f"{name}={getattr(game, name)}" for name in made)
        raise ValueError(
            f"this network is not made for the board of {game.name} (it has {theirs} instead of {ours}): "
            "give a network and a game that belong together"
        )
