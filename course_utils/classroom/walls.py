"""What this machine can do against the code of strangers: bubblewrap's walls, a user without rights.

It is tried, not assumed.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from course_utils.limits import LIMITS
from course_utils.paths import PACKAGE

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/etc/ld.so.cache", "/etc/localtime", "/nix/store")
INSIDE = Path("/grade")  # the folder behind the walls in which the course lies
START = 120  # seconds in which a sandbox must have begun, on a busy machine
USERS = 61_000  # a superuser gives each sandbox an id from here on, so that its processes can be counted
BECOME = "import os; user = {user}; user and (os.setgroups([]), os.setgid(user), os.setuid(user))"
TRY = f"{BECOME}; import course_utils, numpy"


@dataclass(frozen=True)
class Isolation:
    """How this machine isolates an answer.

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
        """Why nothing is graded where files and network are open."""
        return (
            f"Nothing was graded. {self.why} Without it a submission can read and change your files and use the "
            "network.\n"
            "Install it (apt install bubblewrap). Ubuntu 23.10 and later also need an AppArmor profile, which "
            "docs/grading.md has.\n"
            "Or grade in the container of docs/grading.md. If you trust every submission, say UNPROTECTED=yes."
        )

    @property
    def sentences(self) -> list[str]:
        held = [
            "Each exercise ran in a process of its own, with an empty environment, a folder of its own, and limits of "
            "processor time, memory, processes and file size; whatever it started was killed after it."
        ]
        if self.bwrap:
            held.append(
                "No network; no file could be read but those of Python and the course, and none written outside that "
                "folder."
            )
        else:
            user = "a user without rights" if self.switches else "you"
            held.append(
                f"NOT isolated: network and files. {self.why} A submission could read and change everything that "
                f"{user} may read and change, and take its answers from the course's files."
            )
        if not self.switches and hasattr(os, "geteuid") and os.geteuid() == 0:
            held.append(
                "NOT limited: the number of processes, since the grader is the superuser, and no other user can read "
                "the course."
            )
        if sys.platform != "linux":
            held.append("Memory was only counted from outside, five times a second.")
        return held


@cache
def isolation() -> Isolation:
    """Try, once: does bwrap work, and can a user without rights load the course?"""
    users = [True, False] if hasattr(os, "geteuid") and os.geteuid() == 0 else [False]
    bwrap, reason = shutil.which("bwrap"), "The program `bwrap` (bubblewrap) is not installed."
    for program in [bwrap, ""] if bwrap else [""]:
        for switches in users:
            walls = walls_command(program, switches) if program else []
            folder = INSIDE if program else PACKAGE.parent
            problem = _failure([*walls, sys.executable, "-c", TRY.format(user=USERS if switches else 0)], folder)
            if not problem:
                return Isolation(program or "", switches, "" if program else reason)
            if program:
                reason = f"`bwrap` is installed and does not work here ({problem})."
    return Isolation("", False, reason)


def _failure(command: list[str], folder: Path) -> str:
    """The last line of its error output; "" if it succeeds."""
    environment = clean_environment(folder)
    try:
        done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, timeout=START)
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    return (done.stderr.strip().splitlines() or ["it gave no reason"])[-1] if done.returncode else ""


def clean_environment(folder: Path) -> dict[str, str]:
    """All that a learner's code finds in its environment.

    Args:
        folder: where the course is, as the code sees it.
    """
    return {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), "/usr/bin", "/bin")),
        "LANG": "C.UTF-8",
        "HOME": "/tmp",  # the process of an answer has a folder of its own instead
        "MPLBACKEND": "agg",
        "PYTHONNOUSERSITE": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": str(folder),
        "PYTHONHASHSEED": "0",  # the same order of sets in every run
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "COURSE_RECORD": str(folder / "record"),
    }


def walls_command(bwrap: str, switches: bool, package: Path = PACKAGE) -> list[str]:
    """The command that runs what follows behind walls, with `package` as the only copy of the course, in `INSIDE`."""
    python = {Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parent}
    libraries = {Path(path) for path in sys.path if path.endswith(("site-packages", "dist-packages"))}
    readable = {*map(Path, SYSTEM), *python, *libraries}
    command = [bwrap, "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if switches:  # a superuser's walls, behind which it becomes another user
        command += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        command += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    else:
        command += ["--unshare-all"]
    command += ["--dev", "/dev", "--proc", "/proc"]
    for scratch in ("/dev/shm", "/tmp"):
        command += ["--perms", "1777", "--size", str(LIMITS.folder), "--tmpfs", scratch]
    kept = [path for path in sorted(readable, key=lambda path: len(path.parts)) if path.exists()]
    for folder in sorted({parent for path in kept for parent in path.parents} - {Path("/"), Path("/tmp")}):
        if not any(folder.is_relative_to(path) for path in kept):
            command += ["--perms", "0755", "--dir", str(folder)]  # so that another user gets through
    for path in kept:
        if not any(path != folder and path.is_relative_to(folder) for folder in kept):
            command += ["--ro-bind", str(path), str(path)]
    if any(PACKAGE.is_relative_to(path) for path in kept):
        command += ["--tmpfs", str(PACKAGE), "--remount-ro", str(PACKAGE)]
    for folder in (INSIDE, INSIDE / "record"):
        command += ["--perms", "0755", "--dir", str(folder)]
    command += ["--ro-bind", str(package), str(INSIDE / PACKAGE.name)]
    return [*command, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp", "--"]
