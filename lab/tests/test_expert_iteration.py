"""Expert iteration: which positions are evaluated, what a search says of them, and whose weights come out."""

import shutil
from functools import partial

import numpy as np
import pytest
import torch

from course_utils.games import after
from course_utils.learning.exam import load_positions, searched_moves, share_kept
from course_utils.learning.run import Run
from course_utils.learning.workers import network_with
from course_utils.networks.checkpoint import load_network, save_network, to_bytes
from course_utils.networks.fast import FoldedNetwork
from course_utils.networks.policy_value import TorchNetwork
from course_utils.networks.resnet import make_resnet
from course_utils.networks.wide import make_wide
from course_utils.search.batched import batched_search
from course_utils.search.gumbel import gumbel_search
from lab.connect_four import GAME, config_like
from lab.research.expert_iteration import (
    BATCHED,
    different_positions,
    evaluate_games,
    evaluated_by_search,
    expert_iteration,
    half_hour,
    half_hour_searches,
    stones,
)

pytestmark = pytest.mark.full

WIDTHS = (16, 8)
NETS = {
    "wide": partial(make_wide, GAME, widths=WIDTHS, lines=True),
    "mirrored": partial(make_wide, GAME, widths=WIDTHS, mirror=True),
    "resnet": partial(make_resnet, GAME, blocks=1, channels=8),
}


def evaluated(net, moves: list[str], simulations: int, value_weight: float = 0.3):
    states = BATCHED.from_states([after(GAME, [int(move) for move in line]) for line in moves])
    return evaluated_by_search(TorchNetwork(net.eval()), states, simulations, 1.25, value_weight)


def test_positions_are_different_none_is_over_and_the_emptier_come_first():
    network = TorchNetwork(NETS["wide"](seed=0).eval())
    states = different_positions(network, 2000, 16, 0.2, 0.4, np.random.default_rng(0))
    assert len(np.unique(states, axis=0)) == len(states) > 20_000
    assert not BATCHED.outcome(states)[0].any()
    assert (np.diff(stones(states)) >= 0).all()
    assert stones(states)[0] == 0 and stones(states)[-1] > 25  # games go on after their openings
    assert (states == different_positions(network, 2000, 16, 0.2, 0.4, np.random.default_rng(0))).all()
    assert not np.array_equal(states, different_positions(network, 2000, 16, 0.2, 0.4, np.random.default_rng(1)))


def test_the_policy_is_played_but_for_a_fifth_of_the_moves():
    class LeftMost:
        """Wants the first column that is not full."""

        def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return np.zeros(len(planes), np.float32), np.tile(-50 * np.arange(7, dtype=np.float32), (len(planes), 1))

    states = different_positions(LeftMost(), 200, 0, 0.2, 0.4, np.random.default_rng(0))
    first = states[stones(states) == 1]
    assert len(first) > 3  # found by chance, however much one is wanted
    filled = BATCHED.encode(states).any(axis=1).sum(axis=1).mean(axis=0)  # stones by column
    assert filled[0] > filled[1] and filled[0] > 2 * filled[2:].max()


@pytest.mark.parametrize("kind", NETS)
def test_a_search_finds_the_win_that_the_rules_say_is_there(kind):
    examples = evaluated(NETS[kind](seed=0), ["010101", "0101012"], simulations=60)  # column 0 wins; 1 wins
    assert examples.policy.argmax(axis=1).tolist() == [0, 1]
    assert (examples.value > 0.99).all() and (examples.outcome == examples.value).all()
    assert examples.ply.tolist() == [6, 7] and examples.planes.dtype == bool
    assert np.allclose(examples.policy.sum(axis=1), 1)


def test_what_a_search_has_often_gone_on_from_is_evaluated_by_the_part_below_it():
    net = NETS["wide"](seed=0).eval()
    states = BATCHED.from_states([after(GAME, [int(move) for move in line]) for line in ("3", "33", "010101")])
    alone, more = (evaluated_by_search(TorchNetwork(net), states, 60, 1.25, 0.3, inner) for inner in (0, 9))
    assert (more.planes[:3] == alone.planes).all() and (more.policy[:3] == alone.policy).all()
    assert (more.value[:3] == alone.value).all() and len(alone) == 3
    _, tree = batched_search(BATCHED, states, TorchNetwork(net), 60, 1.25, return_tree=True)
    expected: dict[tuple, list[float]] = {}  # what each tree thinks of each position
    for game in range(3):
        for node in range(1, tree.nodes):
            visits = tree.N[game, node].tolist()
            if sum(visits) >= 9:
                often = visits.index(max(visits))
                thought = tree.W[game, node, often] / visits[often]
                expected.setdefault(tuple(tree.states[game, node].tolist()), []).append(thought)
    assert len(expected) > 5 and len(more) == 3 + len(expected)
    planes = {tuple(state): BATCHED.encode(np.array([state], dtype=np.uint64))[0].astype(bool) for state in expected}
    for state, thoughts in expected.items():
        [row] = [row for row in range(3, len(more)) if (more.planes[row] == planes[state]).all()]
        assert more.value[row] in [pytest.approx(thought) for thought in thoughts]
        assert more.policy[row].sum() == pytest.approx(1) and more.ply[row] == planes[state].sum() > 1


