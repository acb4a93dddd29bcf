"""Muon, against torch's own for matrices, and against the singular value decomposition."""

import copy

import pytest
import torch
from torch import nn

from course_utils.games import ConnectN
from course_utils.learning.muon import Muon, orthogonal
from course_utils.networks.resnet import make_resnet

RATE, DECAY = 0.01, 0.1


def gradients(net: nn.Module, seed: int) -> None:
    """Random ones, of very different sizes."""
    generator = torch.Generator().manual_seed(seed)
    for number, parameter in enumerate(net.parameters()):
        parameter.grad = 10.0 ** (number % 5 - 3) * torch.randn(parameter.shape, generator=generator)


def network() -> nn.Module:
    return make_resnet(ConnectN(4, 5, 3), 0, blocks=1, channels=8)


@pytest.mark.parametrize("shape", [(8, 8), (6, 40), (40, 6), (1, 9)])
def test_orthogonal_keeps_the_directions_and_levels_their_sizes(shape):
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(1)) * 30
    U, S, V = torch.linalg.svd(matrix, full_matrices=False)
    levelled = U.T @ orthogonal(matrix) @ V.T
    large, sizes = S / S.max() > 0.05, levelled.diagonal()
    assert ((sizes[large] > 0.6) & (sizes[large] < 1.3)).all()
    assert torch.allclose(levelled, sizes.diag(), atol=1e-3)


def test_a_gradient_of_zeros_moves_nothing():
    assert (orthogonal(torch.zeros(3, 4)) == 0).all()


def test_convolutions_move_as_under_torchs_muon_and_the_rest_as_under_adamw():
    torchs = pytest.importorskip("torch.optim._muon", reason="torch has it since 2.9").Muon
    ours, rest = network(), network()
    convolutions = {name: weight for name, weight in ours.named_parameters() if weight.dim() == 4}
    flat = {name: nn.Parameter(weight.detach().flatten(1).clone()) for name, weight in convolutions.items()}
    muon = Muon(ours.parameters(), RATE, weight_decay=DECAY)
    for_matrices = torchs(list(flat.values()), RATE, weight_decay=DECAY, adjust_lr_fn="match_rms_adamw")
    adamw = torch.optim.AdamW(rest.parameters(), RATE, weight_decay=DECAY)
    for seed in range(4):
        for net in (ours, rest):
            gradients(net, seed)
        for name, weight in convolutions.items():
            flat[name].grad = weight.grad.flatten(1).clone()
        for optimizer in (muon, for_matrices, adamw):
            optimizer.step()
    for (name, weight), other in zip(ours.named_parameters(), rest.parameters(), strict=True):
        if name in convolutions:  # torch's computes with three digits
            assert torch.allclose(weight.flatten(1), flat[name], atol=4e-2 * RATE * max(flat[name].shape) ** 0.5), name
            assert not torch.allclose(weight, other, atol=1e-3), name
        else:
            assert torch.equal(weight, other), name


def test_gradients_are_left_as_they_were():
    net = network()
    gradients(net, 0)
    before = [parameter.grad.clone() for parameter in net.parameters()]
    Muon(net.parameters(), RATE).step()
    assert all(torch.equal(parameter.grad, grad) for parameter, grad in zip(net.parameters(), before, strict=True))


def test_a_weight_without_gradient_stays():
    net = network()
    gradients(net, 0)
    frozen = net.stem[0][0].weight
    frozen.grad = None
    before = frozen.clone()
    Muon(net.parameters(), RATE, weight_decay=DECAY).step()
    assert torch.equal(frozen, before)


def test_saved_and_loaded_it_goes_on_to_the_last_bit():
    straight = network()
    optimizer = Muon(straight.parameters(), RATE)
    for seed in range(6):
        gradients(straight, seed)
        if seed == 3:
            resumed, state = copy.deepcopy(straight), copy.deepcopy(optimizer.state_dict())
        optimizer.step()
    other = Muon(resumed.parameters(), 1.0)
    other.load_state_dict(state)
    for seed in range(3, 6):
        gradients(resumed, seed)
        other.step()
    for one, two in zip(straight.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(one, two)
