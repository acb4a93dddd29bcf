"""AlphaZero on one page does what it says, and agrees with the course."""

import ast
import importlib.util

import numpy as np
import pytest
import torch

from course_utils.games.batched import make_batched
from course_utils.learning.proof import tictactoe_key
from course_utils.paths import NOTEBOOKS
from course_utils.search.batched import batched_search

PATH = NOTEBOOKS / "alphazero_on_one_page.py"


@pytest.fixture(scope="module")
def page():
    spec = importlib.util.spec_from_file_location("one_page", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def boards_of(states):
    return np.array([[cell * state.to_play for cell in state.cells] for state in states], dtype=np.int8)


def as_the_course_asks(page, net):
    """The page's network, asked with planes."""

    def network(planes):
        boards = (planes[:, 0] - planes[:, 1]).reshape(len(planes), 9).astype(np.int8)
        with torch.inference_mode():
            value, logits = net(torch.from_numpy(boards))
        return value.numpy(), logits.numpy()

    return network


def test_it_is_one_page_that_needs_numpy_and_torch_only():
    text = PATH.read_text("utf-8")
    assert len(text.splitlines()) <= 200
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(text))
        for name in (
            [alias.name for alias in node.names] if isinstance(node, ast.Import)
            else [node.module] if isinstance(node, ast.ImportFrom) else []
        )
    }  # fmt: skip
    assert imported == {"numpy", "torch", "sys", "time"}


def test_its_search_counts_the_visits_that_the_courses_search_counts(page):
    key = tictactoe_key()
    torch.manual_seed(3)
    net = page.Net().eval()
    chosen = np.random.default_rng(0).choice(len(key.states), 300, replace=False)
    states = [key.states[i] for i in chosen]
    visits, _ = page.search(net, boards_of(states), 40)
    batched = make_batched(key.game)
    wanted = batched_search(batched, batched.from_states(states), as_the_course_asks(page, net), 40, page.C_PUCT)
    assert (visits == wanted).all(axis=1).mean() > 0.99  # float32 priors here, float64 there: a tie may fall otherwise
    assert (visits.sum(axis=1) == 40).all()


def test_self_play_gives_whole_games_with_targets_in_the_view_of_the_player_to_move(page, monkeypatch):
    torch.manual_seed(0)
    monkeypatch.setattr(page, "SIMULATIONS", 30)
    boards, share, value = page.self_play(page.Net().eval(), 40, np.random.default_rng(0))
    assert (share[boards != 0] == 0).all() and np.allclose(share.sum(axis=1), 1)
    can_win = np.array(
        [(page.outcome(page.play(np.repeat(b[None], 9, 0), range(9)))[1] < 0) & (b == 0) for b in boards]
    )
    there = can_win.any(axis=1)
    assert there.sum() > 10
    assert value[there].mean() > 0.5  # whoever can win at once mostly does


def test_its_proof_agrees_with_the_walk_over_all_lines(page):
    key = tictactoe_key()
    for seed in range(4):
        torch.manual_seed(seed)
        net = page.Net().eval()
        moves = key.moves(as_the_course_asks(page, net), 0)
        for mine, side in ((True, 1), (False, -1)):
            assert (page.losing_positions(net, mine) > 0) == (key.lines(moves, side).losses > 0)


def test_it_trains_a_player_that_never_loses(page):
    message = []
    net = page.train(0, say=message.append)
    assert message[-1].startswith("Proven")
    key = tictactoe_key()
    moves = key.moves(as_the_course_asks(page, net), 0)
    assert key.lines(moves, 1).losses == key.lines(moves, -1).losses == 0
