"""Guesses of a notebook. tests/guesses/notebook_22.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "planes-of-go": Guess(
        17,
        "One kind of piece, eight positions, two players, and one plane more: 2 · 1 · 8 + 1.",
        {
            16: "And the plane that says whose turn it is.",
            9: "Each of the eight positions needs one plane per player.",
            18: "Whose turn it is takes one plane, not one per player.",
        },
    ),
    "weights-of-a-convolution": Guess(
        36864,
        "A window of 3 x 3 over 64 channels has 576 weights, and each of the 64 new channels has a kernel of its own: 9 · 64 · 64.",
        {
            576: "That is one kernel: 9 cells of 64 channels. And there are 64 of them.",
            4096: "That is 64 · 64. But each window has nine cells.",
            36928: "That counts 64 biases, too.",
        },
    ),
    "mode-remembered-late": Guess(
        "lower",
        "Each question in training mode moved the running mean and variance towards the boards of this one search, and `eval()` uses them.",
        {"as before": "The weights are as before. But what else does batch norm keep, and who changes it?"},
    ),
}
