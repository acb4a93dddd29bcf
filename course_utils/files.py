"""Writing files so that nothing is ever lost halfway, reading them so that damage is noticed, and texts with a made part. Only the standard library."""

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

UNFINISHED = ".part"  # how the name of a file ends that is still being written
CHECKSUM = "checksum"  # the key under which `seal` keeps it


def encoded(content: str | bytes) -> bytes:
    """As UTF-8, with an escape (`\\ud83d`) for half of a character, which UTF-8 can't write."""
    return content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content


class Damaged(ValueError):
    """A file that is not as it was written, or another kind of file. Whoever reads it says so in a sentence."""


def trouble(error: Exception) -> str:
    """What went wrong, without the system's number: "can't write or read notebooks/03.ipynb (Read-only file system)"."""
    if not isinstance(error, OSError) or error.strerror is None:  # one of ours, which is a sentence
        return str(error) or type(error).__name__
    return error.strerror if error.filename is None else f"can't write or read {error.filename} ({error.strerror})"


def write_atomically(path: Path, content: str | bytes, private: bool = False) -> None:
    """All of `content` or nothing: after a full disk or a crash the old file stands. Who may read it stays as it was.

    Args:
        private: a new file is for its owner alone, whatever the umask says.

    Raises OSError, which names `path`: the system does not let us write.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    data = encoded(content)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{UNFINISHED}")
    try:
        with temporary.open("xb") as file:
            if path.exists():
                shutil.copymode(path, temporary)  # before there is anything to read
            elif private:
                temporary.chmod(0o600)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())  # a disk may be full, or lose its power, after all was written
        os.replace(temporary, path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)  # Ctrl-C may come when it has its name already
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror or str(error), str(path)) from None
        raise


def read_whole(path: Path, most: int) -> bytes:
    """What the file holds.

    Raises:
        OSError: there is none, or it can't be read; so is a pipe, for which one might wait for ever.
        Damaged: it holds more than `most` bytes.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError("it is no file")
    if path.is_file() and path.stat().st_size > most:
        raise Damaged(f"it is larger than {most >> 20} MB")
    return path.read_bytes()


def from_json(text: str | bytes, **options: Any) -> Any:
    """As `json.loads`. Raises Damaged: it is no JSON, or nested too deeply."""
    try:
        return json.loads(text, **options)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"it can't be read: {error}") from None


def seal(data: dict) -> str:
    """As JSON, with a checksum."""
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
    """A zip, all of whose entries have been compared with their checksums.

    Raises Damaged: it is none, was cut or changed, or would unpack to more than `most` bytes.
    """
    try:
        opened = zipfile.ZipFile(io.BytesIO(content))
        if sum(entry.file_size for entry in opened.infolist()) <= most and opened.testzip() is None:
            return opened
    except Exception:  # what is no zip can fail in any way
        pass
    raise Damaged("it is no zip, was cut or changed, or holds too much")


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
