"""Guesses of a notebook. tests/guesses/notebook_22.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "planes-of-go": Guess(
        17,
        "One kind of piece, eight positions, two players, and one plane more: 2 · 1 · 8 + 1.",
        {
            16: "And the plane that says whose turn it is.",
            9: "Each of the eight positions needs one plane per player.",
            18: "Whose turn it is takes one plane, not one per player.",
        },
    ),
}
