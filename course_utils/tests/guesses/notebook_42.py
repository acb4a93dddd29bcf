"""Guesses of a notebook. tests/guesses/notebook_42.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "two-hundred-against-two-hundred": Guess(
        24,
        "It draws 148 and loses 28. To win, a player of tic-tac-toe needs an opponent who errs, and 200 rollouts err seldom.",
        {
            150: "That would be most of them, as the course expects. Most are drawn.",
            100: "Half of them? Most are drawn.",
        },
        within=15,
    ),
    "unbeatable-after-the-schedule": Guess(
        0,
        "Each loses at least one line of play. Their losses and draws look right, but these come from the few positions that self-play meets.",
        {
            10: "So the course expects. Draws in self-play say that a network can't beat itself.",
            5: "All with 20 x 100 games? Those come close: they lose 1 to 8 lines each.",
        },
    ),
    "few-fatal-moves": Guess(
        17,
        "A game is lost by one mistake, and most mistakes are not fatal at once: they let the opponent make a fork.",
        {97: "A move that does not lose at once may still lose: to a fork, two moves later."},
        within=6,
    ),
    "loss-of-the-thesis": Guess(
        0,
        "The policy is learned from visits that leave room for several moves: their entropy is a floor, and lies above 0.36.",
        {5: "With time a loss falls, but not below the entropy of what is to be learned, however good the network is."},
    ),
    "depth-six": Guess(
        94,
        "It won 30 of 32, and lost 2. Alpha-beta sees six moves ahead, and only counts open runs there; the agent has learned what becomes of them.",
        {84: "So the thesis' agent did: 84 of 100, with twice the simulations and from other openings."},
        within=6,
        percent=True,
    ),
}
