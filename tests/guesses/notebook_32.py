"""The notebook 'Connect Four': by counting, by torch, by rational numbers and a loop, and by what is recorded."""

import copy

import torch

from course_utils import agents
from course_utils.games import ConnectFour
from course_utils.learning.exam import exam, right_moves
from course_utils.learning.pairs import difference
from course_utils.networks.policy_value import TorchNetwork
from course_utils.networks.resnet import Residual
from course_utils.results import load_result


def turns_in_two_places():
    """By the moves that each game has left, turn by turn."""
    waiting, here, turns = [5, 9, 6], [], 0
    while waiting or here:
        while waiting and len(here) < 2:
            here.append(waiting.pop(0))
        here, turns = [left - 1 for left in here if left > 1], turns + 1
    return turns


def block_of_zeros():
    block = Residual(2).eval()
    for parameter in block.parameters():
        torch.nn.init.zeros_(parameter)
    features = torch.zeros(1, 2, 4, 4)
    features[0, 1, 2, 3] = 3
    with torch.no_grad():
        return float(block(copy.deepcopy(features))[0, 1, 2, 3])


def worth_most():
    parts = {
        "tower": "the small network, no tower",
        "mirror images": "no mirror images",
        "cut": "the outcome not cut",
        "root value": "no root value in the target",
        "average": "the latest network plays, no average",
        "openings": "no random openings",
    }
    rows = load_result("ablations").rows
    return min(parts, key=lambda part: difference(rows, parts[part], "the whole training", 0)[0])


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
    "mode-remembered-late": mode_remembered_late,
    "weights-of-a-convolution": weights_of_a_convolution,
    "turns-in-two-places": turns_in_two_places,
    "block-of-zeros": block_of_zeros,
    "worth-most": worth_most,
}
