"""Answers of the guesses, worked out another way."""

import statistics
from fractions import Fraction

from course_utils.results import load_result


def points_for_the_lesson():
    def mean(lesson):
        return statistics.fmean(
            100 * row["kept"] / row["of"]
            for row in load_result("lesson_for_puct").where(variant=f"{lesson}, 4 simulations")
        )

    return mean("improved policy") - mean("visits")


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
    "points-for-the-lesson": points_for_the_lesson,
    "visits-of-the-winner": visits_of_the_winner,
    "value-of-the-untried": value_of_the_untried,
}
