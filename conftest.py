"""For the project's own tests and for the solution notebooks, which nbval runs."""

import os

import pytest

# one thread a process: on networks this small more threads are slower, and on a busy machine very much so
os.environ.setdefault("OMP_NUM_THREADS", "1")  # before torch is imported; kernels inherit it

SLOW = ("test_notebooks.py", "test_update.py")


def pytest_collection_modifyitems(items):
    """Slow tests first, so that no worker is left alone with one at the end."""
    items.sort(key=lambda item: item.path.name not in SLOW)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A test goes to the worker that is free, but the cells of a notebook need each other: one worker runs them all."""
    from xdist.scheduler import LoadScopeScheduling

    class OneNotebookOneWorker(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path = nodeid.partition("::")[0]
            return path if path.endswith(".ipynb") else nodeid

    return OneNotebookOneWorker(config, log)
