"""What the course states about speed and strength, measured: `python -m lab`."""

import os

os.environ.setdefault(
    "OMP_NUM_THREADS", "1"
)  # before NumPy and torch are imported: on networks this small more threads are slower
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
