"""The notebook 'Connect Four': by counting, by torch, by rational numbers and a loop, and by what is recorded."""

import copy

import torch

from course_utils.learning.pairs import difference
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


TRUTHS = {
    "turns-in-two-places": turns_in_two_places,
    "block-of-zeros": block_of_zeros,
    "worth-most": worth_most,
}
