"""Inside the sandbox: a process that has loaded what takes long, and nothing of the course, and forks a kernel for each exercise.

It never runs a line of a learner's. A kernel has limits, no way to what its parent reads and writes, and is killed with all that it
started and wrote. Requests and answers are lines of JSON on standard input and output.
"""

import ctypes
import gc
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from course_utils.classroom import seccomp

LOADED = ("psutil", "numpy", "ipykernel.kernelapp", "ipykernel.ipkernel", "matplotlib.pyplot")  # once, for all kernels
ADDRESSES = 2 << 30  # that the course takes when it is imported, few of them of memory
SUBREAPER, DUMPABLE = 36, 4  # options of prctl(2): orphans come to this process; others may not read its memory


def main() -> None:
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    order = json.loads(sys.stdin.readline())
    if order["user"]:
        os.setgroups([])
        os.setgid(order["user"])
        os.setuid(order["user"])
    _prctl(SUBREAPER, 1)
    _prctl(DUMPABLE, 0)
    for name in (*order["modules"], *LOADED):
        importlib.import_module(name)
    others = _threads_of_this_user()
    gc.collect()
    gc.freeze()
    _say(out, {"ready": True})
    child = 0
    for line in sys.stdin:
        request = json.loads(line)
        if request["ask"] == "start":
            _kill_all()  # what the kernel before left behind, if it ended by itself
            child = os.fork()
            if child == 0:
                _become(request, others)
            _say(out, {"pid": child})
        elif request["ask"] == "alive":
            status = _ended(child) if child else 0
            if status is not None:
                child = 0
            late = status is not None and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
            _say(out, {"alive": child != 0, **({"late": True} if late else {})})
        elif request["ask"] == "kill":
            _kill_all()
            if order["walls"]:
                _empty_folders(Path(order["sockets"]))
            child = 0
            _say(out, {"alive": False, "cpu": sum(os.times()[:4])})


def _say(out, answer: dict[str, Any]) -> None:
    out.write(json.dumps(answer) + "\n")
    out.flush()


def _prctl(option: int, value: int) -> None:
    """Linux only; elsewhere nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _ended(child: int) -> int | None:
    """How the kernel ended, None while it runs; what it left behind is collected."""
    status = None
    while True:
        try:
            pid, how = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return status or 0
        if pid == 0:
            return status
        status = how if pid == child else status


def _kill_all() -> None:
    """The kernel and all that it has started, again and again until nothing is left: what is left comes to this process."""
    import psutil

    here = psutil.Process()
    for _ in range(200):
        left = [one for one in here.children(recursive=True) if one.status() != psutil.STATUS_ZOMBIE]
        for one in left:
            try:
                os.kill(one.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        _ended(-1)
        if not left:
            return
        time.sleep(0.01)


def _threads_of_this_user() -> int:
    """Those that the system counts when it limits the number of processes."""
    import psutil

    user = os.getuid()
    found = psutil.process_iter(["uids", "num_threads"])
    return sum(one.info["num_threads"] or 0 for one in found if one.info["uids"] and one.info["uids"].real == user)


def _empty_folders(sockets: Path) -> None:
    """What a kernel wrote is gone for the next. (Only behind walls, where these folders are the sandbox's own.)"""
    _wipe_notes(str(sockets), 0o755)
    for folder in ("/tmp", "/dev/shm"):
        _wipe_notes(folder, 0o1777)
        left = [path for path in Path(folder).iterdir() if not sockets.is_relative_to(path)]
        if left:  # Python's own way ends at folders that lie too deep
            subprocess.run(["rm", "-rf", "--", *left], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _wipe_notes(folder: str, mode: int) -> None:
    """What a folder itself can carry from one kernel to the next, of those that its user may change."""
    if os.stat(folder).st_uid != os.getuid():
        return
    os.chmod(folder, mode)
    os.utime(folder, (0, 0))
    for name in os.listxattr(folder):
        if name.startswith("user."):
            os.removexattr(folder, name)


def _become(request: dict[str, Any], others: int) -> None:
    """A kernel."""
    limits = request["limits"]
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        os.closerange(3, 256)
        folder = Path(limits["folder"])
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
        own = {
            "HOME": "",
            "TMPDIR": "",
            "IPYTHONDIR": ".ipython",
            "MPLCONFIGDIR": ".matplotlib",
        }  # shared with no other kernel
        os.environ.update({name: str(folder / part) for name, part in own.items()})
        tempfile.tempdir = None
        _limit(limits, others)
        seccomp.refuse()
        sys.stdin, sys.stdout, sys.stderr = (open(os.devnull, mode) for mode in ("r", "w", "w"))  # noqa: SIM115
        importlib.invalidate_caches()  # the package is another one for each exercise
        from ipykernel.kernelapp import IPKernelApp

        IPKernelApp.launch_instance(
            ["-f", request["connection"], "--HistoryManager.enabled=False", "--IPKernelApp.quiet=True"]
        )
    finally:
        os._exit(0)


def _limit(limits: dict[str, Any], others: int) -> None:
    def most(what: int, value: int) -> None:
        hard = resource.getrlimit(what)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(what, (value, value))

    most(resource.RLIMIT_CORE, 0)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    wanted = limits["cpu"] if hard == resource.RLIM_INFINITY else min(limits["cpu"], hard - 5)
    resource.setrlimit(resource.RLIMIT_CPU, (wanted, wanted + 5))  # a signal first, which says what it was
    most(resource.RLIMIT_FSIZE, limits["file"])
    most(resource.RLIMIT_NOFILE, 256)
    most(resource.RLIMIT_NPROC, limits["processes"] + others)
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most(resource.RLIMIT_AS, pages * resource.getpagesize() + ADDRESSES + limits["memory"])


if __name__ == "__main__":
    main()
