"""Running an answer once: its cells in a fresh process, then its check."""

from course_utils.answers.program import Program
from course_utils.answers.running import Raised
from course_utils.classroom.remote_stage import AnswerGone, RemoteStage
from course_utils.classroom.sandbox import AnswerProcess, Sandbox
from course_utils.classroom.verdict import LONGEST, AnswerRun, Status, plain
from course_utils.tests.grade import CHECKS, judge

BEGIN = "from course_utils.exercise import binding\nbinding.begin(globals(), {!r})\n"
CHECK = "the check"
ENDLESS = "is there a loop that never ends?"


def run(sandbox: Sandbox, program: Program, exercise: str, seed: int) -> AnswerRun:
    """Run the cells in a fresh process, then the check. Nothing that the learner's code does raises here.

    Raises:
        SandboxGone: no process could be started.
    """
    names = sandbox.course.prepare(exercise, CHECKS[exercise].scenes(seed))
    cells = [*program.helpers, program.answer]
    result, where, helper = AnswerRun(), "what the course gives", -1
    with AnswerProcess(sandbox) as process:
        stage = RemoteStage(process.connection, process.lives)
        try:
            stage.run_cell(f"{BEGIN.format(exercise)}{program.given}", sandbox.limits.cell)
            for number, (cell, text) in enumerate(zip(cells, program.cells, strict=True)):
                where = cell.place if program.helpers else "its cell"
                helper = number if number < len(program.helpers) else -1
                for kind, message, traceback in stage.run_cell(text, sandbox.limits.cell):
                    error = plain(f"{kind}: {message}")
                    result.raised.append(Raised(error, cell.place, plain(traceback, LONGEST)))
            where, check = CHECK, CHECKS[exercise].names["__name__"]
            stage.begin_check(exercise=exercise, check=check, names=names, expression=program.expression)
            result.report = judge(exercise, stage, seed)
        except AnswerGone:
            pass
        if stage.gone:
            ended = not stage.out_of_time and process.ended()
            result.report, (result.end, result.why) = None, _how_it_ended(process, stage, where, ended)
            result.retry = result.end == Status.CRASHED or (stage.out_of_time and where == CHECK)
            if ended and result.end == Status.CRASHED and not sandbox.full:
                result.ended_in = helper
    return result


def _how_it_ended(process: AnswerProcess, stage: RemoteStage, where: str, ended: bool) -> tuple[Status, str]:
    limits = process.sandbox.limits
    if process.out_of_time:
        return Status.TIMED_OUT, f"{where} used up its {limits.cpu} seconds of the processor: {ENDLESS}"
    if process.sandbox.full:
        gigabytes = f"{limits.memory / 2**30:g} GB"
        return Status.CRASHED, f"{where} held more than {gigabytes} of memory in all its processes"
    if ended:
        return Status.CRASHED, f"Python ended in {where}: it was killed, had no memory left, or called os._exit"
    if stage.out_of_time:
        seconds = f"{limits.cell:g} seconds" if where != CHECK else "it may, by the clock"
        return Status.TIMED_OUT, f"{where} took longer than {seconds}: {ENDLESS}"
    return Status.CRASHED, f"{where} did not come to its end: {stage.gone}"
