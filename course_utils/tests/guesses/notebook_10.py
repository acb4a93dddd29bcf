"""Define the guesses of one notebook; tests/guesses/notebook_10.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "one-more-look": Guess(
        7,
        "It was never tried, so nothing divides its bonus: 0 + 0.774, against 0.510 for cell 5 and 0.435 for cell 1.",
        {
            1: "Its score is 0.435, and you can beat that: cell 5 has a higher average and a higher prior.",
            5: "It has the best average and the highest prior, but its visit halves its bonus: 0.042 + 0.468 = 0.510.",
        },
        on_board={1: "0.435", 5: "0.510", 7: "0.774"},
    ),
    "good-for-whom": Guess(
        [1, -1],
        "O chose 5 and has won, so the child gets +1. X chose 1 and has lost, so the root gets -1.",
        {
            (-1, -1): "That is X's view in both places. Who chooses at the child?",
            (1, 1): "That is O's view in both places. Who chooses at the root?",
            (-1, 1): "The leaf's value is for X. Flip it before you add it: the child's numbers are O's.",
        },
    ),
    "in-proportion": Guess(
        84,
        "27 of 32 visits are 84 %.",
        {
            33: "One of three would be right if all had the same visits.",
            100: "That would be so if the most visited move were always played.",
            27: "27 is the number of its visits, and there are 32 visits in all.",
        },
        within=1,
        percent=True,
    ),
}
