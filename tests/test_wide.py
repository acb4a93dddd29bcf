"""The wide network: by numpy's own arithmetic, its fast copy, its checkpoint, a run that trains it."""

import numpy as np
import pytest
import torch
from torch import nn

from course_utils.games import ConnectFour, ConnectN, TicTacToe
from course_utils.games.batched import make_batched
from course_utils.games.hex import Hex
from course_utils.learning.batched_self_play import batched_openings
from course_utils.learning.config import config_for
from course_utils.learning.engine import train
from course_utils.learning.run import Run
from course_utils.networks.checkpoint import load_network, save_network
from course_utils.networks.fast import FoldedNetwork, bfloat16_pays, fast_inference
from course_utils.networks.policy_value import TorchNetwork
from course_utils.networks.wide import Lines, WideNet, make_wide


def planes_of(game, count: int) -> np.ndarray:
    batched = make_batched(game)
    return batched.encode(batched_openings(batched, count, share=1.0, plies=8, rng=np.random.default_rng(0))[0])


def used(game, widths=(32, 16), lines=False, mirror=False) -> WideNet:
    """With batch norm's numbers as if it had learned."""
    net = make_wide(game, 0, widths, lines, mirror)
    generator = torch.Generator().manual_seed(1)
    for layer in net.modules():
        if isinstance(layer, nn.BatchNorm1d):
            layer.running_mean.normal_(0, 0.3, generator=generator)
            layer.running_var.uniform_(0.5, 2, generator=generator)
            nn.init.normal_(layer.weight, 1, 0.2, generator=generator)
            nn.init.normal_(layer.bias, 0, 0.2, generator=generator)
    return net.eval()


