"""Define the guesses of one notebook; tests/guesses/notebook_35.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "a-tenth-remains": Guess(
        10,
        "9.9 times: the tenth that can't be shared takes as long as ever, "
        "and the thousand processors make nearly nothing of the rest.",
        {
            1000: "That would be so if all of it could be shared.",
            900: "Nine tenths of the work are 1,000 times as fast, but the last tenth takes as long as before.",
            100: "The whole can't take less than the tenth that remains.",
        },
        within=0.5,
    ),
    "too-many-letters": Guess(
        100,
        "With n workers it takes 100 / n seconds to play and n / 100 to send. At 100 both take a second; with more of "
        "them the letters take longer than they save.",
        {
            10000: "Then a worker plays for a hundredth of a second, "
            "but the letters take 100 s: as long as playing alone.",
            1000: "Then playing takes a tenth of a second, and the letters ten.",
            10: "Playing takes ten seconds and the letters a tenth of one: more workers would still help.",
        },
        within=10,
    ),
    "four-iterations-late": Guess(
        "more",
        "Five of its six iterations have learned from games of the untrained network, the sixth from those of the "
        "first that had learned.",
        {
            "fewer": "Why should games of an older and weaker player teach more?",
            "about as many": "That is so in the end. But after six iterations the latest games came "
            "from the network of the first.",
        },
    ),
}
