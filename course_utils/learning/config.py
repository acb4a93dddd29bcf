"""The settings of a training run, which are checked when a config is made."""

import math
from dataclasses import dataclass, fields
from types import NoneType
from typing import Any, get_args

from course_utils.games import Game
from course_utils.limits import number, shown, whole
from course_utils.networks.checkpoint import LARGEST_SIZE

LIMITS: dict[str, tuple[float, float]] = {  # of all settings that are not just numbers of 0 or more
    "noise_alpha": (1e-6, math.inf),
    **dict.fromkeys(("noise_fraction", "gate_threshold", "opening_share", "root_share", "average"), (0, 1)),
    **dict.fromkeys(("iterations", "games", "simulations", "first_simulations", "buffer", "batch"), (1, math.inf)),
    **dict.fromkeys(("parts", "window", "first_window"), (1, math.inf)),
    **dict.fromkeys(("channels", "policy_filters", "value_filters", "widths"), (1, LARGEST_SIZE)),
    "blocks": (0, LARGEST_SIZE),
    "kernel": (1, 19),
}
CHOICES = dict(
    network=("mlp", "resnet", "wide"),
    search=("puct", "gumbel"),
    optimizer=("adamw", "adam", "sgd"),
    symmetries=("all", "random", "none"),
    promotion=("latest", "average", "gate"),
)


def checked(name: str, value: Any, kind: Any) -> Any:
    """Check the value of a setting, and convert numbers to Python's own.

    Raises ValueError, which names the setting: of another kind, or beyond its limits.
    """
    least, most = LIMITS.get(name, (0, math.inf))
    if value is None and NoneType in get_args(kind):
        return None
    if kind in (int, int | None):
        return whole(name, value, int(least), most)
    if kind in (float, float | None):
        return number(name, value, least, most)
    if kind is bool and not isinstance(value, bool):
        raise ValueError(f"{name} is True or False, not {shown(value)}")
    if name == "widths":
        if not (isinstance(value, list | tuple) and value):
            raise ValueError(f"widths are whole numbers, such as (512, 256), not {shown(value)}")
        return tuple(whole("each of widths", width, int(least), most) for width in value)
    if name in CHOICES and value not in CHOICES[name]:
        raise ValueError(f"{name} is one of {', '.join(CHOICES[name])}, not {value}")
    return value


@dataclass(frozen=True, repr=False)
class TrainingConfig:
    """The settings of a training run; the notebook 'The training loop' says what each does.

    The defaults train tic-tac-toe in about a minute.

    Raises ValueError: a setting is of another kind, or beyond its limits.
    """

    iterations: int = 20
    # self-play
    games: int = 60  # in each iteration
    simulations: int = 25  # for each move
    c_puct: float = 1.5  # how strongly the search explores
    exploratory_plies: int = 9  # moves that are sampled at temperature 1; later ones are the most visited
    noise_alpha: float = 1.0  # of the Dirichlet noise at the root
    noise_fraction: float = 0.75  # how much of the root's prior is noise
    # learning
    buffer: int = 40_000  # examples that are kept, symmetric forms counted
    steps: int = 150  # of gradient descent, in each iteration
    batch: int = 256  # examples in each step
    learning_rate: float = 1e-2  # at first: it falls in a straight line, towards a tenth
    weight_decay: float = 1e-4  # the third part of the loss

    def __post_init__(self) -> None:
        for setting in fields(self):
            object.__setattr__(self, setting.name, checked(setting.name, getattr(self, setting.name), setting.type))

    def __repr__(self) -> str:
        """One setting a line; those that `EngineConfig` adds only where they differ from the default."""
        main_road = TrainingConfig.__annotations__
        values = [(setting, getattr(self, setting.name)) for setting in fields(self)]
        shown = {kind.name: value for kind, value in values if kind.name in main_road or value != kind.default}
        return f"{type(self).__name__}(\n" + "".join(f"    {name}={value!r},\n" for name, value in shown.items()) + ")"


