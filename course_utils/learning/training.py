"""The training loop: self-play, learning, and the gate, over and over. Silver et al. 2017, 2018."""

import copy
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from course_utils.agents import SearchAgent
from course_utils.exercise import exercise
from course_utils.files import write_atomically
from course_utils.games import Game
from course_utils.learning.arena import Score, gate, random_openings
from course_utils.learning.examples import COLUMNS, Examples, ReplayBuffer, permutations, random_symmetries
from course_utils.learning.self_play import self_play_game
from course_utils.limits import number, shown, whole
from course_utils.networks.board import check_game
from course_utils.networks.checkpoint import LARGEST_SIZE, VERSION, CheckpointError, check_fit, one_line, read, to_bytes
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.resnet import make_resnet
from course_utils.networks.settings import SearchSettings
from course_utils.networks.wide import make_wide

LIMITS: dict[str, tuple[float, float]] = {  # of settings that may not be just any number of 0 or more
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
    promotion=("gate", "average"),
)


def checked(name: str, value: Any, kind: Any) -> Any:
    """The value of a setting of this kind, a number as Python's own. Raises ValueError, which names the setting: it is of another kind, or beyond its limits."""
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
        return tuple(whole("each of widths", one, int(least), most) for one in value)
    if name in CHOICES and value not in CHOICES[name]:
        raise ValueError(f"{name} is one of {', '.join(CHOICES[name])}, not {value}")
    return value


@dataclass(frozen=True, repr=False)
class TrainingConfig:
    """The settings of a training run; the notebook 'The training loop' says what each does. The defaults train tic-tac-toe in about a minute.

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
    # the gate
    gate_openings: int = 40  # two games from each
    gate_plies: int = 2  # random moves that make an opening
    gate_simulations: int = 0  # for each move: the networks play alone, since a search would hide the difference
    gate_threshold: float = 0.5  # the share of the decisive games that the candidate needs

    def __post_init__(self) -> None:
        for one in fields(self):
            object.__setattr__(self, one.name, checked(one.name, getattr(self, one.name), one.type))

    def __repr__(self) -> str:
        """One setting a line; those that `EngineConfig` adds only where they differ from the default."""
        main_road = vars(TrainingConfig)
        shown = [one.name for one in fields(self) if one.name in main_road or getattr(self, one.name) != one.default]
        return f"{type(self).__name__}(\n" + "".join(f"    {name}={getattr(self, name)!r},\n" for name in shown) + ")"


@dataclass(frozen=True, repr=False)
class EngineConfig(TrainingConfig):
    """What `engine.train` can exchange, on top of a `TrainingConfig`: for Connect Four and other long games. The notebook "Connect Four".

    The defaults are the training loop's program. Raises ValueError: a setting has an unknown value, or two do not go together.
    """

    # the network
    network: str = "mlp"  # or "resnet", of this size, or "wide":
    blocks: int = 3
    channels: int = 64
    policy_filters: int = 8
    value_filters: int = 4
    kernel: int = 3  # a "resnet" looks at so many cells a side at once; an odd number
    widths: tuple[int, ...] = (512, 256, 128)  # of a "wide" network's hidden layers
    lines: bool = False  # a "wide" network is told, too, how each line of the board stands (`wide.Lines`)
    mirror: bool = False  # a "wide" network values a position and its mirror image alike, each by so many units
    # self-play
    lockstep: bool = False  # the games of an iteration are played side by side, instead of one after the other
    parts: int = 1  # groups of games in lock step, each played by a process of its own if there are so many
    search: str = "puct"  # or, in lock step, "gumbel", for few simulations: the notebook 'Gumbel search'
    first_simulations: int | None = None  # at the first iteration; `simulations` are reached in a straight line
    opening_share: float = 0.0  # how many of the games in lock step begin with random moves
    opening_plies: int = 0  # how many random moves at most
    blunder_margin: float = 0.1  # as for `batched_self_play`
    root_share: float = 0.0  # as for `batched_self_play`
    # learning
    window: int | None = None  # iterations whose examples the buffer holds, whatever `buffer` says
    first_window: int = 3  # the window at first; it grows by one every other iteration
    symmetries: str = "all"  # forms are put into the buffer; "random": each is drawn when it is learned; "none"
    policy_power: float = 1.0  # above 1 the visits' shares are sharpened before they are learned
    value_weight: float | None = None  # a number: puct's values, not its visits, make the policy to learn
    optimizer: str = "adamw"  # or "adam", or "sgd" with a momentum of 0.9
    last_learning_rate: float | None = None  # reached at the last iteration, instead of the fall towards a tenth
    # promotion: how the candidate becomes champion
    promotion: str = "gate"  # or "average": no gate, the champion is the candidate's average over its latest steps
    average: float = 0.999  # how much of that average each step keeps; less in the first steps

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.search != "puct" and not self.lockstep:
            raise ValueError(f"games one after the other are played by puct: for {self.search} set lockstep=True")
        if self.games < self.parts:
            raise ValueError(f"games={self.games} is less than parts={self.parts}: a part is a game at least")


def engine_config(config: TrainingConfig) -> EngineConfig:
    """The same settings, and the engine's: their defaults, if `config` has none."""
    if not isinstance(config, TrainingConfig):
        raise ValueError(f"config is a TrainingConfig, such as config_for(game) makes, not {shown(config)}")
    return config if isinstance(config, EngineConfig) else EngineConfig(**vars(config))


