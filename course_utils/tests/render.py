"""A report as text and as HTML. Both say the same; the HTML follows the notebook's light or dark theme.

In a notebook the first failed case is drawn, then comes a question, and one click unfolds what the mistake is. Text shows all of it at once.
"""

import ast
from html import escape
from typing import Any

from course_utils.deadline import TookTooLong
from course_utils.tests import looks
from course_utils.tests.case import Outcome, Raises, Such, show
from course_utils.tests.grade import Report
from course_utils.tests.looks import drawn, trees
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
        ("expected", "" if outcome.complaint.startswith(NOT_ITS_VALUE) else trees.in_words(expected)),
        ("got", trees.in_words(got)),
        (
            "differs",
            difference(outcome.case.expected, outcome.value, outcome.case.tolerance) if outcome.error is None else "",
        ),
        ("printed", outcome.printed),
    ]
    return [(label, text) for label, text in rows if text]


def _same(which: str, number: int, text: str) -> str:
    """A remark that so many lines of a text, or nodes of a tree, are left out because they are the same."""
    unit = "node" if text.startswith("root: ") else "line"
    return f"(the {which} {unit} is the same)" if number == 1 else f"(the {which} {number} {unit}s are the same)"


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
        told = [
            "\n".join([_same("first", alike, expected), *(text[alike:] or ["nothing more"])]) for text in (ours, theirs)
        ]
        return (told[0], told[1]) if alike else None
    pairs = [(one, other) for one, other in zip(ours, theirs, strict=False) if one != other]
    if not 0 < len(pairs) < len(ours):
        return None
    remark = _same("other", len(ours) - len(pairs), expected)
    return "\n".join([*(one for one, _ in pairs), remark]), "\n".join([other for _, other in pairs])


PLAIN = ("not the same", "an exception", "it is not")  # complaints that say nothing else than that it failed
NOT_ITS_VALUE = ("what it returns shares", "its argument")  # complaints about a call, whatever it returns
LINES = 12  # of one value in a message
DETAILED = 2  # failures shown in full; in a notebook the others fold out


def shorten(text: str) -> str:
    """The first lines of a long value."""
    lines = text.splitlines()
    return text if len(lines) <= LINES else "\n".join([*lines[:LINES], f"... and {len(lines) - LINES} more lines"])


def first_words(report: Report) -> list[str]:
    """What is said before everything else: where the learner's own code raised, whose mistake that is, and Python's slips."""
    return [*what_raised(report), *_hints(report)]


def what_raised(report: Report) -> list[str]:
    """Where the learner's own code raised and, unless a mistake is named, whose mistake that is."""
    for outcome in report.failures[:DETAILED]:  # what raised in a case that is folded away comes later, if at all
        line = learners_line(outcome.error)
        if line and not isinstance(outcome.error, TookTooLong) and not refused(outcome):
            kind, message = type(outcome.error).__name__, str(outcome.error)
            return [f"It raised {kind}{f': {message}' if message else ''}, in {line}", *_blame(report, outcome)]
    return []


def _blame(report: Report, outcome: Outcome) -> list[str]:
    notes = [] if report.matches else getattr(outcome.error, "__notes__", [])
    return [note.removeprefix("(").removesuffix(")") for note in notes]


def _hints(report: Report) -> list[str]:
    """Python's slips; beside a known mistake that explains all that the answer does, only one that the source proves."""
    if report.matches:
        return certain(report.source, report.exercise)[:1]
    blamed = len(what_raised(report)) > 1
    return list(by_error(report.failures))[:1] if blamed else slips_of(report)[:2]


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


def _asked_first(report: Report) -> str:
    """The question that a notebook asks before it names anything: the mistake's own, or else that of the first failed case."""
    named = [question for _, question in diagnosis(report) if question]
    if named or report.late or not report.failures:
        return next(iter(named), "")
    return "" if what_raised(report) else report.failures[0].case.question