@dataclass(frozen=True, repr=False)
class EngineConfig(TrainingConfig):
    """A `TrainingConfig` with the further settings of `engine.train`, for Connect Four and other long games.

    With the defaults it trains as the training loop does. Raises ValueError: a setting has an unknown value, or two do
    not go together.
    """

    # the network
    network: str = "mlp"  # or "resnet", of this size, or "wide":
    blocks: int = 3  # residual blocks, one above the other
    channels: int = 64  # of each block
    policy_filters: int = 8  # planes that the policy head reduces them to
    value_filters: int = 4  # and the value head
    kernel: int = 3  # of a "resnet": the side of its convolutions' windows, an odd number
    widths: tuple[int, ...] = (512, 256, 128)  # of a "wide" network's hidden layers
    lines: bool = False  # whether a "wide" network gets features of each line of the board (`wide.Lines`)
    mirror: bool = False  # whether a "wide" network treats a position and its mirror image alike
    # self-play
    lockstep: bool = False  # whether the games of an iteration are played side by side
    parts: int = 1  # groups of games in lock step, each for a process of its own
    search: str = "puct"  # or, in lock step, "gumbel", for few simulations: the notebook 'A better lesson'
    first_simulations: int | None = None  # at the first iteration; `simulations` are reached in a straight line
    opening_share: float = 0.0  # how many of the games in lock step begin with random moves
    opening_plies: int = 0  # how many random moves at most
    blunder_margin: float = 0.1  # as for `batched_self_play`
    root_share: float = 0.0  # as for `batched_self_play`
    # learning
    window: int | None = None  # iterations whose examples the buffer holds, instead of `buffer`
    first_window: int = 3  # the window at first; it grows by one every other iteration
    symmetries: str = "all"  # forms are put into the buffer; "random": a form is drawn when a batch is; "none"
    policy_power: float = 1.0  # above 1 the visits' shares are sharpened before they are learned
    value_weight: float | None = None  # a number: puct's values, not its visits, make the policy to learn
    optimizer: str = "adamw"  # or "adam", or "sgd" with a momentum of 0.9
    last_learning_rate: float | None = None  # reached at the last iteration, instead of the fall towards a tenth
    # which network plays the games
    promotion: str = "latest"  # or "average", over the latest steps; or "gate": the last that won a match, the champion
    average: float = 0.999  # how much of the average each step keeps; less in the first steps
    gate_openings: int = 40  # from each of these the latest network and the champion play two games
    gate_plies: int = 2  # random moves that make an opening
    gate_simulations: int = 0  # for each move: the networks play alone, since a search would hide the difference
    gate_threshold: float = 0.5  # the share of the decisive games that the latest network must win

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.search != "puct" and not self.lockstep:
            raise ValueError(f"games one after the other are played by puct: for {self.search} set lockstep=True")
        if self.games < self.parts:
            raise ValueError(f"games={self.games} is less than parts={self.parts}: a part is a game at least")


def engine_config(config: TrainingConfig) -> EngineConfig:
    """Add the engine's settings, with their defaults, to a config that has none. Raises ValueError: not a config."""
    if not isinstance(config, TrainingConfig):
        raise ValueError(f"config is a TrainingConfig, such as config_for(game) makes, not {shown(config)}")
    return config if isinstance(config, EngineConfig) else EngineConfig(**vars(config))


def config_for(game: Game, *, lockstep: bool = False, **changes) -> EngineConfig:
    """The game's own settings, where it has any (`game.training`, and `game.lockstep_training`), with these changes.

    Args:
        lockstep: many games at once, for a game that is otherwise trained one game at a time.
    """
    settings = dict(getattr(game, "training", {}))
    if lockstep:
        settings |= {"lockstep": True, "promotion": "average", **getattr(game, "lockstep_training", {})}
    return EngineConfig(**{**settings, **changes})
