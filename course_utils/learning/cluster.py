"""Self-play workers on a Ray cluster: processes on this machine, or on all machines of a cluster.

An extra (`scale`) that the course never needs.

Ray's scheduler hands the batches out, so none waits for the process that learns. A batch whose process or machine dies,
or whose games are lost with the machine that kept them, is played again by another one (`max_retries`), still under the
same future: so it comes back once. The weights are put into the object store once for each version, from where a
machine fetches them once, for all of its processes.
"""

import contextlib
import copy
import logging
import os
import secrets
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import torch

from course_utils.exercise import adopt, sources_in_force
from course_utils.learning.workers import Workers

RETRIES = 20  # of a batch: a batch that kills every process (for want of memory, say) ends the run with a message

NOT_THERE = (
    "WORKERS=ray needs Ray, an extra of the course: install it with "
    '`.venv/bin/python -m pip install -c constraints.txt -e ".[scale]"`, or say WORKERS=2 for two processes without it'
)


class RayCluster(Workers):
    """Workers on all processors of a Ray cluster.

    The cluster is the one at `address`, else at RAY_ADDRESS, else a new cluster of this machine that ends with the run.

    Args:
        address: of a cluster that runs already; None: as above.
        ahead: see `Workers`; without it the run is bit for bit the one that other workers make.
        count: how many batches are under way at once, and how many processors a cluster of this machine alone takes;
            None: as many as there are now.

    Raises:
        ValueError: Ray is not installed, or no cluster is at the address.
    """

    def __init__(self, address: str | None = None, *, ahead: bool = True, count: int | None = None):
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when it is imported, here and in its processes
        try:
            import ray
        except ImportError:
            raise ValueError(NOT_THERE) from None
        address = address or os.environ.get("RAY_ADDRESS")
        self.ray, self.ahead, self.began_it = ray, ahead, not ray.is_initialized()
        on_kill = signal.getsignal(signal.SIGTERM)
        if self.began_it:
            quiet = dict(log_to_driver=False, logging_level=logging.ERROR)
            try:
                if address:
                    ray.init(address, **quiet)
                else:
                    patiently(lambda: ray.init("local", num_cpus=count, include_dashboard=False, **quiet))
            except Exception as error:  # of many kinds; where a machine is very busy a plain Exception
                problem = f"no Ray cluster answers at {address}" if address else "Ray does not start on this machine"
                raise ValueError(f"{problem} ({in_a_line(error)})") from None
            finally:
                if threading.current_thread() is threading.main_thread() and on_kill is not None:
                    signal.signal(signal.SIGTERM, on_kill)  # Ray has put its own in place
        self.count = count or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self.sources = ray.put(sources_in_force())
        self.refs: dict[Future, Any] = {}
        self.play = ray.remote(num_cpus=1, max_retries=RETRIES)(play_elsewhere)

    def __exit__(self, kind: type | None, *_: object) -> None:
        for future in list(self.refs):
            self.recall(future)
        if self.began_it:
            self.ray.shutdown()

    def share(self, weights: bytes) -> Any:
        return self.ray.put(weights)

    def begin(self, play: Callable, *arguments: Any) -> Future:
        ref = self.play.remote(self.sources, play, *arguments)
        done: Future = Future()
        self.refs[done] = ref  # Ray forgets a batch to which nothing refers

        def arrived(result: Future) -> None:
            error = result.exception()
            if error is None:
                done.set_result(copy.deepcopy(result.result()))  # not a view of the object store
            else:
                done.set_exception(
                    getattr(error, "cause", None) or ConnectionError(f"the Ray cluster has failed: {in_a_line(error)}")
                )
            self.refs.pop(done, None)

        ref.future().add_done_callback(arrived)
        return done

    def recall(self, future: Future) -> bool:
        ref = self.refs.pop(future, None)
        if ref is None or future.done():
            return False
        self.ray.cancel(ref, force=True)
        return True


def in_a_line(error: BaseException) -> str:
    """The first line of an error's message, or its name if it has none."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def patiently(start: Callable[[], Any], times: int = 4) -> Any:
    """A node of Ray gives its helpers 15 seconds to start, which is not always enough on a busy machine."""
    for _ in range(times - 1):
        with contextlib.suppress(Exception):
            return start()
    return start()


_adopted: dict[str, str] | None = None  # by this process


def play_elsewhere(sources: dict[str, str], play: Callable, *arguments: Any) -> Any:
    """Call `play(*arguments)` in a process of Ray's, with these answers of the learner in force."""
    global _adopted
    if sources != _adopted:
        torch.set_num_threads(1)
        adopt(sources)
        _adopted = sources
    return play(*arguments)


@contextlib.contextmanager
def cluster_of(*processors: int) -> Iterator[Any]:
    """A Ray cluster with a node for each of these numbers of processors, all on this machine.

    `cluster.others` are the nodes but the first.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))  # who does not know it can't reach the cluster
    import ray
    from ray.cluster_utils import Cluster

    first, *further = processors
    head = dict(num_cpus=first, include_dashboard=False)
    cluster = patiently(lambda: Cluster(initialize_head=True, head_node_args=head))
    try:
        cluster.others = [patiently(lambda: cluster.add_node(num_cpus=number)) for number in further]  # noqa: B023
        yield cluster
    finally:
        ray.shutdown()
        cluster.shutdown()