def by_numpy(net: WideNet, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From the numbers alone, in float64."""
    numbers = {name: tensor.double().numpy() for name, tensor in net.state_dict().items()}
    features = planes.reshape(len(planes), -1).astype(np.float64)
    for layer in range(len(net.config["widths"])):
        linear, norm = f"trunk.{layer}.0.0", f"trunk.{layer}.0.1"
        features = features @ numbers[f"{linear}.weight"].T - numbers[f"{norm}.running_mean"]
        features = features / np.sqrt(numbers[f"{norm}.running_var"] + 1e-5)
        features = np.maximum(features * numbers[f"{norm}.weight"] + numbers[f"{norm}.bias"], 0)
    logits, value = (
        features @ numbers[f"{head}.0.weight"].T + numbers[f"{head}.0.bias"] for head in ("policy_head", "value_head")
    )
    return np.tanh(value[:, 0]), logits


@pytest.mark.parametrize("boards", [1, 5, 128, 300])
def test_it_computes_what_its_numbers_say_and_so_do_its_fast_copies(boards):
    net = used(ConnectFour())
    planes = planes_of(ConnectFour(), boards)
    expected = by_numpy(net, planes)
    ways = ((TorchNetwork(net), 1e-5), (FoldedNetwork(net), 1e-5), (FoldedNetwork(net, torch.bfloat16), 0.03))
    for answer, tolerance in ways:
        for got, wanted in zip(answer(planes), expected, strict=True):
            assert got.dtype == np.float32 and got.shape == wanted.shape
            assert np.allclose(got, wanted, atol=tolerance)
    assert fast_inference(net).dtype == (torch.bfloat16 if bfloat16_pays() else torch.float32)


def completes(stones: np.ndarray, row: int, column: int, n: int) -> bool:
    """Whether one more stone here makes a line: counted out from the cell, to both sides."""

    def run(down: int, right: int) -> int:
        length, y, x = 0, row + down, column + right
        while 0 <= y < stones.shape[0] and 0 <= x < stones.shape[1] and stones[y, x]:
            length, y, x = length + 1, y + down, x + right
        return length

    return any(run(a, b) + 1 + run(-a, -b) >= n for a, b in ((0, 1), (1, 0), (1, 1), (1, -1)))


def windows_of(rows: int, columns: int, n: int) -> list[list[tuple[int, int]]]:
    """Every `n` cells in a row, from each cell across, down, and along both diagonals."""
    every = [
        [(y + step * down, x + step * right) for step in range(n)]
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        for y in range(rows)
        for x in range(columns)
    ]
    return [cells for cells in every if all(0 <= y < rows and 0 <= x < columns for y, x in cells)]


@pytest.mark.parametrize(("rows", "columns", "n"), [(6, 7, 4), (3, 3, 3), (2, 5, 1), (5, 4, 2), (7, 9, 5)])
def test_lines_tell_the_free_cells_that_complete_one_and_who_holds_how_much_of_each(rows, columns, n):
    cells = np.random.default_rng(0).choice([0, 1, -1], p=[0.4, 0.3, 0.3], size=(40, rows, columns))
    planes = np.stack([cells == 1, cells == -1], axis=1).astype(np.float32)
    lines = Lines(rows, columns, n)
    seen = lines(torch.from_numpy(planes)).numpy()
    assert seen.shape == (40, planes[0].size + lines.features)
    assert np.array_equal(seen[:, : planes[0].size], planes.reshape(40, -1))
    threats, counts = np.split(seen[:, planes[0].size :], [2 * rows * columns], axis=1)
    wanted = [
        [
            [[free[y, x] and completes(side, y, x, n) for x in range(columns)] for y in range(rows)]
            for side in (cell == 1, cell == -1)
        ]
        for cell in cells
        for free in [cell == 0]
    ]
    assert np.array_equal(threats, np.array(wanted, np.float32).reshape(40, -1))
    assert n == 1 or 0 < np.mean(wanted) < 0.5
    held = [[[cell[place] for place in window] for window in windows_of(rows, columns, n)] for cell in cells]
    counted = [
        [
            [line.count(side) == count and -side not in line for line in lines]
            for count in range(1, n)
            for side in (1, -1)
        ]
        for lines in held
    ]
    assert np.array_equal(counts, np.array(counted, np.float32).reshape(40, -1))


def test_a_network_that_is_told_how_lines_stand():
    game = ConnectFour()
    net, planes = used(game, lines=True), planes_of(game, 200)
    told = Lines(6, 7, 4)(torch.from_numpy(planes)).numpy()
    assert told[:, planes[0].size :].any()
    expected = by_numpy(net, told)
    for answer, tolerance in (
        (TorchNetwork(net), 1e-5),
        (FoldedNetwork(net), 1e-5),
        (FoldedNetwork(net, torch.bfloat16), 0.03),
    ):
        for got, wanted in zip(answer(planes), expected, strict=True):
            assert np.allclose(got, wanted, atol=tolerance)
    with pytest.raises(ValueError, match="has no lines of n"):
        make_wide(Hex(3), 0, lines=True)


@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize("game", [ConnectFour(), TicTacToe()], ids=lambda game: game.name)
def test_a_mirror_image_is_evaluated_alike_and_a_position_as_its_numbers_say(game, lines):
    net, planes = used(game, (24, 16, 8), lines, mirror=True), planes_of(game, 50)
    value, logits = by_one_matrix(net, planes)
    assert np.std(value) > 0.001 and np.std(logits) > 0.001
    turned = planes[..., ::-1]
    turned_logits = logits.reshape(len(logits), -1, game.columns)[..., ::-1].reshape(logits.shape)  # columns, or cells
    for answer, tolerance in (
        (TorchNetwork(net), 1e-5),
        (FoldedNetwork(net), 1e-5),
        (FoldedNetwork(net, torch.bfloat16), 0.05),
    ):
        for boards, wanted in ((planes, logits), (turned, turned_logits)):
            got_value, got_logits = answer(np.ascontiguousarray(boards))
            assert np.allclose(got_value, value, atol=tolerance) and np.allclose(got_logits, wanted, atol=tolerance)


def by_one_matrix(net: WideNet, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each layer as one matrix for both images together, in float64: [[own, other], [other, own]]."""
    numbers = {name: tensor.double().numpy() for name, tensor in net.state_dict().items()}
    both = [
        np.asarray(net.eyes(torch.from_numpy(np.ascontiguousarray(board))), np.float64)
        for board in (planes, planes[..., ::-1])
    ]
    features = np.concatenate(both, axis=1)
    for layer in range(len(net.config["widths"])):
        if layer == 0:
            own = numbers["trunk.0.0.0.weight"]
            other, norm = np.zeros_like(own), "trunk.0.0.1"
        else:
            same, opposite = (numbers[f"trunk.{layer}.{name}.weight"] for name in ("sum", "difference"))
            own, other, norm = same + opposite, same - opposite, f"trunk.{layer}.norm"
        mean, variance, scale, shift = (
            np.tile(numbers[f"{norm}.{name}"], 2) for name in ("running_mean", "running_var", "weight", "bias")
        )
        features = features @ np.block([[own, other], [other, own]]).T
        features = np.maximum((features - mean) / np.sqrt(variance + 1e-5) * scale + shift, 0)
    own, other = np.split(features, 2, axis=1)
    (logits, value), (turned, more) = (
        [half @ numbers[f"{head}.0.weight"].T + numbers[f"{head}.0.bias"] for head in ("policy_head", "value_head")]
        for half in (own, other)
    )
    return np.tanh((value + more)[:, 0]), logits + turned[:, np.array(net.config["mirror"])]


def test_a_game_whose_boards_mean_something_else_left_for_right_has_no_such_network():
    with pytest.raises(ValueError, match="other positions left for right"):
        make_wide(Hex(3), 0, mirror=True)


@pytest.mark.parametrize(("lines", "mirror"), [(False, False), (True, False), (True, True)])
def test_seeds_and_checkpoints(lines, mirror, tmp_path):
    game = TicTacToe()
    state = torch.get_rng_state()
    net, same, different = (make_wide(game, seed, (8, 4), lines, mirror) for seed in (3, 3, 4))
    assert torch.equal(state, torch.get_rng_state())
    planes = planes_of(game, 5)
    logits = TorchNetwork(net)(planes)[1]
    assert np.array_equal(logits, TorchNetwork(same)(planes)[1])
    assert not np.allclose(logits, TorchNetwork(different)(planes)[1])
    save_network(tmp_path / "net.pt", net, game.name)
    loaded = load_network(tmp_path / "net.pt", game.name)
    assert isinstance(loaded, WideNet) and np.array_equal(logits, TorchNetwork(loaded)(planes)[1])


@pytest.mark.parametrize(("lines", "mirror"), [(False, False), (True, False), (True, True)])
def test_a_run_trains_it_and_resumes_to_the_bit(lines, mirror, tmp_path):
    game = ConnectN(4, 4, 3)
    settings = dict(
        network="wide", widths=(16, 8), lines=lines, mirror=mirror, games=16, parts=1, steps=4, batch=16, simulations=4
    )
    config = config_for(game, **settings, first_simulations=2, iterations=3)
    whole = Run.start(game, config, seed=0)
    train(whole, workers=0)
    half = Run.start(game, config, seed=0)
    train(half, lambda run: len(run.history) == 2, workers=0)
    half.save(tmp_path / "state.pt")
    again = Run.resume(tmp_path / "state.pt", game)
    assert again.config == config
    train(again, workers=0)
    for a, b in zip(whole.network.state_dict().values(), again.network.state_dict().values(), strict=True):
        assert torch.equal(a, b)
    start = make_wide(game, 0, (16, 8), lines, mirror).state_dict()
    assert not torch.equal(start["trunk.0.0.0.weight"], whole.latest.state_dict()["trunk.0.0.0.weight"])
