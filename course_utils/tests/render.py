"""A report as text and as HTML. Both say the same; the HTML follows the notebook's light or dark theme."""

from html import escape
from typing import Any

from course_utils.deadline import TookTooLong
from course_utils.tests.case import Outcome, Raises, Such, show
from course_utils.tests.grade import Report
from course_utils.tests.slips import by_error, certain, difference, found, learners_line, refused


def _expected(outcome: Outcome) -> str:
    expected = outcome.case.expected
    if isinstance(expected, Such):
        return expected.text
    if isinstance(expected, Raises):
        mention = f" whose message mentions {', '.join(expected.mentions)}" if expected.mentions else ""
        return f"raises {expected.kind.__name__}{mention}"
    return show(expected)


def _got(outcome: Outcome) -> str:
    if isinstance(outcome.value, str) and outcome.value == outcome.complaint:  # a case whose value is what is wrong
        return shorten(outcome.complaint)
    if outcome.complaint.startswith(NOT_ITS_VALUE):
        return outcome.complaint
    return shorten(outcome.got) if outcome.complaint in PLAIN else f"{shorten(outcome.got)}\n({outcome.complaint})"


def _rows(outcome: Outcome) -> list[tuple[str, str]]:
    pair = _differing_lines(outcome.case.expected, outcome.value)
    expected, got = (shorten(pair[0]), shorten(pair[1])) if pair else (shorten(_expected(outcome)), _got(outcome))
    if outcome.complaint.startswith(("took longer", "not run")):
        got = outcome.complaint
    rows = [
        ("position", outcome.case.board),
        ("call", outcome.case.call),
        ("expected", "" if outcome.complaint.startswith(NOT_ITS_VALUE) else expected),
        ("got", got),
        (
            "differs",
            difference(outcome.case.expected, outcome.value, outcome.case.tolerance) if outcome.error is None else "",
        ),
        ("printed", outcome.printed),
    ]
    return [(label, text) for label, text in rows if text]


def _agree(which: str, lines: int) -> str:
    return f"(the {which} line agrees)" if lines == 1 else f"(the {which} {lines} lines agree)"


def _differing_lines(expected: object, value: object) -> tuple[str, str] | None:
    """Of two texts of as many lines, one for each node of a tree, say, those that differ; of others those from the first that does."""
    if not (isinstance(expected, str) and isinstance(value, str)):
        return None
    ours, theirs = expected.splitlines(), value.splitlines()
    if len(ours) != len(theirs):
        alike = next(
            (i for i, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other),
            min(len(ours), len(theirs)),
        )
        told = ["\n".join([_agree("first", alike), *(text[alike:] or ["nothing more"])]) for text in (ours, theirs)]
        return (told[0], told[1]) if alike else None
    pairs = [(one, other) for one, other in zip(ours, theirs, strict=False) if one != other]
    if not 0 < len(pairs) < len(ours):
        return None
    agree = _agree("other", len(ours) - len(pairs))
    return "\n".join([*(one for one, _ in pairs), agree]), "\n".join([other for _, other in pairs])


PLAIN = ("not the same", "an exception", "it is not")  # complaints that say nothing else than that it failed
NOT_ITS_VALUE = ("what it returns shares", "its argument")  # complaints about a call, whatever it returns
LINES = 12  # of one value in a message
DETAILED = 2  # failures shown in full; in a notebook the others fold out


def shorten(text: str) -> str:
    """The first lines of a long value."""
    lines = text.splitlines()
    return text if len(lines) <= LINES else "\n".join([*lines[:LINES], f"... and {len(lines) - LINES} lines more"])


def first_words(report: Report) -> list[str]:
    """What is said before everything else: where the learner's own code raised, whose mistake that is, and Python's slips."""
    words, blame = [], []
    for outcome in report.failures[:DETAILED]:  # what raised in a case that is folded away comes later, if at all
        line = learners_line(outcome.error)
        if line and not isinstance(outcome.error, TookTooLong) and not refused(outcome):
            raised = (
                f"{type(outcome.error).__name__}: {outcome.error}"
                if str(outcome.error)
                else type(outcome.error).__name__
            )
            words.append(f"It raised {raised}, in {line}")
            blame = [note.removeprefix("(").removesuffix(")") for note in getattr(outcome.error, "__notes__", [])]
            break
    if blame and not report.matches:
        return words + blame + list(by_error(report.failures))[:1]
    said = certain(report.source, report.exercise)[:1] if report.matches else slips_of(report)[:2]
    return words + said