def test_without_the_values_what_is_learned_is_the_network_s_own_policy():
    net = NETS["wide"](seed=0).eval()
    examples = evaluated(net, ["3", "34"], simulations=8, value_weight=0.0)
    _, logits = net(torch.from_numpy(examples.planes.astype(np.float32)))
    assert np.allclose(examples.policy, torch.softmax(logits, dim=1).detach(), atol=0.01)


def test_of_what_the_network_is_sure_fewer_are_taken():
    class Sure:
        """Knows who has won as soon as there is a stone on the right."""

        def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return planes[..., 6].any(axis=(1, 2)).astype(np.float32), np.zeros((len(planes), 7), np.float32)

    def shares(network):
        states = different_positions(network, 4000, 8, 0.2, 0.4, np.random.default_rng(0))
        late = BATCHED.encode(states[stones(states) > 12])  # no two games come to the same by chance
        return late[..., 6].any(axis=(1, 2)).sum(), (~late[..., 6].any(axis=(1, 2))).sum()

    class Unsure(Sure):
        def __call__(self, planes):
            return np.zeros(len(planes), np.float32), np.zeros((len(planes), 7), np.float32)

    (sure, other), (before, other_before) = shares(Sure()), shares(Unsure())
    assert sure / before == pytest.approx(0.4, abs=0.02) and other / other_before == pytest.approx(1, abs=0.05)


FEW = dict(
    games=20, plies=(4, 16), simulations=4, early_simulations=5, guide_simulations=3, looks=2.0, iterations=4, workers=0
)


@pytest.mark.parametrize("guided", [0, 2])
def test_a_run_that_was_stopped_goes_on_and_ends_as_if_it_had_not_been(guided, tmp_path, capsys, monkeypatch):
    save_network(tmp_path / "agent.pt", NETS["wide"](seed=0).eval(), GAME.name)
    (tmp_path / "again").mkdir()

    def save_and_copy(path, net, name):
        save_network(path, net, name)
        if len(Run.resume(path.parent / "state.pt", GAME).history) == 2:
            shutil.copy(path.parent / "state.pt", tmp_path / "again" / "state.pt")

    monkeypatch.setattr("lab.research.expert_iteration.save_network", save_and_copy)
    for name in ("whole", "again"):
        expert_iteration(
            out=tmp_path / name, agent=tmp_path / "agent.pt", guided=guided, widths=(12, 8), falls_after=0.0, **FEW
        )
    assert capsys.readouterr().out.count('"iteration"') == 4 + 2
    whole, again = (load_network(tmp_path / name / "connect_four.pt", GAME.name) for name in ("whole", "again"))
    assert whole.config["widths"] == ([12, 8] if guided else [*WIDTHS]) and ("mirror" in whole.config) == bool(guided)
    for a, b in zip(whole.state_dict().values(), again.state_dict().values(), strict=True):
        assert torch.equal(a, b)
    run = Run.resume(tmp_path / "whole" / "state.pt", GAME)
    assert [entry["games"] for entry in run.history] == [40] * 4
    assert sum(entry["examples"] for entry in run.history) == len(run.buffer)
    assert run.optimizer.param_groups[0]["lr"] == pytest.approx(2e-4)


def test_early_positions_are_searched_more(monkeypatch):
    asked = {}

    def searched(network, states, simulations, *arguments):
        asked.setdefault(simulations, []).append(stones(states))
        return evaluated_by_search(network, states, simulations, *arguments)

    monkeypatch.setattr("lab.research.expert_iteration.evaluated_by_search", searched)
    net = NETS["wide"](seed=0).eval()
    config = config_like(net, simulations=2)
    examples, seconds = evaluate_games(config, to_bytes(net.state_dict()), (0,), 200, 16, 0.2, 0.4, 3, 0.1, 0)
    late, early = (np.concatenate(asked[simulations]) for simulations in (2, 3))
    assert early.max() == 13 and late.min() == 14 and examples.games == 200 and seconds > 0
    assert examples.ply.tolist() == [*early, *late]
    assert (examples.planes.sum(axis=(1, 2, 3)) == examples.ply).all()


def test_who_is_guided_learns_what_the_guide_thinks_and_who_is_not_what_it_thinks_itself(tmp_path, monkeypatch):
    agent = NETS["resnet"](seed=0).eval()
    save_network(tmp_path / "agent.pt", agent, GAME.name)
    asked = []

    def evaluated_by(config, weights, *arguments):
        asked.append(network_with(weights, GAME, config))
        return evaluate_games(config, weights, *arguments)

    monkeypatch.setattr("lab.research.expert_iteration.evaluate_games", evaluated_by)
    expert_iteration(out=tmp_path, agent=tmp_path / "agent.pt", guided=2, widths=(12, 8), **FEW)
    assert [type(net).__name__ for net in asked] == ["ResNet"] * 4 + ["WideNet"] * 4
    first, *others, fifth, _, seventh, _ = (next(net.parameters()) for net in asked)
    assert all(torch.equal(weight, next(agent.parameters())) for weight in [first, *others])
    assert not torch.equal(fifth, seventh)  # it has learned between them


