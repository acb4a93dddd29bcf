"""A training run between two iterations, and its file."""

import copy
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from course_utils.agents import SearchAgent
from course_utils.files import write_atomically
from course_utils.games import Game
from course_utils.learning.arena import Score
from course_utils.learning.config import EngineConfig, TrainingConfig, engine_config
from course_utils.learning.examples import COLUMNS, Examples, ReplayBuffer, permutations, random_symmetries
from course_utils.limits import number, shown, whole
from course_utils.networks.board_size import check_game
from course_utils.networks.checkpoint import VERSION, CheckpointError, check_fit, one_line, read, to_bytes
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.resnet import make_resnet
from course_utils.networks.settings import SearchSettings
from course_utils.networks.wide import make_wide

SIZES = dict(
    mlp=(),
    resnet=("blocks", "channels", "policy_filters", "value_filters", "kernel"),
    wide=("widths", "lines", "mirror"),
)  # settings, by kind
OPTIMIZERS: dict[str, Callable] = dict(
    adamw=torch.optim.AdamW, adam=torch.optim.Adam, sgd=partial(torch.optim.SGD, momentum=0.9)
)
MAKERS: dict[str, Callable] = dict(mlp=make_network, resnet=make_resnet, wide=make_wide)


def new_network(game: Game, config: EngineConfig, seed: int) -> nn.Module:
    """Make a network with random weights, of the kind and size in `config`, with the search settings of training."""
    net = MAKERS[config.network](game, seed, **sizes_of(config))
    net.settings = SearchSettings(config.c_puct)
    return net


def sizes_of(config: EngineConfig) -> dict:
    """The network maker's keyword arguments."""
    return {name: getattr(config, name) for name in SIZES[config.network]}


