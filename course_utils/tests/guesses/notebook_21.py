"""Define the guesses of one notebook; tests/guesses/notebook_21.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "a-perfect-policy-loss": Guess(
        False,
        "It is the entropy of pi, which is 0 only where pi gives one action everything.",
        {True: "Put p = pi into the formula: -(0.7 log 0.7 + ...), and none of these logarithms is 0."},
    ),
    "gradient-in-front-of-tanh": Guess(
        2.048,
        "2 (0.6 + 1) · (1 - 0.36) = 3.2 · 0.64. It is positive: a larger sum makes it worse.",
        {
            3.2: "That is the slope of the square, at the value. One more step back is tanh, whose slope is 1 - v².",
            -2.048: "v - z is 0.6 - (-1), and that is positive.",
            -0.512: "z is -1, so v - z is 1.6.",
        },
        within=0.05,
    ),
    "two-positions-one-weight": Guess(
        -0.3,
        "2 · (-0.2) from the first position, 1 · 0.1 from the second: they are added.",
        {
            -0.4: "That is the first position alone.",
            -0.15: "The two are summed, not averaged: d_out has already been divided by the batch.",
            0.1: "That is the second position alone.",
        },
        within=1e-6,
    ),
    "two-heads-and-a-gate": Guess(
        [0.3, 0],
        "The gradients from the heads are added: -0.2 + 0.5. The first feature was active, so its gate is open; the "
        "second was silent, so nothing passes.",
        {
            (0.3, 0.3): "Where ReLU said 0, a small change of the sum in front of it changes nothing.",
            (0.24, 0): "The gate is open or closed: its slope is 1, not the feature's value.",
        },
        within=1e-6,
    ),
    "ten-layers-with-relu": Guess(
        "it dies out",
        "ReLU sets half of the numbers to 0, which halves the mean square in each layer: after ten layers a few "
        "hundredths of the size are left.",
        {
            "it stays": "That is so without ReLU. How much of the signal does ReLU let through?",
            "it explodes": "ReLU only takes away.",
        },
    ),
}
