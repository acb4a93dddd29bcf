"""The notebook 'The network': counting, exact powers, differences of the loss, and weights drawn anew."""

import math

import numpy as np


def parameters_with_16():
    layers = [(18, 16), (16, 16), (16, 9), (16, 1)]
    return sum(1 for inputs, outputs in layers for _neuron in range(outputs) for _number in range(inputs + 1))


def share_after_masking():
    return math.exp(2) / (math.exp(2) + math.exp(1))


def value_of_the_empty_board():
    rng, signal = np.random.default_rng(7), np.zeros(18)
    for inputs, outputs in ((18, 64), (64, 64), (64, 1)):
        signal = np.maximum(signal @ rng.normal(size=(inputs, outputs)), 0)
    return float(np.tanh(signal[0]))


def slope(function, at: float) -> float:
    return (function(at + 1e-6) - function(at - 1e-6)) / 2e-6


def two_heads_and_a_gate():
    def loss(total):
        feature = max(total, 0.0)
        return -0.2 * feature + 0.5 * feature

    return [round(slope(loss, total), 9) for total in (0.8, -0.4)]


def ten_layers_with_relu():
    sizes = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        signal, deviation = rng.normal(size=(50, 64)), (2 / 128) ** 0.5
        for _ in range(10):
            signal = np.clip(signal @ rng.normal(0, deviation, size=(64, 64)), 0, None)
        sizes.append(np.sqrt(np.mean(signal**2)))
    assert max(sizes) < 0.1
    return "it dies out"


def planes_of_go():
    positions = [(time, player) for time in range(8) for player in ("mine", "theirs")]
    return len([*positions, "turn"])


TRUTHS = {
    "parameters-with-16": parameters_with_16,
    "share-after-masking": share_after_masking,
    "value-of-the-empty-board": value_of_the_empty_board,
}
