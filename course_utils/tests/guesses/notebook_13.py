"""Guesses of a notebook. tests/guesses/notebook_13.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "uct-next-child": Guess(
        "C",
        "C has a mean of 1 and one visit, and its bonus grew with the parent's visit: 2.665. A has fallen to 1.677.",
        {
            "A": "A has lost, and has two visits now: both terms fell, to 0.5 + 1.177 = 1.677.",
            "B": "B's bonus grew, to 1.665, but its mean is 0. C has the same bonus and a mean of 1.",
        },
    ),
    "uct-twice-as-wide": Guess(
        2.828,
        "2√2: the constant has the unit of the results. So √2 explores only half as much with results from -1 to 1.",
        {
            1.414: "The means lie twice as far apart now, so the same bonus counts half as much.",
            0.707: "It is the other way round: the bonus must grow with the means.",
            2: "Twice √2 is 2√2 = 2.83.",
        },
        within=0.03,
    ),
    "signs-on-the-way-up": Guess(
        [-1, 1, -1],
        "O moved into the leaf, X into its parent, O into the grandparent.",
        {
            (
                1,
                -1,
                1,
            ): "The value belongs to the player to move at the leaf; the leaf's W to the player who moved into it.",
            (1, 1, 1): "What is good for X is bad for O, and they take turns.",
            (-1, -1, -1): "What is good for X is bad for O, and they take turns.",
        },
    ),
    "nodes-after-100": Guess(
        101,
        "The root, and one node per simulation: so early no simulation meets a finished game.",
        {
            100: "One node per simulation, and the root was there before.",
            900: "A simulation adds one node, not a child for every action.",
        },
    ),
    "share-of-the-center": Guess(
        "falls",
        "The better the replies, the more equal the nine openings look: all are draws.",
        {
            "rises": "A bandit's best arm gets more and more. But here the arms change: the openings turn out to be worth the same.",
            "stays": "The opponent's replies get better, and with them the means of the openings change.",
        },
    ),
    "three-final-moves": Guess(
        ["A", "B", "C"],
        "A has most visits, and B has the highest mean. The lower bounds are 0.30 - 0.16 = 0.14, 0.50 - 0.50 = 0 and 0.38 - 0.20 = 0.18: C.",
        {
            ("A", "B", "A"): "The lower bounds are W / N - 1 / √N: A 0.30 - 0.16 = 0.14. What is C's?",
            ("A", "B", "B"): "B was visited four times: 1 / √4 is 0.5, and nothing is left of its mean.",
        },
    ),
}
