"""A place where somebody else's code can do no harm, as far as this machine allows; what it allows is tried, not assumed.

A submission has a sandbox, an exercise a kernel in it. Where `bwrap` (bubblewrap) works there is no network, nothing can be written but a
small folder in memory, and nothing can be read but Python and the course. Everywhere a kernel has an empty environment, a folder of its own,
and limits of processor time, memory, processes, size of files and output.
"""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from course_utils.classroom.package import Package
from course_utils.limits import LIMITS, Limits
from course_utils.paths import PACKAGE

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/lib32",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/nix/store",
)
FOLDERS = "grade-of-"  # how the name of a sandbox's folder begins; the number of its process comes next
START = 120  # seconds in which a sandbox must have begun, on a busy machine
USERS = 61_000  # ids from here on are given to sandboxes where a superuser grades: one each, so that its processes can be counted
REPLY = 30  # seconds for an answer of the process inside
LOOK = 0.2  # seconds between two looks at the memory of all processes


class SandboxGone(Exception):
    """The process inside has ended or says nothing: what runs in it is lost, and a new one must be started."""


@dataclass(frozen=True)
class Isolation:
    """What holds on this machine.

    Attributes:
        bwrap: the program's path; "" where it is missing or does not work.
        switches: whether each sandbox has a user of its own without any rights, which only a superuser can give it.
        why: why there is no bwrap.
    """

    bwrap: str
    switches: bool
    why: str

    @property
    def refusal(self) -> str:
        """Why nothing is graded, where files and network are open."""
        return (
            f"Nothing was graded. {self.why} Without it a submission can read and change your files and use the network.\n"
            "Install it (apt install bubblewrap). Ubuntu 23.10 and later also need an AppArmor profile, which docs/grading.md has.\n"
            "Or grade in the container of docs/grading.md. If you trust every submission, say UNPROTECTED=yes."
        )

    @property
    def sentences(self) -> list[str]:
        held = [
            "Each exercise ran in a process of its own, with an empty environment, a folder of its own, and limits of processor time, "
            "memory, processes, file size and output; whatever it started was killed after it."
        ]
        if self.bwrap:
            held.append(
                "No network; no file could be read but those of Python and the course, and none written outside that folder."
            )
        else:
            held.append(
                f"NOT isolated: network and files. {self.why} A submission could read and change everything that {_who(self.switches)} may read and change, "
                "and take its answers from the course's files."
            )
        if not self.switches and hasattr(os, "geteuid") and os.geteuid() == 0:
            held.append(
                "NOT limited: the number of processes, since the grader is the superuser, and no other user can read the course."
            )
        if sys.platform != "linux":
            held.append("Memory was only counted from outside, five times a second.")
        return held


def _who(switches: bool) -> str:
    return "a user without rights" if switches else "you"


TRY = "import os; user = {user}; user and (os.setgroups([]), os.setgid(user), os.setuid(user)); import course_utils, numpy"


@cache
def isolation() -> Isolation:
    """Tried once: does bwrap work, can the course be loaded as somebody without rights?"""
    users = [True, False] if hasattr(os, "geteuid") and os.geteuid() == 0 else [False]
    bwrap, reason = shutil.which("bwrap"), "The program `bwrap` (bubblewrap) is not installed."
    for program in [bwrap, ""] if bwrap else [""]:
        for switches in users:
            with tempfile.TemporaryDirectory(prefix="grade-") as name:
                walls = _walls(program, switches, Path(name)) if program else []
                problem = _fails([*walls, sys.executable, "-c", TRY.format(user=USERS if switches else 0)])
            if not problem:
                return Isolation(program or "", switches, "" if program else reason)
            if program:
                reason = f"`bwrap` is installed and does not work here ({problem})."
    return Isolation("", False, reason)


def _fails(command: list[str]) -> str:
    """ "" or the last line of what it says."""
    try:
        done = subprocess.run(
            command, env=_environment(Path("/"), PACKAGE.parent), cwd="/", capture_output=True, text=True, timeout=START
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return (done.stderr.strip().splitlines() or ["it gave no reason"])[-1] if done.returncode else ""


def _environment(record: Path, course: Path) -> dict[str, str]:
    """All that a learner's code finds in its environment."""
    return {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), "/usr/bin", "/bin")),
        "LANG": "C.UTF-8",
        "HOME": "/tmp",  # a kernel has a folder of its own instead
        "MPLBACKEND": "agg",
        "PYTHONNOUSERSITE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": str(course),
        "PYTHONHASHSEED": "0",  # the same order of sets in every run
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "COURSE_RECORD": str(record),
    }


