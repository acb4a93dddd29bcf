"""Refuse system calls to an answer: those that outlive its process under a name, or change another process. Linux only.

Shared memory and semaphores of System V, message queues and keyrings are not files: they stay when the process that
made them has ended, and the next exercise's process would find them. The same is true for settings of the parent, which
forks the next one. No answer needs any of these calls.
"""

import ctypes
import errno
import platform
import struct
import sys

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
REFUSED = {  # call -> its number on each of these
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192), "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219),
}  # fmt: skip
# call -> its number on each, the place of the argument that names a process (0 is the caller), the error for others.
# (Libraries give the number of a thread of their own to the last four, and may end the process if that fails: these
# succeed and do nothing.)
OWN_ALONE = {
    "prlimit64": (302, 261, 0, errno.EPERM), "setpriority": (141, 140, 1, errno.EPERM),
    "ioprio_set": (251, 30, 1, errno.EPERM),
    "sched_setparam": (142, 118, 0, 0), "sched_setscheduler": (144, 119, 0, 0), "sched_setattr": (314, 274, 0, 0),
    "sched_setaffinity": (203, 122, 0, 0),
}  # fmt: skip
OTHER_ABI = 0x40000000  # numbers of x32 on x86_64 begin here
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, ERROR = 0x7FFF0000, 0x00050000
REFUSE = ERROR | errno.EPERM
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # where these stand in what a filter reads
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2  # of prctl(2)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def refuse() -> bool:
    """From now on, for this process and all that it starts. Returns whether the system does."""
    machine = platform.machine()
    if sys.platform != "linux" or machine not in ARCHITECTURES:
        return False
    text = _filter(machine)
    program, prctl = _Program(len(text) // 8, text), ctypes.CDLL(None).prctl
    prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    return not prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) and not prctl(SECCOMP, FILTER, ctypes.addressof(program), 0, 0)


def _filter(machine: str) -> bytes:
    """A program of the kernel's packet filter: each line is an operation, two jumps and a number."""
    column = list(ARCHITECTURES).index(machine)
    lines = [
        (LOAD, 0, 0, ARCHITECTURE),
        (EQUAL, 1, 0, ARCHITECTURES[machine]),
        (RETURN, 0, 0, REFUSE),
        (LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":
        lines += [(AT_LEAST, 0, 1, OTHER_ABI), (RETURN, 0, 0, REFUSE)]
    for numbers in REFUSED.values():
        lines += [(EQUAL, 0, 1, numbers[column]), (RETURN, 0, 0, REFUSE)]
    for *each, place, error in OWN_ALONE.values():
        lines += [
            (EQUAL, 0, 4, each[column]),
            (LOAD, 0, 0, ARGUMENTS + 8 * place),
            (EQUAL, 0, 1, 0),
            (RETURN, 0, 0, ALLOW),
        ]
        lines += [(RETURN, 0, 0, ERROR | error)]
    lines += [(RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)
