"""End an answer that exceeds its time limit.

A watchdog thread does this, so the answer can't prevent it with signals or timers. After the timeout it raises
`TookTooLong` in the answer's thread, and repeats it for as long as that thread is inside the answer, because a loop
may swallow the exception. Threads and processes that the answer has started keep running: Python can't end those.

A browser tab has no threads. There `sys.monitoring` checks the clock at function calls and loop iterations. A C
function that runs forever, such as a long sleep, can't be ended there.
"""

import contextlib
import ctypes
import functools
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from course_utils.platform import PATIENCE, THREADS

CHECK_EVERY = 64  # function calls and loop iterations between two checks of the clock
HURRY = 1e-6  # the thread switch interval in seconds, after the timeout
CALM = 0.5  # seconds that callers of an interruptible answer get to clean up, before they are interrupted, too


class TookTooLong(BaseException):
    """The timeout. It is not an Exception, so that `except Exception` in an answer can't swallow it."""


def interruptible(answer: Callable) -> Callable:
    """Wrap an answer so that `within(calmly=True)` interrupts it alone, and its caller, such as hypothesis, can clean
    up.
    """

    @functools.wraps(answer)
    def called(*args, **kwargs):
        return answer(*args, **kwargs)

    return called


def within(seconds: float, function: Callable[[], Any], calmly: bool = False) -> Any:
    """Call `function()` with a timeout. Raises TookTooLong after `seconds`, even if the function returns later.

    Args:
        calmly: interrupt only the `interruptible` answer that the function calls.
    """

    def limited() -> Any:
        return function()

    ended = interruptible(function).__code__ if calmly else limited.__code__
    return (_with_watchdog if THREADS else _with_monitoring)(seconds, limited, ended)


def _with_monitoring(seconds: float, limited: Callable[[], Any], ended: CodeType) -> Any:
    """As `_with_watchdog`, without threads.

    It knows only wall-clock time, and so allows as much as the watchdog on a busy machine.
    """
    steps, ends, timed_out, calm_since = 0, time.monotonic() + PATIENCE * seconds, False, 0.0

    def look(*_: Any) -> None:
        nonlocal steps, timed_out, calm_since
        steps += 1
        if (steps % CHECK_EVERY and not timed_out) or time.monotonic() < ends:
            return
        frame = sys._getframe(1)
        if _is_inside(ended, frame) or (_is_inside(limited.__code__, frame) and time.monotonic() > calm_since + CALM):
            timed_out, calm_since = True, time.monotonic()
            raise TookTooLong

    watched = sys.monitoring  # type: ignore[attr-defined]  # since Python 3.12, which the tab has
    number = next(number for number in range(6) if watched.get_tool(number) is None)
    watched.use_tool_id(number, "course-deadline")
    try:
        for event in (watched.events.JUMP, watched.events.PY_START):
            watched.register_callback(number, event, look)
        watched.set_events(number, watched.events.JUMP | watched.events.PY_START)
        result = limited()
    finally:
        watched.set_events(number, 0)
        watched.free_tool_id(number)
    if timed_out:
        raise TookTooLong
    return result


def _with_watchdog(seconds: float, limited: Callable[[], Any], ended: CodeType) -> Any:
    thread, done, timed_out = threading.get_ident(), threading.Event(), threading.Event()
    watchdog = threading.Thread(
        target=_watch,
        args=(seconds, thread, limited.__code__, ended, done, timed_out),
        daemon=True,
        name="course-deadline",
    )
    with _woken_by_signals(), _silent_where_it_is_lost():
        watchdog.start()
        result = None
        try:
            try:
                result = limited()
            finally:
                done.set()
        except TookTooLong:
            timed_out.set()
        while True:
            try:
                done.set()
                watchdog.join()
                for _ in range(10):  # a pending exception is raised here
                    pass
                break
            except TookTooLong:
                timed_out.set()
    if timed_out.is_set():
        raise TookTooLong
    return result


def _watch(
    seconds: float, thread: int, limited: CodeType, ended: CodeType, done: threading.Event, timed_out: threading.Event
) -> None:
    began, clock = time.monotonic(), _clock_of(thread)
    worked = clock()
    while clock() - worked < seconds and time.monotonic() - began < PATIENCE * seconds:
        if done.wait(min(seconds, 0.05)):
            return
    interval, wakes = (
        sys.getswitchinterval(),
        hasattr(signal, "pthread_kill") and thread == threading.main_thread().ident,
    )
    sys.setswitchinterval(HURRY)  # so that an exception arrives even while the previous one is being handled
    calm_since = time.monotonic()
    while not done.is_set():
        frame = sys._current_frames().get(thread)
        if _is_inside(ended, frame) or (_is_inside(limited, frame) and time.monotonic() > calm_since + CALM):
            timed_out.set()
            _raise_in(thread, TookTooLong)
            if wakes:  # interrupts a sleep or another blocking system call
                signal.pthread_kill(thread, signal.SIGALRM)
            calm_since = time.monotonic()
        time.sleep(0)
    sys.setswitchinterval(interval)


@contextlib.contextmanager
def _silent_where_it_is_lost():
    """Suppress Python's report of a TookTooLong that a destructor has swallowed.

    The watchdog raises the next one at once.
    """
    before = sys.unraisablehook

    def report(unraisable: Any) -> None:
        if unraisable.exc_type is not TookTooLong:
            before(unraisable)

    sys.unraisablehook = report
    try:
        yield
    finally:
        sys.unraisablehook = before


def _clock_of(thread: int) -> Callable[[], float]:
    """A clock of a thread's processor time; on Windows, which has none, of wall-clock time."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    number = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(number)


def _is_inside(code: CodeType, frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame is not None


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    """Raise an exception in a thread at its next step.

    (We never cancel one: Python 3.11 then hangs under a profiler.)
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


@contextlib.contextmanager
def _woken_by_signals():
    """Make SIGALRM interrupt system calls, and do nothing else."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)
