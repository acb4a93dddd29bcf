"""The training loop: self-play, learning, and the gate, over and over. Silver et al. 2017, 2018."""

import copy
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from course_utils.agents import SearchAgent
from course_utils.exercise import exercise
from course_utils.files import write_atomically
from course_utils.games import Game, make_game
from course_utils.learning.arena import Score, gate, random_openings
from course_utils.learning.replay import ReplayBuffer
from course_utils.learning.self_play import Example, self_play_game
from course_utils.networks.checkpoint import VERSION, CheckpointError, one_line, read, to_bytes
from course_utils.networks.policy_value import TorchNetwork, make_network


@dataclass(frozen=True)
class TrainingConfig:
    """Everything there is to turn. The defaults train tic-tac-toe in about half a minute."""

    iterations: int = 20
    games: int = 60  # of self-play, an iteration
    simulations: int = 25  # a move of self-play
    c_puct: float = 1.5
    exploratory_plies: int = 9  # sampled at temperature 1; later moves are greedy
    noise_alpha: float = 1.0
    noise_fraction: float = 0.75  # of the root's prior, in self-play only
    buffer: int = 40_000  # examples, symmetric forms counted
    steps: int = 150  # of gradient descent, an iteration
    batch: int = 256
    learning_rate: float = 1e-2  # falls in a straight line to a tenth
    weight_decay: float = 1e-4  # the L2 term of the loss
    gate_openings: int = 40  # two games each
    gate_plies: int = 2  # random moves that make an opening
    gate_simulations: int = 0  # the networks alone: a search would hide the difference
    gate_threshold: float = 0.5  # of the decisive games: not worse is good enough


@dataclass
class Training:
    """A training run as it stands: enough to look at, to save and to go on from."""

    game: Game
    config: TrainingConfig
    champion: nn.Module  # plays the games
    candidate: nn.Module  # learns from them
    optimizer: torch.optim.Optimizer
    buffer: ReplayBuffer
    rng: np.random.Generator
    history: list[dict] = field(default_factory=list)  # one entry an iteration
    seconds: float = 0.0

    @classmethod
    def start(cls, game: Game, config: TrainingConfig, seed: int) -> "Training":
        champion = make_network(game, seed)
        candidate = copy.deepcopy(champion)
        optimizer = torch.optim.AdamW(candidate.parameters(), config.learning_rate, weight_decay=config.weight_decay)
        return cls(
            game, config, champion, candidate, optimizer, ReplayBuffer(config.buffer), np.random.default_rng(seed)
        )

    def set_learning_rate(self) -> None:
        """A straight line from `learning_rate` to a tenth of it, over the iterations of the run."""
        done = len(self.history) / self.config.iterations
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.learning_rate * (1 - 0.9 * done)

    def agent(self, net: nn.Module, simulations: int) -> SearchAgent:
        return SearchAgent(self.game, TorchNetwork(net), simulations, self.config.c_puct)

    def log(self, games: list[list[Example]], losses: list[dict], accepted: bool, score: Score, seconds: float) -> None:
        """Close an iteration: append what happened in it to `history`."""
        self.seconds += seconds
        ends = [float(examples[-1].value) for examples in games]  # for whoever moved last: +1 or 0
        lengths = [len(examples) for examples in games]
        first_wins = sum(end > 0 and length % 2 == 1 for end, length in zip(ends, lengths, strict=True))
        start = self.agent(self.champion, 0)
        self.history.append(
            dict(
                iteration=len(self.history) + 1,
                seconds=self.seconds,
                games=len(games),
                examples=sum(lengths),
                mean_length=sum(lengths) / len(games),
                first_wins=first_wins,
                draws=sum(end == 0 for end in ends),
                second_wins=sum(end > 0 for end in ends) - first_wins,
                policy_loss=float(np.mean([loss["policy"] for loss in losses])),
                value_loss=float(np.mean([loss["value"] for loss in losses])),
                accepted=bool(accepted),
                gate=list(score),
                start_policy=start.policy(self.game.initial_state()).tolist(),
                start_value=start.value(self.game.initial_state()),
            )
        )

    def save(self, path: Path | str) -> None:
        """Everything needed to go on as if nothing had happened, the random generator included. Atomic."""
        columns = zip(*self.buffer.examples, strict=True)  # planes, policies, values; none before the first game
        data = dict(
            version=VERSION,
            game=self.game.name,
            training=asdict(self.config),
            champion=self.champion.state_dict(),
            candidate=self.candidate.state_dict(),
            optimizer=self.optimizer.state_dict(),
            buffer=[torch.from_numpy(np.stack(column).astype(np.float32)) for column in columns],
            rng=self.rng.bit_generator.state,
            history=self.history,
            seconds=self.seconds,
        )
        write_atomically(Path(path), to_bytes(data))

    @classmethod
    def resume(cls, path: Path | str) -> "Training":
        """Raises CheckpointError: missing, damaged, of another version, or not a training run."""
        data = read(path)
        if "training" not in data:
            raise CheckpointError(f"the checkpoint {path} holds a network but no training run to resume")
        try:
            training = cls.start(make_game(data["game"]), TrainingConfig(**data["training"]), seed=0)
            training.champion.load_state_dict(data["champion"])
            training.candidate.load_state_dict(data["candidate"])
            training.optimizer.load_state_dict(data["optimizer"])
            columns = [column.numpy() for column in data["buffer"]]
            training.buffer.add([Example(*row) for row in zip(*columns, strict=True)])
            training.rng.bit_generator.state = data["rng"]
            training.history, training.seconds = data["history"], data["seconds"]
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            raise CheckpointError(
                f"the checkpoint {path} does not fit this course's training ({one_line(error)})"
            ) from None
        return training


