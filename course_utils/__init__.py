"""AlphaZero from nothing: the package behind the course.

Importing it costs nothing: `python -m course_utils` must start on a machine that has only Python.

It sets one thread for NumPy and for PyTorch, in this process and in those it starts: on networks this small a second one only
waits for the first, and on a busy machine for very long. Whoever has set a number of threads in the environment keeps it.
"""

import logging
import os
import sys

__version__ = "1.0.0"

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

if not any(name in os.environ for name in THREADS):
    os.environ.update(dict.fromkeys(THREADS, "1"))  # for what is loaded from now on
    if "numpy" in sys.modules:  # a notebook imports it first, and it has read the environment before
        try:
            from threadpoolctl import threadpool_limits
        except ImportError:  # an environment that is older than the course
            pass
        else:
            threadpool_limits(1)  # of NumPy's library in all threads; of OpenMP, in this one only
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)  # in all threads

logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # no "building the font cache" below a first cell
