"""AlphaZero from nothing: the package behind the course.

Importing it costs nothing: `python -m course_utils` must start on a machine that has only Python.
"""

import os
import sys

__version__ = "0.1.0"

# One thread for NumPy and one for PyTorch, in this process and in those it starts: on networks and batches this small a second
# one only waits for the first, and on a busy machine for very long. The environment holds for what is loaded from now on;
# what a notebook has loaded before is told so. A number that you have set yourself stays.
_UNSET = [
    name
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    if name not in os.environ
]
os.environ.update(dict.fromkeys(_UNSET, "1"))
if "OMP_NUM_THREADS" in _UNSET and "numpy" in sys.modules:
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)  # NumPy's library, for all threads of this process; of OpenMP, only for this one
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)  # for all threads
