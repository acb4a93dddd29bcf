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


TRUTHS = {
    "parameters-with-16": parameters_with_16,
    "share-after-masking": share_after_masking,
    "value-of-the-empty-board": value_of_the_empty_board,
}
