"""Self-play from doubtful openings: where games begin, what is learned from a search, and when a game counts as over."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from course_utils.games.batched import make_batched
from course_utils.learning.config import config_for
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.checkpoint import load_network, save_network
from course_utils.networks.policy_value import TorchNetwork
from course_utils.networks.resnet import make_resnet
from course_utils.networks.wide import make_wide
from lab.research.openings_school import (
    GAME,
    School,
    Surprises,
    doubtful_openings,
    drawn_again,
    lift,
    mix,
    replied_openings,
    school_games,
    surprises_of,
    temper,
)

pytestmark = pytest.mark.full

BATCHED = make_batched(GAME)
QUICK = School(simulations=4, late_simulations=2, candidates=3)


class SureOfTheCorner:
    """Sure of every position with a stone in the first column's lowest cell, in doubt of all others."""

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        value = planes[:, 0, -1, 0] - planes[:, 1, -1, 0]
        return value.astype(np.float32), np.zeros((len(planes), 7), dtype=np.float32)


def corner(states: np.ndarray) -> float:
    """The share of positions with such a stone."""
    return BATCHED.encode(states)[:, :, -1, 0].sum(axis=1).mean()


def test_games_begin_in_different_openings_and_more_often_in_doubtful_ones():
    states, plies = doubtful_openings(BATCHED, SureOfTheCorner(), 300, School(), np.random.default_rng(0))
    assert len(np.unique(states, axis=0)) == len(states) == 300
    assert plies.min() >= 1 and plies.max() <= 8
    assert (BATCHED.encode(states).sum(axis=(1, 2, 3)) == plies).all()
    sure, doubtful = School(doubt_width=1e9), School(doubt_width=0.1)
    shares = []
    for school in (sure, doubtful):
        rng = np.random.default_rng(1)
        shares.append(corner(doubtful_openings(BATCHED, SureOfTheCorner(), 300, school, rng)[0]))
    assert shares[1] < shares[0] - 0.1


def test_one_side_of_a_replied_opening_plays_what_the_network_likes_best():
    rng = np.random.default_rng(1)
    states, plies = replied_openings(BATCHED, SureOfTheCorner(), 3000, 8, rng)  # it likes the first legal column
    planes = BATCHED.encode(states)
    assert not BATCHED.outcome(states)[0].any()
    assert set(plies) == set(range(1, 9)) and (planes.sum(axis=(1, 2, 3)) == plies).all()
    after_two = planes[plies == 2]
    assert (after_two[..., 0].sum(axis=(1, 2)) >= 1).all()  # one of the two stones
    first, second = (after_two[:, side, :, 0].sum(axis=1) for side in (0, 1))
    assert ((first == 0) & (second == 1)).any() and ((first == 1) & (second == 0)).any()  # of either side


def test_games_begin_there_if_so_wanted():
    config = config_for(GAME, root_share=0.0, blunder_margin=9.0)
    school = replace(QUICK, from_start=0.0, replies=1.0, resign=2.0, opening_plies=2)
    examples, _, _ = school_games(SureOfTheCorner(), 40, config, school, np.random.default_rng(0))
    after_two = examples.planes[examples.ply == 2]
    assert examples.games == 40 and examples.ply.min() == 1
    assert (after_two[..., 0].any(axis=(1, 2))).mean() > 0.6  # of random ones 0.27
    empty = replied_openings(BATCHED, SureOfTheCorner(), 0, 8, np.random.default_rng(0))
    assert [len(one) for one in empty] == [0, 0]


def test_shares_of_games_may_be_all_of_them_and_not_more(tmp_path):
    network = CachedNetwork(SureOfTheCorner())  # as `lift` asks it
    school = replace(QUICK, from_start=0.1, replies=0.9, opening_plies=2)
    examples, _, _ = school_games(network, 20, config_for(GAME), school, np.random.default_rng(0))
    assert examples.games == 20 and (examples.ply == 0).sum() == 2
    with pytest.raises(SystemExit, match="more than all games"):
        lift(out=tmp_path, replies=0.5, again=0.5)


def test_games_are_played_to_their_ends_or_until_the_search_is_sure():
    config = config_for(GAME, root_share=0.0, blunder_margin=9.0)
    whole, happened, _ = school_games(
        SureOfTheCorner(), 20, config, replace(QUICK, resign=2.0), np.random.default_rng(0)
    )
    cut, _, _ = school_games(
        SureOfTheCorner(), 20, config, replace(QUICK, resign=0.5, play_on=0.0), np.random.default_rng(0)
    )
    assert happened["played_on"] == happened["wrongly_sure"] == 0
    assert len(cut) < len(whole) and whole.games == cut.games == 20
    for examples in (whole, cut):
        stones = examples.planes.sum(axis=(1, 2, 3))
        assert (stones == examples.ply).all() and (examples.ply == 0).sum() == 2
        assert np.allclose(examples.policy.sum(axis=1), 1)
        assert (examples.policy[examples.planes.sum(axis=1)[:, 0, :] == 1] < 1e-6).all()  # full columns
        assert (examples.value == examples.outcome).all() and set(np.unique(examples.outcome)) <= {-1.0, 0.0, 1.0}


