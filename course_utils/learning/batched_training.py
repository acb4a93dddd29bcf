"""AlphaZero on a budget: hundreds of games in lock step, played by other processes while this one learns.

Three things differ from `training`. There is no gate: what plays is the *average* of the network over its last steps of gradient
descent, which is steadier and stronger than the network itself, so it needs no examination. The games of an iteration are
played while the network learns from those of the iterations before. And the value to learn is not the outcome alone.
"""

import copy
import io
import multiprocessing
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from course_utils.exercise import exercise
from course_utils.files import write_atomically
from course_utils.games import Game, make_game
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import Examples, SelfPlayConfig, batched_self_play, random_symmetries
from course_utils.learning.training import alphazero_loss
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.checkpoint import VERSION, CheckpointError, read, to_bytes
from course_utils.networks.fast import bfloat16_pays, fast_inference
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.protocol import masked_policy
from course_utils.networks.resnet import make_resnet


@dataclass(frozen=True)
class BatchedTrainingConfig:
    """Everything there is to turn. The defaults train Connect Four in about half an hour on two cores."""

    iterations: int = 84
    # the network
    network: str = "resnet"  # or "mlp", the small fully connected one, for which the next four mean nothing
    blocks: int = 3
    channels: int = 64
    policy_filters: int = 8
    value_filters: int = 4
    # self-play
    games: int = 2048  # an iteration
    parts: int = 2  # that the games of an iteration are played in, each by a process of its own if there are so many
    first_simulations: int = 24  # a move; rises in a straight line to
    last_simulations: int = 100
    c_puct: float = 1.25
    exploratory_plies: int = 14  # sampled at temperature 1; later moves are greedy
    noise_alpha: float = 1.0
    noise_fraction: float = 0.25  # of the root's prior
    opening_share: float = 0.7  # of the games begin from
    opening_plies: int = 16  # up to so many random moves
    blunder_margin: float = 0.1  # see `SelfPlayConfig`; above 2 no move counts as giving something away
    # learning
    first_window: int = 3  # iterations whose examples are learned from; grows by one every other iteration up to
    window: int = 24
    steps: int = 150  # of gradient descent, an iteration
    batch: int = 512
    symmetries: bool = True  # each example is learned in one of its symmetric forms, drawn at random
    policy_power: float = (
        1.25  # of the visits, before they are divided by their sum: above 1 the policy to learn is sharper
    )
    root_share: float = 0.5  # of the value to learn is the search's mean value, the rest the outcome
    learning_rate: float = 3e-3  # falls in a straight line to
    last_learning_rate: float = 3e-4
    weight_decay: float = 1e-4
    average: float = 0.999  # how much of the averaged network each step keeps; less in the first steps


PRESETS = {
    "connect_four": BatchedTrainingConfig(),
    # so many random openings that every position of the game is learned from
    "tictactoe": BatchedTrainingConfig(
        network="mlp",
        iterations=60,
        games=512,
        parts=1,
        last_simulations=32,
        first_simulations=32,
        c_puct=1.5,
        exploratory_plies=9,
        opening_share=0.9,
        opening_plies=8,
        first_window=3,
        window=30,
        steps=150,
        policy_power=2.0,
        learning_rate=1e-2,
        average=0.99,
    ),
}


