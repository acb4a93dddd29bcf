"""The notebook 'Scaling out': by trying all numbers of workers, from what was recorded, and by stones at random."""

from course_utils.results import load_result


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


TRUTHS = {
    "a-tenth-remains": a_tenth_remains,
    "too-many-letters": too_many_letters,
    "four-iterations-late": four_iterations_late,
}