def _detailed(report: Report) -> int:
    """How many failures are shown in full: one says it all where every case raises in the same line, or the time ran out."""
    raised = {learners_line(outcome.error) for outcome in report.failures}
    return 1 if report.late or (len(raised) == 1 and "" not in raised) else DETAILED


def slips_of(report: Report) -> list[str]:
    return found(report.source, report.failures, report.exercise) if report.failures else []


def diagnosis(report: Report) -> list[tuple[str, str]]:
    """(sentence, question) for each wrong answer that behaves just like this one.

    A question that several of them share stands behind the last, and the others have "".
    """
    leads = ["This is what you get when", "It could also be that", "It could also be that"]
    entries = list({entry.sentence: entry for entry in report.matches}.values())[: len(leads)]
    last = {entry.question: entry for entry in entries}
    return [
        (f"{lead} {entry.sentence}.", entry.question * (entry is last[entry.question]))
        for lead, entry in zip(leads, entries, strict=False)
    ]


def in_short(report: Report) -> str:
    """For a row of a table: how many cases passed, and the first sentence of what is said of the others."""
    headline = report.headline.partition(": ")[2]
    if report.problem or not report.failures:
        return headline
    said = [sentence for sentence, _ in diagnosis(report)] or first_words(report)
    return f"{headline}. {said[0] if said else _in_a_sentence(report.failures[0])}"


def _in_a_sentence(outcome: Outcome) -> str:
    """A failed case."""
    said = outcome.got if outcome.error is not None else "" if outcome.complaint in PLAIN else outcome.complaint
    said = outcome.complaint if isinstance(outcome.error, TookTooLong) else said
    return f'The case "{outcome.case.name}" fails{": " * bool(said)}{said.partition(chr(10))[0].rstrip(".")}.'


def _points(outcome: Outcome) -> str:
    return f"{outcome.case.points} point{'s' if outcome.case.points != 1 else ''}"


def _questions(report: Report) -> list[str]:
    """The question of the first failed case, unless there is something better to say."""
    if diagnosis(report) or report.late or first_words(report):
        return []
    return [outcome.case.question for outcome in report.failures[:1] if outcome.case.question]


def tell(report: Report) -> dict[str, Any]:
    """All that is said of a report, as plain data (JSON): what a notebook, a terminal and a page of feedback show.

    `detailed` says how many of the failed cases are shown in full where there is little room.
    """
    return {
        "exercise": report.exercise,
        "passed": report.passed,
        "headline": report.headline,
        "words": first_words(report),
        "diagnosis": diagnosis(report),
        "cases": [
            {
                "name": outcome.case.name,
                "points": _points(outcome),
                "passed": outcome.passed,
                "rows": [] if outcome.passed else _rows(outcome),
            }
            for outcome in report.outcomes
        ],
        "detailed": _detailed(report),
        "questions": _questions(report),
        "notes": report.notes,
    }


def as_text(report: Report) -> str:
    """The report for a terminal; the first failures in full, the others by name."""
    return text_of(tell(report))


def as_html(report: Report) -> str:
    """The report for a notebook, the less important folded."""
    return html_of(tell(report))


def text_of(told: dict[str, Any]) -> str:
    lines = [("PASSED  " if told["passed"] else "FAILED  ") + told["headline"]]
    lines += [f"  {words}" for words in told["words"]]
    for sentence, question in told["diagnosis"]:
        lines += [f"  {sentence}", *([f"  Ask yourself: {question}"] if question else [])]
    lines += [f"  passed  {case['name']} ({case['points']})" for case in told["cases"] if case["passed"]]
    for number, case in enumerate(case for case in told["cases"] if not case["passed"]):
        lines.append(f"  FAILED  {case['name']} ({case['points']})")
        for label, text in case["rows"] if number < told["detailed"] else []:
            first, *rest = text.splitlines()
            lines.append(f"            {label:9} {first}")
            lines += [f"            {'':9} {line}" for line in rest]
        lines += [f"  Ask yourself: {question}" for question in told["questions"]] if number == 0 else []
    return "\n".join([*lines, *(f"  {note}" for note in told["notes"])])


