"""Guesses of a notebook. tests/guesses/notebook_01.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "plane-0": Guess(
        [0],
        "O is to move, so plane 0 shows O's marks: the corner, cell 0. X's two stand in plane 1.",
        {
            (4, 8): "These are X's marks. Who is to move?",
            (0, 4, 8): "That is every mark on the board. Plane 0 shows those of one player.",
            (): "O is to move, and O has a mark.",
        },
    ),
    "policy-turned": Guess(
        3,
        "The top row becomes the left column, so the middle of the one becomes the middle of the other: cell 3.",
        {
            1: "Then the policy would have stayed while the board turned: the network would learn another move.",
            5: "That is a quarter turn clockwise.",
            7: "That is half a turn.",
        },
    ),
    "pairs-of-the-empty-board": Guess(
        8,
        "There are always eight pairs, equal ones among them: the boards look alike, the policies need not.",
        {
            1: "The eight boards look alike, but each has a policy of its own, and the number of pairs is always the same."
        },
    ),
}
