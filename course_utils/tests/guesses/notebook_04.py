"""Define the guesses of one notebook; tests/guesses/notebook_04.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "tau-one-half": Guess(
        78,
        "The exponent is 1 / 0.5 = 2, so we square the visits: 3600 of 3600 + 900 + 100 is 78 %.",
        {
            60: "That would be right at tau = 1, where the visits count as they are.",
            47: "You took square roots, so your exponent was tau. It is 1 / tau, which is 2.",
            100: "That would be right at tau = 0, where the favorite takes everything.",
        },
        within=1,
        percent=True,
    ),
    "noise-on-seven": Guess(
        0.4735,
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
        "O was to move at the second, the fourth and the sixth position, and O has won. "
        "So these get +1, and the others -1.",
        {
            (1, 1, 1, 1, 1, 1): (
                "At every other position X is to move, and X has lost. z belongs to the player to move."
            ),
            (-1, -1, -1, -1, -1, -1): "That is the result for X. z belongs to the player to move.",
            (1, -1, 1, -1, 1, -1): "The first position is X's, since X begins, and X has lost.",
            (-1, -1, -1, 1, 1, 1): "The players take turns, so X and O are to move by turns, too.",
            (0, 0, 0, 0, 0, 1): "Every position of the game gets a label, not only the last one: how the game ended.",
        },
    ),
    "sixty-greedy-games": Guess(
        1,
        "Nothing in it is left to chance, so we get the same game sixty times.",
        {60: "What should make two of the games differ? There is no chance in the search."},
    ),
}
