"""Guesses of a notebook. tests/guesses/notebook_03.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "next-visit": Guess(
        7,
        "Its prior is the lowest, but it was never tried, so nothing divides it: Q + U = 0 + 0.949, against 0.839 and 0.556.",
        {
            1: "1 has the best mean, 0.5, but six visits have used up most of its U: 0.5 + 0.339 = 0.839.",
            5: "5 has the second of everything: 0.2 + 0.356 = 0.556.",
        },
    ),
    "added-to-w": Guess(
        [1, -1],
        "At a X chose, and X has won: +1. At the root O chose, and O has lost: -1.",
        {
            (-1, 1): "-1 is what the leaf is worth to O. Who chose at a, and is that player glad?",
            (-1, -1): "X and O can't both be sad.",
            (1, 1): "X and O can't both be glad.",
        },
    ),
    "right-with-25": Guess(
        90,
        "Twenty-five looks ahead are enough for nearly every win and block, with no knowledge of the game at all.",
        {
            41: "The network stays as it is, but the search knows the rules, and sees wins and losses a few moves ahead.",
            100: "Some positions take a longer look: what decides them lies four or five moves deep.",
        },
        within=6,
        percent=True,
    ),
}
