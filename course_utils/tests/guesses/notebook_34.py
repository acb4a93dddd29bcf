"""Define the guesses of one notebook; tests/guesses/notebook_34.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "points-for-the-lesson": Guess(
        7.4,
        "With four simulations most moves were never tried, "
        "and the shares of visits treat these moves as worth nothing.",
        {
            0: "The search is the same. But four visits say much less than the four values that they brought back.",
            1.6: "That is the gain with 32 simulations.",
        },
        within=1.5,
    ),
    "visits-of-the-winner": Guess(
        3,
        "There are two rounds of four simulations: one visit for each of the four moves, "
        "then two for each of the last two.",
        {
            2: "That would be eight simulations shared evenly. But half of the moves drop out on the way.",
            5: "The second round has four simulations. Two moves are still in: how many for each?",
            4: "The second round has four simulations, but two moves share them.",
        },
    ),
    "value-of-the-untried": Guess(
        0.1,
        "The weighted mean is (0.5 · 0.6 - 0.25 · 0.6) / 0.75 = 0.2; four times that and once -0.3, divided by five.",
        {
            0: "0 would be a draw. But the network and the four simulations have told us something about the position.",
            -0.3: "That is the network's first opinion. But four simulations have been made since.",
            0.2: "That is the mean of what was tried. The network's value counts as one more simulation.",
            0.18: "You have weighted the mean by the visits. It is weighted by the prior.",
            0.06: "The weights 0.5 and 0.25 have to be divided by their sum.",
        },
        within=0.005,
    ),
}
