"""An exercise's process finds nothing of the one before: every way to leave something behind under a name is tried."""

import ast
import contextlib
import socket
import sys
import threading
from dataclasses import replace

import pytest

from course_utils.classroom.answer_run import run
from course_utils.classroom.remote_stage import MAX_REPLIES, AnswerGone, RemoteStage
from course_utils.classroom.sandbox import Sandbox
from course_utils.classroom.walls import isolation
from tests.classroom import program, right

pytestmark = pytest.mark.skipif(
    not (sys.platform == "linux" and isolation().bwrap), reason="no bwrap here: files are shared"
)
LIBC = "import ctypes, os\nC = ctypes.CDLL(None, use_errno=True)\nC.shmat.restype = ctypes.c_void_p\n"
DOORS = {  # door -> (lines that leave something, an expression that is true if it is seen)
    "shared memory of System V": ("C.shmget(4217, 4096, 0o1666)", "C.shmget(4217, 4096, 0o666) >= 0"),
    "semaphores of System V": ("C.semget(4217, 1, 0o1666)", "C.semget(4217, 1, 0o666) >= 0"),
    "message queues of System V": ("C.msgget(4217, 0o1666)", "C.msgget(4217, 0o666) >= 0"),
    "message queues of POSIX": ("C.mq_open(b'/left', 0o102, 0o666, None)", "C.mq_open(b'/left', 2) >= 0"),
    "semaphores of POSIX": ("C.sem_open(b'/left', 0o100, 0o666, 3)", "os.path.exists('/dev/shm/sem.left')"),
    "shared memory of POSIX": ("C.shm_open(b'/left', 0o102, 0o666)", "C.shm_open(b'/left', 2, 0o666) >= 0"),
    "the session's keyring": ("C.syscall(248, b'user', b'left', b'x', 1, -3)",
     "C.syscall(250, 10, -3, b'user', b'left', 0) >= 0"),
    "the user's keyring": ("C.syscall(248, b'user', b'left', b'x', 1, -4)",
     "C.syscall(250, 10, -4, b'user', b'left', 0) >= 0"),
    "an abstract socket": (
        "import socket, subprocess, sys\n"
        "holds = 'import socket, time; s = socket.socket(1); s.bind(chr(0) + \"left\"); time.sleep(99)'\n"
        "subprocess.Popen([sys.executable, '-c', holds], start_new_session=True)\nimport time; time.sleep(1)",
        "'@left' in open('/proc/net/unix').read()",
    ),
    "a file": ("open('/tmp/left', 'w')", "os.path.exists('/tmp/left')"),
    "a file in memory": ("open('/dev/shm/left', 'w')", "os.path.exists('/dev/shm/left')"),
    "a hidden folder of the home": ("os.makedirs(os.path.expanduser('~/.left'))",
     "os.path.exists(os.path.expanduser('~/.left'))"),
    "a note on a folder": (
        "own = [p for p in ('/tmp', '/dev/shm', '/', '/grade') if os.stat(p).st_uid == os.getuid()]\n"
        "for p in own: os.setxattr(p, 'user.left', b'x')",
        "any('user.left' in os.listxattr(p) for p in ('/tmp', '/dev/shm', '/', '/grade'))",
    ),
    "a folder's time": ("os.utime('/tmp', (4217, 4217))", "os.stat('/tmp').st_atime == 4217"),
    "a file beside the system's": ("open('/left', 'w')", "os.path.exists('/left')"),
    "a file beside the course": ("open('/grade/left', 'w')", "os.path.exists('/grade/left')"),
    "a limit of the parent": ("import resource; resource.prlimit(os.getppid(), resource.RLIMIT_MSGQUEUE, (42, 42))",
     "__import__('resource').getrlimit(12) == (42, 42)"),
    "how urgent the parent is": ("os.setpriority(os.PRIO_PROCESS, os.getppid(), 17)",
     "os.getpriority(os.PRIO_PROCESS, 0) == 17"),
    "the parent's processors": ("os.sched_setaffinity(os.getppid(), {max(os.sched_getaffinity(0))})",
     "len(os.sched_getaffinity(0)) == 1 < os.cpu_count()"),
    "the parent's memory": ("open(f'/proc/{os.getppid()}/mem', 'r+b')", "os.access(f'/proc/{os.getppid()}/mem', 6)"),
}  # fmt: skip


def tried(leaves: bool) -> str:
    """A cell that tries all doors, and raises what it sees."""
    lines = ["def see(door, lines, seen):", "    try:", "        exec(lines, globals())", "    except Exception: pass"]
    lines += ["    try: return bool(eval(seen, globals()))", "    except Exception: return False"]
    lines += [
        f"visible = {{door: see(door, lines if {leaves} else '', seen) for door, (lines, seen) in {DOORS!r}.items()}}"
    ]
    return "\n".join([LIBC, *lines, "raise RuntimeError(sorted(door for door in visible if visible[door]))"])


def seen_by(sandbox: Sandbox, leaves: bool) -> list[str]:
    result = run(sandbox, replace(program("backup", right("backup")), cells=(tried(leaves),)), "backup", 1)
    return ast.literal_eval(result.raised[0].text.partition(": ")[2])


def test_what_one_exercise_leaves_behind_the_next_does_not_find():
    with Sandbox() as sandbox, Sandbox() as another:
        usable = seen_by(sandbox, True)
        assert {"a file", "a file in memory", "shared memory of POSIX", "an abstract socket"} <= {*usable}
        refused = ("System V", "keyring", "parent", "beside")
        assert not [door for door in usable if any(word in door for word in refused)]
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
def test_the_judge_reads_replies_up_to_a_limit(replies, why):
    judge, answer = socket.socketpair()
    stage = RemoteStage(judge)
    writer = threading.Thread(target=_send, args=(answer, replies))
    writer.start()
    with judge, contextlib.suppress(AnswerGone):
        for _ in replies:
            stage.play("1")
    assert why in stage.gone and bool(why) == bool(stage.gone)
    assert stage.bytes_read <= MAX_REPLIES + (1 << 16)
    writer.join()


def _send(answer: socket.socket, replies: list[bytes]) -> None:
    with answer, contextlib.suppress(OSError):
        for reply in replies:
            answer.sendall(reply)
