"""Define the guesses of one notebook; tests/guesses/notebook_33.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "columns-minus-one": Guess(
        "the last column",
        "Python counts negative indices from the end, so a line would go on at the other side of the "
        "board. Ask `0 <= x` first.",
        {
            "an error": "That would be a help. Only an index beyond the end raises an error.",
            "nothing": "A list has something at -1: Python counts from the end.",
        },
    ),
    "a-drawn-hex": Guess(
        False,
        "If X has no chain, then O's stones must wall X off, and a wall from left to right is a chain. (Nash saw this; "
        "to prove it with all care is as hard as Brouwer's fixed point theorem.)",
        {True: "Try to block X on a full board without making a chain of O's from left to right."},
    ),
    "a-symmetry-of-hex": Guess(
        "half turn",
        "When you turn the board half round, X's sides are still X's, and the same cells touch.",
        {
            "quarter turn": "A quarter turn gives X's sides to O.",
            "mirror image": "X's sides stay X's. But each row begins further to the right, so cells that touched "
            "across a corner would touch no more.",
        },
    ),
}
