"""What the machine can do. In a browser tab (Pyodide) there are no threads and no processes.

Nothing else in the course asks where it runs: it asks for what it needs.
"""

import sys
import time

THREADS = PROCESSES = sys.platform != "emscripten"
INTERRUPTS = THREADS  # whether the square button reaches a kernel that is at work
GOES_ON = THREADS  # whether *Run All* goes on after a cell that fails and is tagged `raises-exception`

# Calls within calls. In a tab more of them end Python itself, and nothing says so; a limit of 1,200 is too much there.
DEEPEST = 3000 if THREADS else 700
if not THREADS:
    sys.setrecursionlimit(DEEPEST)  # the kernel's completion has raised it

# On a busy machine so many seconds may go by on a clock for each that this thread has worked.
PATIENCE = 3


def processor_time() -> float:
    """Seconds that this thread has worked; where no clock counts them, as few as may have been its own of those gone by."""
    return time.thread_time() if hasattr(time, "thread_time") else time.monotonic() / PATIENCE
