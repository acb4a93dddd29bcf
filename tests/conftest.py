"""One thread a process: on networks this small more threads are slower, and on a busy machine very much so."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported; kernels inherit it
