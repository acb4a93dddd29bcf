"""Describe the capabilities of the platform. In a browser tab (Pyodide) there are no threads and no processes.

Other modules never ask where they run. They ask for the capability that they need.
"""

import sys
import time

THREADS = PROCESSES = sys.platform != "emscripten"
INTERRUPTS = THREADS  # whether the square button reaches a kernel that is at work
GOES_ON = THREADS  # whether *Run All* goes on after a cell that fails and is tagged `raises-exception`

# The recursion limit. In a tab, deeper recursion ends Python without a message; a limit of 1,200 is too much there.
DEEPEST = 3000 if THREADS else 700
if not THREADS:
    sys.setrecursionlimit(DEEPEST)  # the kernel's completion has raised it

# The allowed seconds of wall-clock time for each second of this thread's processor time, for busy machines.
PATIENCE = 3


def processor_time() -> float:
    """This thread's processor time in seconds; without such a clock, the least that fits the wall-clock time."""
    return time.thread_time() if hasattr(time, "thread_time") else time.monotonic() / PATIENCE
