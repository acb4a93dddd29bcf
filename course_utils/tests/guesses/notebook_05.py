"""Guesses of a notebook. tests/guesses/notebook_05.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "value-loss-of-five-games": Guess(
        False,
        "All five games begin on the empty board and did not all end alike: one board, two outcomes, and one number to say.",
        {True: "A large enough network can learn each board's number by heart. But is there one number for each?"},
    ),
    "three-wins-two-losses": Guess(
        True,
        "Five games were decisive, and the candidate won three: 60 %.",
        {False: "Draws don't count: 3 of 5, not 3 of 40."},
    ),
    "after-a-rejection": Guess(
        "candidate",
        "Only the games are played by the champion. The candidate keeps what it has learned, and may pass next time.",
        {
            "champion": "That would throw away every step since the last success. The gate decides who plays, not who learns."
        },
    ),
    "learning-against-searching": Guess(
        "trained",
        "The untrained network with ten simulations is right in about 84 % (with even priors, in the notebook 'PUCT search', in 81 %). The trained one alone passes that after two iterations.",
        {
            "search": "So it is before training: about 84 % with search, 44 % alone. But the network learns what search finds."
        },
    ),
}
