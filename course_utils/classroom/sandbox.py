"""A submission's sandbox: a process behind walls that forks a process for each exercise, see `forker`.

Where `bwrap` (bubblewrap) works there is no network, nothing can be written but a small folder in memory, and nothing
can be read but Python and the course. Everywhere the process of an answer has an empty environment, a folder of its
own, and limits of processor time, memory, processes and size of files.
"""

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil

from course_utils.classroom.stripped_course import StrippedCourse
from course_utils.classroom.walls import INSIDE, START, USERS, clean_environment, isolation, walls_command
from course_utils.limits import LIMITS, Limits

FOLDERS = "grade-of-"  # how the name of a sandbox's folder begins; the number of its process comes next
REPLY = 30  # seconds for a reply of the process inside
LOOK = 0.2  # seconds between two looks at the memory of all processes


class SandboxGone(Exception):
    """The process inside has ended or is silent. What runs in it is lost, and a new one must be started."""


def remove_orphans() -> None:
    """Remove the folders of sandboxes whose process was killed before it could do so."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*-*"):
        number = folder.name.removeprefix(FOLDERS).partition("-")[0]
        if number.isdigit() and not psutil.pid_exists(int(number)):
            remove(folder)


def remove(path: Path) -> None:
    """However deep it is: Python's own way ends at a thousand folders within each other."""
    subprocess.run(["rm", "-rf", "--", path], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Sandbox:
    """Use it as a context.

    Attributes:
        course: the course as answers find it.
        full: whether the last answer was killed because its processes together held too much memory.
    """

    def __init__(self, modules: Iterable[str] = (), limits: Limits = LIMITS):
        """
        Args:
            modules: what is loaded before the forks.
        """
        self.modules, self.limits, self.isolation = list(modules), limits, isolation()
        self.folder = Path(tempfile.mkdtemp(prefix=f"{FOLDERS}{os.getpid()}-"))
        self.work = self.folder / "work"  # of answers, where there are no walls
        self.user = USERS + secrets.randbelow(5000) if self.isolation.switches else 0
        for folder in (self.folder, self.work, self.folder / "record"):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        if self.user:
            os.chown(self.work, self.user, -1)
        self.course = StrippedCourse(self.folder)
        self.process: subprocess.Popen | None = None
        self.control: socket.socket | None = None
        self.forks = 0
        self.full = False

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_) -> None:
        self.stop()
        remove(self.folder)

    def start(self) -> None:
        """Raises SandboxGone: it did not begin."""
        if self.process is not None and self.process.poll() is None:
            return
        bwrap, switches = self.isolation.bwrap, self.isolation.switches
        walls = walls_command(bwrap, switches, self.course.package) if bwrap else []
        self.control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with inside:
            self.process = subprocess.Popen(
                [*walls, sys.executable, "-m", "course_utils.classroom.forker"],
                stdin=inside.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=clean_environment(INSIDE if bwrap else self.folder), cwd="/", start_new_session=True,
            )  # fmt: skip
        self.ask({"modules": self.modules, "user": self.user, "walls": bool(bwrap)}, START)
        own = {process.pid for process in _family(self.process.pid)}  # before anything of a learner's is forked
        threading.Thread(target=self._watch_memory, args=(self.process, own), daemon=True).start()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None and not self.isolation.bwrap:
            with contextlib.suppress(SandboxGone):
                self.ask({"ask": "kill"})
        self._end()

    def _end(self) -> None:
        """Whatever state it is in: a learner's code may have killed it."""
        if self.process is None:
            return
        process, self.process = self.process, None
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
        process.wait()
        if self.control:
            self.control.close()

    def _watch_memory(self, process: subprocess.Popen, own: set[int]) -> None:
        """In a thread: kill all that a learner's code has started once it holds too much memory together.

        The system's own limit is for each process, and six processes have six times as much.
        """
        while process.poll() is None:
            started = [child for child in _family(process.pid) if child.pid not in own]
            if started and sum(map(_memory, started)) > self.limits.memory:
                self.full = True
                for child in started:
                    with contextlib.suppress(psutil.Error):
                        child.kill()
            time.sleep(LOOK)

    def ask(self, request: dict[str, Any], seconds: float = REPLY, connection: socket.socket | None = None) -> dict:
        """The forker's reply.

        Args:
            connection: is handed over with the request.

        Raises:
            SandboxGone: there is none.
        """
        if self.process is None or self.control is None:
            raise SandboxGone("not started")
        self.control.settimeout(seconds)
        try:
            handed = [connection.fileno()] if connection else []
            socket.send_fds(self.control, [json.dumps(request).encode()], handed)
            reply, why = self.control.recv(4096), "the sandbox has ended"
        except TimeoutError:
            reply, why = b"", "the sandbox is silent"
        except OSError:
            reply, why = b"", "the sandbox has ended"
        if not reply:
            self._end()
            raise SandboxGone(why)
        return json.loads(reply)

    def bytes_written(self) -> float:
        """By answers, where the host can see it (without walls); infinity where that can't be counted."""
        total, waiting = 0, [self.work]
        while waiting:
            try:
                for entry in os.scandir(waiting.pop()):
                    total += entry.stat(follow_symlinks=False).st_size
                    waiting += [Path(entry.path)] if entry.is_dir(follow_symlinks=False) else []
            except FileNotFoundError:
                continue
            except OSError:
                return float("inf")
        return total


class AnswerProcess:
    """The process of one exercise within a sandbox. Use it as a context, which raises SandboxGone if it can't begin.

    Attributes:
        connection: to the process, see `remote_stage`.
        out_of_time: whether it was ended because it had used up its time of the processor.
    """

    connection: socket.socket

    def __init__(self, sandbox: Sandbox):
        self.sandbox, self.alive, self.out_of_time = sandbox, False, False

    def __enter__(self) -> "AnswerProcess":
        sandbox = self.sandbox
        sandbox.start()
        sandbox.full = False
        sandbox.forks += 1
        folder = ("/tmp" if sandbox.isolation.bwrap else str(sandbox.work)) + f"/work-{sandbox.forks}"
        self.connection, inside = socket.socketpair()
        with inside:
            sandbox.ask({"ask": "fork", "limits": asdict(sandbox.limits), "folder": folder}, connection=inside)
        self.alive = True
        return self

    def __exit__(self, *_) -> None:
        self.connection.close()
        self.kill()
        for path in self.sandbox.work.iterdir():
            remove(path)

    def lives(self) -> bool:
        """Whether it still runs. One that has written too much is killed."""
        try:
            state = self.sandbox.ask({"ask": "alive"}) if self.alive else {"alive": False}
            self.alive, self.out_of_time = state["alive"], state.get("out of time", self.out_of_time)
        except SandboxGone:
            self.alive = False
        if self.alive and self.sandbox.bytes_written() > self.sandbox.limits.folder:
            self.kill()
        return self.alive

    def ended(self) -> bool:
        """Whether it has ended; its connection was closed just now."""
        for _ in range(20):
            if not self.lives():
                return True
            time.sleep(0.05)
        return False

    def kill(self) -> None:
        self.alive = False
        with contextlib.suppress(SandboxGone):
            self.sandbox.ask({"ask": "kill"})


def _family(pid: int) -> list[psutil.Process]:
    """The process and all that it has started."""
    try:
        return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []


def _memory(process: psutil.Process) -> int:
    """Bytes. Pages that several processes share are divided among them, where the system tells."""
    try:
        full = process.memory_full_info()
        return getattr(full, "pss", full.uss)
    except psutil.Error:
        with contextlib.suppress(psutil.Error):
            return process.memory_info().rss
        return 0
