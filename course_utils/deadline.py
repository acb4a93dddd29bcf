"""An answer that does not end is ended.

A watchdog thread does it, whatever the answer does with signals and timers: past the deadline it raises
`TookTooLong` in the answer's thread again and again for as long as that is inside the answer, so that a loop that swallows it once meets
it the next time around. (An answer that starts threads or processes of its own leaves them behind: nobody can end those.)

In a browser tab, which has no threads, Python itself looks at the clock now and then (`sys.monitoring`): when a function is called, and
when a loop goes round. A function of C that takes forever, such as a long sleep, can't be ended there.
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

LOOK = 64  # calls and turns of a loop between two looks at the clock
HURRY = 1e-6  # seconds between two turns of the threads, once the deadline has passed
CALM = (
    0.5  # seconds that the callers of an interruptible answer have to clean up, before they are interrupted themselves
)


class TookTooLong(BaseException):
    """Not an Exception, so that a bare `except Exception` in an answer can't swallow it."""


def interruptible(answer: Callable) -> Callable:
    """The answer. Whoever calls it within a limit, such as hypothesis, is left to clean up when it has been ended."""

    @functools.wraps(answer)
    def called(*args, **kwargs):
        return answer(*args, **kwargs)

    return called


def within(seconds: float, function: Callable[[], Any], calmly: bool = False) -> Any:
    """What `function()` returns. Raises TookTooLong once `seconds` have gone by, even if it returns after that.

    Args:
        calmly: it calls an `interruptible` answer, and that is what is ended.
    """

    def limited() -> Any:
        return function()

    ended = interruptible(function).__code__ if calmly else limited.__code__
    return (_with_watchdog if THREADS else _looking_at_the_clock)(seconds, limited, ended)


def _looking_at_the_clock(seconds: float, limited: Callable[[], Any], ended: CodeType) -> Any:
    """The clock says nothing about how long the answer has worked, so it has as long as a watchdog gives it on a busy machine."""
    steps, ends, late, calm_since = 0, time.monotonic() + PATIENCE * seconds, False, 0.0

    def look(*_: Any) -> None:
        nonlocal steps, late, calm_since
        steps += 1
        if (steps % LOOK and not late) or time.monotonic() < ends:
            return
        frame = sys._getframe(1)
        if _is_inside(ended, frame) or (_is_inside(limited.__code__, frame) and time.monotonic() > calm_since + CALM):
            late, calm_since = True, time.monotonic()
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
    if late:
        raise TookTooLong
    return result


def _with_watchdog(seconds: float, limited: Callable[[], Any], ended: CodeType) -> Any:
    thread, done, late = threading.get_ident(), threading.Event(), threading.Event()
    watchdog = threading.Thread(
        target=_watch, args=(seconds, thread, limited.__code__, ended, done, late), daemon=True, name="course-deadline"
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
            late.set()
        while True:
            try:
                done.set()
                watchdog.join()
                for _ in range(10):  # one exception may still be on its way: it is met here
                    pass
                break
            except TookTooLong:
                late.set()
    if late.is_set():
        raise TookTooLong
    return result


def _watch(
    seconds: float, thread: int, limited: CodeType, ended: CodeType, done: threading.Event, late: threading.Event
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
    sys.setswitchinterval(HURRY)  # so that an exception arrives even while the last one is being swallowed
    calm_since = time.monotonic()
    while not done.is_set():
        frame = sys._current_frames().get(thread)
        if _is_inside(ended, frame) or (_is_inside(limited, frame) and time.monotonic() > calm_since + CALM):
            late.set()
            _raise_in(thread, TookTooLong)
            if wakes:  # from a sleep, or a wait for something that never comes
                signal.pthread_kill(thread, signal.SIGALRM)
            calm_since = time.monotonic()
        time.sleep(0)
    sys.setswitchinterval(interval)


@contextlib.contextmanager
def _silent_where_it_is_lost():
    """Within the block Python says nothing of an exception of ours that met a destructor, which swallows it: the next one comes at once."""
    before = sys.unraisablehook

    def told(lost: Any) -> None:
        if lost.exc_type is not TookTooLong:
            before(lost)

    sys.unraisablehook = told
    try:
        yield
    finally:
        sys.unraisablehook = before


def _clock_of(thread: int) -> Callable[[], float]:
    """The seconds that a thread has worked; where nobody can tell (Windows), those that went by."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    number = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(number)


def _is_inside(code: CodeType, frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame is not None


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    """Raise it in that thread at its next step. (Python 3.11 hangs under a profiler once one was taken back.)"""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


@contextlib.contextmanager
def _woken_by_signals():
    """Within the block SIGALRM does nothing but end a system call."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, before)
