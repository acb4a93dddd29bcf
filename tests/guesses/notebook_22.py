"""Answers of the guesses, worked out another way."""

import copy

import torch

from course_utils import agents
from course_utils.games import ConnectFour
from course_utils.learning.exam import exam, right_moves
from course_utils.networks.policy_value import TorchNetwork


def planes_of_go():
    positions = [(time, player) for time in range(8) for player in ("mine", "theirs")]
    return len([*positions, "turn"])


def weights_of_a_convolution():
    return sum(weights.numel() for weights in torch.nn.Conv2d(64, 64, 3, bias=False).parameters())


def mode_remembered_late():
    """By every third position of the exam, and fifty times the empty board in place of a search."""
    game, positions = ConnectFour(), exam("connect_four")[::3]
    net = copy.deepcopy(agents.load("connect_four").network.net)
    before = right_moves(game, TorchNetwork(net), positions, 0)
    with torch.no_grad():
        net.train()
        for _ in range(50):
            net(torch.zeros(1, 2, 6, 7))
    return "lower" if right_moves(game, TorchNetwork(net), positions, 0) < before else "as before"


TRUTHS = {
    "planes-of-go": planes_of_go,
    "weights-of-a-convolution": weights_of_a_convolution,
    "mode-remembered-late": mode_remembered_late,
}
