"""Pictures of networks say what the networks say."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from course_utils.games import ConnectFour
from course_utils.networks.resnet import make_resnet
from course_utils.ui.network_plot import draw_layer, draw_tower


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def _words(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_the_tower_shows_the_shapes_of_the_network_it_is_given():
    net = make_resnet(ConnectFour(), 0, blocks=2, channels=16, policy_filters=3, value_filters=5, value_hidden=24)
    before = [buffer.clone() for buffer in net.buffers()]
    words = " | ".join(_words(draw_tower(net.train()).axes[0]))
    for said in (
        "2 x 6 x 7",
        "16 x 6 x 7",
        "2 times",
        "3 x 6 x 7",
        "5 x 6 x 7",
        "7 logits",
        "linear to 24",
        "1 value",
    ):
        assert said in words
    assert net.training and all(torch.equal(a, b) for a, b in zip(before, net.buffers(), strict=True))  # only looked at


def test_a_layer_shows_the_gradients_that_torch_finds():
    rng = np.random.default_rng(0)
    x, W, b, d_out = (torch.tensor(rng.normal(size=size).round(1), requires_grad=True) for size in (2, (2, 3), 3, 3))
    out = x @ W + b
    (out * d_out.detach()).sum().backward()
    forward, backward = (
        [text.replace("−", "-") for text in _words(ax)]
        for ax in draw_layer(*(array.detach().numpy() for array in (x, W, b, d_out))).axes
    )
    numbers = [sorted(float(text.split()[-1]) for text in words) for words in (forward, backward)]
    wanted = [[x, W, out, b], [x.grad, W.grad, d_out, d_out]]
    for shown, arrays in zip(numbers, wanted, strict=True):
        assert shown == pytest.approx(sorted(np.concatenate([a.detach().numpy().ravel() for a in arrays])), abs=1e-3)
