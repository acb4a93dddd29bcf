"""Define the guesses of one notebook; tests/guesses/notebook_13.py computes their answers."""

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
            (1, -1, 1): (
                "The value belongs to the player to move at the leaf; the leaf's W to the player who moved into it."
            ),
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
            "rises": "A bandit's best arm gets more and more. But here the arms change: "
            "the openings turn out to be worth the same.",
            "stays": "The opponent's replies get better, and with them the means of the openings change.",
        },
    ),
    "half-judge-half-rollout": Guess(
        -0.3,
        "X has won, so the rollout is -1 for O, who is to move. The judge speaks for O, too: (0.4 - 1) / 2 = -0.3.",
        {
            0.7: "That would be (0.4 + 1) / 2. But O is to move, and X has won.",
            0.3: "The judge's 0.4 is for the player to move at the leaf, as the rollout's -1 is. Which is larger?",
            -0.6: "That is the sum. With λ = 0.5 each of them counts half.",
        },
    ),
}
