"""Learning from recorded games of tree search: by games, epochs, rates, by the loss of the policy, and by one trunk or two networks."""

import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from benchmarks.experiment import Experiment
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.rollout_games import load_games
from course_utils.networks.policy_value import PolicyValueNet, make_network
from course_utils.results import Row


class TwoNetworks(nn.Module):
    """A policy network and a value network with nothing in common."""

    def __init__(self, one: PolicyValueNet, other: PolicyValueNet):
        super().__init__()
        self.policy, self.value = one, other

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.value(planes)[0], self.policy(planes)[1]


def measure(seed: int, data: str, games: int, epochs: int, rate: float, batch: int, loss: str, two: bool) -> list[Row]:
    """The losses of the last epoch, and the share of moves that keep the value where some move doesn't."""
    key, examples = tictactoe_key(), load_games(data)
    examples = examples.some(examples.games < games)
    planes, policy, value = (torch.from_numpy(part.astype(np.float32)) for part in examples[:3])
    net: nn.Module = make_network(key.game, seed)
    if two:
        net = TwoNetworks(copy.deepcopy(net), make_network(key.game, seed + 1000))
    optimizer = torch.optim.SGD(net.parameters(), rate)
    generator = torch.Generator().manual_seed(seed)
    for _ in range(epochs):
        losses = []
        for rows in torch.randperm(len(planes), generator=generator).split(batch):
            v, logits = net(planes[rows])
            value_loss, cross = (
                F.mse_loss(v, value[rows]),
                -(policy[rows] * F.log_softmax(logits, dim=1)).sum(dim=1).mean(),
            )
            square = ((policy[rows] - F.softmax(logits, dim=1)) ** 2).sum(dim=1).mean()
            optimizer.zero_grad()
            (value_loss + (cross if loss == "cross-entropy" else square)).backward()
            optimizer.step()
            losses.append((len(rows), value_loss.item(), cross.item()))
    weights, value_loss, policy_loss = np.array(losses).T
    with torch.inference_mode():
        logits = net(torch.from_numpy(key.batched.encode(key.batch).astype(np.float32)))[1].numpy()
    moves = np.where(key.legal, logits, -np.inf).argmax(axis=1)
    matters = (key.legal & ~key.optimal).any(axis=1)
    return [
        dict(
            examples=len(planes),
            value_loss=round(float(np.average(value_loss, weights=weights)), 4),
            policy_loss=round(float(np.average(policy_loss, weights=weights)), 4),
            kept=int(key.optimal[np.arange(len(moves)), moves][matters].sum()),
            of=int(matters.sum()),
        )
    ]


EXPERIMENT = Experiment(
    question="Learning from recorded games: what do games, epochs, rates, the policy's loss, and a shared trunk do?",
    published="games 50-500, rates 0.001-0.05, 50-100 epochs are to be tried; cross-entropy in one text, squared error in another",
    measure=measure,
    base=dict(data="mcts_games_sampled", games=100, epochs=30, rate=0.3, batch=32, loss="cross-entropy", two=False),
    variants={
        "as it is: 100 sampled games, 30 epochs, rate 0.3, batch 32": {},
        "25 games": dict(games=25),
        "50 games": dict(games=50),
        "10 epochs": dict(epochs=10),
        "100 epochs": dict(epochs=100),
        "rate 0.01": dict(rate=0.01),
        "rate 0.05": dict(rate=0.05),
        "rate 0.01, batch 1": dict(rate=0.01, batch=1),
        "squared error": dict(loss="squared error"),
        "squared error, rate 1.5": dict(loss="squared error", rate=1.5),
        "two networks": dict(two=True),
        "the most visited move played": dict(data="mcts_games"),
    },
    quick=dict(epochs=2),
    seeds=range(5),
)
