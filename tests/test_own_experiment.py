"""An experiment of one's own: each row is what an independent count says of the run, and the sentence says what the interval allows."""

from functools import cache

import numpy as np
import pytest

from course_utils.games import TicTacToe, after
from course_utils.learning.config import config_for
from course_utils.learning.experiment import PLAIN, sentence, short_runs
from course_utils.learning.run import Run
from course_utils.networks.policy_value import TorchNetwork
from tests.guesses.notebook_01 import children, over

SMALL = dict(iterations=2, games=8, steps=4, simulations=4)


def runs(name, ends, before=0):
    """A row at the end and one before it for each seed: so many of 200 keep the value."""
    return [dict(variant=name, seed=seed, iteration=at, kept=kept, of=200) for seed, end in ends.items() for at, kept in ((2, end), (1, before))]  # fmt: skip


@cache
def worth(board: str) -> int:
    """For the player to move, by looking at everything."""
    return max(-worth(child) for child in children(board).values()) if over(board) is None else -len(over(board))


def test_each_seed_is_a_run_of_its_own_with_a_row_for_each_iteration():
    together = short_runs("ours", seeds=(3, 1), **SMALL)
    assert [(row["variant"], row["seed"], row["iteration"]) for row in together] == [
        ("ours", 3, 1), ("ours", 3, 2), ("ours", 1, 1), ("ours", 1, 2)
    ]  # fmt: skip
    assert together[2:] == short_runs("ours", seeds=(1,), **SMALL)
    before, after_it = short_runs("ours", seeds=(1,), **SMALL | dict(steps=40))
    assert before == together[2] and after_it["kept"] != together[3]["kept"]  # nothing is learned in a first iteration


def test_a_row_counts_the_positions_where_the_network_alone_keeps_the_value():
    (row,) = short_runs("ours", seeds=(5,), **SMALL | dict(iterations=1))
    game = TicTacToe()
    config = config_for(game, lockstep=True, **{**PLAIN, **SMALL})
    network = TorchNetwork(Run.start(game, config, 5).network)  # as it begins
    waiting, kept = [("." * 9, ())], {}
    while waiting:
        board, moves = waiting.pop()
        if board in kept or over(board) is not None:
            continue
        state = after(game, list(moves))
        _, logits = network(game.encode(state)[None])
        move = max(game.legal_actions(state), key=lambda action, scores=logits[0]: scores[action])
        kept[board] = -worth(children(board)[move]) == worth(board)
        waiting += [(child, (*moves, action)) for action, child in children(board).items()]
    assert (row["kept"], row["of"]) == (sum(kept.values()), len(kept))


def test_the_sentence_gives_the_mean_of_the_differences_of_equal_seeds_and_its_interval():
    control, changed = runs("plain", {0: 100, 1: 120, 2: 90}), runs("more", {2: 98, 1: 132, 0: 104}, before=50)
    middle, half = np.mean([2, 6, 4]), 4.303 * np.std([2, 6, 4], ddof=1) / 3**0.5  # Student's t, from a printed table
    said = sentence(control, changed)
    assert said == f"more: {middle:+.1f} points ({middle - half:+.1f} to {middle + half:+.1f}) against plain: no difference that these seeds can show"  # fmt: skip


@pytest.mark.parametrize(("more", "verdict"), [(20, "better"), (-20, "worse")])
def test_an_interval_that_does_not_hold_0_says_better_or_worse(more, verdict):
    control = {0: 100, 1: 120, 2: 90}
    changed = {seed: kept + more + seed for seed, kept in control.items()}
    assert sentence(runs("plain", control), runs("changed", changed)).endswith(f"against plain: {verdict}")


@pytest.mark.parametrize("changed", [{0: 100, 2: 120}, {0: 100}, {0: 100, 1: 110, 2: 120}])
def test_without_the_same_seeds_there_is_nothing_to_say(changed):
    assert sentence(runs("plain", {0: 100, 1: 120}), runs("changed", changed)).startswith(
        "The two have different seeds"
    )


def test_one_seed_has_no_interval():
    assert "only one seed" in sentence(runs("plain", {0: 100}), runs("changed", {0: 110}))
