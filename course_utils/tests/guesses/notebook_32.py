"""Define the guesses of one notebook; tests/guesses/notebook_32.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "mode-remembered-late": Guess(
        "lower",
        "Each question in training mode moved the running mean and variance towards the boards of this one "
        "search, and `eval()` uses them.",
        {"as before": "The weights are as before. But what else does batch norm keep, and who changes it?"},
    ),
    "weights-of-a-convolution": Guess(
        36864,
        "A window of 3 x 3 over 64 channels has 576 weights, and each of the 64 new channels has a "
        "kernel of its own: 9 · 64 · 64.",
        {
            576: "That is one kernel: 9 cells of 64 channels. And there are 64 of them.",
            4096: "That is 64 · 64. But each window has nine cells.",
            36928: "That counts 64 biases, too.",
        },
    ),
    "turns-in-two-places": Guess(
        11,
        "Games 0 and 1 begin together. Game 0 is over after 5 turns, so game 2 takes its place in the sixth and makes "
        "its 6 moves by the eleventh.",
        {
            20: "That is one game after the other. But in a turn every game under way makes a move.",
            9: "With three places it would be 9, the length of the longest game. "
            "Here the third game has to wait for a place.",
            15: "Game 2 need not wait for game 1, because game 0 leaves its place after 5 turns.",
            10: "Game 2 begins in the sixth turn. In which is its sixth move?",
        },
    ),
    "block-of-zeros": Guess(
        3,
        "The change is 0, the skip adds the input, and ReLU lets a positive number through. So a block that has "
        "learned nothing yet does no harm.",
        {
            0: "That would come out without the skip. But the input is added to the change.",
            6: "The input is added once.",
        },
    ),
    "worth-most": Guess(
        "tower",
        "With as many games, a small network without convolutions falls furthest behind. "
        "But it plays them in a fraction of the time.",
        dict.fromkeys(
            ("mirror images", "cut", "root value", "average", "openings"),
            "Leaving out the tower costs more.",
        ),
    ),
}
