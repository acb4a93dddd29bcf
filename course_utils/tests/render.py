"""Format a report as text and as HTML. Both say the same; the HTML follows the notebook's light or dark theme.

A notebook draws the first failed case, asks a question, and unfolds the mistake on a click. Text shows all at once.
"""

import ast
from html import escape
from typing import Any

from course_utils.deadline import TookTooLong
from course_utils.tests import looks
from course_utils.tests.case import Outcome, Raises, Such, show
from course_utils.tests.grade import Report
from course_utils.tests.looks import drawn, trees
from course_utils.tests.slips import by_error, certain, difference, learners_line, refused, slips_in


def _expected(outcome: Outcome) -> str:
    expected = outcome.case.expected
    if isinstance(expected, Such):
        return expected.text
    if isinstance(expected, Raises):
        mention = f" whose message mentions {', '.join(expected.mentions)}" if expected.mentions else ""
        return f"raises {expected.kind.__name__}{mention}"
    return show(expected)


def _got(outcome: Outcome) -> str:
    if isinstance(outcome.value, str) and outcome.value == outcome.complaint:  # a case that returns its complaint
        return shorten(outcome.complaint)
    if outcome.complaint.startswith(NOT_ITS_VALUE):
        return outcome.complaint
    return shorten(outcome.got) if outcome.complaint in PLAIN else f"{shorten(outcome.got)}\n({outcome.complaint})"


def _rows(outcome: Outcome) -> list[tuple[str, str]]:
    pair = _differing_lines(outcome.case.expected, outcome.value)
    expected, got = (shorten(pair[0]), shorten(pair[1])) if pair else (shorten(_expected(outcome)), _got(outcome))
    if outcome.complaint.startswith(("took longer", "not run")):
        got = outcome.complaint
    no_error = outcome.error is None
    rows = [
        ("position", outcome.case.board),
        ("call", outcome.case.call),
        ("expected", "" if outcome.complaint.startswith(NOT_ITS_VALUE) else trees.in_words(expected)),
        ("got", trees.in_words(got)),
        ("differs", difference(outcome.case.expected, outcome.value, outcome.case.tolerance) if no_error else ""),
        ("printed", outcome.printed),
    ]
    return [(label, text) for label, text in rows if text]


def _same(which: str, number: int, text: str) -> str:
    """A remark that so many lines of a text, or nodes of a tree, are left out because they are the same."""
    unit = "node" if text.startswith("root: ") else "line"
    return f"(the {which} {unit} is the same)" if number == 1 else f"(the {which} {number} {unit}s are the same)"


def _differing_lines(expected: object, value: object) -> tuple[str, str] | None:
    """Select the lines of two texts that differ; if their lengths differ, all lines from the first difference on."""
    if not (isinstance(expected, str) and isinstance(value, str)):
        return None
    wanted, got = expected.splitlines(), value.splitlines()
    differing = [i for i, pair in enumerate(zip(wanted, got, strict=False)) if pair[0] != pair[1]]
    if len(wanted) != len(got):
        alike = min([*differing, len(wanted), len(got)])
        first, second = (
            "\n".join([_same("first", alike, expected), *(lines[alike:] or ["nothing more"])])
            for lines in (wanted, got)
        )
        return (first, second) if alike else None
    if not 0 < len(differing) < len(wanted):
        return None
    remark = _same("other", len(wanted) - len(differing), expected)
    return "\n".join([*(wanted[i] for i in differing), remark]), "\n".join(got[i] for i in differing)


PLAIN = ("not the same", "an exception", "it is not")  # complaints that only say that the case failed
NOT_ITS_VALUE = ("what it returns shares", "its argument")  # complaints about a call, not about its value
LINES = 12  # of a value in a message
DETAILED = 2  # failures shown in full; a notebook folds the others


def shorten(text: str) -> str:
    """Cut a long value off after its first lines."""
    lines = text.splitlines()
    return text if len(lines) <= LINES else "\n".join([*lines[:LINES], f"... and {len(lines) - LINES} more lines"])


