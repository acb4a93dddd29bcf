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
    "random-weights-under-search": Guess(
        "no clear difference",
        "The uniform network lies within the ten random ones, of which some do better and some do worse: a single one of them decides nothing.",
        {
            "fewer": "Their mean is about the same as that of no network; some of the ten draw more, some fewer.",
            "more": "Some of the ten do; others draw fewer. The uniform network lies between them.",
        },
    ),
    "fifty-against-a-thousand": Guess(
        0,
        "It loses no line of play at all, whoever plays against it: that was proven by a walk, so no match could say otherwise.",
        {20: "Half of them would be an even match. But the trained network has no losing line."},
    ),
    "seeds-or-sets": Guess(
        "larger",
        "The same hyperparameters with another seed differ more than two sets do on average: one run of each ranks luck.",
        {"smaller": "That is what one run per set takes for granted. Look at K, whose runs go from 17 % to 100 %."},
    ),
    "policy-loss-of-the-schedule": Guess(
        False,
        "It stays near 1.6. As printed, an iteration takes about 500 small steps, and what a rejected candidate has learned is thrown away.",
        {
            True: "That is what the text expects. But the value loss and the rejected candidates, which it expects, too, say nothing of strength."
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
        94,
        "It lost 2 of 32. Alpha-beta sees six moves ahead, and only counts open runs there; the agent has learned what becomes of them.",
        {84: "So the thesis' agent did: 84 of 100, with twice the simulations and from other openings."},
        within=6,
        percent=True,
    ),
}