def _walls(bwrap: str, switches: bool, record: Path, package: Path = PACKAGE) -> list[str]:
    """The command that runs what follows behind walls, where this package is the course's, and no other."""
    readable = {
        *map(Path, SYSTEM),
        package,
        Path(sys.prefix),
        Path(sys.base_prefix),
        Path(sys.executable).resolve().parent,
    }
    readable |= {Path(one) for one in sys.path if one.endswith(("site-packages", "dist-packages"))}
    command = [bwrap, "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if switches:  # a superuser's walls, behind which it becomes another user
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        command += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    else:
        command += ["--unshare-all"]
    command += ["--dev", "/dev", "--proc", "/proc"]
    for own in ("/dev/shm", "/tmp"):
        command += ["--perms", "1777", "--size", str(LIMITS.folder), "--tmpfs", own]
    kept = [path for path in sorted(readable, key=lambda path: len(path.parts)) if path.exists()]
    for folder in sorted(
        {parent for path in [*kept, record] for parent in path.parents} - {Path("/"), Path("/tmp")}
    ):
        if not any(folder.is_relative_to(path) for path in kept):
            command += ["--perms", "0755", "--dir", str(folder)]  # so that another user gets through
    for path in kept:
        if not any(path != other and path.is_relative_to(other) for other in kept):
            command += ["--ro-bind", str(path), str(path)]
    if package != PACKAGE and any(PACKAGE.is_relative_to(path) for path in kept):
        command += ["--tmpfs", str(PACKAGE)]
    command += ["--remount-ro", "/dev", "--ro-bind", str(record), str(record)]
    return [*command, "--chdir", "/tmp", "--"]


def sweep() -> None:
    """Remove the folders of sandboxes whose process was killed before it could."""
    for folder in short_folder().glob(f"{FOLDERS}*-*"):
        number = folder.name.removeprefix(FOLDERS).partition("-")[0]
        if number.isdigit() and not psutil.pid_exists(int(number)):
            remove(folder)


def short_folder() -> Path:
    """For temporary files: the names of sockets have 107 letters at most."""
    usual, short = Path(tempfile.gettempdir()), Path("/tmp")
    return short if len(str(usual)) > 40 and short.is_dir() and os.access(short, os.W_OK) else usual


def remove(path: Path) -> None:
    """However deep it is: Python's own way ends at a thousand folders within each other."""
    subprocess.run(["rm", "-rf", "--", path], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _family(pid: int) -> list[psutil.Process]:
    """The process and all that it has started."""
    try:
        return [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return []


def _memory(process: psutil.Process) -> int:
    """Bytes; pages that several share are shared out among them, where the system tells."""
    try:
        full = process.memory_full_info()
        return getattr(full, "pss", full.uss)
    except psutil.Error:
        with contextlib.suppress(psutil.Error):
            return process.memory_info().rss
        return 0


class Sandbox:
    """One submission's: behind walls a process that forks a kernel when asked, see `kernels`. Use it as a context.

    Attributes:
        package: the course as its kernels find it.
    """

    def __init__(self, modules: Iterable[str] = (), limits: Limits = LIMITS):
        self.modules, self.limits = list(modules), limits
        self.folder = Path(tempfile.mkdtemp(prefix=f"{FOLDERS}{os.getpid()}-", dir=short_folder()))
        self.sockets, self.record, self.course = (self.folder / name for name in ("s", "record", "course"))
        self.isolation = isolation()
        self.user = USERS + secrets.randbelow(5000) if self.isolation.switches else 0
        for folder in (self.folder, self.sockets, self.record, self.course):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        if self.user:
            os.chown(self.sockets, self.user, -1)
        self.package = Package(self.course)
        self.process: subprocess.Popen | None = None
        self.kernels = 0
        self.full = False  # whether the last kernel was killed because all that it started held too much memory

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_) -> None:
        self.stop()
        remove(self.folder)

    def start(self) -> None:
        """Raises SandboxGone: it did not begin."""
        if self.process is not None and self.process.poll() is None:
            return
        bwrap, package = self.isolation.bwrap, self.course / PACKAGE.name
        walls = _walls(bwrap, self.isolation.switches, self.record, package) if bwrap else []
        self.control, inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with inside:
            self.process = subprocess.Popen(
                [*walls, sys.executable, "-m", "course_utils.classroom.kernels"],
                stdin=inside, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                env=_environment(self.record, self.course), cwd="/", start_new_session=True,
            )  # fmt: skip
        order = {"modules": self.modules, "user": self.user, "walls": bool(bwrap)}
        self._send(order)
        self._reply(START)
        ours = {one.pid for one in _family(self.process.pid)}  # before anything of a learner's is forked
        threading.Thread(target=self._watch_memory, args=(self.process, ours), daemon=True).start()

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
        self.control.close()

    def _watch_memory(self, process: subprocess.Popen, ours: set[int]) -> None:
        """In a thread: kills what a learner's code has started when all of it together holds more memory than it may.

        The system's own limit is one of each process, and six processes have six times as much.
        """
        while process.poll() is None:
            theirs = [one for one in _family(process.pid) if one.pid not in ours]
            if theirs and sum(map(_memory, theirs)) > self.limits.memory:
                self.full = True
                for one in theirs:
                    with contextlib.suppress(psutil.Error):
                        one.kill()
            time.sleep(LOOK)

    def ask(self, request: dict[str, Any], seconds: float = REPLY, descriptor: int | None = None) -> dict[str, Any]:
        """Raises SandboxGone."""
        self._send(request, descriptor)
        return self._reply(seconds)

    def limits_of(self, kernel: int) -> dict[str, Any]:
        """Its limits and its folder."""
        inside = f"/tmp/work-{kernel}" if self.isolation.bwrap else str(self.sockets / f"work-{kernel}")
        return {**asdict(self.limits), "folder": inside}

    def clean_up(self) -> None:
        """Remove the sockets, and whatever a learner's code has left beside them."""
        for path in self.sockets.iterdir():
            remove(path)

    def _send(self, request: dict[str, Any], descriptor: int | None = None) -> None:
        if self.process is None:
            raise SandboxGone("not started")
        try:
            socket.send_fds(self.control, [json.dumps(request).encode()], [] if descriptor is None else [descriptor])
        except OSError:
            self._end()
            raise SandboxGone("the sandbox has ended") from None

    def _reply(self, seconds: float) -> dict[str, Any]:
        self.control.settimeout(seconds)
        try:
            text = self.control.recv(4096)
        except TimeoutError:
            self._end()
            raise SandboxGone("the sandbox says nothing") from None
        except OSError:
            text = b""
        if not text:
            self._end()
            raise SandboxGone("the sandbox has ended")
        return json.loads(text)

    def used(self) -> float:
        """Bytes that the kernels have written where the host can see them; infinitely many where that can't be told."""
        total, waiting = 0, [self.sockets]
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


class Fork:
    """The process of one exercise, within a sandbox. Use it as a context.

    Attributes:
        late: whether it was ended because it had used up its time of the processor.
    """

    def __init__(self, sandbox: Sandbox):
        self.sandbox, self.alive, self.late = sandbox, False, False

    def __enter__(self) -> "Fork":
        """Raises SandboxGone."""
        self.sandbox.start()
        self.sandbox.full = False
        self.sandbox.kernels += 1
        self.connection, inside = socket.socketpair()
        with inside:
            limits = self.sandbox.limits_of(self.sandbox.kernels)
            self.sandbox.ask({"ask": "start", "limits": limits}, descriptor=inside.fileno())
        self.alive = True
        return self

    def lives(self) -> bool:
        """Whether it does; one that has written too much is ended."""
        try:
            state = self.sandbox.ask({"ask": "alive"}) if self.alive else {"alive": False}
            self.alive, self.late = state["alive"], state.get("late", self.late)
        except SandboxGone:
            self.alive = False
        if self.alive and self.sandbox.used() > self.sandbox.limits.folder:
            self.kill()
        return self.alive

    def ended(self) -> bool:
        """Whether it has, soon after its connection was closed."""
        for _ in range(20):
            if not self.lives():
                return True
            time.sleep(0.05)
        return False

    def kill(self) -> None:
        self.alive = False
        with contextlib.suppress(SandboxGone):
            self.sandbox.ask({"ask": "kill"})

    def __exit__(self, *_) -> None:
        self.connection.close()
        self.kill()
        self.sandbox.clean_up()
