"""For the project's own tests and for the solution notebooks, which nbval runs."""

import os

import pytest

# one thread a process: on networks this small more threads are slower, and on a busy machine very much so
os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported; kernels inherit it


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items):
    """The cells of a notebook need each other: one worker runs them all (with `--dist loadgroup`)."""
    for item in items:
        if item.path.suffix == ".ipynb":
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