@dataclass
class Run:
    """The state of a training run between two iterations: enough to look at, to save and to go on from."""

    game: Game
    config: EngineConfig  # a `TrainingConfig` that is assigned is converted
    network: nn.Module  # plays the games
    latest: nn.Module  # learns from them: the same network, unless `promotion` asks for another
    optimizer: torch.optim.Optimizer  # of `latest`
    buffer: ReplayBuffer
    rng: np.random.Generator
    seed: int = 0  # games in lock step have generators of their own, made from it
    history: list[dict] = field(default_factory=list)  # one entry an iteration
    steps: int = 0  # of gradient descent, by `engine.train`
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of this process and those that play
    began: float = field(default_factory=time.perf_counter, repr=False)  # the iteration under way

    @classmethod
    def start(cls, game: Game, config: TrainingConfig, seed: int) -> "Run":
        """Random weights and an empty buffer.

        Raises ValueError: the seed is not a whole number of 0 or more, or the game or the config is something else.
        """
        check_game(game)
        seed, config = whole("seed", seed, 0, 2**63 - 1), engine_config(config)
        latest = new_network(game, config, seed)
        network = latest if config.promotion == "latest" else copy.deepcopy(latest).eval()
        make = OPTIMIZERS[config.optimizer]
        optimizer = make(latest.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay)
        buffer, rng = ReplayBuffer(config.buffer), np.random.default_rng(seed)
        return cls(game, config, network, latest, optimizer, buffer, rng, seed)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, engine_config(value) if name == "config" else value)

    # --- what changes from iteration to iteration

    def between(self, first: float, last: float) -> float:
        """A straight line from `first`, at the first iteration of the run, to `last`, at its last."""
        return first + (last - first) * min(1.0, len(self.history) / max(1, self.config.iterations - 1))

    def begin_iteration(self) -> None:
        """Set the learning rate, and start the clock."""
        self.began = time.perf_counter()
        self.set_learning_rate()

    def set_learning_rate(self) -> None:
        """Set the rate on a straight line from `learning_rate` to `last_learning_rate`, or nearly to a tenth."""
        first, last = self.config.learning_rate, self.config.last_learning_rate
        to_a_tenth = first * (1 - 0.9 * len(self.history) / self.config.iterations)
        for group in self.optimizer.param_groups:
            group["lr"] = to_a_tenth if last is None else self.between(first, last)

    def simulations(self) -> int:
        first, last = self.config.first_simulations, self.config.simulations
        return last if first is None else round(self.between(first, last))

    def settings(self) -> dict:
        """The settings of a game of self-play: the keyword arguments of `self_play_game`."""
        names = ("c_puct", "exploratory_plies", "noise_alpha", "noise_fraction")
        return dict(simulations=self.simulations(), **{name: getattr(self.config, name) for name in names})

    def lockstep_settings(self) -> dict:
        """The same for games in lock step: the keyword arguments of `batched_self_play`, but for `lockstep`."""
        names = ("search", "opening_share", "opening_plies", "blunder_margin", "root_share", "value_weight")
        return self.settings() | {name: getattr(self.config, name) for name in names}

    # --- playing and learning

    def agent(self, net: nn.Module, simulations: int) -> SearchAgent:
        return SearchAgent(self.game, TorchNetwork(net), simulations, self.config.c_puct)

    def keep(self, games: list[Examples]) -> None:
        """Put an iteration's games into the buffer. Where there is a window, those that are too old leave it."""
        config = self.config
        forms = len(permutations(self.game)[0]) if config.symmetries == "all" else 1
        if config.window is not None:
            width = min(config.window, config.first_window + len(self.history) // 2)
            before = sum(entry["examples"] for entry in self.history[max(0, len(self.history) - width + 1) :])
            self.buffer.capacity = forms * (before + sum(len(examples) for examples in games))
        for examples in games:
            self.buffer.add(examples, self.game if config.symmetries == "all" else None)

    def sample(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A batch to learn from: planes, policy and value, all float32, as `ReplayBuffer.sample` draws them."""
        config = self.config
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
        accepted: bool | None = None,
        score: Score | None = None,
        seconds: float | None = None,
        cpu_seconds: float | None = None,
        **more: list,
    ) -> None:
        """Close an iteration: append what happened in it to `history`.

        Without a gate there is neither `accepted` nor `score`.

        Args:
            seconds: what the iteration took; None: since `begin_iteration`.
            more: further values of the entry: `batches`, whose games they are, and `staleness`, how many iterations old
                their weights.
        """
        seconds = time.perf_counter() - self.began if seconds is None else seconds
        self.seconds += seconds
        self.cpu_seconds += seconds if cpu_seconds is None else cpu_seconds
        count, examples = sum(batch.games for batch in games), sum(len(batch) for batch in games)
        # of the games from the start position
        ends = np.concatenate([batch.outcome[batch.ply == 0] for batch in games])
        start, agent = self.game.initial_state(), self.agent(self.network, 0)
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
                start_policy=agent.policy(start).tolist(),
                start_value=agent.value(start),
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
            network=self.network.state_dict(),
            latest=self.latest.state_dict(),
            optimizer=self.optimizer.state_dict(),
            buffer=serialized(examples) if examples else {},
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
            config = EngineConfig(**data["training"])
            check_fit(lambda: new_network(game, config, 0), sizes_of(config), data["network"])
            run = cls.start(game, config, data["seed"])
            run.network.load_state_dict(data["network"])
            run.latest.load_state_dict(data["latest"])
            run.optimizer.load_state_dict(data["optimizer"])
            check_moments(run.optimizer)
            run.rng.bit_generator.state = data["rng"]
            for name, check in PLAIN.items():
                setattr(run, name, check(name, data[name]))
            if data["buffer"]:
                run.buffer.parts = [deserialized(data["buffer"], game)]
                check_shapes(game, run.buffer.parts[0])
                run.buffer.capacity = max(run.buffer.capacity, len(run.buffer.parts[0]))
        except Exception as error:  # what was made elsewhere can fail in any way
            raise CheckpointError(
                f"the checkpoint {path} does not fit this course's training ({one_line(error)})"
            ) from None
        return run


def serialized(examples: Examples) -> dict[str, torch.Tensor]:
    """The columns for a file: of planes that are bool eight cells a byte, plies in 16 bits."""
    columns = {name: getattr(examples, name) for name in COLUMNS}
    columns["ply"] = columns["ply"].astype(np.int16)
    if examples.planes.dtype == bool:
        columns["planes"] = np.packbits(examples.planes.reshape(len(examples), -1), axis=1)
    return {name: torch.from_numpy(column) for name, column in columns.items()}


def deserialized(saved: dict[str, torch.Tensor], game: Game) -> Examples:
    """Reverse `serialized`. Columns that are not packed are taken as they are."""
    planes, policy, value, outcome, ply = (saved[name].numpy() for name in COLUMNS)
    if planes.dtype == np.uint8:
        shape = game.planes, game.rows, game.columns
        planes = np.unpackbits(planes, axis=1)[:, : math.prod(shape)].view(bool).reshape(-1, *shape)
    return Examples(planes, policy, value, outcome, ply.astype(np.int64))


def check_shapes(game: Game, examples: Examples) -> None:
    """Raises ValueError: they are of another game's shapes."""
    expected = {"planes": (game.planes, game.rows, game.columns), "policy": (game.num_actions,)}
    for name in COLUMNS:
        shape, actual = (len(examples), *expected.get(name, ())), getattr(examples, name).shape
        if shape != actual:
            raise ValueError(f"the examples' {name} have the shape {list(actual)} instead of {list(shape)}")


def check_moments(optimizer: torch.optim.Optimizer) -> None:
    """Raises ValueError: what it remembers of a weight is of another shape. (PyTorch notices at the first step.)"""
    for weight, moments in optimizer.state.items():
        for name, value in moments.items():
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
