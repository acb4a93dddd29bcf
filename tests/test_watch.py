"""What a check makes of scenes, tried on an exercise of the tests' own; and time limits, and ways out."""

import functools
import random
import sys
import threading
import time

import numpy as np
import pytest
import torch
from hypothesis import strategies as st

from course_utils import deadline
from course_utils.deadline import TookTooLong, within
from course_utils.exercise import EXERCISES, Exercise, exercise
from course_utils.tests import scene
from course_utils.tests.case import Raises, run_case
from course_utils.tests.global_settings import plain, settings
from course_utils.tests.grade import CHECKS, grade
from course_utils.tests.render import as_html, as_text
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes
from course_utils.tests.stage import LocalStage


@exercise("99")
def doubled(x: np.ndarray, factor: float = 2.0) -> np.ndarray:
    """Each number times `factor`, as a new array."""
    return x * factor


def one_by_one(x, factor=2.0):
    return np.array([number * factor for number in x], dtype=float)


def scenes(**changes) -> Scenes:
    """The check of `doubled`, but for these."""
    settings = dict(
        draws=st.tuples(st.lists(st.integers(-50, 50), max_size=30), st.sampled_from([2.0, 0.5])),
        scene=lambda draw: f"doubled(np.array({draw[0]}, dtype=float), {draw[1]})",
        names=globals(),
        by_hand="",
        wrong=[],
        right=[one_by_one],
        returns=array("float64"),
        exercise="doubled",
    )
    return Scenes(**(settings | changes))


CHECK = scenes()


@pytest.fixture(autouse=True)
def _an_exercise_of_the_tests_own(monkeypatch):
    monkeypatch.setitem(EXERCISES, "doubled", Exercise("doubled", __name__, "99"))
    monkeypatch.setitem(CHECKS, "doubled", CHECK)
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)  # a time limit may strike inside a destructor


def failed(answer) -> list[str]:
    return [outcome.case.name.split(" ")[0] for outcome in grade("doubled", answer).failures]


def test_a_right_answer_passes_whatever_its_form():
    assert failed(lambda x, factor=2.0: np.multiply(x, factor)) == []
    assert failed(functools.partial(lambda x, factor, power: x * factor**power, power=1)) == ["can"]  # no default

    class Doubled:
        def __call__(self, x, factor=2.0):
            return np.array([one * factor for one in x], dtype=float)

    assert failed(Doubled()) == []


def test_the_smallest_failing_draw_is_shown():
    report = grade("doubled", lambda x, factor=2.0: np.where(x > 17, x, x * factor))
    for text in (as_text(report), as_html(report)):
        assert "doubled(np.array([18], dtype=float), " in text
        assert "agrees with the definition" in text


SHARED = {"results": {}, "buffer": None}


def remembers(x, factor=2.0):
    key = (x.tobytes(), factor)
    return SHARED["results"].setdefault(key, x * factor)


def hands_one_array_out_again(x, factor=2.0):
    if SHARED["buffer"] is None or SHARED["buffer"].shape != x.shape:
        SHARED["buffer"] = np.empty_like(x)
    np.multiply(x, factor, out=SHARED["buffer"])
    return SHARED["buffer"]


def counts_its_calls(x, factor=2.0, calls=[]):  # noqa: B006 - the mistake
    calls.append(1)
    return x * factor if len(calls) < 20 else x * factor + 1


def works_in_its_argument(x, factor=2.0):
    x *= factor
    return x.copy()


def returns_a_view_of_its_argument(x, factor=2.0):
    if factor == 1 or len(x) == 0:
        return x
    out = x[:]
    result = x * factor
    return result if not np.array_equal(result, x) else out


def draws_globally(x, factor=2.0):
    np.random.random()  # noqa: NPY002
    return x * factor


def draws_from_pythons_generator(x, factor=2.0):
    random.random()
    return x * factor


def changes_settings(x, factor=2.0):
    np.set_printoptions(precision=1)
    return x * factor


@pytest.mark.parametrize(
    "answer",
    [remembers, hands_one_array_out_again, counts_its_calls, works_in_its_argument, draws_globally,
     draws_from_pythons_generator, changes_settings, returns_a_view_of_its_argument],
)  # fmt: skip
def test_memory_between_calls_is_found(answer):
    assert {"keeps", "agrees"} & set(failed(answer))
    assert np.get_printoptions()["precision"] == 8