def test_later_moves_are_the_best_of_what_is_learned_if_so_wanted():
    def likes_the_right(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(len(planes), np.float32), np.tile(np.arange(7, dtype=np.float32), (len(planes), 1))

    even_noise = config_for(GAME, noise_fraction=1.0, noise_alpha=50.0)  # every move is visited
    shares = []
    for play_learned in (False, True):
        school = replace(QUICK, simulations=14, late_simulations=14, explored=0, resign=2.0, play_learned=play_learned)
        examples, _, _ = school_games(likes_the_right, 20, even_noise, school, np.random.default_rng(0))
        seen = {planes.tobytes() for planes in examples.planes.astype(np.float32)}
        later = examples.ply > 12  # so that no opening is among them, and no game from the empty board explores
        followed = []
        for planes, policy in zip(examples.planes[later], examples.policy[later], strict=True):
            state = GAME.from_cells(planes[0].astype(int) - planes[1], to_play=1)
            after = GAME.play(state, int(policy.argmax()))
            if not GAME.is_terminal(after):
                followed.append(GAME.encode(after).tobytes() in seen)
        shares.append(np.mean(followed))
    assert shares[1] > 0.97 and shares[0] < 0.9  # (so few simulations may leave out a move, which is not played then)


def test_of_each_game_a_position_that_surprised_is_kept():
    number, plies = np.repeat([0, 1, 2], 5), np.tile(np.arange(5), 3)
    weights = np.zeros(15)
    weights[[1, 2, 4, 6, 9]] = [0.5, 0.25, 9.0, 1.0, 9.0]  # nothing surprised in the last game
    picked = []
    for seed in range(50):
        kept = surprises_of(np.arange(15), plies, number, weights, 3, np.random.default_rng(seed))
        assert kept.states[1:].tolist() == [6] and kept.plies[1:].tolist() == [1] and kept.weights[1:].tolist() == [1.0]
        picked.append(kept.states[0])
    assert set(picked) == {1, 2} and picked.count(1) > picked.count(2)


def test_games_begin_again_where_earlier_ones_surprised():
    openings, plies = doubtful_openings(BATCHED, SureOfTheCorner(), 40, School(), np.random.default_rng(0))
    kept = [
        Surprises(openings[part], plies[part], np.where(plies[part] > 4, 1.0, 1e-6))
        for part in (slice(0, 25), slice(15, 40))
    ]
    drawn = drawn_again(kept, int((plies > 4).sum()), np.random.default_rng(0))
    assert len(np.unique(drawn.states, axis=0)) == len(drawn.plies) == (plies > 4).sum() and (drawn.plies > 4).all()
    assert len(drawn_again(kept, 99, np.random.default_rng(0)).plies) == 40
    config = config_for(GAME)
    examples, _, surprised = school_games(SureOfTheCorner(), 40, config, QUICK, np.random.default_rng(0), drawn)
    first = BATCHED.encode(drawn.states).astype(bool)
    begun = [(examples.planes == planes).all(axis=(1, 2, 3)).any() for planes in first]
    assert all(begun) and examples.games == 40
    stones = BATCHED.encode(surprised.states).sum(axis=(1, 2, 3))
    assert (stones == surprised.plies).all() and surprised.plies.max() <= QUICK.last_again


def test_a_tempered_agent_has_the_same_values_and_flatter_logits(tmp_path):
    save_network(tmp_path / "sharp.pt", make_resnet(GAME, seed=0, blocks=1, channels=8), GAME.name)
    temper(tmp_path / "sharp.pt", tmp_path / "flat.pt", temperature=4.0)
    planes = BATCHED.encode(doubtful_openings(BATCHED, SureOfTheCorner(), 20, School(), np.random.default_rng(0))[0])
    (value, logits), (same, flat) = (
        TorchNetwork(load_network(tmp_path / name, GAME.name))(planes) for name in ("sharp.pt", "flat.pt")
    )
    assert np.allclose(value, same) and np.allclose(logits / 4, flat, atol=1e-6) and np.abs(logits).max() > 0.01


@pytest.mark.parametrize("lines", [False, True])
def test_lift_goes_on_with_a_wide_network(lines, tmp_path):
    net = make_wide(GAME, 0, (16, 8), lines)
    save_network(tmp_path / "wide.pt", net, GAME.name)
    lift(out=tmp_path, agent=tmp_path / "wide.pt", iterations=3, games=60, simulations=2, late_simulations=2)
    lifted = load_network(tmp_path / "0003.pt", GAME.name)
    assert lifted.config == net.config
    assert not torch.equal(lifted.policy_head[0].weight, net.policy_head[0].weight)


def test_a_mix_of_two_networks_has_their_mean_weights(tmp_path):
    paths = [tmp_path / f"{seed}.pt" for seed in (0, 1)]
    for seed, path in enumerate(paths):
        save_network(path, make_wide(GAME, seed, (16, 8), lines=True), GAME.name)
    mix(paths, tmp_path / "mixed.pt")
    one, other, mixed = (load_network(path, GAME.name).state_dict() for path in (*paths, tmp_path / "mixed.pt"))
    assert not torch.equal(one["policy_head.0.weight"], other["policy_head.0.weight"])
    assert all(
        torch.allclose(mixed[name], (one[name] + other[name]) / 2, atol=1e-6)
        for name in one
        if mixed[name].is_floating_point()
    )
