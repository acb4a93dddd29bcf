"""Define the guesses of one notebook; tests/guesses/notebook_03.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "next-visit": Guess(
        7,
        "Its prior is the lowest, but it was never tried, so nothing divides its bonus: "
        "Q + U = 0 + 0.949, against 0.839 and 0.556.",
        {
            1: "1 has the best mean, 0.5, but six visits have used up most of its U: 0.5 + 0.339 = 0.839.",
            5: "5 is second in both its mean value and its bonus: 0.2 + 0.356 = 0.556.",
        },
        on_board={1: "0.839", 5: "0.556", 7: "0.949"},
    ),
    "added-to-w": Guess(
        [1, -1],
        "At the child it was O who chose, and O has won: +1. At the root it was X who chose, and X has lost: -1.",
        {
            (-1, 1): "-1 is what the leaf is worth to X. But who chose at the child, and is that player happy?",
            (-1, -1): "X and O can't both be sad: what is good for one is bad for the other.",
            (1, 1): "X and O can't both be happy: what is good for one is bad for the other.",
        },
    ),
    "after-four": Guess(
        [1, 1, 2],
        "Q(7) is 1 now, so move 7 scores 1.447, against 0.504 and 0.582: the search goes there again.",
        {
            (1, 2, 1): "5 scores higher than 1, but what is the average of 7 after a win?",
            (2, 1, 1): "Add up Q + U for each: what is the average of 7 after a win?",
            (1, 1, 1): (
                "These are the visits after three simulations. The fourth is backed up, too, "
                "even though it adds no node."
            ),
        },
        on_board={1: "1", 5: "1", 7: "2"},
    ),
    "right-with-25": Guess(
        90,
        "Twenty-five simulations are enough for nearly every win and block, "
        "although the network knows nothing about the game.",
        {
            41: "The network stays as it is, but the search knows the rules, "
            "and sees wins and losses a few moves ahead.",
            100: "Some positions need more simulations, because the moves that decide them "
            "are four or five moves deep.",
        },
        within=6,
        percent=True,
    ),
}
