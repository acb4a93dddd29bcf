"""Guesses of notebook 09."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "columns-minus-one": Guess(
        "the last column",
        "Python counts negative indices from the end, so a line would go on at the other side of the board. Ask `0 <= x` first.",
        {
            "an error": "That would be a help. Only an index beyond the end raises an error.",
            "nothing": "A list has something at -1: Python counts from the end.",
        },
    ),
    "shape-with-a-colon": Guess(
        [2, 2, 9],
        "Every pair of a game and a node: [B, k, A]. For index arrays on both axes it would be [2, 9].",
        {
            (2, 9): "That is the shape with `tree.N[games, nodes]`, where the two are read in pairs.",
            (2, 2): "The last axis, one entry per action, stays.",
        },
    ),
    "added-twice": Guess(
        1,
        "`a[[1, 1]]` is read, 1 is added to both copies, and both are written back to the same place.",
        {2: "`np.add.at(a, [1, 1], 1)` would do that. Here both copies are written back to the same place."},
    ),
    "two-steps-up": Guess(
        0.5,
        "The sign changes once per step: -0.5 at node 2, 0.5 at the root. The player to move at the root is the one at the leaf.",
        {-0.5: "That is what node 2 gets, one step up. The sign changes once more."},
    ),
}
