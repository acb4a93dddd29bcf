"""Guesses of a notebook. tests/guesses/notebook_05.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "value-loss-of-five-games": Guess(
        False,
        "All five games began on the empty board, but they did not all end alike. So for one and the same board there are two outcomes, and the network can give only one number.",
        {
            True: "A network that is large enough can learn a number for each board by heart. But is there one right number for each board?"
        },
    ),
    "three-wins-two-losses": Guess(
        True,
        "Only five games were decided, and the candidate won three of them: that is 60 %.",
        {False: "Draws don't count, so the share is 3 of 5, not 3 of 40."},
    ),
    "after-a-rejection": Guess(
        "candidate",
        "The champion only plays the games. The candidate keeps what it has learned, goes on learning, and may pass next time.",
        {
            "champion": "That would throw away every step since the last success. The gate decides who plays, not who learns."
        },
    ),
    "learning-against-searching": Guess(
        "trained",
        "The untrained network with ten simulations is right in about 84 %. The trained one alone passes that after two iterations.",
        {
            "search": "Before training that is true: about 84 % with search, 44 % alone. But the network learns what the search finds."
        },
    ),
}
