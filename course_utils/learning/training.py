"""AlphaZero's training: the loss, a step, and the loop of self-play and learning. Silver et al. 2017, 2018."""

from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from course_utils.exercise import exercise
from course_utils.learning.config import TrainingConfig, config_for
from course_utils.learning.run import Run
from course_utils.learning.self_play import self_play_game
from course_utils.networks.policy_value import TorchNetwork

__all__ = ["Run", "TrainingConfig", "alphazero_loss", "config_for", "train_alphazero", "train_step"]  # for a notebook


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

    1. Call `run.begin_iteration()`.
    2. `self_play_game`: `run.network` plays `config.games` games against itself.
    3. Add each game to the buffer, in all its symmetric forms.
    4. `train_step`: `run.network` takes `config.steps` steps, each on a batch drawn afresh.
    5. Call `run.log(games, losses)` and, if there is one, `callback(run)`; stop if that
       returns True.

    All chance comes from `run.rng`.
    """
    # begin given
    game, config, rng, buffer = run.game, run.config, run.rng, run.buffer
    settings = run.settings()  # of `self_play_game`
    network = TorchNetwork(run.network)  # as self-play asks it
    # end given
    while len(run.history) < config.iterations:
        run.begin_iteration()

        games = [self_play_game(game, network, rng, **settings) for _ in range(config.games)]
        for examples in games:
            buffer.add(examples, game)

        batches = (buffer.sample(config.batch, rng) for _ in range(config.steps))
        losses = [train_step(run.network, run.optimizer, *batch) for batch in batches]

        run.log(games, losses)
        if callback is not None and callback(run):
            return