def first_words(report: Report) -> list[str]:
    """List the first sentences: where the learner's own code raised, which function is at fault, and Python slips."""
    return [*what_raised(report), *_hints(report)]


def what_raised(report: Report) -> list[str]:
    """Say where the learner's own code raised and, unless a mistake is named, which function is at fault."""
    for outcome in report.failures[:DETAILED]:  # the other cases are folded
        line = learners_line(outcome.error)
        if line and not isinstance(outcome.error, TookTooLong) and not refused(outcome):
            kind, message = type(outcome.error).__name__, str(outcome.error)
            return [f"It raised {kind}{f': {message}' if message else ''}, in {line}", *_blame(report, outcome)]
    return []


def _blame(report: Report, outcome: Outcome) -> list[str]:
    notes = [] if report.matches else getattr(outcome.error, "__notes__", [])
    return [note.removeprefix("(").removesuffix(")") for note in notes]


def _hints(report: Report) -> list[str]:
    """List Python slips; beside a named mistake, only one slip that the source proves."""
    if report.matches:
        return certain(report.source, report.exercise)[:1]
    blamed = len(what_raised(report)) > 1
    return list(by_error(report.failures))[:1] if blamed else slips_of(report)[:2]


def _detailed(report: Report) -> int:
    """Return how many failures to show in full: one after a timeout, or if every case raises in the same line."""
    raised = {learners_line(outcome.error) for outcome in report.failures}
    return 1 if report.timed_out or (len(raised) == 1 and "" not in raised) else DETAILED


def slips_of(report: Report) -> list[str]:
    return slips_in(report.source, report.failures, report.exercise) if report.failures else []


def diagnosis(report: Report) -> list[tuple[str, str]]:
    """List (sentence, question) for each wrong answer that behaves exactly like this one.

    A question that several of them share is asked after the last one; the others have "".
    """
    leads = ["This is what you get when", "It could also be that", "It could also be that"]
    entries = list({entry.sentence: entry for entry in report.matches}.values())[: len(leads)]
    last = {entry.question: entry for entry in entries}
    return [
        (f"{lead} {entry.sentence}.", entry.question * (entry is last[entry.question]))
        for lead, entry in zip(leads, entries, strict=False)
    ]


def in_short(report: Report) -> str:
    """Summarize a report for a row of a table: how many cases passed, and the first sentence about the others."""
    headline = report.headline.partition(": ")[2]
    if report.problem or not report.failures:
        return headline
    sentences = [sentence for sentence, _ in diagnosis(report)] or first_words(report)
    return f"{headline}. {sentences[0] if sentences else _in_a_sentence(report.failures[0])}"


def _in_a_sentence(outcome: Outcome) -> str:
    """Describe a failed case."""
    reason = outcome.got if outcome.error is not None else "" if outcome.complaint in PLAIN else outcome.complaint
    reason = outcome.complaint if isinstance(outcome.error, TookTooLong) else reason
    return f'The case "{outcome.case.name}" fails{": " * bool(reason)}{reason.partition(chr(10))[0].rstrip(".")}.'


def _points(outcome: Outcome) -> str:
    return f"{outcome.case.points} point{'s' if outcome.case.points != 1 else ''}"


def _questions(report: Report) -> list[str]:
    """Return the question of the first failed case, unless the report says something more precise."""
    if diagnosis(report) or report.timed_out or first_words(report):
        return []
    return [outcome.case.question for outcome in report.failures[:1] if outcome.case.question]


def _asked_first(report: Report) -> str:
    """Choose the question that a notebook asks first: that of the named mistake, or that of the first failed case."""
    named = [question for _, question in diagnosis(report) if question]
    if named or report.timed_out or not report.failures:
        return next(iter(named), "")
    return "" if what_raised(report) else report.failures[0].case.question


