"""Define the guesses of the notebooks: `notebook_NN.py` holds `GUESSES`, a table from name to Guess.

Names are unique over the course.
"""

from dataclasses import dataclass, field

OUR_POSITION = "X.OOO.X.X"  # row by row


@dataclass(frozen=True)
class Guess:
    """A question that a text asks before a cell answers it.

    Attributes:
        answer: a number, True or False, a word, or a list of these. A word is one of those that the question offers.
        why: one or two sentences; shown with the right answer.
        wrong: answer -> why it is tempting, and what speaks against it. A list is written as a tuple here.
            Of a question that offers words, every other word stands here.
        within: how far off a number may be, for answers that are rounded or estimated.
        percent: whether the question asks for percent, so that a share below 1 is no answer to it.
        share: whether it asks for a number between 0 and 1, so that percent are none.
        on_board: cell -> what is written there when the answer is shown on our position; empty: no picture.
    """

    answer: object
    why: str
    wrong: dict = field(default_factory=dict)
    within: float = 1e-9
    percent: bool = False
    share: bool = False
    on_board: dict[int, str] = field(default_factory=dict)
