"""Define the guesses of one notebook; tests/guesses/notebook_41.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "three-wins-two-losses": Guess(
        True,
        "Only five games were decided, and the candidate won three of them: that is 60 %.",
        {False: "Draws don't count, so the share is 3 of 5, not 3 of 40."},
    ),
    "twenty-of-twenty": Guess(
        84,
        "A player whose true share is 84 % wins 20 of 20 in about 3 of 100 matches: that can't be ruled out.",
        {
            100: "That is the textbook interval, a single point, as if 20 games proved that the player never loses.",
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
    "seeds-or-sets": Guess(
        "larger",
        "Runs of the same hyperparameters differ more than the means of the sets do: one run of each ranks luck.",
        {"smaller": "That is what one run per set takes for granted. Look at K, whose runs go from 17 % to 100 %."},
    ),
    "what-does-not-stand-out": Guess(
        "no root noise",
        "Its runs overlap with the plain ones: at temperature 1 the games vary without noise, too.",
        {
            "no symmetries": "All its runs lose more lines than any plain one: "
            "eight times fewer examples, in so short a run.",
            "8 simulations": "It stands out most: with eight simulations for nine moves the visits say "
            "little more than the prior.",
            "greedy from the start": "All its runs lose more lines than any plain one: the noise alone must bring "
            "variety into the games.",
        },
    ),
    "weak-spots-by-chance": Guess(
        "a handful",
        "One or two in a thousand. The positions of the benchmark were chosen because some move is wrong there. In a "
        "game most positions are not like that, and a wrong move costs the win only if the "
        "opponent knows what to do next.",
        {
            "none": "Chance stumbles on one now and then: the agent alone does make mistakes.",
            "dozens": "That would be one game in a hundred.",
            "hundreds": "If it were wrong in four of a hundred positions of every game, it would be more than a "
            "thousand. But the positions of the benchmark are harder than those of a game.",
        },
    ),
    "an-untried-reply": Guess(
        0.1,
        "The untried reply is worth 0 to the opponent, which is more than -0.8. So the target is 0, and the entry goes "
        "half of the way from 0.2 to 0.",
        {
            0.5: "That would be half of the way to 0.8. The opponent need not choose among the replies that were "
            "tried: the other one is worth 0.",
            -0.3: "The minus is missing, and the reply that was never tried is forgotten.",
            0: "0 is the target. The entry moves only half of the way there.",
        },
    ),
}
