"""Writing files so that nothing is ever lost halfway, and texts with a made part. Only the standard library."""

import os
import tempfile
from pathlib import Path


def write_atomically(path: Path, content: str | bytes) -> None:
    """All of `content` or nothing: after a full disk or a crash the old file stands."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


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
