"""Nothing that the kernel of an exercise leaves behind is there for the next one: each door that the system keeps by name is tried."""

import ast
import contextlib
import socket
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from course_utils.answers.cells import Cell
from course_utils.answers.program import programs_of
from course_utils.classroom.grading import run
from course_utils.classroom.judge import MOST, Gone, There
from course_utils.classroom.sandbox import Sandbox, isolation
from course_utils.material.given_lines import given_to
from tests.classroom import right

pytestmark = pytest.mark.skipif(
    not (sys.platform == "linux" and isolation().bwrap), reason="no bwrap here: files are shared"
)
LIBC = "import ctypes, os\nC = ctypes.CDLL(None, use_errno=True)\nC.shmat.restype = ctypes.c_void_p\n"
DOORS = {  # door -> (what leaves something, an expression that is true where it is seen)
    "shared memory of System V": ("C.shmget(4217, 4096, 0o1666)", "C.shmget(4217, 4096, 0o666) >= 0"),
    "semaphores of System V": ("C.semget(4217, 1, 0o1666)", "C.semget(4217, 1, 0o666) >= 0"),
    "message queues of System V": ("C.msgget(4217, 0o1666)", "C.msgget(4217, 0o666) >= 0"),
    "message queues of POSIX": ("C.mq_open(b'/left', 0o102, 0o666, None)", "C.mq_open(b'/left', 2) >= 0"),
    "semaphores of POSIX": ("C.sem_open(b'/left', 0o100, 0o666, 3)", "os.path.exists('/dev/shm/sem.left')"),
    "shared memory of POSIX": ("C.shm_open(b'/left', 0o102, 0o666)", "C.shm_open(b'/left', 2, 0o666) >= 0"),
    "the session's keyring": ("C.syscall(248, b'user', b'left', b'x', 1, -3)", "C.syscall(250, 10, -3, b'user', b'left', 0) >= 0"),
    "the user's keyring": ("C.syscall(248, b'user', b'left', b'x', 1, -4)", "C.syscall(250, 10, -4, b'user', b'left', 0) >= 0"),
    "an abstract socket": (
        "import socket, subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import socket, time; s = socket.socket(1); s.bind(chr(0) + \"left\"); time.sleep(99)'], start_new_session=True)\nimport time; time.sleep(1)",
        "'@left' in open('/proc/net/unix').read()",
    ),
    "a file": ("open('/tmp/left', 'w')", "os.path.exists('/tmp/left')"),
    "a file in memory": ("open('/dev/shm/left', 'w')", "os.path.exists('/dev/shm/left')"),
    "a hidden folder of the home": ("os.makedirs(os.path.expanduser('~/.left'))", "os.path.exists(os.path.expanduser('~/.left'))"),
    "a note on a folder": (
        "[os.setxattr(p, 'user.left', b'x') for p in ('/tmp', '/dev/shm', SOCKETS) if os.access(p, 2) and os.stat(p).st_uid == os.getuid()]",
        "any('user.left' in os.listxattr(p) for p in ('/tmp', '/dev/shm', SOCKETS))",
    ),
    "a folder's time": ("os.utime(SOCKETS, (4217, 4217))", "os.stat(SOCKETS).st_atime == 4217"),
    "a limit of the parent": ("import resource; resource.prlimit(os.getppid(), resource.RLIMIT_MSGQUEUE, (42, 42))", "__import__('resource').getrlimit(12) == (42, 42)"),
    "how urgent the parent is": ("os.setpriority(os.PRIO_PROCESS, os.getppid(), 17)", "os.getpriority(os.PRIO_PROCESS, 0) == 17"),
    "the parent's processors": ("os.sched_setaffinity(os.getppid(), {max(os.sched_getaffinity(0))})", "len(os.sched_getaffinity(0)) == 1 < os.cpu_count()"),
    "the parent's memory": ("open(f'/proc/{os.getppid()}/mem', 'r+b')", "os.access(f'/proc/{os.getppid()}/mem', 6)"),
}  # fmt: skip


def tried(leaves: bool) -> str:
    """A cell that goes through all doors, and raises what it sees."""
    lines = ["def see(door, lines, seen):", "    try:", "        exec(lines, globals())", "    except Exception: pass"]
    lines += ["    try: return bool(eval(seen, globals()))", "    except Exception: return False"]
    lines += [
        f"found = {{door: see(door, lines if {leaves} else '', seen) for door, (lines, seen) in {DOORS!r}.items()}}"
    ]
    return "\n".join([LIBC, *lines, "raise RuntimeError(sorted(door for door in found if found[door]))"])


def seen_by(sandbox: Sandbox, leaves: bool) -> list[str]:
    cell = Cell("06.ipynb", 0, "code", right("backup"), {"exercise": "backup"})
    [fresh] = programs_of([cell], "backup", [cell], given_to("backup"))
    ran = run(sandbox, replace(fresh, cells=(f"SOCKETS = {str(sandbox.sockets)!r}\n{tried(leaves)}",)), "backup", 1)
    return ast.literal_eval(ran.raised[0].text.partition(": ")[2])


def test_what_one_exercise_leaves_behind_the_next_does_not_find():
    with Sandbox() as sandbox, Sandbox() as another:
        there = seen_by(sandbox, True)
        assert {"a file", "a file in memory", "shared memory of POSIX", "an abstract socket"} <= {
            *there
        }  # these can be used
        assert not [door for door in there if "System V" in door or "keyring" in door or "parent" in door]
        assert seen_by(another, False) == []
        assert seen_by(sandbox, False) == []


@pytest.mark.parametrize(
    ("replies", "why"),
    [
        ([b'{"value": "' + b"x" * (2 << 20)], "more than any answer needs"),
        ([b'{"value": "' + b"x" * 900_000 + b'"}\n'] * 14, "more than any answer needs"),
        ([b'{"value": "' + b"x" * 900_000 + b'"}\n'] * 4, ""),
    ],
)
def test_what_the_judge_reads_has_a_limit(replies, why):
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as answer:
        there = There(Path(folder) / "judge")
        answer.connect(str(Path(folder) / "judge"))
        there.wait(lambda: True)
        writer = threading.Thread(target=_send, args=(answer, replies))
        writer.start()
        with contextlib.suppress(Gone):
            for _ in replies:
                there.play("1")
        assert why in there.gone and bool(why) == bool(there.gone)
        assert there.read <= MOST + (1 << 16)
        there.close()
        writer.join()


def _send(answer: socket.socket, replies: list[bytes]) -> None:
    with contextlib.suppress(OSError):
        for reply in replies:
            answer.sendall(reply)