def test_another_name_or_default_is_found():
    assert failed(lambda y, factor=2.0: y * factor) == ["can"]
    assert failed(lambda x, factor=3.0: x * factor) == ["can"]
    assert "no parameter called `x`" in as_text(grade("doubled", lambda y, factor=2.0: y * factor))


def test_another_type_is_said_in_words():
    report = grade("doubled", lambda x, factor=2.0: list(x * factor))
    assert "expected a numpy array, got" in as_text(report)


def none_below_0(x, factor=2.0):
    if (x < 0).any():
        raise ValueError("a negative number")
    return x * factor


def test_the_first_right_answer_may_raise(monkeypatch):
    strict = scenes(
        draws=st.integers(-3, 3), scene=lambda number: f"doubled(np.array([{number}.0]))", right=[none_below_0]
    )
    monkeypatch.setitem(CHECKS, "doubled", strict)
    assert failed(none_below_0) == []
    assert failed(lambda x, factor=2.0: x * 2) == ["agrees"]


def test_by_hand_a_case_has_a_name_points_a_picture_lines_and_a_question():
    hand = scenes(
        by_hand="""
            two numbers (2 points)
            1 --> 2
            >>> x = np.array([1.0, 2.0])
            >>> for factor in (3.0, 2.0):
            ...     y = doubled(x, factor)
            >>> y[0], factor
            2, 2.0
            ? What is twice 1,
            ? and what is twice 2?

            none below 0
            >>> doubled(np.array([SEED]), "x")
            Raises(TypeError)
        """,
        names=globals(),
    )
    one, other = hand.by_hand_cases(np.random.default_rng(0))
    assert (one.name, one.points, one.board, one.expected) == ("two numbers", 2, "1 --> 2", (2, 2.0))
    assert one.call.splitlines()[-3:] == ["for factor in (3.0, 2.0):", "    y = doubled(x, factor)", "y[0], factor"]
    assert one.question == "What is twice 1, and what is twice 2?"
    assert other.expected == Raises(TypeError)
    assert "SEED" not in other.call
    assert run_case(one, LocalStage(hand, one_by_one)).passed
    assert not run_case(one, LocalStage(hand, lambda x, factor: x)).passed


def test_the_imports_that_the_lines_need_are_shown_before_them():
    lines = "doubled(one_by_one(np.zeros(1)) + len([Exercise]), CONSTANT)"
    shown = scenes(names=globals() | {"CONSTANT": 2.0}).shown(lines)
    assert shown.splitlines() == [
        "from course_utils.exercise import Exercise",
        f"from {__name__} import CONSTANT, one_by_one",
        lines,
    ]


def test_what_a_learner_printed_is_shown_and_cut():
    def noisy(x, factor=2.0):
        print("x is", x, 300 * " and so on")
        return x

    text = as_text(grade("doubled", noisy))
    assert "printed" in text
    assert "x is" in text
    assert "characters more" in text


# --- time, and ways out ----------------------------------------------------------------------------------------------


@pytest.fixture(params=["with threads", "without threads"])
def either(request, monkeypatch):
    """Either kind of deadline; where Python is older than 3.12, the one without threads is tested in the browser alone."""
    if request.param == "without threads":
        if not hasattr(sys, "monitoring"):
            pytest.skip("this Python has no sys.monitoring")
        monkeypatch.setattr(deadline, "THREADS", False)


@pytest.mark.parametrize("swallow", [False, True])
def test_an_endless_loop_is_ended_whatever_it_does_with_timers_and_exceptions(swallow, either):
    import signal

    def endless():
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
        while True:
            try:
                sum(range(100))
            except BaseException:
                if not swallow:
                    raise

    with pytest.raises(TookTooLong):
        within(0.2, endless)


def test_a_sleep_is_ended_too():
    began = time.monotonic()
    with pytest.raises(TookTooLong):
        within(0.2, lambda: time.sleep(30))
    assert time.monotonic() - began < 10


def test_a_limit_that_is_kept_leaves_nothing_behind(either):
    for _ in range(50):
        assert within(0.05, lambda: 7) == 7
    time.sleep(0.1)
    assert not [thread for thread in threading.enumerate() if thread.name == "course-deadline"]


