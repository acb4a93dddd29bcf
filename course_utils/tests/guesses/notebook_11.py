"""Define the guesses of one notebook; tests/guesses/notebook_11.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "darts-for-a-digit": Guess(
        100,
        "The error shrinks with the square root of the number of darts: √100 = 10.",
        {
            10: "That would be so if the error shrank with the number of darts. It shrinks with its square root.",
            20: "Twice ten is not ten times ten: the error shrinks with the square root of the number of darts.",
        },
    ),
    "greedy-share": Guess(
        0.91,
        "It is greedy in 0.9 of the steps, and the random pick hits the best-looking arm in "
        "one of ten: 0.9 + 0.1 / 10.",
        {
            0.9: "That is the share if the random pick is among the other arms only. "
            "Here it may be the best-looking arm, too.",
            0.1: "That is how often it explores.",
            0.01: "That is the share of each other arm.",
        },
        within=0.0005,
        share=True,
    ),
    "ucb-next-arm": Guess(
        2,
        "Its bonus is 2 √(ln 52 / 2) = 2.81. Arm 0 has 1.0 + 1.26 = 2.26, arm 1 has 1.2 + 0.63 = 1.83: "
        "the least known arm wins, for now.",
        {
            1: "Arm 1 has the highest mean, but after 40 pulls hardly any bonus: 1.2 + 0.63 = 1.83.",
            0: "Arm 0 has 1.0 + 1.26 = 2.26, more than arm 1; but another arm was pulled far less often.",
        },
    ),
    "ucb-in-cents": Guess(
        200,
        "C has the unit of the reward: means 100 times as large need a bonus 100 times as large.",
        {
            2: "Then the means, 100 times as large, would drown the bonus: it would be almost greedy.",
            0.02: "It is the other way round: the bonus must keep up with the means.",
            20: "The square root is over ln t / N, which does not change. The means are 100 times as large, not 10.",
        },
    ),
}
