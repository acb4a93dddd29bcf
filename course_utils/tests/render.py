"""A report as text and as HTML. Both say the same; the HTML follows the notebook's light or dark theme."""

import itertools
from html import escape
from typing import Any

from course_utils.tests.case import Outcome, Raises, Such, show
from course_utils.tests.deadline import TookTooLong
from course_utils.tests.grade import Report
from course_utils.tests.slips import difference, found, learners_line


def _expected(outcome: Outcome) -> str:
    expected = outcome.case.expected
    if isinstance(expected, Such):
        return expected.text
    if isinstance(expected, Raises):
        mention = f" whose message mentions {', '.join(expected.mentions)}" if expected.mentions else ""
        return f"raises {expected.kind.__name__}{mention}"
    return show(expected)


def _got(outcome: Outcome) -> str:
    plain = ("not the same", "an exception", "it is not")
    if isinstance(outcome.value, str) and outcome.value == outcome.complaint:  # a case whose value is what is wrong
        return outcome.complaint
    return outcome.got if outcome.complaint in plain else f"{outcome.got}\n({outcome.complaint})"


def _rows(outcome: Outcome) -> list[tuple[str, str]]:
    rows = [
        ("position", outcome.case.board),
        ("call", outcome.case.call),
        ("expected", shorten(_expected(outcome))),
        (
            "got",
            outcome.complaint if outcome.complaint.startswith(("took longer", "not run")) else shorten(_got(outcome)),
        ),
        ("differs", difference(outcome.case.expected, outcome.value) if outcome.error is None else ""),
        ("printed", outcome.printed),
    ]
    return [(label, text) for label, text in rows if text]


LINES = 12  # of one value in a message


def shorten(text: str) -> str:
    """The first lines of a long value."""
    lines = text.splitlines()
    return text if len(lines) <= LINES else "\n".join([*lines[:LINES], f"... and {len(lines) - LINES} lines more"])


def first_words(report: Report) -> list[str]:
    """What is said before everything else: where the learner's own code raised, and Python's slips."""
    words = []
    for outcome in report.failures:
        line = learners_line(outcome.error, report.filename)
        if line and not isinstance(outcome.error, TookTooLong):
            raised = (
                f"{type(outcome.error).__name__}: {outcome.error}"
                if str(outcome.error)
                else type(outcome.error).__name__
            )
            words.append(f"It raised {raised}, in {line}")
            break
    return words if report.matches else words + slips_of(report)[:2]


def slips_of(report: Report) -> list[str]:
    return found(report.source, report.failures, report.exercise) if report.failures else []


def diagnosis(report: Report) -> list[tuple[str, str]]:
    """(sentence, question) for each wrong answer that behaves just like this one."""
    if not report.matches:
        return []
    first, *others = report.matches
    pairs = [(f"This is what you get when {first.sentence}.", first.question)]
    return pairs + [(f"It could also be that {other.sentence}.", other.question) for other in others[:2]]


def _points(outcome: Outcome) -> str:
    return f"{outcome.case.points} point{'s' if outcome.case.points != 1 else ''}"


def _questions(report: Report) -> list[str]:
    """The questions of the failed cases, each once, unless there is something better to say."""
    if report.matches or first_words(report):
        return []
    return list(dict.fromkeys(outcome.case.question for outcome in report.failures[:3] if outcome.case.question))


def tell(report: Report, detailed: int = 3) -> dict[str, Any]:
    """All that is said of a report, as plain data (JSON): what a notebook, a terminal and a page of feedback show.

    Args:
        detailed: how many failures are shown in full, the others by name.
    """
    failed = itertools.count()
    seen = [-1 if outcome.passed else next(failed) for outcome in report.outcomes]
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
                "rows": _rows(outcome) if 0 <= number < detailed else [],
            }
            for number, outcome in zip(seen, report.outcomes, strict=True)
        ],
        "questions": _questions(report),
        "notes": report.notes,
    }


def as_text(report: Report, detailed: int = 3) -> str:
    """The report for a terminal."""
    return text_of(tell(report, detailed))


def as_html(report: Report, detailed: int = 3) -> str:
    """The report for a notebook."""
    return html_of(tell(report, detailed))


def text_of(told: dict[str, Any]) -> str:
    lines = [("PASSED  " if told["passed"] else "FAILED  ") + told["headline"]]
    lines += [f"  {words}" for words in told["words"]]
    for sentence, question in told["diagnosis"]:
        lines += [f"  {sentence}", f"  Ask yourself: {question}"]
    lines += [f"  passed  {case['name']} ({case['points']})" for case in told["cases"] if case["passed"]]
    for case in told["cases"]:
        if case["passed"]:
            continue
        lines.append(f"  FAILED  {case['name']} ({case['points']})")
        for label, text in case["rows"]:
            first, *rest = text.splitlines()
            lines.append(f"            {label:9} {first}")
            lines += [f"            {'':9} {line}" for line in rest]
    lines += [f"  Ask yourself: {question}" for question in told["questions"]]
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
        parts.append(
            f"<p style='margin:4px 0'><strong>{prose(sentence)}</strong><br><em>Ask yourself: {prose(question)}</em></p>"
        )
    failures = [case for case in told["cases"] if not case["passed"]]
    for case in failures:
        parts.append(f"<p style='margin:8px 0 2px'>✗ failed: {prose(case['name'])} ({escape(case['points'])})</p>")
        rows = "".join(
            f"<tr><th scope='row' style='text-align:left;vertical-align:top;padding:1px 12px 1px 0;font-weight:normal;"
            f"color:{_FAINT};background:none'>{escape(label)}</th>"
            "<td style='text-align:left;padding:1px 0;background:none'>"
            f"<pre style='margin:0;color:{_FONT};background:none;white-space:pre-wrap'>{escape(text)}</pre></td></tr>"
            for label, text in case["rows"]
        )
        if rows:
            parts.append(f"<table style='margin:0 0 0 18px;border:none;color:{_FONT}'>{rows}</table>")
    parts += [f"<p style='margin:6px 0'><em>Ask yourself: {prose(question)}</em></p>" for question in told["questions"]]
    if failures:
        done = ", ".join(case["name"] for case in told["cases"] if case["passed"])
        parts.append(f"<p style='margin:6px 0;color:{_FAINT}'>✓ passed: {prose(done) or 'none yet'}</p>")
    parts += [f"<p style='margin:6px 0 0;color:{_FAINT}'>{prose(note)}</p>" for note in told["notes"]]
    return as_box(f"check of {told['exercise']}", told["passed"], parts)
