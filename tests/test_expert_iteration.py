"""Expert iteration: which positions are judged, what a search says of them, and whose weights come out."""

from functools import partial

import numpy as np
import pytest
import torch

from benchmarks.connect_four import GAME, config_like
from benchmarks.expert_iteration import (
    BATCHED,
    different_positions,
    expert_iteration,
    judged_by_search,
    learned,
    stones,
)
from course_utils.games import after
from course_utils.learning.training import config_for
from course_utils.networks.checkpoint import load_network, save_network, to_bytes
from course_utils.networks.policy_value import TorchNetwork
from course_utils.networks.resnet import make_resnet
from course_utils.networks.wide import make_wide

WIDTHS = (16, 8)
NETS = {
    "wide": partial(make_wide, GAME, widths=WIDTHS, lines=True),
    "mirrored": partial(make_wide, GAME, widths=WIDTHS, mirror=True),
    "resnet": partial(make_resnet, GAME, blocks=1, channels=8),
}


def judged(net, moves: list[str], simulations: int, value_weight: float = 0.3):
    states = BATCHED.from_states([after(GAME, [int(move) for move in line]) for line in moves])
    config = config_like(net.eval(), simulations=simulations)
    return judged_by_search(config, to_bytes(net.state_dict()), value_weight, states)[0]


def test_positions_are_different_none_is_over_and_the_emptier_come_first():
    network = TorchNetwork(NETS["wide"](seed=0).eval())
    states = different_positions(network, 30_000, 16, np.random.default_rng(0))
    assert len(np.unique(states, axis=0)) == len(states) == 30_000
    assert not BATCHED.outcome(states)[0].any()
    assert (np.diff(stones(states)) >= 0).all()
    assert stones(states)[0] == 0 and stones(states)[-1] > 25  # games go on after their openings
    assert (states == different_positions(network, 30_000, 16, np.random.default_rng(0))).all()
    assert (states != different_positions(network, 30_000, 16, np.random.default_rng(1))).any()


def test_the_policy_is_played_but_for_a_fifth_of_the_moves():
    class LeftMost:
        """Wants the first column that is not full."""

        def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return np.zeros(len(planes), np.float32), np.tile(-50 * np.arange(7, dtype=np.float32), (len(planes), 1))

    states = different_positions(LeftMost(), 3000, 0, np.random.default_rng(0))
    first = states[stones(states) == 1]
    assert len(first) > 3  # found by chance, however much one is wanted
    filled = BATCHED.encode(states).any(axis=1).sum(axis=1).mean(axis=0)  # stones by column
    assert filled[0] > 2 * filled[1:].max()


@pytest.mark.parametrize("kind", NETS)
def test_a_search_finds_the_win_that_the_rules_say_is_there(kind):
    examples = judged(NETS[kind](seed=0), ["010101", "0101012"], simulations=60)  # column 0 wins; 1 wins
    assert examples.policy.argmax(axis=1).tolist() == [0, 1]
    assert (examples.value > 0.99).all() and (examples.outcome == examples.value).all()
    assert examples.ply.tolist() == [6, 7] and examples.planes.dtype == bool
    assert np.allclose(examples.policy.sum(axis=1), 1)


def test_without_the_values_what_is_learned_is_the_network_s_own_policy():
    net = NETS["wide"](seed=0).eval()
    examples = judged(net, ["3", "34"], simulations=8, value_weight=0.0)
    _, logits = net(torch.from_numpy(examples.planes.astype(np.float32)))
    assert np.allclose(examples.policy, torch.softmax(logits, dim=1).detach(), atol=0.01)


def test_what_was_judged_is_learned_from_random_weights_with_a_rate_that_falls():
    examples = judged(NETS["wide"](seed=0), ["010101", "0101012", "", "3"] * 8, simulations=60)
    config = config_for(GAME, widths=WIDTHS, batch=32)
    run, losses = learned([examples, examples], config, looks=300, seed=1)
    assert run.steps == 600 and run.optimizer.param_groups[0]["lr"] == pytest.approx(config.last_learning_rate)
    value, logits = TorchNetwork(run.champion)(examples.planes[:2].astype(np.float32))
    assert (value > 0.8).all() and logits.argmax(axis=1).tolist() == [0, 1]
    assert losses[-1]["value"] < 0.05


def test_generations_are_written_and_the_same_again(tmp_path, capsys):
    save_network(tmp_path / "agent.pt", NETS["resnet"](seed=0).eval(), GAME.name)
    few = dict(agent=tmp_path / "agent.pt", positions=(300, 200), looks=(2.0, 2.0), simulations=4, widths=WIDTHS)
    for name in "ab":
        expert_iteration(out=tmp_path / name, workers=0, **few)
    first, second = ([load_network(tmp_path / name / f"{number}.pt", GAME.name) for number in (1, 2)] for name in "ab")
    for net, again in zip(first, second, strict=True):
        assert net.config["widths"] == list(WIDTHS) and net.config["line"] == 4
        assert all(torch.equal(a, b) for a, b in zip(net.parameters(), again.parameters(), strict=True))
    assert not torch.equal(first[0].value_head[0].weight, first[1].value_head[0].weight)
    assert capsys.readouterr().out.count('"generation"') == 4