@exercise("08")
def alphazero_loss(
    value: torch.Tensor, logits: torch.Tensor, target_value: torch.Tensor, target_policy: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The two parts of AlphaZero's loss, each a mean over the batch: (z - v)^2 and -pi . log p.

    The third part, c |theta|^2, is left to the optimizer's weight decay. Silver et al. 2017, equation 1.

    Args:
        value, target_value: [batch].
        logits, target_policy: [batch, num_actions]; p is the softmax of the logits, over all actions.

    Returns:
        (value loss, policy loss), two scalars that gradients flow through.
    """
    value_loss = F.mse_loss(value, target_value)
    policy_loss = -(target_policy * F.log_softmax(logits, dim=1)).sum(dim=1).mean()
    return value_loss, policy_loss


@exercise("08")
def train_step(
    net: nn.Module, optimizer: torch.optim.Optimizer, planes: np.ndarray, policy: np.ndarray, value: np.ndarray
) -> dict[str, float]:
    """One step of gradient descent on one batch.

    Args:
        net: asked with a tensor of planes, it answers (value [batch], logits [batch, num_actions]).
        planes: float32 [batch, planes, rows, columns].
        policy: float32 [batch, num_actions], the search's.
        value: float32 [batch], how the games ended.

    Returns:
        {"value": ..., "policy": ...}: the two parts of the loss before the step, as plain floats.
    """
    net.train()
    predicted_value, logits = net(torch.from_numpy(planes))
    value_loss, policy_loss = alphazero_loss(predicted_value, logits, torch.from_numpy(value), torch.from_numpy(policy))
    optimizer.zero_grad()
    (value_loss + policy_loss).backward()
    optimizer.step()
    return {"value": value_loss.item(), "policy": policy_loss.item()}


@exercise("08")
def train_alphazero(training: Training, callback: Callable[[Training], bool | None] | None = None) -> None:
    """All of AlphaZero on one page. Goes on until the history has `config.iterations` entries, from wherever it stands.

    Each iteration: `training.set_learning_rate()`; the champion plays `config.games` games against itself, whose examples
    go into the buffer in all their symmetric forms; the candidate takes `config.steps` steps, each on a batch of
    `config.batch` from the buffer; the two meet at the gate, for which the config has numbers of its own (`gate_...`), and
    if the candidate passes, its weights are copied into the champion. Either way the candidate keeps what it has learned. `training.log(...)` then adds the entry to the history.

    Args:
        callback: called with `training` after each iteration; training stops early if it returns True.
    """
    # begin given
    game, config, rng, buffer = training.game, training.config, training.rng, training.buffer
    settings = dict(
        simulations=config.simulations,
        c_puct=config.c_puct,
        exploratory_plies=config.exploratory_plies,
        noise_alpha=config.noise_alpha,
        noise_fraction=config.noise_fraction,
    )
    # end given
    while len(training.history) < config.iterations:
        began = time.perf_counter()
        training.set_learning_rate()

        network = TorchNetwork(training.champion)
        games = [self_play_game(game, network, rng, **settings) for _ in range(config.games)]
        for examples in games:
            buffer.add(examples, game)

        batches = (buffer.sample(config.batch, rng) for _ in range(config.steps))
        losses = [train_step(training.candidate, training.optimizer, *batch) for batch in batches]

        candidate = training.agent(training.candidate, config.gate_simulations)
        champion = training.agent(training.champion, config.gate_simulations)
        openings = random_openings(game, config.gate_openings, plies=config.gate_plies, rng=rng)
        accepted, score = gate(game, candidate, champion, openings, config.gate_threshold)
        if accepted:
            training.champion.load_state_dict(training.candidate.state_dict())

        training.log(games, losses, accepted, score, time.perf_counter() - began)
        if callback is not None and callback(training):
            return
