"""Writing files so that nothing is ever lost halfway, and texts with a made part. Only the standard library."""

import os
import secrets
import shutil
from pathlib import Path

UNFINISHED = ".part"  # how the name of a file ends that is still being written


def write_atomically(path: Path, content: str | bytes) -> None:
    """All of `content` or nothing: after a full disk or a crash the old file stands. Who may read it stays as it was; of a new file the umask says."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
    try:
        with temporary.open("xb") as file:
            if path.exists():
                shutil.copymode(path, temporary)  # before there is anything to read
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # a disk may be full, or lose its power, after all was written
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)  # Ctrl-C may come when it has its name already
        raise


def clear_unfinished(folder: Path) -> None:
    """Delete what a process that was killed had begun to write. Only where no other writes."""
    for path in folder.glob(f".*{UNFINISHED}"):
        path.unlink(missing_ok=True)


def replace_between(text: str, name: str, lines: list[str]) -> str:
    """`text` with what stands between `<!-- name: begin -->` and `<!-- name: end -->` replaced by `lines`.

    Raises:
        ValueError: the markers are not there.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"the text has no markers {begin} and {end}")
    return "\n".join([before + begin, "", *lines, "", end + after])
