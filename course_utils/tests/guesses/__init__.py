"""Define the guesses of the notebooks: `notebook_NN.py` holds `GUESSES`, a table from name to Guess.

Names are unique over the course.
"""

from dataclasses import dataclass, field

OUR_POSITION = "X.OOO.X.X"  # row by row


@dataclass(frozen=True)
class Guess:
    """Describe a question that a notebook asks before a cell answers it.

    Attributes:
        answer: a number, True or False, a word, or a list of these. A word is one of those that the question offers.
        why: one or two sentences; shown with the right answer.
        wrong: answer -> why it is tempting, and why it is wrong. A list is written as a tuple. If the question offers
            words, each of the other words has an entry.
        within: how far off a number may be, for answers that are rounded or estimated.
        percent: whether the question asks for percent. A guess between 0 and 1 then gets a hint instead of a verdict.
        share: whether the question asks for a number between 0 and 1. A guess above 1 then gets a hint.
        on_board: cell -> text on that cell when the answer is shown on the running position; empty: no picture.
    """

    answer: object
    why: str
    wrong: dict = field(default_factory=dict)
    within: float = 1e-9
    percent: bool = False
    share: bool = False
    on_board: dict[int, str] = field(default_factory=dict)
