"""One thread a process, in real kernels: however they were started, and in whatever order a notebook imports."""

import json
import os
import sys
import threading
from contextlib import contextmanager

import pytest
from jupyter_client.manager import start_new_kernel

from course_utils.paths import COURSE

pytestmark = pytest.mark.slow

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
COUNT = """
def print_counts():
    import json, threading
    import torch
    from threadpoolctl import threadpool_info

    def count():
        counts = {"torch": torch.get_num_threads()}  # first: that is when a thread takes over what was set
        print(json.dumps(counts | {pool["internal_api"]: pool["num_threads"] for pool in threadpool_info()}))

    count()
    thread = threading.Thread(target=count)  # agents think in another thread
    thread.start()
    thread.join()
"""


class Kernel:
    def __init__(self, client, manager):
        self.client, self.manager = client, manager

    def printed(self, code: str) -> str:
        """What a cell prints."""
        parts = []

        def hear(message):
            if message["msg_type"] == "error":
                raise RuntimeError("\n".join(message["content"]["traceback"]))
            parts.append(message["content"].get("text", ""))

        self.client.execute_interactive(code, timeout=60, output_hook=hear)
        return "".join(parts)


@contextmanager
def a_kernel(**env: str):
    """A kernel of somebody who has set nothing but `env`."""
    inherited = {name: value for name, value in os.environ.items() if name not in THREADS}
    manager, client = start_new_kernel(env={**inherited, **env, "PYTHONPATH": str(COURSE)}, cwd=str(COURSE))
    try:
        yield Kernel(client, manager)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


ORDERS = ["import numpy, course_utils", "import numpy, torch, course_utils", "import torch, course_utils"]
FIRST_OURS = "import course_utils, numpy, torch"


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core: one thread in any case")
@pytest.mark.parametrize("imports", [*ORDERS, FIRST_OURS])
def test_numpy_and_torch_use_one_thread_whatever_a_notebook_imports_first(imports):
    with a_kernel() as kernel:
        kernel.printed(f"{imports}\n{COUNT}")
        for line in kernel.printed("print_counts()").splitlines():
            counts = json.loads(line)
            assert {"openblas", "mkl"} & counts.keys() or sys.platform == "darwin"  # Accelerate is not asked
            assert set(counts.values()) == {1}


def test_worker_processes_use_one_thread():
    with a_kernel() as kernel:
        kernel.printed("import numpy, course_utils")
        counts = "import json, numpy, torch; from threadpoolctl import threadpool_info;"
        counts += "print(torch.get_num_threads(), {p['num_threads'] for p in threadpool_info()})"
        run = f"import subprocess, sys; print(subprocess.check_output([sys.executable, '-c', {counts!r}], text=True))"
        assert kernel.printed(run).strip() == "1 {1}"


def test_a_number_of_threads_that_was_set_stays():
    with a_kernel(OMP_NUM_THREADS="2") as kernel:
        seen = kernel.printed(
            "import numpy, torch, course_utils, os; print(torch.get_num_threads(), os.environ['OMP_NUM_THREADS'])"
        )
        assert seen.split() == ["2", "2"]


def test_a_cell_waits_for_an_agent_that_thinks_and_an_interrupt_gives_it_up():
    with a_kernel() as kernel:
        kernel.printed("import time; from course_utils.ui import thinking; job = thinking.start(time.sleep, 1)")
        assert kernel.printed("print(job.done())") == "True\n"
        kernel.printed("thinking.start(time.sleep, 1000)")
        threading.Timer(1, kernel.manager.interrupt_kernel).start()
        assert "nothing waits for its answer any longer" in kernel.printed("print('on with it')")
        assert kernel.printed("print(thinking.start(abs, -1).result())") == "1\n"
