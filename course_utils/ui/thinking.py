"""Agents think in a thread beside the kernel's loop, so that the page stays alive; one at a time.

Only one thing of the course may compute at a time. Which version of an exercise is in force is one dictionary for the
whole process, an agent keeps its latest search, and two threads of Python are no faster than one. So the agents of all
boards share one thread and wait for each other, and a cell that runs meanwhile waits until no agent thinks.

In a browser tab there is no second thread: an agent thinks between two turns of the kernel's loop. The page has drawn
by then that it thinks, and what is clicked meanwhile is heard afterwards.
"""

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from IPython import get_ipython

from course_utils.platform import THREADS

_jobs: queue.SimpleQueue | None = None  # of the thread that is at work


def start(function: Callable, *arguments) -> Future:
    """Let the function be called when what was asked before is done. A call that has not begun can be cancelled."""
    global _jobs
    if _jobs is None:
        _jobs = queue.SimpleQueue()
        if THREADS:  # a daemon: an agent that never answers does not keep the kernel from ending
            threading.Thread(target=_work, args=(_jobs,), name="thinking", daemon=True).start()
        if get_ipython() is not None:
            # not "pre_execute", which comes before each click, too; to register again changes nothing
            get_ipython().events.register("pre_run_cell", _before_cell)
    future: Future = Future()
    _jobs.put((future, function, arguments))
    if not THREADS:
        asyncio.get_running_loop().call_soon(_work_off, _jobs)
    return future


def wait() -> None:
    """Wait until no agent thinks: for work in the kernel's own thread. An interrupt gives up an agent
    that does not answer.
    """
    global _jobs
    if _jobs is None:
        return
    if not THREADS:
        _work_off(_jobs)
        return
    try:
        job = start(lambda: None)
        while not job.done():
            time.sleep(0.005)  # not job.result(), which Windows can't interrupt
    except KeyboardInterrupt:
        _jobs = None
        raise


def _before_cell(_) -> None:
    try:
        wait()
    except KeyboardInterrupt:
        print("An agent was still thinking: nothing waits for its answer any longer.")


def _work(jobs: queue.SimpleQueue) -> None:
    while True:
        _call(*jobs.get())


def _work_off(jobs: queue.SimpleQueue) -> None:
    """All that is waiting."""
    while not jobs.empty():
        _call(*jobs.get())


def _call(future: Future, function: Callable, arguments: tuple) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(function(*arguments))
        except BaseException as error:
            future.set_exception(error)
