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
    "noise-on-seven": Guess(
        0.474,
        "0.75 times 0.298 is 0.2235, and 0.25 times 1 is 0.25.",
        {
            0.298: "That is the prior without noise.",
            0.2235: "That is what is left of the prior. A quarter of the noise is added to it.",
            0.824: "You have exchanged the shares: three quarters are the prior, one quarter is the noise.",
            1.0: "That is the noise alone. It makes up only a quarter.",
        },
        within=0.002,
        share=True,
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
