"""Guesses of a notebook. tests/guesses/notebook_04.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "tau-one-half": Guess(
        78,
        "1 / 0.5 is 2, so the squares count: 3600 of 3600 + 900 + 100.",
        {
            60: "That is at tau = 1, where the visits count as they are.",
            47: "That is with the square roots: the exponent is 1 / tau = 2, not tau.",
            100: "That is at tau = 0, where the favorite takes everything.",
        },
        within=1,
        percent=True,
    ),
    "uneven-alpha": Guess(
        0.1,
        "The smaller alpha, the more uneven the draws; at 10 they are nearly even.",
        {10: "A large alpha draws nearly even policies: every action gets a little."},
    ),
    "six-z": Guess(
        [-1, 1, -1, 1, -1, 1],
        "O moves at the second, fourth and sixth position, and O has won.",
        {
            (1, 1, 1, 1, 1, 1): "z belongs to the player to move, and at every other position that is X, who lost.",
            (-1, -1, -1, -1, -1, -1): "That is the result for X. z belongs to the player to move.",
            (1, -1, 1, -1, 1, -1): "X moves first, and O has won.",
            (0, 0, 0, 0, 0, 1): "Every position of the game is labeled with how it ended, not only the last.",
        },
    ),
    "sixty-greedy-games": Guess(
        1,
        "Nothing is left to chance, so it is the same game sixty times.",
        {60: "Where should the difference come from? The search has no chance in it."},
    ),
}
