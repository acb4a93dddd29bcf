"""Examples and the replay buffer, against lists and the rules' own symmetries."""

import numpy as np
import pytest

from course_utils.games import ConnectN, TicTacToe
from course_utils.learning.examples import Examples, ReplayBuffer, all_symmetries, join, random_symmetries

both_games = pytest.mark.parametrize("game", [TicTacToe(), ConnectN(4, 4, 3)], ids=lambda game: game.name)


def _examples(count: int, start: int = 0, game=TicTacToe()) -> Examples:  # noqa: B008 (it never changes)
    rng = np.random.default_rng(start)
    planes = rng.random((count, 2, game.rows, game.columns))
    return Examples.of_game(planes, rng.random((count, game.num_actions)), start + np.arange(count))


def test_a_game_is_an_array_with_a_row_for_each_position():
    planes, policies = [np.eye(3)[None], np.zeros((1, 3, 3)), np.ones((1, 3, 3))], np.eye(9)[[4, 0, 2]]
    game = Examples.of_game(planes, policies, [1, -1, 1])
    assert (len(game), game.games, game.ply.tolist()) == (3, 1, [0, 1, 2])
    assert game.value.tolist() == game.outcome.tolist() == [1, -1, 1]
    assert {game.planes.dtype, game.policy.dtype, game.value.dtype} == {np.dtype(np.float32)}
    with pytest.raises(ValueError, match="shorter"):
        Examples.of_game(planes, policies, [1, -1])


def test_some_of_the_examples_and_one_after_the_other():
    examples = _examples(5)
    assert examples[1:3].value.tolist() == [1, 2]
    assert examples[[4, 0]].value.tolist() == [4, 0]
    assert examples[examples.value > 2].ply.tolist() == [3, 4]
    assert [example.value for example in examples] == [0, 1, 2, 3, 4]
    assert examples[2].planes.shape == (2, 3, 3)


def test_joined_games_stand_one_behind_the_other():
    both = join([_examples(2), _examples(3, start=2)])
    assert both.value.tolist() == [0, 1, 2, 3, 4]
    assert both.ply.tolist() == [0, 1, 0, 1, 2]
    assert both.games == 2


def test_the_buffer_keeps_the_latest():
    buffer = ReplayBuffer(capacity=5)
    buffer.add(_examples(4))
    assert len(buffer) == 4
    buffer.add(_examples(3, start=4))
    assert len(buffer) == 5
    assert buffer.examples.value.tolist() == [2, 3, 4, 5, 6]
    buffer.add(_examples(9, start=7))
    assert buffer.examples.value.tolist() == [11, 12, 13, 14, 15]


@both_games
def test_with_a_game_the_buffer_holds_all_symmetric_forms(game):
    buffer, examples = ReplayBuffer(capacity=100), _examples(3, game=game)
    buffer.add(examples, game)
    expected = [
        (planes.tolist(), policy.tolist(), example.value, example.ply)
        for example in examples
        for planes, policy in game.symmetries(example.planes, example.policy)
    ]
    kept = buffer.examples
    assert [
        (example.planes.tolist(), example.policy.tolist(), example.value, example.ply) for example in kept
    ] == expected
    assert len(buffer) == len(expected) > 3
    assert all_symmetries(game, examples).games == 1


def test_a_batch_has_its_shapes_repeats_with_its_seed_and_reaches_every_example():
    buffer = ReplayBuffer(capacity=10)
    buffer.add(_examples(10))
    planes, policy, value = buffer.sample(32, np.random.default_rng(0))
    assert (planes.shape, policy.shape, value.shape) == ((32, 2, 3, 3), (32, 9), (32,))
    assert {planes.dtype, policy.dtype, value.dtype} == {np.dtype(np.float32)}
    one, same = (buffer.sample(200, np.random.default_rng(3))[2] for _ in range(2))
    assert (one == same).all()
    assert set(one.tolist()) == set(range(10))  # each is missed with a chance of 0.9 ** 200


def test_an_empty_buffer_says_what_to_do():
    with pytest.raises(ValueError, match="the replay buffer is empty: add the examples of a game first"):
        ReplayBuffer(3).sample(1, np.random.default_rng(0))


@both_games
def test_random_symmetries_are_symmetries_and_all_are_drawn(game):
    rng = np.random.default_rng(0)
    planes = rng.integers(2, size=(1, 2, game.rows, game.columns)).astype(np.float32)
    policy = rng.random((1, game.num_actions))
    forms = game.symmetries(planes[0], policy[0])
    many = random_symmetries(game, np.repeat(planes, 200, axis=0), np.repeat(policy, 200, axis=0), rng)
    seen = set()
    for one_planes, one_policy in zip(*many, strict=True):
        found = [
            i
            for i, form in enumerate(forms)
            if np.array_equal(form[0], one_planes) and np.array_equal(form[1], one_policy)
        ]
        assert found
        seen.update(found)
    assert len(seen) == len(forms)