def test_after_a_time_out_nothing_else_is_run():
    block = """
        case NUMBER
        >>> doubled(np.zeros(1))
    """
    loops = scenes(by_hand="\n".join(block.replace("NUMBER", str(k)) for k in range(8)))
    CHECKS["doubled"] = loops
    calls = []

    def endless(x, factor=2.0):
        calls.append(x)
        while True:
            pass

    report = grade("doubled", endless)
    assert len(calls) == 1
    assert len(report.failures) == len(report.outcomes) == 11
    assert as_text(report).count("does your loop end?") == 1
    assert "The cases after the one that ran out of time were not run." in as_text(report)


def test_a_time_out_amid_the_draws_is_no_matter_of_the_next_answer():
    def endless(x, factor=2.0):
        while True:
            pass

    cases = {case.name.split(" ")[0]: case for case in CHECK.cases(np.random.default_rng(0))}
    for _ in range(3):
        assert isinstance(run_case(cases["agrees"], LocalStage(CHECK, endless), seconds=0.05).error, TookTooLong)
        assert failed(doubled.__wrapped__) == []


@pytest.mark.parametrize("way_out", [SystemExit, GeneratorExit])
def test_an_answer_that_asks_to_leave_fails(way_out):
    def leaves(x, factor=2.0):
        raise way_out("bye")

    assert not grade("doubled", leaves).passed


@pytest.mark.parametrize(
    ("leak", "named"),
    [
        (lambda: torch.set_default_dtype(torch.float64), "torch's default dtype"),
        (lambda: torch.set_grad_enabled(False), "whether torch computes gradients"),
        (lambda: torch.autograd.set_detect_anomaly(True), "whether torch looks for anomalies"),
        (lambda: torch.set_num_threads(2), "how many threads torch has"),
        (lambda: np.seterr(all="raise"), "numpy's error settings"),
        (lambda: np.seterr(all="ignore"), "numpy's error settings"),
        (lambda: np.set_printoptions(precision=2), "numpy's print options"),
        (lambda: random.seed(1), "Python's global generator"),
    ],
)
def test_settings_that_an_answer_leaks_are_told_and_put_back(leak, named):
    before = [plain(one.read()) for one in settings()]

    def leaks(x, factor=2.0):
        leak()
        return x * factor

    report = grade("doubled", leaks)
    assert [case.case.name.split(" ")[0] for case in report.failures] == ["keeps"]
    assert f"a call changes {named}" in report.failures[0].complaint
    assert [plain(one.read()) for one in settings()] == before


def test_settings_of_the_notebook_are_met_by_no_check_and_stay():
    kept = np.seterr(all="raise")
    torch.set_default_dtype(torch.float64)
    try:
        assert failed(lambda x, factor=2.0: x * factor) == []
        assert torch.get_default_dtype() is torch.float64
        assert np.geterr()["divide"] == "raise"
    finally:
        torch.set_default_dtype(torch.float32)
        np.seterr(**kept)


def test_async_and_generators_are_said_so():
    async def later(x, factor=2.0):
        return x

    def bit_by_bit(x, factor=2.0):
        yield x

    assert "async def" in grade("doubled", later).headline
    assert "yield" in grade("doubled", bit_by_bit).headline


def test_a_mistake_has_its_name_however_little_time_there_was_to_make_its_draw_smaller(monkeypatch):
    entry = next(entry for entry in CHECKS["negamax"].wrong if entry.name == "first move only")
    smallest = []
    for seconds in (0.0, 60.0):
        monkeypatch.setattr(scene, "SHRINK_SECONDS", seconds)
        report = grade("negamax", entry.answer)
        smallest.append(report.failures[-1].case.call)
        assert entry in report.matches  # what the entry itself does was worked out with the first limit, and is kept
    assert smallest[0] != smallest[1]


def test_an_answer_that_has_its_chance_from_elsewhere_is_refused_each_time_and_has_no_name():
    """Nothing can be shown of it: its draws come out otherwise each time."""
    entry = next(entry for entry in CHECKS["epsilon_greedy"].wrong if entry.name == "its own randomness")
    reports = [grade("epsilon_greedy", entry.answer) for _ in range(5)]
    assert not any(report.passed or report.matches for report in reports)