def saved_config(settings: dict) -> TrainingConfig:
    """The config that a file holds, as `asdict` made a dictionary of it. Raises TypeError or ValueError: a setting is missing, unknown or of another kind."""
    kind = TrainingConfig if settings.keys() <= vars(TrainingConfig()).keys() else EngineConfig
    return kind(**settings)


def config_for(game: Game, *, lockstep: bool = False, **changes) -> EngineConfig:
    """The game's own settings, where it has any (`game.training`, and `game.lockstep_training`), with these changes.

    Args:
        lockstep: many games at once, for a game that is otherwise trained one game at a time.
    """
    settings = dict(getattr(game, "training", {}))
    if lockstep:
        settings |= {"lockstep": True, "promotion": "average", **getattr(game, "lockstep_training", {})}
    return EngineConfig(**{**settings, **changes})


SIZES = dict(
    mlp=(),
    resnet=("blocks", "channels", "policy_filters", "value_filters", "kernel"),
    wide=("widths", "lines", "mirror"),
)  # settings, by kind
OPTIMIZERS: dict[str, Callable] = dict(
    adamw=torch.optim.AdamW, adam=torch.optim.Adam, sgd=partial(torch.optim.SGD, momentum=0.9)
)
MAKERS: dict[str, Callable] = dict(mlp=make_network, resnet=make_resnet, wide=make_wide)


def new_network(game: Game, config: TrainingConfig, seed: int) -> nn.Module:
    """Random weights, in a network of the kind and size that `config` names; it wants to be searched as in training."""
    net = MAKERS[engine_config(config).network](game, seed, **sizes_of(config))
    net.settings = SearchSettings(config.c_puct)
    return net


def sizes_of(config: TrainingConfig) -> dict:
    """What the maker of its network takes, beside the game and a seed."""
    config = engine_config(config)
    return {name: getattr(config, name) for name in SIZES[config.network]}


