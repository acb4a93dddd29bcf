"""Define the guesses of one notebook; tests/guesses/notebook_01.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "plane-0": Guess(
        [0],
        "O is to move, so plane 0 shows O's marks: the corner, cell 0. X's two marks are in plane 1.",
        {
            (4, 8): "These are X's marks. Who is to move?",
            (0, 4, 8): "These are all the marks on the board. Plane 0 shows one player's only.",
            (): "O is to move, and O has a mark on the board.",
        },
    ),
    "policy-turned": Guess(
        3,
        "A quarter turn to the left makes the top row the left column. So the middle of the top row, cell 1, becomes "
        "the middle of the left column, cell 3.",
        {
            1: "Then the policy would have stayed where it was while the board turned, "
            "and the network would learn another move.",
            5: "That is where the cell goes in a quarter turn to the right.",
            7: "That is where the cell goes in half a turn.",
        },
    ),
    "pairs-of-the-empty-board": Guess(
        8,
        "We always get eight pairs, even if some are equal. The eight boards look alike here, "
        "but their policies may differ.",
        {
            1: "The eight boards look alike, but each has a policy of its own, "
            "and the number of pairs is always the same."
        },
    ),
}