def _headline(report: Report) -> str:
    """Without the points where luck alone would bring as many cases, unless that is what the answer does."""
    if report.luck and not _without_a_thought(report.source, report.exercise):
        return report.headline.rpartition(",")[0]
    return report.headline


LUCK = "A function that always returns the same value, or one of its arguments, passes as many cases, so they give no points yet."


def _without_a_thought(source: str, exercise: str) -> bool:
    """Whether all that the function does is to return a constant or an argument."""
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
    """The pictures of a case, and the lines that ran without their imports."""
    case = outcome.case
    lines = case.call.splitlines()
    while lines and lines[0].startswith(("import ", "from ")):
        lines.pop(0)
    told = _told_value(outcome)
    try:
        pictures = looks.of_case(case.expected, told, case.board, case.call, case.tolerance)
    except Exception:  # a value may be anything: the text says it, too
        pictures = {}
    return {"lines": "\n".join(lines), **{name: picture for name, picture in pictures.items() if picture}}


def _told_value(outcome: Outcome) -> Any:
    """What the answer gave, where the message shows that and nothing else."""
    is_value = outcome.error is None and outcome.complaint in PLAIN
    return outcome.value if is_value or outcome.passed else None


def _deciding(report: Report) -> Outcome | None:
    """Of an answer that passed, the case by hand that counts most, and of several the last."""
    by_hand = [outcome for outcome in report.outcomes if outcome.case.lines]
    return max(reversed(by_hand), key=lambda outcome: outcome.case.points, default=None) if report.passed else None


def tell(report: Report) -> dict[str, Any]:
    """All that is said of a report, as plain data (JSON): what a notebook, a terminal and a page of feedback show.

    `detailed` says how many of the failed cases are shown in full where there is little room.
    """
    shown = [_deciding(report), *report.failures[:1], *(outcome for outcome in report.failures if outcome.first)]
    luck = [LUCK] if report.luck and _without_a_thought(report.source, report.exercise) else []
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
            | ({"picture": _picture(outcome)} if any(outcome is other for other in shown) else {})
            for outcome in report.outcomes
        ],
        "detailed": _detailed(report),
        "questions": _questions(report),
        "asked": _asked_first(report),
        "notes": [*luck, *report.notes],
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


_FONT, _FAINT = "var(--ink)", "var(--faint)"
_GOOD, _BAD = "var(--teal)", "var(--wrong)"


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
    """A sentence that a notebook shows as long as the cell above the check's has changed since it ran."""
    return drawn.style() + f"<div class='course-ui course-case'>{_STALE}</div>"


def html_of(told: dict[str, Any], at_once: bool = False) -> str:
    """Passed and failed are words and signs, not colors alone. All that was told is escaped.

    Args:
        at_once: name the mistake without a click.
    """
    color = _GOOD if told["passed"] else _BAD
    word = "✓ Passed" if told["passed"] else "✗ Failed"
    parts = [] if at_once else [_STALE]
    parts.append(
        f"<p style='margin:0 0 6px'><strong style='color:{color}'>{word}</strong> &nbsp;{prose(told['headline'])}</p>"
    )
    failed = [case for case in told["cases"] if not case["passed"]]
    passed = [case for case in told["cases"] if case["passed"]]
    parts += [_decided(case) for case in passed if told["passed"] and "picture" in case]
    parts += [_failure(case) for case in failed[:1]]
    parts += [f"<p style='margin:4px 0'>{prose(words)}</p>" for words in told.get("raised", [])]
    if asked := told.get("asked"):
        parts.append(f"<p style='margin:6px 0'><em>Ask yourself: {prose(asked)}</em></p>")
    parts += _what_it_is(told, at_once)
    parts += _folded(failed[1:], passed) if failed else []
    parts += [f"<p style='margin:6px 0 0;color:{_FAINT}'>{prose(note)}</p>" for note in told["notes"]]
    return as_box(f"check of {told['exercise']}", told["passed"], parts)