@dataclass
class Run:
    """A training run as it stands, between two iterations: enough to look at, to save and to go on from."""

    game: Game
    config: TrainingConfig
    champion: nn.Module  # plays the games
    candidate: nn.Module  # learns from them
    optimizer: torch.optim.Optimizer  # of the candidate
    buffer: ReplayBuffer
    rng: np.random.Generator
    seed: int = 0  # games in lock step have generators of their own, made from it
    history: list[dict] = field(default_factory=list)  # one entry an iteration
    steps: int = 0  # of gradient descent, by `engine.train`
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of this process and those that play

    @classmethod
    def start(cls, game: Game, config: TrainingConfig, seed: int) -> "Run":
        """Random weights, the same in both networks, and an empty buffer. Raises ValueError: the seed is no whole number of 0 or more, or the game or the config is something else."""
        check_game(game)
        seed = whole("seed", seed, 0, 2**63 - 1)
        candidate = new_network(game, config, seed)
        champion = copy.deepcopy(candidate).eval()
        make = OPTIMIZERS[engine_config(config).optimizer]
        optimizer = make(candidate.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay)
        buffer, rng = ReplayBuffer(config.buffer), np.random.default_rng(seed)
        return cls(game, config, champion, candidate, optimizer, buffer, rng, seed)

    # --- what changes from iteration to iteration

    def between(self, first: float, last: float) -> float:
        """A straight line from `first`, at the first iteration of the run, to `last`, at its last."""
        return first + (last - first) * min(1.0, len(self.history) / max(1, self.config.iterations - 1))

    def set_learning_rate(self) -> None:
        """A straight line from `learning_rate` to `last_learning_rate` at the last iteration, or to a tenth one iteration after it."""
        first, last = self.config.learning_rate, engine_config(self.config).last_learning_rate
        to_a_tenth = first * (1 - 0.9 * len(self.history) / self.config.iterations)
        for group in self.optimizer.param_groups:
            group["lr"] = to_a_tenth if last is None else self.between(first, last)

    def simulations(self) -> int:
        first, last = engine_config(self.config).first_simulations, self.config.simulations
        return last if first is None else round(self.between(first, last))

    def settings(self) -> dict:
        """What the config says of a game of self-play: the keyword arguments of `self_play_game`."""
        names = ("c_puct", "exploratory_plies", "noise_alpha", "noise_fraction")
        return dict(simulations=self.simulations(), **{name: getattr(self.config, name) for name in names})

    def lockstep_settings(self) -> dict:
        """The same for games in lock step: the keyword arguments of `batched_self_play`, but for `lockstep`."""
        names = ("search", "opening_share", "opening_plies", "blunder_margin", "root_share", "value_weight")
        return self.settings() | {name: getattr(engine_config(self.config), name) for name in names}

    # --- its parts at work

    def agent(self, net: nn.Module, simulations: int) -> SearchAgent:
        return SearchAgent(self.game, TorchNetwork(net), simulations, self.config.c_puct)

    def keep(self, games: list[Examples]) -> None:
        """Put an iteration's games into the buffer. Where there is a window, those that are too old leave it."""
        config = engine_config(self.config)
        forms = len(permutations(self.game)[0]) if config.symmetries == "all" else 1
        if config.window is not None:
            width = min(config.window, config.first_window + len(self.history) // 2)
            before = sum(entry["examples"] for entry in self.history[max(0, len(self.history) - width + 1) :])
            self.buffer.capacity = forms * (before + sum(len(examples) for examples in games))
        for examples in games:
            self.buffer.add(examples, self.game if config.symmetries == "all" else None)

    def sample(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A batch to learn from: planes, policy and value, all float32, as `ReplayBuffer.sample` draws them."""
        config = engine_config(self.config)
        planes, policy, value = self.buffer.sample(config.batch, self.rng)
        if config.symmetries == "random":
            planes, policy = random_symmetries(self.game, planes, policy, self.rng)
        if config.policy_power != 1:
            policy = policy**config.policy_power
            policy /= policy.sum(axis=1, keepdims=True)
        return planes, policy, value

    def log(
        self,
        games: list[Examples],
        losses: list[dict],
        accepted: bool | None,
        score: Score | None,
        seconds: float,
        cpu_seconds: float | None = None,
        **more: list,
    ) -> None:
        """Close an iteration: append what happened in it to `history`. Without a gate there is neither `accepted` nor `score`.

        Args:
            more: further values of the entry: `batches`, whose games they are, and `staleness`, how many iterations old their weights.
        """
        self.seconds += seconds
        self.cpu_seconds += seconds if cpu_seconds is None else cpu_seconds
        count, examples = sum(part.games for part in games), sum(len(part) for part in games)
        ends = np.concatenate([part.outcome[part.ply == 0] for part in games])  # of the games from the start position
        start, champion = self.game.initial_state(), self.agent(self.champion, 0)
        self.history.append(
            dict(
                iteration=len(self.history) + 1,
                seconds=self.seconds,
                cpu_seconds=self.cpu_seconds,
                games=count,
                simulations=self.simulations(),
                examples=examples,
                mean_length=examples / count,  # random openings not counted
                from_start=len(ends),
                first_wins=int((ends > 0).sum()),
                draws=int((ends == 0).sum()),
                second_wins=int((ends < 0).sum()),
                policy_loss=float(np.mean([loss["policy"] for loss in losses])) if losses else None,
                value_loss=float(np.mean([loss["value"] for loss in losses])) if losses else None,
                accepted=None if accepted is None else bool(accepted),
                gate=None if score is None else list(score),
                start_policy=champion.policy(start).tolist(),
                start_value=champion.value(start),
                **more,
            )
        )

    # --- on disk

    def save(self, path: Path | str) -> None:
        """Everything needed to go on as if nothing had happened, the random generator included. Atomic."""
        examples = self.buffer.examples if len(self.buffer) else None  # none before the first game
        data = dict(
            version=VERSION,
            game=self.game.name,
            training=asdict(self.config),
            champion=self.champion.state_dict(),
            candidate=self.candidate.state_dict(),
            optimizer=self.optimizer.state_dict(),
            buffer=packed(examples) if examples else {},
            rng=self.rng.bit_generator.state,
            **{name: getattr(self, name) for name in PLAIN},
        )
        write_atomically(Path(path), to_bytes(data))

    @classmethod
    def resume(cls, path: Path | str, game: Game) -> "Run":
        """Raises CheckpointError: missing, damaged, of another version, not a training run, or one of another game."""
        data = read(path)
        if "training" not in data:
            raise CheckpointError(f"the checkpoint {path} holds a network but no training run to resume")
        if data.get("game") != game.name:
            raise CheckpointError(f"{path} is a training run of {data.get('game')}; expected {game.name}")
        try:
            config = saved_config(data["training"])
            check_fit(lambda: new_network(game, config, 0), sizes_of(config), data["champion"])
            run = cls.start(game, config, data["seed"])
            run.champion.load_state_dict(data["champion"])
            run.candidate.load_state_dict(data["candidate"])
            run.optimizer.load_state_dict(data["optimizer"])
            check_moments(run.optimizer)
            run.rng.bit_generator.state = data["rng"]
            for name, check in PLAIN.items():
                setattr(run, name, check(name, data[name]))
            if data["buffer"]:
                run.buffer.parts = [unpacked(data["buffer"], game)]
                check_shapes(game, run.buffer.parts[0])
                run.buffer.capacity = max(run.buffer.capacity, len(run.buffer.parts[0]))
        except Exception as error:  # what was made elsewhere can fail in any way
            raise CheckpointError(
                f"the checkpoint {path} does not fit this course's training ({one_line(error)})"
            ) from None
        return run


def packed(examples: Examples) -> dict[str, torch.Tensor]:
    """The columns for a file: of planes that are bool eight cells a byte, plies in 16 bits."""
    columns = {name: getattr(examples, name) for name in COLUMNS}
    columns["ply"] = columns["ply"].astype(np.int16)
    if examples.planes.dtype == bool:
        columns["planes"] = np.packbits(examples.planes.reshape(len(examples), -1), axis=1)
    return {name: torch.from_numpy(column) for name, column in columns.items()}


def unpacked(saved: dict[str, torch.Tensor], game: Game) -> Examples:
    """What `packed` made a file of; also columns as they are."""
    planes, policy, value, outcome, ply = (saved[name].numpy() for name in COLUMNS)
    if planes.dtype == np.uint8:
        shape = game.planes, game.rows, game.columns
        planes = np.unpackbits(planes, axis=1)[:, : math.prod(shape)].view(bool).reshape(-1, *shape)
    return Examples(planes, policy, value, outcome, ply.astype(np.int64))


def check_shapes(game: Game, examples: Examples) -> None:
    """Raises ValueError: they are of another game's shapes."""
    expected = {"planes": (game.planes, game.rows, game.columns), "policy": (game.num_actions,)}
    for name in COLUMNS:
        wanted, found = (len(examples), *expected.get(name, ())), getattr(examples, name).shape
        if wanted != found:
            raise ValueError(f"the examples' {name} have the shape {list(found)} instead of {list(wanted)}")


def check_moments(optimizer: torch.optim.Optimizer) -> None:
    """Raises ValueError: what it remembers of a weight is of another shape. (PyTorch notices at the first step.)"""
    for weight, known in optimizer.state.items():
        for name, value in known.items():
            if isinstance(value, torch.Tensor) and value.ndim and value.shape != weight.shape:
                raise ValueError(
                    f"the optimizer's {name} has the shape {list(value.shape)} instead of {list(weight.shape)}"
                )


def whole_history(name: str, value: Any) -> list[dict]:
    """`value`. Raises ValueError: it is no history, or lacks what a run needs to go on from it."""
    if not (isinstance(value, list) and all(isinstance(entry, dict) for entry in value)):
        raise ValueError(f"{name} is a list of dictionaries, not {shown(value)}")
    for expected, entry in enumerate(value, start=1):
        if entry.get("iteration") != expected:
            raise ValueError("its history has gaps")
        whole("history's examples", entry.get("examples"))
        for batch in entry.get("batches", []):
            whole("history's batches", batch)
    return value


# fields that are saved as they are
PLAIN: dict[str, Callable] = dict(seed=whole, history=whole_history, steps=whole, seconds=number, cpu_seconds=number)


@exercise("05")
def alphazero_loss(
    value: torch.Tensor,
    logits: torch.Tensor,
    target_value: torch.Tensor,
    target_policy: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """AlphaZero's loss in two parts, each a mean over the batch: (z - v)^2 and -pi . log p.

    value, target_value: [batch].
    logits, target_policy: [batch, num_actions]; p is the softmax of the logits.
    Returns (value loss, policy loss), two scalars; large logits must not make them infinite.
    (Silver et al. 2017, equation 1.)
    """
    value_loss = F.mse_loss(value, target_value)
    policy_loss = -(target_policy * F.log_softmax(logits, dim=1)).sum(dim=1).mean()
    return value_loss, policy_loss


@exercise("05")
def train_step(
    net: nn.Module,
    optimizer: torch.optim.Optimizer,
    planes: np.ndarray,
    policy: np.ndarray,
    value: np.ndarray,
) -> dict[str, float]:
    """One step of gradient descent on one batch, in training mode.

    net: planes -> (value [batch], logits [batch, num_actions]). Old gradients must not count.
    planes: float32 [batch, planes, rows, columns].
    policy: float32 [batch, num_actions], the search's. value: float32 [batch], the outcomes.
    Returns {"value": ..., "policy": ...}: both parts of the loss before the step, as floats.
    """
    net.train()
    predicted_value, logits = net(torch.from_numpy(planes))
    value_loss, policy_loss = alphazero_loss(predicted_value, logits, torch.from_numpy(value), torch.from_numpy(policy))
    optimizer.zero_grad()
    (value_loss + policy_loss).backward()
    optimizer.step()
    return {"value": value_loss.item(), "policy": policy_loss.item()}


@exercise("05")
def train_alphazero(run: Run, callback: Callable[[Run], bool | None] | None = None) -> None:
    """All of AlphaZero on one page. Until the history has `config.iterations` entries:

    1. Call `run.set_learning_rate()`.
    2. `self_play_game`: the champion plays `config.games` games, which go into the buffer in
       all their symmetric forms.
    3. `train_step`: the candidate takes `config.steps` steps, each on a batch drawn afresh.
    4. `gate`: candidate and champion meet, from openings drawn afresh. If the candidate
       passes, copy its weights into the champion.
    5. Call `run.log(...)` and, if there is one, `callback(run)`; stop if that returns True.

    All chance comes from `run.rng`.
    """
    # begin given
    game, config, rng, buffer = run.game, run.config, run.rng, run.buffer
    settings = run.settings()  # of `self_play_game`
    # end given
    while len(run.history) < config.iterations:
        began = time.perf_counter()
        run.set_learning_rate()

        network = TorchNetwork(run.champion)
        games = [self_play_game(game, network, rng, **settings) for _ in range(config.games)]
        for examples in games:
            buffer.add(examples, game)

        batches = (buffer.sample(config.batch, rng) for _ in range(config.steps))
        losses = [train_step(run.candidate, run.optimizer, *batch) for batch in batches]

        candidate = run.agent(run.candidate, config.gate_simulations)
        champion = run.agent(run.champion, config.gate_simulations)
        openings = random_openings(game, config.gate_openings, plies=config.gate_plies, rng=rng)
        accepted, score = gate(game, candidate, champion, openings, config.gate_threshold)
        if accepted:
            run.champion.load_state_dict(run.candidate.state_dict())

        run.log(games, losses, accepted, score, time.perf_counter() - began)
        if callback is not None and callback(run):
            return
