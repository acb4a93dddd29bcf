"""One thread a process: on networks this small more threads are slower, and on a busy machine very much so."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported; kernels inherit it

import pytest

from course_utils.exercise import LEARNERS


@pytest.fixture(autouse=True)
def _nothing_left_in_force():
    """What one test records, switches off or lets others adopt is gone for the next."""
    yield
    LEARNERS.restart()
    LEARNERS.learners = True