def test_who_evaluates_for_itself_also_plays_whole_games_and_learns_from_them(tmp_path):
    save_network(tmp_path / "agent.pt", NETS["wide"](seed=0).eval(), GAME.name)
    expert_iteration(
        out=tmp_path, agent=tmp_path / "agent.pt", guided=1, widths=(12, 8), played=6, **FEW | dict(iterations=2)
    )
    run = Run.resume(tmp_path / "state.pt", GAME)
    assert [entry["games"] for entry in run.history] == [40, 40 + 2 * 6]
    examples = run.buffer.examples
    played = examples[-20:]  # what was evaluated comes first, and has no outcome of its own
    assert set(played.outcome) <= {-1, 0, 1} and not np.allclose(played.value, played.outcome)
    evaluated_only = examples[: run.history[0]["examples"]]
    assert (evaluated_only.value == evaluated_only.outcome).all()


def test_each_generation_is_guided_by_the_one_before_and_minutes_are_counted_from_the_beginning(tmp_path, monkeypatch):
    def trained(out, **options):
        assert options == dict(minutes=600, seed=3, iterations=7)
        save_network(out / "connect_four.pt", NETS["wide"](seed=0).eval(), GAME.name)
        return [dict(cpu_seconds=60.0), dict(cpu_seconds=240.0)]

    guides = []

    def iterated(**options):
        guides.append(options["agent"])
        return expert_iteration(**options)

    few = {name: value for name, value in FEW.items() if name != "workers"} | dict(guided=1, iterations=2)
    generations = [few | dict(widths=(12, 8)), few | dict(widths=(10, 6))]
    monkeypatch.setattr("lab.research.expert_iteration.trained", trained)
    monkeypatch.setattr("lab.research.expert_iteration.expert_iteration", iterated)
    monkeypatch.setattr("lab.research.expert_iteration.GENERATIONS", generations)
    monkeypatch.setattr("lab.research.expert_iteration.load_positions", lambda: load_positions()[::40])
    rows = list(half_hour(simulations=(0, 2), iterations=7, seeds=(3,), into=tmp_path, workers=0))
    files = [tmp_path / f"{number}-3" / "connect_four.pt" for number in range(3)]
    assert guides == files[:2]
    assert [load_network(file, GAME.name).config["widths"] for file in files] == [[*WIDTHS], [12, 8], [10, 6]]
    minutes = [240.0 / 120]
    for file in files[1:]:
        run = Run.resume(file.parent / "state.pt", GAME)
        assert run.seed == len(minutes) + 2
        minutes.append(minutes[-1] + run.cpu_seconds / 120)
    told = {(row["generation"], row["minutes"]) for row in rows}
    assert told == {(number, round(spent, 2)) for number, spent in enumerate(minutes)}
    for number, file in enumerate(files):
        network = FoldedNetwork(load_network(file, GAME.name))
        for simulations in (0, 2):
            right = share_kept(
                load_positions()[::40], searched_moves(GAME, network, load_positions()[::40], simulations)
            )
            mine = [row for row in rows if (row["generation"], row["simulations"]) == (number, simulations)]
            assert {row["group"]: row["kept"] for row in mine} == {group: share.kept for group, share in right.items()}
    assert list(half_hour(simulations=(0, 2), iterations=7, seeds=(3,), into=tmp_path, workers=0, begun=rows)) == []


def test_what_was_left_is_asked_by_both_searches(tmp_path, monkeypatch):
    few = [position for position in load_positions()[::40] if position.matters]
    monkeypatch.setattr("lab.research.expert_iteration.load_positions", lambda: few)
    nets = [NETS["wide"](seed=seed).eval() for seed in range(3)]
    for generation, net in enumerate(nets):
        save_network(tmp_path / f"{generation}-5" / "connect_four.pt", net, GAME.name)
    rows = list(half_hour_searches(simulations=9, seeds=(5,), into=tmp_path))
    assert {row["seed"] for row in rows} == {5} and {row["simulations"] for row in rows} == {9}
    found = {(row["generation"], row["search"]): row["kept"] for row in rows if row["group"] == "matters"}
    for generation, net in enumerate(nets):
        network = FoldedNetwork(net)
        moves = searched_moves(GAME, network, few, 9)
        assert found.pop((generation, "PUCT")) == share_kept(few, moves)["matters"].kept
        one_by_one = [gumbel_search(GAME, position.state, network, 9).action for position in few]
        assert found.pop((generation, "Gumbel")) == share_kept(few, np.array(one_by_one))["matters"].kept
    assert not found
