"""Define the guesses of one notebook; tests/guesses/notebook_05.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "value-loss-of-five-games": Guess(
        False,
        "All five games began on the empty board, but they did not all end alike. So the same board has two different "
        "outcomes, and the network can give only one number for it.",
        {
            True: "A network that is large enough can learn a number for each board by heart. "
            "But is there one right number for each board?"
        },
    ),
    "learning-against-searching": Guess(
        "trained",
        "The untrained network with ten simulations is right in about 84 %. "
        "The trained one alone passes that after two iterations.",
        {
            "search": "Before training that is true: about 84 % with search, 44 % alone. "
            "But the network learns what the search finds."
        },
    ),
}
