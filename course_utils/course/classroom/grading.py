"""One submission: each exercise in a kernel of its own, a row for each, and nothing passes by default."""

import asyncio
import contextlib
import json
import logging
import re
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from course_utils import record
from course_utils.course.answers import find
from course_utils.course.classroom.chosen import course
from course_utils.course.classroom.elsewhere import lacking
from course_utils.course.classroom.examine import NOT_EXAMINED
from course_utils.course.classroom.inside import MIME
from course_utils.course.classroom.sandbox import LIMITS, ForkedKernel, Limits, Sandbox, SandboxGone
from course_utils.course.classroom.submission import Submission
from course_utils.course.fresh import Fresh, fresh_notebooks
from course_utils.tests import reach
from course_utils.tests.render import html_of

STATUSES = ("passed", "partial", "failed", "missing", "timed out", "crashed", "needs a human")
SYNTAX = re.compile(r"(SyntaxError|IndentationError|TabError): (.*?)(?: \((?:\S+, )?line (\d+)\))?$", re.DOTALL)
BUDGET = 1800  # seconds of a clock for one submission
OWN_VERSION = "this is the course's own version: run"  # nothing in the cell has the exercise's name
LOST = "lost"  # how a run ended that had no place to run in
ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # another one in each run
TEXT = 20_000  # characters of what a kernel tells that are kept


@dataclass
class Row:
    """What came of one exercise of one learner."""

    learner: str
    notebook: str
    exercise: str
    status: str
    points: int
    max_points: int
    reason: str
    code: str = ""  # the learner's
    told: dict[str, Any] = field(default_factory=dict)  # what the check says, see tests.render.tell
    misconceptions: list[str] = field(default_factory=list)
    slips: list[str] = field(default_factory=list)
    others: dict[str, str] = field(default_factory=dict)  # exercise that it called -> "yours" or "ours"
    lost: bool = False  # the machine's doing: the next run tries it again


@dataclass
class Ran:
    """What came of one fresh notebook.

    Attributes:
        end: "" if the check cell came to its end, "timed out", "crashed" or LOST.
        why: for a person.
        grades: what the check cell handed over, {} if nothing.
        raised: what the learner's cells raised.
    """

    end: str = ""
    why: str = ""
    grades: dict[str, Any] = field(default_factory=dict)
    raised: list[str] = field(default_factory=list)


class _Client(NotebookClient):
    """Counts what the learner's cells write, and keeps little of it."""

    written, most = 0, LIMITS.output

    def process_message(self, msg, cell, cell_index):
        if msg["msg_type"] in ("stream", "display_data", "execute_result", "error", "update_display_data"):
            self.written += (
                len(str(msg["content"])) if msg["msg_type"] != "stream" else len(msg["content"].get("text", ""))
            )
            if self.written > self.most and isinstance(self.km, ForkedKernel) and self.km.alive:
                self.km.kill()
            if not (MIME in msg["content"].get("data", {}) or msg["msg_type"] == "error" or _is_usage(msg["content"])):
                return None
        return super().process_message(msg, cell, cell_index)


def _is_usage(output: Mapping) -> bool:
    """Whether IPython says that it knows no such %magic: it prints that, and no exception comes."""
    return output.get("text", "").startswith("UsageError")


