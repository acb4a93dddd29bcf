"""Define the guesses of one notebook; tests/guesses/notebook_06.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "who-beats-random": Guess(
        "the shipped agent",
        "Counted over all games, with both colors: 94 % against 90 %. Perfect play expects a perfect opponent: of the "
        "moves that draw it takes the first, and does not ask which of them makes opponents err "
        "more often. A search does.",
        {
            "perfect play": "It never loses. But it makes no attempt to win a drawn position, "
            "since it expects perfect replies.",
        },
    ),
}
