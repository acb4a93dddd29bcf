"""Write files atomically, detect damage in files, and replace generated sections of texts, using only the standard
library.
"""

import hashlib
import io
import json
import os
import secrets
import shutil
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

UNFINISHED = ".part"  # the suffix of a file that is still being written
CHECKSUM = "checksum"  # the key of the checksum in sealed data


def encoded(content: str | bytes) -> bytes:
    """Encode as UTF-8, with an escape (`\\ud83d`) for half of a surrogate pair."""
    return content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content


class Damaged(ValueError):
    """A file that was changed after it was written, or of another kind. The message is a clause for a sentence."""


def trouble(error: Exception) -> str:
    """Describe an error without its number: "can't write or read notebooks/03.ipynb (Read-only file system)"."""
    if not isinstance(error, OSError) or error.strerror is None:  # an error of the course, whose message is a sentence
        return str(error) or type(error).__name__
    return error.strerror if error.filename is None else f"can't write or read {error.filename} ({error.strerror})"


def write_atomically(path: Path, content: str | bytes, private: bool = False) -> None:
    """Write a file atomically: after a full disk or a crash the old file is still there. Its permissions are kept.

    Args:
        private: only the owner can read a new file.

    Raises OSError, which names `path`: the file can't be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    data = encoded(content)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
    try:
        with temporary.open("xb") as file:
            if path.exists():
                shutil.copymode(path, temporary)  # before there is any content
            elif private:
                temporary.chmod(0o600)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # a full disk or a power failure may show only here
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)  # an interrupt may come after the renaming
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        raise


def read_whole(path: Path, most: int) -> bytes:
    """Read a file.

    Raises:
        OSError: there is no such file, it can't be read, or it is a pipe, on which reading might block.
        Damaged: it has more than `most` bytes.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError("it is not a file")
    if path.is_file() and path.stat().st_size > most:
        raise Damaged(f"it is larger than {most >> 20} MB")
    return path.read_bytes()


def from_json(text: str | bytes, **options: Any) -> Any:
    """As `json.loads`. Raises Damaged: the text is not JSON, or nested too deeply."""
    try:
        return json.loads(text, **options)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"it can't be read: {error}") from None


def seal(data: dict) -> str:
    """Serialize data as JSON with a checksum."""
    return json.dumps({**data, CHECKSUM: checksum(data)}, indent=1) + "\n"


def unseal(text: str | bytes) -> dict:
    """The data of a text that `seal` wrote. Raises Damaged: it can't be read, or was changed."""
    data = from_json(text)
    if not isinstance(data, dict) or data.pop(CHECKSUM, None) != checksum(data):
        raise Damaged("it was changed after it was written")
    return data


def checksum(data: dict) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def open_zip(content: bytes, most: int) -> zipfile.ZipFile:
    """Open a zip and verify the checksums of all entries.

    Raises Damaged: it is not a zip, was truncated or changed, or would unpack to more than `most` bytes.
    """
    try:
        opened = zipfile.ZipFile(io.BytesIO(content))
        if sum(entry.file_size for entry in opened.infolist()) <= most and opened.testzip() is None:
            return opened
    except Exception:  # damaged zips raise many kinds of errors
        pass
    raise Damaged("it is not a zip, was truncated or changed, or is too large")


def clear_unfinished(folder: Path) -> None:
    """Delete unfinished files of a process that was killed. No other process may be writing here."""
    for path in folder.glob(f".*{UNFINISHED}"):
        path.unlink(missing_ok=True)


def replace_between(text: str, name: str, lines: list[str]) -> str:
    """Replace the text between `<!-- name: begin -->` and `<!-- name: end -->` by `lines`.

    Raises:
        ValueError: the markers are missing.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, opened, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not (opened and closed):
        raise ValueError(f"the text has no markers {begin} and {end}")
    return "\n".join([before + begin, "", *lines, "", end + after])
