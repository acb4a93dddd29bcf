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
        "each",
        "Against chance a wrong prior costs wins that even priors find. Against perfect play the ten lie on both sides of no network.",
        {
            "some": "So it is against perfect play, in the figure above. Against chance all ten lie on one side.",
            "none": "A prior that is wrong hides good moves; even priors hide none.",
        },
    ),
    "a-hundred-against-a-thousand": Guess(
        1,
        "It loses one and draws the rest: a search of a hundred looks sees most of what a game of tic-tac-toe can spring on it.",
        {
            20: "So many are lost by the random weights of this table: half. Even priors are better than wrong ones.",
            40: "All, against ten times as many looks? Most games between searches of such size are drawn.",
        },
        within=3,
    ),
    "seeds-or-sets": Guess(
        "larger",
        "Runs of the same hyperparameters differ more than the means of the sets do: one run of each ranks luck.",
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
        91,
        "It lost 3 of 32. Alpha-beta sees six moves ahead, and only counts open runs there; the agent has learned what becomes of them.",
        {84: "So the thesis' agent did: 84 of 100, with twice the simulations and from other openings."},
        within=6,
        percent=True,
    ),
}
