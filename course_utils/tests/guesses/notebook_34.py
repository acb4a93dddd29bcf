"""Guesses of a notebook. tests/guesses/notebook_34.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "visits-of-the-winner": Guess(
        3,
        "Two rounds of four simulations: one visit for each of four, then two for each of two.",
        {
            2: "That would be eight simulations shared evenly, and nobody dropped out.",
            5: "A round's share is divided among all who are still in, and two are in at the end.",
            4: "Four simulations in the second round, but two actions share them.",
        },
    ),
    "value-of-the-untried": Guess(
        0.1,
        "The weighted mean is (0.5 · 0.6 - 0.25 · 0.6) / 0.75 = 0.2; four times that and once -0.3, divided by five.",
        {
            0: "A draw? What is known of the position says something else.",
            -0.3: "That is the network's first opinion. Four simulations have been made since.",
            0.2: "That is the mean of what was tried. The network's value has the weight of one simulation beside it.",
            0.18: "That is with a mean weighted by visits. It is weighted by the prior.",
            0.06: "The weights 0.5 and 0.25 have to be divided by their sum.",
        },
        within=0.005,
    ),
}
