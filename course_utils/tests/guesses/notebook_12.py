"""Guesses of notebook 12. Most answers come from the record: tests/guesses/notebook_12.py reads them there."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "twenty-of-twenty": Guess(
        84,
        "A player whose true share is 84 % wins 20 of 20 in about 3 of 100 matches: that can't be ruled out.",
        {
            100: "That is the textbook interval: one point, as if 20 games proved that the player never loses.",
            95: "The 95 in 95 % is how often such intervals are right, not where they begin.",
        },
        within=1,
        percent=True,
    ),
    "ninety-one-of-a-hundred": Guess(
        400,
        "91 to 9 is about ten to one, and ten to one is 400 points.",
        {
            91: "Elo is no percentage: 400 points are ten to one.",
            1000: "That would be about 300 to 1.",
            200: "200 points are about three to one: 76 of 100.",
        },
        within=20,
    ),
    "two-hundred-against-two-hundred": Guess(
        24,
        "It draws 148 and loses 28. To win, a player of tic-tac-toe needs an opponent who errs, and 200 rollouts err seldom.",
        {
            150: "That would be most of them, as the course expects. Most are drawn.",
            100: "Half of them? Most are drawn.",
        },
        within=15,
    ),
    "seeds-or-sets": Guess(
        "larger",
        "Runs of the same hyperparameters differ more than the means of the sets do: one run of each ranks luck.",
        {"smaller": "That is what one run per set takes for granted. Look at K, whose runs go from 17 % to 100 %."},
    ),
    "unbeatable-after-the-schedule": Guess(
        0,
        "Each loses at least one line of play. Their losses and draws look right, but these come from the few positions that self-play meets.",
        {
            10: "So the course expects. Draws in self-play say that a network can't beat itself.",
            5: "All with 20 x 100 games? Those come close: they lose 1 to 8 lines each.",
        },
    ),
    "what-does-not-stand-out": Guess(
        "no root noise",
        "Its runs overlap with the plain ones: at temperature 1 the games vary without noise, too.",
        {
            "no symmetries": "All its runs lose more lines than any plain one: eight times fewer examples, in so short a run.",
            "8 simulations": "It stands out most: with eight simulations for nine moves the visits say little more than the prior.",
            "greedy from the start": "All its runs lose more lines than any plain one: the noise alone must bring variety into the games.",
        },
    ),
    "few-fatal-moves": Guess(
        19,
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
        91,
        "It lost 3 of 32. Alpha-beta sees six moves ahead, and only counts open runs there; the agent has learned what becomes of them.",
        {84: "So the thesis' agent did: 84 of 100, with twice the simulations and from other openings."},
        within=6,
        percent=True,
    ),
}
