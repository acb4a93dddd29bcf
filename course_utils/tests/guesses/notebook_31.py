"""Define the guesses of one notebook; tests/guesses/notebook_31.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "shape-with-a-colon": Guess(
        [2, 2, 9],
        "Every pair of a game and a node: [B, k, A]. For index arrays on both axes it would be [2, 9].",
        {
            (2, 9): "That is the shape with `tree.N[games, nodes]`, where the two are read in pairs.",
            (2, 2): "The last axis, one entry per action, stays.",
        },
    ),
    "two-steps-up": Guess(
        0.5,
        "The sign changes once per step: -0.5 at node 2, 0.5 at the root. "
        "The player to move at the root is the one at the leaf.",
        {-0.5: "That is what node 2 gets, one step up. The sign changes once more."},
    ),
    "full-column": Guess(
        [7, 0],
        "0111 + 0001 = 1000: the carry ends in the gray bit above column 1, bit 7, "
        "which is in no slot. No stone is left.",
        {
            (6, 1): "Bit 6 is the top cell of column 1, and taken. The carry goes one further.",
            (7, 1): "Bit 7 is right. It is a gray bit: is it in the slot of column 1?",
            (3, 0): "That is its place in the column. Which number does the bit above column 1 have?",
            (8, 0): "Bit 8 is the lowest of column 2. The carry ends one before.",
        },
    ),
    "rounds-of-select": Guess(
        [4, 1],
        "A walk of three levels takes three rounds to get there and one to find no child. In the second round two "
        "walk, and so in the third; then one.",
        {
            (3, 1): "Three rounds bring it three levels down. There it looks for its best action once more.",
            (4, 4): "The games that have arrived have left the list.",
            (4, 2): "In the third round two are walking: one of them arrives there.",
        },
    ),
    "calls-in-lock-step": Guess(
        31,
        "Once for all roots, and once per simulation, for all games together.",
        {
            30: "One call per simulation, and one before: the roots.",
            9300: "That many positions at most are judged, 31 in each game. But games share their calls.",
            9000: "That many simulations are made. But games share their calls, one per simulation.",
        },
    ),
}