def _headline(report: Report) -> str:
    """Return the headline, without points if a trivial function passes the same cases, unless the answer is trivial."""
    if report.luck and not _is_trivial(report.source, report.exercise):
        return report.headline.rpartition(",")[0]
    return report.headline


LUCK = (
    "A function that always returns the same value, or one of its arguments, passes as many cases, "
    "so they give no points yet."
)


def _is_trivial(source: str, exercise: str) -> bool:
    """Check whether the function only returns a constant or an argument."""
    try:
        functions = [node for node in ast.walk(ast.parse(source)) if getattr(node, "name", "") == exercise]
    except (SyntaxError, ValueError):
        return False
    body = getattr(functions[-1], "body", None) if functions else None
    simple = (ast.Constant, ast.Name, ast.UnaryOp, ast.List, type(None))
    return body is not None and all(
        isinstance(line, ast.Pass)
        or (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
        or (isinstance(line, ast.Return) and isinstance(line.value, simple))
        for line in body
    )


def _picture(outcome: Outcome) -> dict[str, Any]:
    """Draw the pictures of a case, and add its lines without the imports."""
    case = outcome.case
    lines = case.call.splitlines()
    while lines and lines[0].startswith(("import ", "from ")):
        lines.pop(0)
    try:
        pictures = looks.of_case(case.expected, _shown_value(outcome), case.board, case.call, case.tolerance)
    except Exception:  # a value may be any object; the text shows it, too
        pictures = {}
    return {"lines": "\n".join(lines), **{name: picture for name, picture in pictures.items() if picture}}


def _shown_value(outcome: Outcome) -> Any:
    """Return the answer's value if the message shows nothing else; else None."""
    is_value = outcome.error is None and outcome.complaint in PLAIN
    return outcome.value if is_value or outcome.passed else None


def _deciding(report: Report) -> Outcome | None:
    """Choose the case by hand with the most points, the last of several, if the answer passed."""
    by_hand = [outcome for outcome in report.outcomes if outcome.case.lines]
    return max(reversed(by_hand), key=lambda outcome: outcome.case.points, default=None) if report.passed else None


def as_data(report: Report) -> dict[str, Any]:
    """Turn a report into plain data (JSON), for a notebook, a terminal or a page of feedback.

    `detailed` is the number of failed cases to show in full where there is little room.
    """
    shown = [_deciding(report), *report.failures[:1], *(outcome for outcome in report.failures if outcome.first)]
    luck = [LUCK] if report.luck and _is_trivial(report.source, report.exercise) else []
    return {
        "exercise": report.exercise,
        "passed": report.passed,
        "headline": _headline(report),
        "raised": what_raised(report),
        "words": first_words(report),
        "diagnosis": diagnosis(report),
        "cases": [
            {
                "name": outcome.case.name,
                "points": _points(outcome),
                "passed": outcome.passed,
                "rows": [] if outcome.passed else _rows(outcome),
            }
            | ({"picture": _picture(outcome)} if any(outcome is drawn_case for drawn_case in shown) else {})
            for outcome in report.outcomes
        ],
        "detailed": _detailed(report),
        "questions": _questions(report),
        "asked": _asked_first(report),
        "notes": [*luck, *report.notes],
    }


def as_text(report: Report) -> str:
    """Format the report for a terminal; the first failures in full, the others by name."""
    return text_of(as_data(report))


def as_html(report: Report) -> str:
    """Format the report for a notebook, with the less important parts folded."""
    return html_of(as_data(report))


def text_of(data: dict[str, Any]) -> str:
    lines = [("PASSED  " if data["passed"] else "FAILED  ") + data["headline"]]
    lines += [f"  {words}" for words in data["words"]]
    for sentence, question in data["diagnosis"]:
        lines += [f"  {sentence}", *([f"  Ask yourself: {question}"] if question else [])]
    lines += [f"  passed  {case['name']} ({case['points']})" for case in data["cases"] if case["passed"]]
    for number, case in enumerate(case for case in data["cases"] if not case["passed"]):
        lines.append(f"  FAILED  {case['name']} ({case['points']})")
        for label, text in case["rows"] if number < data["detailed"] else []:
            first, *rest = text.splitlines()
            lines.append(f"            {label:9} {first}")
            lines += [f"            {'':9} {line}" for line in rest]
        lines += [f"  Ask yourself: {question}" for question in data["questions"]] if number == 0 else []
    return "\n".join([*lines, *(f"  {note}" for note in data["notes"])])


_FONT, _FAINT = "var(--ink)", "var(--faint)"
_GOOD, _BAD = "var(--teal)", "var(--wrong)"


def prose(text: str) -> str:
    """Turn a sentence into HTML, with the text between backticks as code."""
    pieces = [escape(piece) for piece in text.split("`")]
    if len(pieces) % 2 == 0:  # a backtick without a partner
        return escape(text)
    return "".join(f"<code>{piece}</code>" if number % 2 else piece for number, piece in enumerate(pieces))


def as_box(label: str, good: bool | None, parts: list[str]) -> str:
    """Put parts of HTML into a box with a colored bar at its left. `good` is None for neither good nor bad."""
    color = {True: _GOOD, False: _BAD, None: _FAINT}[good]
    return (
        f"{drawn.style()}<section class='course-ui course-case' aria-label='{escape(label, quote=True)}' "
        f"style='border-left:4px solid {color};padding:6px 12px'>{''.join(parts)}</section>"
    )


STALE = "Your cell has changed since it last ran: run it first, then this check."
# JupyterLab marks a cell that was edited since it ran; the answer's is the code cell above the check's.
_STALE = (
    "<style>.jp-Cell.jp-mod-dirty+.jp-Cell .course-stale,"
    ".jp-Cell.jp-mod-dirty+.jp-MarkdownCell+.jp-Cell .course-stale{display:block!important}</style>"
    f"<p class='course-stale' style='display:none;margin:0 0 6px'><strong>{STALE}</strong></p>"
)


def stale() -> str:
    """Return a sentence that a notebook shows while the cell above the check's has changed since it ran."""
    return drawn.style() + f"<div class='course-ui course-case'>{_STALE}</div>"


def html_of(data: dict[str, Any], at_once: bool = False) -> str:
    """Format a report from `tell` as HTML. Passed and failed are words and signs, not only colors. Texts are escaped.

    Args:
        at_once: name the mistake without a click.
    """
    color = _GOOD if data["passed"] else _BAD
    word = "✓ Passed" if data["passed"] else "✗ Failed"
    parts = [] if at_once else [_STALE]
    parts.append(
        f"<p style='margin:0 0 6px'><strong style='color:{color}'>{word}</strong> &nbsp;{prose(data['headline'])}</p>"
    )
    failed = [case for case in data["cases"] if not case["passed"]]
    passed = [case for case in data["cases"] if case["passed"]]
    parts += [_decided(case) for case in passed if data["passed"] and "picture" in case]
    parts += [_failure(case) for case in failed[:1]]
    parts += [f"<p style='margin:4px 0'>{prose(words)}</p>" for words in data.get("raised", [])]
    if asked := data.get("asked"):
        parts.append(f"<p style='margin:6px 0'><em>Ask yourself: {prose(asked)}</em></p>")
    parts += _what_it_is(data, at_once)
    parts += _folded(failed[1:], passed) if failed else []
    parts += [f"<p style='margin:6px 0 0;color:{_FAINT}'>{prose(note)}</p>" for note in data["notes"]]
    return as_box(f"check of {data['exercise']}", data["passed"], parts)


def _what_it_is(data: dict[str, Any], at_once: bool) -> list[str]:
    """Name the mistake, with further questions; folded unless all is shown at once."""
    raised, asked = data.get("raised", []), data.get("asked", "")
    named = [prose(words) for words in data["words"] if words not in raised]
    for sentence, question in data["diagnosis"]:
        then = f"<br><em>Ask yourself: {prose(question)}</em>" if question and question != asked else ""
        named.append(f"{prose(sentence)}{then}")
    paragraphs = "".join(f"<p style='margin:4px 0'><strong>{words}</strong></p>" for words in named)
    if not paragraphs or at_once:
        return [paragraphs]
    return [f"<details style='margin:6px 0'><summary>What is it?</summary>{paragraphs}</details>"]


def _decided(case: dict[str, Any]) -> str:
    """Show the chosen case of an answer that passed: one line with a small picture."""
    pictures = [case["picture"].get(name) for name in ("expected", "position")]
    small = next(filter(None, map(_small, filter(None, pictures))), None)
    if not small:
        return ""
    figure = drawn.figure(f"for example: {case['name']}", small, "")
    return f"<div class='pics' style='margin:2px 0'>{figure}</div>"


def _small(picture: dict[str, Any]) -> dict[str, Any] | None:
    """Return a board or a tree as it is, the first three of a row of boards, and None for other pictures."""
    if picture["kind"] == "row" and all(item["kind"] == "board" for item in picture["items"]):
        return picture | {"items": picture["items"][:3], "more": picture["more"] or len(picture["items"]) > 3}
    return picture if picture["kind"] in ("board", "tree") else None


def _failure(case: dict[str, Any]) -> str:
    """Show a failed case: pictures of its position and both values if it has any, its lines, and the rest as text."""
    pictures = case.get("picture", {})
    rows = dict(case["rows"])
    figures = [
        drawn.figure(caption, pictures[name], rows.get(name, ""), style)
        for name, caption, style in (
            ("position", "position", ""), ("expected", "expected", "right"), ("got", "got (yours)", "yours")
        )
        if name in pictures
    ]  # fmt: skip
    drawn_labels = (
        {"position", *pictures} if pictures.get("got") or "expected" not in pictures else {"position", "expected"}
    )
    if pictures.get("position") is None and "expected" not in pictures:
        drawn_labels -= {"position"}
    shown = [(label, text) for label, text in rows.items() if label not in drawn_labels]
    if pictures.get("lines"):
        shown = [(label, pictures["lines"] if label == "call" else text) for label, text in shown]
    head = f"<p style='margin:8px 0 2px'>✗ failed: {prose(case['name'])} ({escape(case['points'])})</p>"
    return head + (f"<div class='pics'>{''.join(figures)}</div>" if figures else "") + _as_table(shown)


def _as_table(rows: list[tuple[str, str]]) -> str:
    lines = "".join(
        f"<tr><th scope='row' style='text-align:left;vertical-align:top;padding:1px 12px 1px 0;font-weight:normal;"
        f"color:{_FAINT};background:none'>{escape(label)}</th>"
        "<td style='text-align:left;padding:1px 0;background:none'>"
        f"<pre style='margin:0;color:{_FONT};background:none;white-space:pre-wrap;word-break:normal;"
        f"overflow-wrap:anywhere'>{escape(text)}</pre></td></tr>"
        for label, text in rows
    )
    return f"<table style='margin:0 0 0 18px;border:none;color:{_FONT}'>{lines}</table>" if lines else ""


def _folded(failed: list[dict], passed: list[dict]) -> list[str]:
    """Fold the other cases of a failed check behind a line that counts them."""
    counts = ([f"{len(failed)} more failed"] if failed else []) + [f"{len(passed) or 'none'} passed"]
    cases = [_failure(case) for case in failed]
    cases += [
        f"<p style='margin:2px 0'>✓ passed: {prose(case['name'])} ({escape(case['points'])})</p>" for case in passed
    ]
    return [
        f"<details style='margin:6px 0;color:{_FAINT}'><summary>The other cases: {', '.join(counts)}</summary>"
        f"{''.join(cases)}</details>"
    ]
