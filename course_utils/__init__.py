"""AlphaZero from nothing: the package behind the course.

Importing it loads no libraries, because `python -m course_utils` must start on a machine that has only Python.

The import limits NumPy and PyTorch to one thread, in this process and its subprocesses. On networks this small a
second thread mostly waits for the first, which takes very long on a busy machine. A number of threads set in the
environment is kept.
"""

import logging
import os
import sys

__version__ = "1.0.0"

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

if not any(name in os.environ for name in THREADS):
    os.environ.update(dict.fromkeys(THREADS, "1"))  # for what is loaded from now on
    if "numpy" in sys.modules:  # imported before us, so it has already read the environment
        try:
            from threadpoolctl import threadpool_limits
        except ImportError:  # an environment that is older than the course
            pass
        else:
            threadpool_limits(1)  # limits NumPy's library in all threads, and OpenMP only in this one
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)  # in all threads

logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # no "building the font cache" below a first cell
