"""Guesses of notebook 13. tests/guesses/notebook_13.py works them out."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "a-tenth-remains": Guess(
        10,
        "9.9 times: the tenth that can't be shared takes as long as ever, and the thousand processors make nearly nothing of the rest.",
        {
            1000: "That would be so if all of it could be shared.",
            900: "Nine tenths of the work are 1,000 times as fast, but the last tenth takes as long as before.",
            100: "The whole can't take less than the tenth that remains.",
        },
        within=0.5,
    ),
    "too-many-letters": Guess(
        100,
        "With n workers it takes 100 / n seconds to play and n / 100 to send. At 100 both take a second; with more of them the letters take longer than they save.",
        {
            10000: "Then a worker plays for a hundredth of a second, but the letters take 100 s: as long as playing alone.",
            1000: "Then playing takes a tenth of a second, and the letters ten.",
            10: "Playing takes ten seconds and the letters a tenth of one: more workers would still help.",
        },
        within=10,
    ),
    "four-iterations-late": Guess(
        "more",
        "Five of its six iterations have learned from games of the untrained network, the sixth from those of the first that had learned.",
        {
            "fewer": "Why should games of an older and weaker player teach more?",
            "about as many": "That is so in the end. But after six iterations the latest games came from the network of the first.",
        },
    ),
    "a-drawn-hex": Guess(
        False,
        "Where one side has no chain, the other's stones wall it off, and a wall from side to side is a chain. (That is Nash's theorem, and as hard as Brouwer's fixed point theorem.)",
        {True: "Try to block X on a full board without making a chain of O's from left to right."},
    ),
    "a-symmetry-of-hex": Guess(
        "half turn",
        "Turned half round, X's sides are still X's, and who touches whom stays the same.",
        {
            "quarter turn": "Then X's sides are O's.",
            "mirror image": "X's sides stay X's. But rows are set to the right, so the diagonal that touches becomes the one that doesn't.",
        },
    ),
    "visits-of-the-winner": Guess(
        3,
        "Two rounds of four simulations: one visit for each of four, then two for each of two.",
        {
            2: "That would be eight simulations shared evenly, and nobody dropped out.",
            5: "A round's share is divided among all who are still in, and two are in at the end.",
            4: "Four simulations in the second round, but two actions share them.",
        },
    ),
    "value-of-the-untried": Guess(
        0.1,
        "The weighted mean is (0.5 · 0.6 - 0.25 · 0.6) / 0.75 = 0.2; four times that and once -0.3, divided by five.",
        {
            0: "A draw? What is known of the position says something else.",
            -0.3: "That is the network's first opinion. Four simulations have been made since.",
            0.2: "That is the mean of what was tried. The network's value has the weight of one simulation beside it.",
            0.18: "That is with a mean weighted by visits. It is weighted by the prior.",
            0.06: "The weights 0.5 and 0.25 have to be divided by their sum.",
        },
        within=0.005,
    ),
}
