"""Judge a guess: `tests.guess("next-arm", 3)` says whether it is right, and why.

It never raises, and records nothing.
"""

import importlib
import math
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from course_utils.tests.guesses import OUR_POSITION, Guess
from course_utils.tests.looks import boards, drawn
from course_utils.tests.render import as_box, prose

WHICH_WAY = ("The answer is a", "It is something else")
TYPE_IT = "type your guess in place of the three dots, and run the cell again"


@cache
def guesses() -> dict[str, Guess]:
    """Collect the guesses of all notebooks by name."""
    by_name: dict[str, Guess] = {}
    for path in sorted((Path(__file__).parent / "guesses").glob("notebook_*.py")):
        by_name |= importlib.import_module(f"course_utils.tests.guesses.{path.stem}").GUESSES
    return by_name


@dataclass(frozen=True)
class Verdict:
    """Hold the verdict on a guess.

    Attributes:
        right: None if nothing was judged: no guess yet, or not one of the offered answers.
        answer: the right answer with its reason; folded after a wrong guess, so that the learner can guess again.
        picture: HTML, shown beside the answer.
    """

    name: str
    right: bool | None
    message: str
    answer: str = ""
    picture: str = ""

    def __repr__(self) -> str:
        """Format for a terminal. It can't fold the answer, so it leaves out the hint just above it."""
        sign = {True: "RIGHT  ", False: "NO  ", None: ""}[self.right]
        message = "" if self.answer and self.message.startswith(WHICH_WAY) else self.message
        return sign + "\n  ".join(line for line in (message, self.answer) if line)

    def _repr_html_(self) -> str:
        sign = {True: "✓ Right. ", False: "✗ No. ", None: ""}[self.right]
        parts = [f"<p style='margin:0'><strong>{sign}</strong>{prose(self.message)}</p>"]
        if self.answer:
            parts.append(f"<details><summary>The answer</summary>{prose(self.answer)}{self.picture}</details>")
        else:
            parts.append(self.picture)
        return as_box(f"guess: {self.name}", self.right, parts)


def guess(name: str, *answer) -> None:
    """Show whether `answer` is right. Several answers are taken as a list, and `...` asks for a guess."""
    from IPython.display import display

    display(judge(name, *(answer if len(answer) < 2 else [list(answer)])))


def judge(name: str, answer=...) -> Verdict:
    """Judge `answer`, which may be any object."""
    if name not in guesses():
        near = get_close_matches(str(name), guesses(), n=1)
        return Verdict(
            str(name), None, f"no guess is called `{name}`" + (f"; did you mean `{near[0]}`?" if near else "")
        )
    if answer is ...:
        return Verdict(name, None, TYPE_IT)
    asked, given = guesses()[name], _plain(answer)
    right = _plain(asked.answer)
    if same(given, right, asked.within):
        return Verdict(name, True, asked.why, picture=_picture(asked))
    tempting = next((why for wrong, why in asked.wrong.items() if same(given, wrong, asked.within)), "")
    if not tempting and _rounded(right, given):
        return Verdict(name, True, asked.why, picture=_picture(asked))
    tempting = tempting or next((why for wrong, why in asked.wrong.items() if _rounded(wrong, given)), "")
    if not tempting and asked.percent and isinstance(given, float) and 0 < given < 1:
        return Verdict(name, None, "type it in percent")
    if not tempting and asked.share and isinstance(given, float) and given > 1:
        return Verdict(name, None, "type it as a number between 0 and 1")
    if not tempting and (isinstance(right, str) or type(given) is not type(right)):
        return Verdict(name, None, _wanted(asked, right))
    return Verdict(
        name, False, tempting or _which_way(given, right), f"{_shown(asked.answer)}. {asked.why}", _picture(asked)
    )


def _picture(asked: Guess) -> str:
    """Draw the answer on the board of the running position, as HTML; "" if the guess has no board."""
    if not asked.on_board:
        return ""
    board = boards.board(3, 3, OUR_POSITION) | {"numbers": [asked.on_board.get(cell, "") for cell in range(9)]}
    if isinstance(asked.answer, int) and asked.answer in asked.on_board:
        board["mark"] = list(divmod(asked.answer, 3))
    return f"<div class='pics'><figure class='right'>{drawn.drawn(board)}</figure></div>"


def _rounded(number, given) -> bool:
    """Check whether a guess is this number rounded to at least two digits: 0.67 for 0.667, but not 0.7."""
    if not isinstance(given, float) or isinstance(number, bool | str | list | tuple):
        return False
    whole, _, decimals = f"{given:.12g}".partition(".")
    return len(f"{whole}{decimals}".lstrip("-0")) > 1 and round(number, len(decimals)) == given


def _which_way(given, right) -> str:
    """Say in which direction the answer lies from a wrong guess that has no explanation."""
    if isinstance(given, float) and isinstance(right, float) and not math.isnan(given):
        return f"The answer is a {'higher' if given < right else 'lower'} number."
    return "It is something else."


def _wanted(asked: Guess, right) -> str:
    """Say which kind of answer the question takes."""
    if isinstance(right, str):
        return "choose one of these: " + ", ".join(f'`"{word}"`' for word in sorted({asked.answer, *asked.wrong}))
    if isinstance(right, list):
        return "type a list in brackets, such as [1, 2]"
    return "type True or False" if isinstance(right, bool) else "type a number"


def _shown(answer) -> str:
    return ", ".join(map(str, answer)) if isinstance(answer, list | tuple) else str(answer)


def same(given, wanted, within: float = 1e-9) -> bool:
    """Compare two answers however they are written: 3, 3.0 and "3"; "Left" and "left"; a list and an array."""
    given, wanted = _plain(given), _plain(wanted)
    if isinstance(given, list) and isinstance(wanted, list):
        return len(given) == len(wanted) and all(same(a, b, within) for a, b in zip(given, wanted, strict=True))
    if isinstance(given, float) and isinstance(wanted, float):
        return math.isclose(given, wanted, rel_tol=1e-9, abs_tol=within)
    return type(given) is type(wanted) and given == wanted


def _plain(answer) -> bool | float | str | list:
    """Turn an answer into a bool, a float, a word in lower case, or a list of these."""
    if hasattr(answer, "tolist") and not isinstance(answer, type):  # an array or a number of numpy
        answer = answer.tolist()
    if isinstance(answer, list | tuple):
        return [_plain(entry) for entry in answer]
    if isinstance(answer, bool):
        return answer
    try:
        return float(answer.rstrip(" %") if isinstance(answer, str) else answer)
    except (TypeError, ValueError, OverflowError):
        words = " ".join(str(answer).casefold().split())
        return {"true": True, "yes": True, "false": False, "no": False}.get(words, words)
