"""Inside the sandbox: a process that has loaded what takes long, and nothing of the course, and forks a process for each exercise.

It never runs a line of a learner's. A fork has limits, and is killed with everything that it started and wrote. Requests and replies are
lines of JSON on standard input, which is a socket; with the request "start" comes the socket over which the grader talks to the fork.
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
CHECKS = (["course_utils", "tests"], ["course_utils", "course"])  # modules that are imported anew before the check


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
    others = _threads_of_this_user()
    gc.collect()
    gc.freeze()
    _reply(control, {"ready": True})
    child = 0
    while True:
        request, connection = _request(control)
        if request["ask"] == "start":
            _kill_all()  # what the fork before left behind, if it ended by itself
            child = os.fork()
            if child == 0:
                _become(request, connection, others)
            os.close(connection)
            _reply(control, {"pid": child})
        elif request["ask"] == "alive":
            status = _ended(child) if child else 0
            if status is not None:
                child = 0
            late = status is not None and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
            _reply(control, {"alive": child != 0, **({"late": True} if late else {})})
        elif request["ask"] == "kill":
            _kill_all()
            if order["walls"]:
                _empty_folders()
            child = 0
            _reply(control, {"alive": False, "cpu": sum(os.times()[:4])})


def _request(control: socket.socket) -> tuple[dict[str, Any], int]:
    """The next request, and the socket that came with it; ends this process where the grader has hung up."""
    text, descriptors, *_ = socket.recv_fds(control, 1 << 16, 1)
    if not text:
        raise SystemExit
    return json.loads(text), *(descriptors or [-1])


def _reply(control: socket.socket, answer: dict[str, Any]) -> None:
    control.sendall(json.dumps(answer).encode())


def _prctl(option: int, value: int) -> None:
    """Linux only; elsewhere nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _ended(child: int) -> int | None:
    """How the fork ended, None while it runs; what it left behind is collected."""
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
    """The fork and all that it has started, again and again until nothing is left: orphans come to this process."""
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


def _empty_folders() -> None:
    """What a fork wrote is gone for the next. (Only behind walls, where these folders are the sandbox's own.)"""
    for folder in ("/tmp", "/dev/shm"):
        _wipe_notes(folder, 0o1777)
        left = [*Path(folder).iterdir()]
        if left:  # Python's own way ends at folders that lie too deep
            subprocess.run(["rm", "-rf", "--", *left], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _wipe_notes(folder: str, mode: int) -> None:
    """What a folder itself can carry from one fork to the next, of those that its user may change."""
    if os.stat(folder).st_uid != os.getuid():
        return
    os.chmod(folder, mode)
    os.utime(folder, (0, 0))
    for name in os.listxattr(folder):
        if name.startswith("user."):
            os.removexattr(folder, name)


def _become(request: dict[str, Any], connection: int, others: int) -> None:
    """The process of an answer: it runs the cells that come, then plays scenes."""
    limits = request["limits"]
    try:
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        talk = socket.socket(fileno=os.dup2(connection, 200))
        os.closerange(3, 200)
        os.closerange(201, 256)
        folder = Path(limits["folder"])
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
        own = {"HOME": "", "TMPDIR": "", "IPYTHONDIR": ".ipython", "MPLCONFIGDIR": ".matplotlib"}
        os.environ.update({name: str(folder / part) for name, part in own.items()})
        tempfile.tempdir = None
        _limit(limits, others)
        seccomp.refuse()
        sys.stdin, sys.stdout, sys.stderr = (open(os.devnull, mode) for mode in ("r", "w", "w"))  # noqa: SIM115
        importlib.invalidate_caches()  # the package is another one for each exercise
        _serve(talk)
    finally:
        os._exit(0)


def _serve(talk: socket.socket) -> None:
    """Run each cell that comes and say what it raised; then hand over to `answering`, which is imported after them."""
    shell = _shell()
    with talk.makefile("rb") as requests, talk.makefile("wb") as replies:
        for line in requests:
            request = json.loads(line)
            if request["do"] == "check":
                del request["do"]
                for name in [*sys.modules]:
                    if name.split(".")[:2] in CHECKS:
                        del sys.modules[name]
                from course_utils.classroom import answering

                answering.serve(requests, replies, shell.user_ns, **request)
                return
            shell.shown.clear()
            shell.run_cell(request["text"])
            replies.write(json.dumps({"raised": shell.shown}).encode() + b"\n")
            replies.flush()


def _shell() -> Any:
    """IPython's, which keeps what it would show of an exception."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Shell(InteractiveShell):
        shown: list[list[str]] = []  # noqa: RUF012

        def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
            self.shown.append([etype.__name__, str(evalue), "\n".join(stb)])

        def show_usage_error(self, exc: BaseException) -> None:
            self.shown.append(["UsageError", str(exc), ""])

    return Shell.instance(config=Config(HistoryManager={"enabled": False}))


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
