"""Notebook 13: by trying all numbers of workers, from what was recorded, and by stones at random."""

from fractions import Fraction

import numpy as np

from course_utils.results import load_result
from course_utils.tests.notebook_13.hex_winner import by_growing


def a_tenth_remains():
    """A thousand processors, each with its part of nine tenths of an hour."""
    return 1 / (0.1 + max([0.9 / 1000] * 1000))


def too_many_letters():
    return min(range(1, 20_000), key=lambda workers: workers * 0.01 + 100 / workers)


def four_iterations_late():
    def lost(late):
        rows = load_result("staleness").where(late=late, iteration=6)
        return {row["seed"]: row["first"] + row["second"] for row in rows}

    fresh, late = lost(0), lost(4)
    assert fresh.keys() == late.keys() and len(fresh) >= 3
    if all(late[seed] > fresh[seed] for seed in fresh):
        return "more"
    return "fewer" if all(late[seed] < fresh[seed] for seed in fresh) else "about as many"


def a_drawn_hex():
    rng = np.random.default_rng(0)
    return any(by_growing(rng.choice([1, -1], size=(5, 5))) == 0 for _ in range(300))


def a_symmetry_of_hex():
    """Which of them never changes the winner."""
    rng = np.random.default_rng(0)
    boards = [rng.choice([1, -1], size=(5, 5)) for _ in range(300)]
    forms = {"half turn": lambda b: b[::-1, ::-1], "quarter turn": np.rot90, "mirror image": lambda b: b[:, ::-1]}
    [found] = [
        name for name, form in forms.items() if all(by_growing(form(board)) == by_growing(board) for board in boards)
    ]
    return found


def visits_of_the_winner():
    """Four actions; each of two rounds spends four simulations, one at a time, on whoever has the fewest visits of those in."""
    visits, still_in = [0] * 4, [0, 1, 2, 3]
    for _ in range(2):
        for _ in range(4):
            visits[min(still_in, key=lambda action: visits[action])] += 1
        still_in = still_in[: len(still_in) // 2]
    assert sum(visits) == 8
    return visits[still_in[0]]


def value_of_the_untried():
    tried = [(3, Fraction(6, 10), Fraction(1, 2)), (1, Fraction(-6, 10), Fraction(1, 4))]
    mean = sum(q * p for _, q, p in tried) / sum(p for _, _, p in tried)
    voices = [Fraction(-3, 10)] + [mean] * sum(n for n, _, _ in tried)
    return float(sum(voices) / len(voices))


TRUTHS = {
    "a-tenth-remains": a_tenth_remains,
    "too-many-letters": too_many_letters,
    "four-iterations-late": four_iterations_late,
    "a-drawn-hex": a_drawn_hex,
    "a-symmetry-of-hex": a_symmetry_of_hex,
    "visits-of-the-winner": visits_of_the_winner,
    "value-of-the-untried": value_of_the_untried,
}