def run(sandbox: Sandbox, fresh: Fresh, exercise: str, seed: int) -> Ran:
    """A fresh notebook in a fresh kernel. Never raises for anything that the learner's code does.

    Raises:
        SandboxGone: no kernel could be started.
    """
    token = secrets.token_hex(16)
    answer = f"globals().get({fresh.expression!r})" if fresh.expression.isidentifier() else fresh.expression
    check = f"from course_utils.course.classroom import inside\ninside.grade({exercise!r}, {answer}, {seed}, {token!r})"
    cells = [nbformat.v4.new_code_cell(text) for text in (fresh.given, *fresh.cells, check)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    limits, kernel, ran = sandbox.limits, ForkedKernel(sandbox), Ran()
    client = _Client(
        notebook, km=kernel, allow_errors=True, store_widget_state=False, record_timing=False, startup_timeout=60
    )
    client.most = limits.output
    client.log.setLevel(logging.CRITICAL + 1)
    kernel.log.setLevel(logging.CRITICAL + 1)
    where = "its cell"
    try:
        with client.setup_kernel(cleanup_kc=True):
            for number, cell in enumerate(cells):
                where = (
                    "the check"
                    if cell is cells[-1]
                    else f"cell {number} of {len(cells) - 2}"
                    if len(cells) > 3
                    else "its cell"
                )
                client.timeout = round(limits.check if cell is cells[-1] else limits.cell)
                client.execute_cell(cell, number, store_history=False)
    except CellTimeoutError:
        ran.end, ran.why = (
            "timed out",
            f"{where} took longer than {client.timeout} seconds: is there a loop that never ends?",
        )
    except DeadKernelError:
        if kernel.late:
            ran.end, ran.why = (
                "timed out",
                f"{where} used up its {limits.cpu} seconds of the processor: is there a loop that never ends?",
            )
        elif sandbox.full:
            ran.end, ran.why = (
                "crashed",
                f"{where} held more than {limits.memory / 2**30:g} GB of memory in all its processes",
            )
        else:
            ran.end, ran.why = (
                "crashed",
                f"Python ended in {where}: it was killed, had no memory left, or called os._exit",
            )
    except SandboxGone:
        raise
    except RuntimeError as error:
        raise SandboxGone(str(error)) from None
    except asyncio.CancelledError:
        ran.end, ran.why = "crashed", f"Python ended in {where}"
    except Exception as error:  # what its messages can do to the library that reads them
        ran.end, ran.why = "crashed", f"{where} broke the connection ({type(error).__name__})"
    if client.written > limits.output:
        ran.end, ran.why = "crashed", f"{where} wrote more than {limits.output >> 20} MB of output"
    for cell in cells[1:-1]:
        ran.raised += [
            _plain(one.text.strip() if _is_usage(one) else f"{one.ename}: {one.evalue}")
            for one in cell.outputs
            if one.output_type == "error" or _is_usage(one)
        ]
    handed = [one.data[MIME] for cell in cells for one in cell.outputs if MIME in one.get("data", {})]
    signed = [one for one in handed if isinstance(one, dict) and one.get("token") == token]
    if len(signed) == 1 and not ran.end:
        ran.grades = signed[0]
    elif not ran.end:
        said = [_plain(f"{one.ename}: {one.evalue}") for one in cells[-1].outputs if one.output_type == "error"]
        ran.why = f"the check itself did not come to its end ({'; '.join(said) or 'it said nothing'})"
    if len(handed) != len(signed):
        ran.grades["forged"] = True
    return ran


def _plain(text: str) -> str:
    """Without colors and the numbers that stand for cells, cut."""
    return re.sub(r"\x1b\[[0-9;]*m", "", re.sub(r"\(\d+\.py, line (\d+)\)", r"(line \1)", str(text)))[:500]


# --- from what was run to a row ------------------------------------------------------------------------------------------


def grade(submission: Submission, entries: list[dict], seed: int, limits: Limits = LIMITS) -> list[Row]:
    """A row for each entry of the manifest."""
    submission.read()
    found = find(submission.cells)
    fresh = {
        entry["id"]: fresh_notebooks(submission.cells, entry["id"], found.get(entry["id"], [])) for entry in entries
    }
    filled = [name for name, versions in fresh.items() if versions]
    modules = ["torch"] if any("torch" in cell.source for cell in submission.cells if cell.kind == "code") else []
    ends, rows = time.monotonic() + BUDGET, []
    with Sandbox(filled, modules, limits) as sandbox:
        for entry in entries:
            name = entry["id"]
            row = Row(submission.learner, entry["notebook"], name, "missing", 0, entry["points"], "")
            rows.append(row)
            if not fresh[name]:
                _why_missing(row, submission, found.get(name, []))
            elif time.monotonic() > ends:
                row.status, row.reason = "timed out", f"the submission had used up its {BUDGET // 60} minutes"
            else:
                _grade_versions(row, fresh[name], sandbox, seed, ends)
                if row.status not in ("passed", "missing", "needs a human") and (
                    what := lacking(fresh[name], submission.unread, row.reason)
                ):
                    row.reason = f"{what} (without it: {row.status}, {row.points} points)"
                    row.status, row.points = "needs a human", 0
            if row.status == "passed" and row.told.get("source"):
                source = row.told["source"]
                record.save(record.Answer(name, source, row.points, row.max_points, True), sandbox.record)
            row.told.pop("source", None)
    return rows


def _why_missing(row: Row, submission: Submission, cells: list) -> None:
    """No answer: was it never written, or can nobody read it?"""
    others = {entry["notebook"] for entry in course()} - {row.notebook}
    for cell in cells:
        if cell.python or cell.exercise != row.exercise or f"def {row.exercise}" not in cell.source:
            continue
        magic = cell.source.split(maxsplit=1)[0] if cell.kind == "code" else ""
        what = f"begins with {magic}, so we don't run it as Python" if magic else "is not a code cell any more"
        row.status, row.reason = "needs a human", f"its cell {what}, but holds an answer"
        row.code = cell.source
        return
    readable = {cell.notebook for cell in submission.cells}
    for file, why in submission.unreadable.items():
        if not any(name in file.rpartition("/")[2] for name in others):
            row.status, row.reason = "needs a human", f"{file} can't be read: {why}"
            return
    if cells:
        row.reason = "not filled in"
    else:
        row.reason = "no cell of the submission holds it: deleted, or renamed?" if readable else "nothing was handed in"


def _grade_versions(row: Row, versions: list[Fresh], sandbox: Sandbox, seed: int, ends: float) -> None:
    """The best of an answer's versions counts; most have one."""
    best: Row | None = None
    for fresh in versions:
        one = Row(**{**asdict(row), "status": "crashed"})
        _grade_version(one, fresh, sandbox, seed)
        if best is None or _rank(one) > _rank(best):
            best = one
        if one.status == "passed" or time.monotonic() > ends:
            break
    assert best is not None
    if len(versions) > 1:
        best.reason += f" ({len(versions)} versions were handed in: the best counts)"
    for key, value in vars(best).items():
        setattr(row, key, value)


def _rank(row: Row) -> tuple:
    order = ("missing", "crashed", "timed out", "failed", "partial", "needs a human", "passed")
    return (row.status == "passed", row.points, order.index(row.status))


def _grade_version(row: Row, fresh: Fresh, sandbox: Sandbox, seed: int) -> None:
    row.code = fresh.answer.source
    examined: list | None = None
    for attempt in (1, 2):  # a crash may have been the machine's fault: it is tried once more
        try:
            ran = run(sandbox, fresh, row.exercise, seed)
            if not ran.end and ran.grades.get("points") and row.exercise not in NOT_EXAMINED:
                examined = sandbox.examine(row.exercise, fresh.given, fresh.cells, fresh.expression, seed)
        except SandboxGone as gone:
            ran = Ran(LOST, f"its sandbox ended ({gone})")
            with contextlib.suppress(SandboxGone):
                sandbox.stop()
        if ran.end not in ("crashed", LOST) or attempt == 2:
            break
    _decide(row, fresh, ran, examined)


def _decide(row: Row, fresh: Fresh, ran: Ran, examined: list | None) -> None:
    """Status, points and reason.

    Args:
        examined: (points, whether it passed, what was wrong) of each case, as a process saw it that the answer can't reach; None: it was not asked.
    """
    grades, forged = ran.grades, ran.grades.pop("forged", False)
    suspicions = reach.found(fresh.learners) if row.exercise in NOT_EXAMINED else []
    if forged:
        suspicions.insert(0, "something else than the check wrote a result")
    if ran.end == LOST or (not ran.end and not grades):
        row.status, row.reason, row.lost = "needs a human", ran.why, ran.end == LOST
        return
    if ran.end:
        row.status, row.reason = ran.end, ran.why
        return
    _keep(row, grades)
    points = min(max(int(grades.get("points", 0)), 0), row.max_points)
    if grades.get("unwritten"):
        row.status, row.reason = "missing", "not filled in"
        return
    if grades.get("problem"):
        if OWN_VERSION in grades["problem"] or ("got None" in grades["problem"] and not ran.raised):
            row.status, row.reason = "missing", f"its cell defines no function `{row.exercise}`: emptied, or renamed?"
            return
        row.status = "failed"
        if "got None" in grades["problem"] and ran.raised and (wrong := SYNTAX.match(ran.raised[-1])):
            where = f" in line {wrong[3]}" if wrong[3] else ""
            row.reason = f"its cell is not Python, so nothing in it runs: {wrong[1]}{where}: {wrong[2]}"
            return
        nothing = (
            f"its cell defines no function `{row.exercise}`"
            if "got None" in grades["problem"]
            else _plain(grades["problem"])
        )
        row.reason = nothing + (f": {ran.raised[-1]}" if ran.raised else "")
        return
    if examined is not None and points:
        cases = grades["cases"] if isinstance(grades.get("cases"), list) else []
        seen = list(zip(cases, examined, strict=False))
        denied = [what for passed, (_, again, what) in seen if passed is True and not again]
        if len(examined) < len(cases) and not denied:
            denied = ["it came to no end"]
        if denied:
            suspicions.insert(
                0, f"where it can't reach the check and the course's own version, another result: {_plain(denied[0])}"
            )
        points = min(points, sum(worth for passed, (worth, again, _) in seen if passed is True and again))
        given = int(grades["points"])
    else:
        given = points
    headline = _plain(row.told.get("headline", "")).partition(": ")[2]
    if suspicions and given:
        row.status = "needs a human"
        row.reason = f"{suspicions[0]}; the check in its own notebook gave {given} of {row.max_points} points"
        row.told["suspicions"] = suspicions
        return
    row.points = points
    whole = grades.get("passed") is True and points == row.max_points
    if grades.get("late"):
        row.status, row.reason = "timed out", f"{headline}; a case took too long"
    elif whole:
        row.status, row.reason = "passed", headline
    else:
        row.status = "partial" if points else "failed"
        row.reason = headline
        if row.told.get("diagnosis"):
            row.reason += f". {row.told['diagnosis'][0][0]}"
        elif row.told.get("words"):
            row.reason += f". {row.told['words'][0]}"


def _keep(row: Row, grades: dict[str, Any]) -> None:
    """What the kernel told, as far as it has the form it must have: it comes from where the learner's code ran."""
    told = grades.get("told")
    with contextlib.suppress(Exception):  # what can't be shown is left out
        html_of(_cut(told))
        row.told = _cut(told) if len(json.dumps(told)) <= 5 * TEXT else {}
    row.told["source"] = str(grades.get("source", ""))[:TEXT]
    row.misconceptions = [str(one)[:200] for one in grades.get("misconceptions", [])][:3]
    row.slips = [str(one)[:300] for one in grades.get("slips", [])][:3]
    others = grades.get("others", {})
    row.others = {str(key): str(value) for key, value in others.items()} if isinstance(others, dict) else {}


def _cut(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _cut(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_cut(one) for one in value[:100]]
    return ADDRESS.sub("", value[:TEXT]) if isinstance(value, str) else value