_FONT = "var(--jp-ui-font-color1, inherit)"
_FAINT = "var(--jp-ui-font-color2, inherit)"
_GOOD = "var(--jp-success-color1, #2e7d32)"
_BAD = "var(--jp-error-color1, #c62828)"


def prose(text: str) -> str:
    """A sentence as HTML, what stands between backticks as code."""
    pieces = [escape(piece) for piece in text.split("`")]
    if len(pieces) % 2 == 0:  # one backtick is left over
        return escape(text)
    return "".join(f"<code>{piece}</code>" if number % 2 else piece for number, piece in enumerate(pieces))


def as_box(label: str, good: bool | None, parts: list[str]) -> str:
    """Parts of HTML in a box with a bar at its left; `good`: None for neither good nor bad."""
    color = {True: _GOOD, False: _BAD, None: _FAINT}[good]
    return (
        f"<section aria-label='{escape(label, quote=True)}' style='border-left:4px solid {color};padding:6px 12px;"
        f"color:{_FONT}'>{''.join(parts)}</section>"
    )


def html_of(told: dict[str, Any]) -> str:
    """Passed and failed are words and signs, not colors alone. All that was told is escaped."""
    color = _GOOD if told["passed"] else _BAD
    word = "✓ Passed" if told["passed"] else "✗ Failed"
    parts = [
        f"<p style='margin:0 0 6px'><strong style='color:{color}'>{word}</strong> &nbsp;{prose(told['headline'])}</p>"
    ]
    parts += [f"<p style='margin:4px 0'><strong>{prose(words)}</strong></p>" for words in told["words"]]
    for sentence, question in told["diagnosis"]:
        then = f"<br><em>Ask yourself: {prose(question)}</em>" if question else ""
        parts.append(f"<p style='margin:4px 0'><strong>{prose(sentence)}</strong>{then}</p>")
    failed = [case for case in told["cases"] if not case["passed"]]
    shown = [_failure(case) for case in failed[: told["detailed"]]]
    asked = [f"<p style='margin:6px 0'><em>Ask yourself: {prose(question)}</em></p>" for question in told["questions"]]
    parts += [*shown[:1], *asked, *shown[1:]]
    parts += _folded(failed[told["detailed"] :], [case for case in told["cases"] if case["passed"]]) if failed else []
    parts += [f"<p style='margin:6px 0 0;color:{_FAINT}'>{prose(note)}</p>" for note in told["notes"]]
    return as_box(f"check of {told['exercise']}", told["passed"], parts)


def _failure(case: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><th scope='row' style='text-align:left;vertical-align:top;padding:1px 12px 1px 0;font-weight:normal;"
        f"color:{_FAINT};background:none'>{escape(label)}</th>"
        "<td style='text-align:left;padding:1px 0;background:none'>"
        f"<pre style='margin:0;color:{_FONT};background:none;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere'>{escape(text)}</pre></td></tr>"
        for label, text in case["rows"]
    )
    return (
        f"<p style='margin:8px 0 2px'>✗ failed: {prose(case['name'])} ({escape(case['points'])})</p>"
        f"<table style='margin:0 0 0 18px;border:none;color:{_FONT}'>{rows}</table>"
    )


def _folded(failed: list[dict], passed: list[dict]) -> list[str]:
    """The other cases of a failed check, behind one line that says how many there are."""
    counts = ([f"{len(failed)} more not passed"] if failed else []) + [f"{len(passed) or 'none'} passed"]
    cases = [_failure(case) for case in failed]
    cases += [f"<p style='margin:2px 0'>✓ passed: {prose(case['name'])}</p>" for case in passed]
    return [
        f"<details style='margin:6px 0;color:{_FAINT}'><summary>The other cases: {', '.join(counts)}</summary>{''.join(cases)}</details>"
    ]
