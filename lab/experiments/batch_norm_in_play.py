"""Batch norm left in training mode, as a bug of play: the network evaluates a board by the boards beside it."""

import numpy as np
import torch
from torch import nn

from course_utils.learning.proof import tictactoe_key
from course_utils.results import Row
from lab.experiment import Experiment
from lab.experiments.thesis_sets import hyperparameters
from lab.schedules import train_as_the_thesis


@torch.no_grad()
def logits(net: nn.Module, planes: np.ndarray, company: int) -> np.ndarray:
    """[boards, actions], asked for so many boards at a time, in whatever mode the network is."""
    parts = torch.from_numpy(planes.astype(np.float32)).split(company)
    return torch.cat([net(boards)[1] for boards in parts]).numpy()


def measure(seed: int, training: bool, company: int, games: int) -> list[Row]:
    """The network alone, after a short training, in all positions."""
    key = tictactoe_key()
    net = list(train_as_the_thesis(seed, games=games, **hyperparameters("I")))[-1].net
    net.train(training)
    scores = logits(net, key.batched.encode(key.batch), company)
    return [key.report(np.where(key.legal, scores, -np.inf).argmax(axis=1))]


EXPERIMENT = Experiment(
    question="Batch norm left in training mode: what does it cost a player?",
    published="a thesis tells how long it took to see that the two modes differ (appendix A.2); no numbers",
    measure=measure,
    base=dict(games=100),
    variants={
        "evaluation mode": dict(training=False, company=4520),
        "training mode, board by board": dict(training=True, company=1),
        "training mode, all positions at once": dict(training=True, company=4520),
    },
    quick=dict(games=50),
    seeds=range(5),
)