@dataclass
class BatchedTraining:
    """A training run as it stands, between two iterations: enough to look at, to save and to go on from."""

    game: Game
    config: BatchedTrainingConfig
    seed: int
    net: nn.Module  # learns
    average: nn.Module  # plays: the average of `net` over its last steps
    optimizer: torch.optim.Optimizer
    rng: np.random.Generator  # draws the batches; every part of self-play has a generator of its own
    window: list[Examples] = field(default_factory=list)  # the examples of the latest iterations, planes as bool
    history: list[dict] = field(default_factory=list)  # one entry an iteration
    steps: int = 0  # of gradient descent so far
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # of this process and those that play

    @classmethod
    def start(cls, game: Game, config: BatchedTrainingConfig, seed: int) -> "BatchedTraining":
        """Raises ValueError: there are no batched rules for the game."""
        make_batched(game)
        net = make_net(game, config, seed).to(memory_format=torch.channels_last)
        optimizer = torch.optim.AdamW(net.parameters(), config.learning_rate, weight_decay=config.weight_decay)
        return cls(game, config, seed, net, copy.deepcopy(net).eval(), optimizer, np.random.default_rng(seed))

    def between(self, first: float, last: float) -> float:
        """A straight line from `first`, at the first iteration of the run, to `last`, at its last."""
        return first + (last - first) * min(1.0, len(self.history) / max(1, self.config.iterations - 1))

    def self_play_config(self) -> SelfPlayConfig:
        config = self.config
        return SelfPlayConfig(
            batch=config.games,
            simulations=round(self.between(config.first_simulations, config.last_simulations)),
            c_puct=config.c_puct,
            exploratory_plies=config.exploratory_plies,
            noise_alpha=config.noise_alpha,
            noise_fraction=config.noise_fraction,
            opening_share=config.opening_share,
            opening_plies=config.opening_plies,
            blunder_margin=config.blunder_margin,
        )

    def keep(self, examples: Examples) -> None:
        """Add an iteration's examples to the window; those that are too old leave it."""
        self.window.append(replace(examples, planes=examples.planes.astype(bool)))
        width = min(self.config.window, self.config.first_window + len(self.history) // 2)
        self.window = self.window[-width:]

    def save(self, path: Path | str) -> None:
        """Everything needed to go on as if nothing had happened, the random generator included. Atomic."""
        window = [{name: torch.as_tensor(value) for name, value in vars(part).items()} for part in self.window]
        data = dict(
            version=VERSION,
            game=self.game.name,
            batched_training=asdict(self.config),
            seed=self.seed,
            net=self.net.state_dict(),
            average=self.average.state_dict(),
            optimizer=self.optimizer.state_dict(),
            rng=self.rng.bit_generator.state,
            window=window,
            history=self.history,
            steps=self.steps,
            seconds=self.seconds,
            cpu_seconds=self.cpu_seconds,
        )
        write_atomically(Path(path), to_bytes(data))

    @classmethod
    def resume(cls, path: Path | str) -> "BatchedTraining":
        """Raises CheckpointError: missing, damaged, of another version, or not such a training run."""
        data = read(path)
        if "batched_training" not in data:
            raise CheckpointError(f"the checkpoint {path} holds no batched training run to resume")
        try:
            config = BatchedTrainingConfig(**data["batched_training"])
            training = cls.start(make_game(data["game"]), config, data["seed"])
            training.net.load_state_dict(data["net"])
            training.average.load_state_dict(data["average"])
            training.optimizer.load_state_dict(data["optimizer"])
            training.rng.bit_generator.state = data["rng"]
            arrays = [{name: value.numpy() for name, value in part.items()} for part in data["window"]]
            training.window = [Examples(**{**part, "games": int(part["games"])}) for part in arrays]
            for name in ("history", "steps", "seconds", "cpu_seconds"):
                setattr(training, name, data[name])
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise CheckpointError(f"the checkpoint {path} does not fit this course's training ({error})") from None
        return training


def make_net(game: Game, config: BatchedTrainingConfig, seed: int) -> nn.Module:
    """Random weights of the kind and size that `config` names."""
    if config.network == "mlp":
        return make_network(game, seed)
    sizes = {name: getattr(config, name) for name in ("blocks", "channels", "policy_filters", "value_filters")}
    return make_resnet(game, seed, **sizes)


def train_batched(
    training: BatchedTraining,
    callback: Callable[[BatchedTraining], bool | None] | None = None,
    *,
    workers: int | None = None,
) -> None:
    """Go on until the history has `config.iterations` entries, from wherever it stands.

    Args:
        callback: called with `training` after each iteration; training stops early if it returns True.
        workers: how many processes play; None: one a core, at most `config.parts`; 0: this one plays, too. Whoever plays, the
            games are the same.
    """
    workers = min(training.config.parts, os.cpu_count() or 1) if workers is None else workers
    spawn = multiprocessing.get_context("spawn")  # a fork would copy torch's threads in whatever state they are
    pool = ProcessPoolExecutor(workers, spawn, initializer=become_worker) if workers > 0 else None
    try:
        while len(training.history) < training.config.iterations:
            iteration(training, pool)
            if callback is not None and callback(training):
                return
    finally:
        if pool is not None:
            pool.shutdown(cancel_futures=True)


def iteration(training: BatchedTraining, pool: Executor | None) -> None:
    """Play and, at the same time, learn from what was played before."""
    config, own, began = training.config, time.process_time(), time.perf_counter()
    weights = to_bytes(training.average.state_dict())
    settings = training.self_play_config()
    parts = []
    for part in range(config.parts):
        games = config.games * (part + 1) // config.parts - config.games * part // config.parts
        seed = (training.seed, len(training.history), part)
        parts.append(submit(pool, play_part, training.game.name, config, weights, games, settings, seed))
    losses = learn(training)
    played = [part.result() for part in parts]

    examples = join([examples for examples, _ in played])
    training.keep(examples)
    training.seconds += time.perf_counter() - began
    own = time.process_time() - own
    training.cpu_seconds += own + (sum(cpu for _, cpu in played) if pool is not None else 0.0)
    log(training, examples, losses, settings.simulations)


def submit(pool: Executor | None, work: Callable, *arguments) -> Future:
    """`pool.submit`; without a pool the work is done at once."""
    if pool is not None:
        return pool.submit(work, *arguments)
    done: Future = Future()
    done.set_result(work(*arguments))
    return done


def become_worker() -> None:
    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that learns


def play_part(
    game_name: str,
    config: BatchedTrainingConfig,
    weights: bytes,
    games: int,
    settings: SelfPlayConfig,
    seed: tuple[int, ...],
) -> tuple[Examples, float]:
    """Self-play for another process. Returns (examples, seconds of processor time)."""
    began = time.process_time()
    game = make_game(game_name)
    net = make_net(game, config, seed=0)
    net.load_state_dict(torch.load(io.BytesIO(weights), weights_only=True))
    network = fast_inference(net)
    if config.network == "resnet":  # the small network answers sooner than the memory would
        network = CachedNetwork(network)
    examples = batched_self_play(make_batched(game), network, games, settings, np.random.default_rng(seed))
    return examples, time.process_time() - began


def learn(training: BatchedTraining) -> list[dict[str, float]]:
    """The steps of an iteration: gradient descent on the network, then the average follows it. Returns their losses."""
    if not training.window:
        return []  # the first games are still being played
    config, rng, net = training.config, training.rng, training.net
    for group in training.optimizer.param_groups:
        group["lr"] = training.between(config.learning_rate, config.last_learning_rate)
    examples = join(training.window)
    target = examples.value(config.root_share)
    bfloat16 = config.network == "resnet" and bfloat16_pays()
    losses = []
    net.train()
    for _ in range(config.steps):
        rows = rng.integers(len(examples), size=config.batch)
        planes, policy = examples.planes[rows], examples.policy[rows]
        if config.symmetries:
            planes, policy = random_symmetries(training.game, planes, policy, rng)
        policy = policy**config.policy_power
        policy /= policy.sum(axis=1, keepdims=True)
        batch = torch.from_numpy(planes.astype(np.float32)).to(memory_format=torch.channels_last)
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            value, logits = net(batch)
        value_loss, policy_loss = alphazero_loss(
            value.float(), logits.float(), torch.from_numpy(target[rows]), torch.from_numpy(policy)
        )
        training.optimizer.zero_grad()
        (value_loss + policy_loss).backward()
        training.optimizer.step()
        training.steps += 1
        update_average(training.average, net, min(config.average, (1 + training.steps) / (10 + training.steps)))
        losses.append({"value": value_loss.item(), "policy": policy_loss.item()})
    return losses


@exercise("10")
@torch.no_grad()
def update_average(average: nn.Module, net: nn.Module, keep: float) -> None:
    """average = keep * average + (1 - keep) * net, batch norm's statistics included."""
    for mean, latest in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
        if mean.is_floating_point():
            mean.lerp_(latest, 1 - keep)
        else:
            mean.copy_(latest)


def join(parts: list[Examples]) -> Examples:
    """One after the other."""
    arrays = ("planes", "policy", "outcome", "root_value", "trace", "ply")
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in arrays}
    return Examples(**joined, games=sum(part.games for part in parts))


def log(training: BatchedTraining, examples: Examples, losses: list[dict[str, float]], simulations: int) -> None:
    """Close an iteration: append what happened in it to `history`."""
    game = training.game
    ends = examples.outcome[examples.ply == 0]  # of the games from the start position, for the first player
    start = game.initial_state()
    value, logits = TorchNetwork(training.average)(game.encode(start)[None])
    legal = np.zeros(game.num_actions, dtype=bool)
    legal[game.legal_actions(start)] = True
    training.history.append(
        dict(
            iteration=len(training.history) + 1,
            seconds=training.seconds,
            cpu_seconds=training.cpu_seconds,
            games=examples.games,
            simulations=simulations,
            examples=len(examples),
            mean_length=len(examples) / examples.games,  # random openings not counted
            from_start=len(ends),
            first_wins=int((ends > 0).sum()),
            draws=int((ends == 0).sum()),
            second_wins=int((ends < 0).sum()),
            policy_loss=float(np.mean([loss["policy"] for loss in losses])) if losses else None,
            value_loss=float(np.mean([loss["value"] for loss in losses])) if losses else None,
            start_policy=masked_policy(logits[0], legal).tolist(),
            start_value=float(value[0]),
        )
    )