def _what_it_is(told: dict[str, Any], at_once: bool) -> list[str]:
    """The mistake by its name, with further questions; folded unless all is shown at once."""
    raised, asked = told.get("raised", []), told.get("asked", "")
    named = [prose(words) for words in told["words"] if words not in raised]
    for sentence, question in told["diagnosis"]:
        then = f"<br><em>Ask yourself: {prose(question)}</em>" if question and question != asked else ""
        named.append(f"{prose(sentence)}{then}")
    paragraphs = "".join(f"<p style='margin:4px 0'><strong>{words}</strong></p>" for words in named)
    if not paragraphs or at_once:
        return [paragraphs]
    return [f"<details style='margin:6px 0'><summary>What is it?</summary>{paragraphs}</details>"]


def _decided(case: dict[str, Any]) -> str:
    """The case that decides, of an answer that passed: in a line, with a small picture."""
    pictures = [case["picture"].get(name) for name in ("expected", "position")]
    small = next(filter(None, map(_small, filter(None, pictures))), None)
    if not small:
        return ""
    figure = drawn.figure(f"for example: {case['name']}", small, "")
    return f"<div class='pics' style='margin:2px 0'>{figure}</div>"


def _small(picture: dict[str, Any]) -> dict[str, Any] | None:
    """The picture if it is a board or a tree; of a row of boards the first three. None of anything else."""
    if picture["kind"] == "row" and all(item["kind"] == "board" for item in picture["items"]):
        return picture | {"items": picture["items"][:3], "more": picture["more"] or len(picture["items"]) > 3}
    return picture if picture["kind"] in ("board", "tree") else None


def _failure(case: dict[str, Any]) -> str:
    """A failed case: its position and both values, drawn where that says anything, the lines that ran, and the rest as text."""
    pictures = case.get("picture", {})
    rows = dict(case["rows"])
    figures = [
        drawn.figure(caption, pictures[name], rows.get(name, ""), whose)
        for name, caption, whose in (
            ("position", "position", ""), ("expected", "expected", "right"), ("got", "got (yours)", "yours")
        )
        if name in pictures
    ]  # fmt: skip
    told = {"position", *pictures} if pictures.get("got") or "expected" not in pictures else {"position", "expected"}
    if pictures.get("position") is None and "expected" not in pictures:
        told -= {"position"}
    shown = [(label, text) for label, text in rows.items() if label not in told]
    if pictures.get("lines"):
        shown = [(label, pictures["lines"] if label == "call" else text) for label, text in shown]
    head = f"<p style='margin:8px 0 2px'>✗ failed: {prose(case['name'])} ({escape(case['points'])})</p>"
    return head + (f"<div class='pics'>{''.join(figures)}</div>" if figures else "") + _as_table(shown)


def _as_table(rows: list[tuple[str, str]]) -> str:
    lines = "".join(
        f"<tr><th scope='row' style='text-align:left;vertical-align:top;padding:1px 12px 1px 0;font-weight:normal;"
        f"color:{_FAINT};background:none'>{escape(label)}</th>"
        "<td style='text-align:left;padding:1px 0;background:none'>"
        f"<pre style='margin:0;color:{_FONT};background:none;white-space:pre-wrap;word-break:normal;overflow-wrap:anywhere'>{escape(text)}</pre></td></tr>"
        for label, text in rows
    )
    return f"<table style='margin:0 0 0 18px;border:none;color:{_FONT}'>{lines}</table>" if lines else ""


def _folded(failed: list[dict], passed: list[dict]) -> list[str]:
    """The other cases of a failed check, behind one line that says how many there are."""
    counts = ([f"{len(failed)} more failed"] if failed else []) + [f"{len(passed) or 'none'} passed"]
    cases = [_failure(case) for case in failed]
    cases += [
        f"<p style='margin:2px 0'>✓ passed: {prose(case['name'])} ({escape(case['points'])})</p>" for case in passed
    ]
    return [
        f"<details style='margin:6px 0;color:{_FAINT}'><summary>The other cases: {', '.join(counts)}</summary>{''.join(cases)}</details>"
    ]
