"""Define the guesses of one notebook; tests/guesses/notebook_22.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "a-random-layer": Guess(
        "about as well",
        "64 random mixtures of 18 inputs hold nearly what the inputs hold, and nothing makes them hold more about this "
        "concept than about any other.",
        {
            "much better": "Some random neurons come close to a threat by luck, but nothing has chosen them.",
            "much worse": "Mixing loses little: 64 numbers have room for what 18 inputs say.",
        },
    ),
}
