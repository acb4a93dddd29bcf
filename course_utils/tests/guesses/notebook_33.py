"""Guesses of a notebook. tests/guesses/notebook_33.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "a-drawn-hex": Guess(
        False,
        "Where one side has no chain, the other's stones wall it off, and a wall from side to side is a chain. (That is Nash's theorem, and as hard as Brouwer's fixed point theorem.)",
        {True: "Try to block X on a full board without making a chain of O's from left to right."},
    ),
    "a-symmetry-of-hex": Guess(
        "half turn",
        "Turned half round, X's sides are still X's, and who touches whom stays the same.",
        {
            "quarter turn": "Then X's sides are O's.",
            "mirror image": "X's sides stay X's. But rows are set to the right, so the diagonal that touches becomes the one that doesn't.",
        },
    ),
}
