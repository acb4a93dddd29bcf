"""Inside the sandbox: a process that has loaded the large libraries, but not the course, and forks for each exercise.

It never runs a learner's line. A fork has limits, and is killed with everything that it has started and written.
Requests and replies are JSON on standard input, which is a socket; with the request "fork" comes the socket over
which the grader talks to the fork.
"""

import ctypes
import gc
import importlib
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from course_utils.classroom import seccomp

LOADED = ("psutil", "numpy", "IPython.core.interactiveshell", "matplotlib.pyplot")  # once, for all forks
ADDRESSES = 2 << 30  # that the course takes when it is imported, few of them of memory
SUBREAPER, DUMPABLE = 36, 4  # options of prctl(2): orphans come to this process; others may not read its memory
MOST_FILES = 256
LONGEST = 20_000  # characters of an error and of its traceback
CONNECTION = 3  # the descriptor of a fork's socket
CHECKS = (["course_utils", "tests"], ["course_utils", "classroom"])  # are imported anew after a learner's cells
OWN = {"HOME": "", "TMPDIR": "", "IPYTHONDIR": ".ipython", "MPLCONFIGDIR": ".matplotlib"}  # shared by no two forks


def main() -> None:
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    order, _ = _request(control)
    if order["user"]:
        os.setgroups([])
        os.setgid(order["user"])
        os.setuid(order["user"])
    _prctl(SUBREAPER, 1)
    _prctl(DUMPABLE, 0)
    for name in (*order["modules"], *LOADED):
        importlib.import_module(name)
    threads = _threads_of_this_user()
    gc.collect()
    gc.freeze()
    _reply(control, {"ready": True})
    child = 0
    while True:
        request, connection = _request(control)
        reply: dict[str, Any] = {"alive": True}
        if request["ask"] == "fork":
            _kill_all()  # what the fork before left behind, if it ended by itself
            child = os.fork()
            if child == 0:
                _become_an_answer(request, connection, threads)
            os.close(connection)
        elif request["ask"] == "alive" and child == 0:
            reply = {"alive": False}
        elif request["ask"] == "alive" and (status := _collect(child)) is not None:
            child = 0
            reply = {"alive": False, "out of time": os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU}
        elif request["ask"] == "kill":
            _kill_all()
            child = 0
            if order["walls"]:
                _empty_folders()
            reply = {"alive": False}
        _reply(control, reply)


def _request(control: socket.socket) -> tuple[dict[str, Any], int]:
    """The next request, and the socket that came with it. Ends this process if the grader has hung up."""
    text, descriptors, *_ = socket.recv_fds(control, 1 << 16, 1)
    if not text:
        raise SystemExit
    return json.loads(text), *(descriptors or [-1])


def _reply(control: socket.socket, reply: dict[str, Any]) -> None:
    control.sendall(json.dumps(reply).encode())


def _prctl(option: int, value: int) -> None:
    """Does nothing but on Linux."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _collect(child: int) -> int | None:
    """Collect processes that have ended. Returns the child's status, None while it runs."""
    status = None
    while True:
        try:
            pid, ended = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status or 0
        if pid == 0:
            return status
        status = ended if pid == child else status


def _kill_all() -> None:
    """The fork and all that it has started, again and again until nothing is left. Orphans come to this process."""
    import psutil

    this = psutil.Process()
    for _ in range(200):
        alive = [child for child in this.children(recursive=True) if child.status() != psutil.STATUS_ZOMBIE]
        for child in alive:
            try:
                os.kill(child.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        _collect(-1)
        if not alive:
            return
        time.sleep(0.01)


def _threads_of_this_user() -> int:
    """Those that the system counts when it limits the number of processes."""
    import psutil

    user = os.getuid()
    processes = [process.info for process in psutil.process_iter(["uids", "num_threads"])]
    return sum(info["num_threads"] or 0 for info in processes if info["uids"] and info["uids"].real == user)


def _empty_folders() -> None:
    """Remove what a fork wrote before the next one. (Only behind walls, where these folders are the sandbox's own.)"""
    for folder in ("/tmp", "/dev/shm"):
        if os.stat(folder).st_uid == os.getuid():  # so a fork may have changed what the folder itself carries
            os.chmod(folder, 0o1777)
            os.utime(folder, (0, 0))
            for name in os.listxattr(folder):
                if name.startswith("user."):
                    os.removexattr(folder, name)
        paths = [*Path(folder).iterdir()]
        if paths:  # Python's own way ends at folders that lie too deep
            subprocess.run(["rm", "-rf", "--", *paths], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


# --- a fork -----------------------------------------------------------------------------------------------------------


def _become_an_answer(request: dict[str, Any], connection: int, threads: int) -> None:
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(connection, MOST_FILES)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        os.dup2(MOST_FILES, CONNECTION)
        os.closerange(CONNECTION + 1, MOST_FILES + 1)
        folder = Path(request["folder"])
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
        os.environ.update({name: str(folder / path) for name, path in OWN.items()})
        tempfile.tempdir = None
        _limit(request["limits"], threads)
        seccomp.refuse()
        sys.stdin, sys.stdout, sys.stderr = (open(os.devnull, mode) for mode in ("r", "w", "w"))  # noqa: SIM115
        importlib.invalidate_caches()  # the package differs from exercise to exercise
        _run_cells(socket.socket(fileno=CONNECTION))
    finally:
        os._exit(0)


def _run_cells(connection: socket.socket) -> None:
    """Run each cell that comes and reply what it raised.

    For the check, hand over to `scene_player`, which is imported after the cells.
    """
    shell = _shell()
    with connection.makefile("rb") as requests, connection.makefile("wb") as replies:
        for line in requests:
            request = json.loads(line)
            if request.pop("do") == "check":
                for name in [name for name in sys.modules if name.split(".")[:2] in CHECKS]:
                    del sys.modules[name]
                from course_utils.classroom import scene_player

                scene_player.serve(requests, replies, shell.user_ns, **request)
                return
            shell.raised.clear()
            shell.run_cell(request["text"])
            replies.write(json.dumps({"raised": shell.raised}).encode() + b"\n")
            replies.flush()


def _shell() -> Any:
    """A shell of IPython's that keeps what it would show of an exception."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Shell(InteractiveShell):
        raised: list[list[str]] = []

        def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
            self.raised.append([etype.__name__, str(evalue)[:LONGEST], "\n".join(stb)[:LONGEST]])

        def show_usage_error(self, exc: BaseException) -> None:
            """There is no such %magic."""
            self.raised.append(["UsageError", str(exc), ""])

    return Shell.instance(config=Config(HistoryManager={"enabled": False}))


def _limit(limits: dict[str, Any], threads: int) -> None:
    def at_most(resource_id: int, value: int) -> None:
        hard = resource.getrlimit(resource_id)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(resource_id, (value, value))

    at_most(resource.RLIMIT_CORE, 0)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    seconds = limits["cpu"] if hard == resource.RLIM_INFINITY else min(limits["cpu"], hard - 5)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))  # a signal first, which says what it was
    at_most(resource.RLIMIT_FSIZE, limits["file"])
    at_most(resource.RLIMIT_NOFILE, MOST_FILES)
    at_most(resource.RLIMIT_NPROC, limits["processes"] + threads)
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        at_most(resource.RLIMIT_AS, pages * resource.getpagesize() + ADDRESSES + limits["memory"])


if __name__ == "__main__":
    main()
