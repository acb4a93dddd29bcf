"""An answer that does not end is ended.

A watchdog thread does it, on every platform, whatever the answer does with signals and timers: past the deadline it raises
`TookTooLong` in the main thread, again and again, so that a loop that swallows it once meets it the next time around.
"""

import contextlib
import ctypes
import signal
import sys
import threading
import time
from collections.abc import Iterator

HURRY = 1e-6  # seconds between two turns of the threads, once the deadline has passed


class TookTooLong(BaseException):
    """Not an Exception, so that a bare `except Exception` in an answer can't swallow it."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TookTooLong in this thread once `seconds` have gone by. Limits may be nested: the first to end, ends all."""
    thread, done, over = threading.get_ident(), threading.Event(), threading.Lock()
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def watch() -> None:
        wakes = hasattr(signal, "pthread_kill") and thread == threading.main_thread().ident
        if done.wait(seconds):
            return
        sys.setswitchinterval(HURRY)  # so that an exception arrives even while the last one is being swallowed
        while True:
            time.sleep(0)
            with over:
                if done.is_set():
                    return
                raise_in(ctypes.c_ulong(thread), ctypes.py_object(TookTooLong))
                if wakes:  # from a sleep, or a wait for something that never comes
                    signal.pthread_kill(thread, signal.SIGALRM)

    before, interval = None, sys.getswitchinterval()
    if hasattr(signal, "SIGALRM") and threading.current_thread() is threading.main_thread():
        before = signal.signal(signal.SIGALRM, lambda *_: None)
    watchdog = threading.Thread(target=watch, daemon=True, name="course-deadline")
    watchdog.start()
    try:
        yield
    finally:
        _finish(done, over, thread)
        sys.setswitchinterval(interval)
        if before is not None:
            signal.signal(signal.SIGALRM, before)


def _finish(done: threading.Event, over: threading.Lock, thread: int) -> None:
    """Call the watchdog off. What it raises meanwhile is met here, until it has been called off."""
    while True:
        try:
            with over:
                done.set()
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), None)  # one that is still on its way
            return
        except TookTooLong:
            time.sleep(0)
