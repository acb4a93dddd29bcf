"""What the machine can do. In a browser tab (Pyodide) there are no threads, no processes and no PyTorch.

Nothing else in the course asks where it runs: it asks for what it needs.
"""

import sys
import time
from importlib.util import find_spec

THREADS = PROCESSES = sys.platform != "emscripten"
TORCH = find_spec("torch") is not None

# Seconds that this thread has worked; where no clock counts them, seconds gone by.
processor_time = getattr(time, "thread_time", time.monotonic)
