"""What a learner handed in, read leniently."""

import hashlib
import os
import re
import stat
import unicodedata
import zipfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from course_utils.answers.cells import Cell
from course_utils.answers.notebook_file import LARGEST, cells_in
from course_utils.files import Damaged, open_zip, read_whole
from course_utils.material import answers_file

NOTEBOOK = ".ipynb"
ENDING = re.compile(
    rf"({re.escape(NOTEBOOK)}|{re.escape(answers_file.SUFFIX)}).*$", re.IGNORECASE
)  # browsers save .ipynb.txt and .ipynb.json
CHECKPOINTS = ".ipynb_checkpoints"
PLATFORMS = {  # how each names a file or folder; a number of Canvas' files is never small
    "Canvas": re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<number>\d+)_(?:\d{3,}_|(?:text|link)\.html$)"),
    "Canvas, anonymous": re.compile(r"(?P<name>anon_[A-Za-z0-9]{5})(?P<late>_LATE)?_(?:\d{3,}_|(?:text|link)\.html$)"),
    "Moodle": re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_"),
    "Blackboard": re.compile(r"(?P<name>.+)_attempt_\d{4}(?:-\d\d){5}"),  # the assignment's name and the login
}
OF_ANY_FOLDER = (".DS_Store", ".localized", "Thumbs.db", "desktop.ini")  # where macOS or Windows has shown it
OF_A_ZIP = re.compile(r"\._.*|__MACOSX")  # what macOS adds to one
ARCHIVE = re.compile(r"\.(zip|7z|rar|tar|t?gz|t?bz2|t?xz)$", re.IGNORECASE)
IDS = re.compile(rb'"exercise(?:" ?: ?"|-)(\w+)"')  # how an exercise's cell is marked
MADE = re.compile(rb'"course" ?: ?"([0-9a-f]{12})"')  # the mark of a cell that the course made
INSTALLS = re.compile(
    rb'"id" ?: ?"install",\s*"metadata" ?: ?\{\s*' + MADE.pattern
)  # which each copy of the course may have another of
DEFINED = re.compile(rb'(?:"|\\n)def (\w+)')  # what a cell defines, where it is marked no more


class Inside(NamedTuple):
    """A notebook in a file of answers."""

    file: Path
    name: str


@dataclass
class Submission:
    """One learner's notebooks.

    Attributes:
        name: what the platform calls them, in the name of the file or folder; the learner's where that is no platform's.
        number: by which the platform knows them, "" if the name doesn't say: Canvas' user id, or Moodle's participant number.
        platform: a key of PLATFORMS, or "".
        late: whether the name of a file says so, as Canvas' do.
        packed: how the name of a file of feedback must begin for the platform to know whose it is: as that of what was handed in. "" if it can't.
        files: the notebooks that count as theirs, by name within their folder; those of a file of answers, which a browser tab gives, lie in it.
        loose: whether any of it lies beside the learners' folders.
        unread: what else they handed in.
        cells: of all that could be read, file by file.
        unreadable: file -> why it could not be read, in words, where an answer may be in it.
    """

    learner: str
    name: str = ""
    number: str = ""
    platform: str = ""
    late: bool = False
    packed: str = ""
    files: dict[str, Path | Inside] = field(default_factory=dict)
    loose: bool = False
    unread: list[str] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, path: Path, folder: str) -> None:
        """A file of theirs; two of one name are told apart by the folder."""
        name = (name if name not in self.files else f"{folder}/{name}")[-300:]
        why = _why_not_read(path)
        if not why and is_notebook(path):
            self.files[name] = path
        elif not why:
            try:
                self.files |= {f"{name}/{one.name.rpartition('/')[2]}": one for one in _taken_along(path)}
            except ValueError as error:
                why = str(error)
        if why:
            self.unread.append(name)
            self.unreadable[name] = why

    def read(self) -> None:
        for name, path in self.files.items():
            try:
                self.cells += read_cells(name, path)
            except ValueError as error:
                self.unreadable[name] = str(error)

    def exercises(self) -> set[str]:
        """Those that it has a cell of, filled in or not, as a glance at the bytes tells; reading them is left to its own process."""
        marked, defined = set[bytes](), set[bytes]()
        for path in self.files.values():
            data = _glance(path).replace(b"\0", b"")  # of UTF-16
            marked |= set(IDS.findall(data))
            defined |= set(DEFINED.findall(data))
        return {name.decode("utf-8", "replace") for name in marked or defined}

    def of_another_version(self, cells: Collection[str]) -> list[str]:
        """The files in which the course has made cells that are none of these marks."""
        found = []
        for name, path in self.files.items():
            data = _glance(path)
            if {mark.decode() for mark in {*MADE.findall(data)} - {*INSTALLS.findall(data)}} - {*cells}:
                found.append(name)
        return found

    def key(self) -> str:
        """Changes with any of its files."""
        digest = hashlib.sha256("\0".join(self.unread).encode("utf-8", "replace"))
        for name, path in self.files.items():
            digest.update(name.encode("utf-8", "replace") + b"\0")
            digest.update(hashlib.sha256(_glance(path)).digest())
        return digest.hexdigest()


def submissions(folder: Path) -> list[Submission]:
    """One for each folder in `folder`, with the notebooks at any depth; a loose notebook or archive is a learner's of its own.

    Other files say that something was handed in that can't be read, where there is no notebook: in a folder, or as a platform names them.
    What a platform has packed is told apart by the number in its name, since names are not unique: "bauerben-12345".

    Raises:
        ValueError: there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder. Give SUBMISSIONS a folder that has a folder for each learner")
    found: dict[str, Submission] = {}
    for path in sorted(folder.iterdir()):
        name = readable(path.name)
        if _why_nobodys(path):
            continue
        if _kind(path) == "folder":
            one = _of(found, name, ("Moodle",))
            for file in _files(path):
                one.add(readable(str(file.relative_to(path))), file, name)
        else:
            one = _of(found, name, PLATFORMS)
            one.loose = True
            one.add(name, path, "loose")
    if not found:
        raise ValueError(f"{folder} contains no submissions. It needs a folder for each learner, with their notebooks")
    for one in found.values():
        if one.files:  # beside them only what may hold notebooks is missed
            one.unreadable = {name: why for name, why in one.unreadable.items() if ARCHIVE.search(name)}
            one.unread = [name for name in one.unread if not name.rpartition("/")[2].startswith(".")]
    return list(found.values())


def _why_nobodys(path: Path) -> str:
    """Why something beside the learners' folders is no learner's; "" if it is."""
    kind, name = _kind(path), readable(path.name)
    if path.name in OF_ANY_FOLDER or OF_A_ZIP.fullmatch(path.name):
        return "what macOS or Windows has added"
    if name.startswith("."):
        return "hidden"
    if kind == "other":
        return "a pipe, a socket or a device"
    if (
        kind == "folder"
        or ENDING.search(name)
        or ARCHIVE.search(name)
        or any(one.match(name) for one in PLATFORMS.values())
    ):
        return ""
    return "a link" if kind == "link" else "no notebook"


def _kind(path: Path) -> str:
    """What lies there itself: a "folder", "file", "link", or "other", a pipe, say; "" where the system doesn't tell."""
    try:
        mode = path.lstat().st_mode
    except OSError:  # its path is too long
        return ""
    kinds = {"folder": stat.S_ISDIR, "file": stat.S_ISREG, "link": stat.S_ISLNK}
    return next((kind for kind, holds in kinds.items() if holds(mode)), "other")


def questions(folder: Path, handed_in: list[Submission]) -> list[str]:
    """What a person should look at before the points are believed: files that nobody reads, and who may be taken for somebody else."""
    sentences = []
    nobodys: dict[str, list[str]] = {}
    for path in sorted(folder.iterdir()):
        if (why := _why_nobodys(path)) and path.name not in OF_ANY_FOLDER:
            nobodys.setdefault(why, []).append(readable(path.name))
    unread = [f"{_some(names)} ({why})" if why != "no notebook" else ", ".join(names) for why, names in nobodys.items()]
    unread += [f"{one.learner}: {_some(one.unread)}" for one in handed_in if one.unread]
    if unread:
        sentences.append(f"Handed in, and not read: {'; '.join(unread)}.")
    if empty := [one.learner for one in handed_in if not one.files and not one.unread]:
        sentences.append(f"No notebook is in: {', '.join(empty)}.")
    alone = [one.learner for one in handed_in if not one.platform and one.loose and one.files]
    if len(alone) > 1:
        sentences.append(
            f"{len(alone)} loose files count as one learner each: {', '.join(alone)}. If several belong to one learner, put them into a folder."
        )
    if len(handed_in) == 1:
        [one] = handed_in
        folders = {name.partition("/")[0]: name.rpartition("/")[2] for name in one.files if "/" in name}
        packed = [name for name in one.files if any(each.match(name) for each in PLATFORMS.values())]
        if len(folders) > len(set(folders.values())) or len(packed) > 1:
            sentences.append(
                f"All that was handed in lies in one folder, {one.learner}, and counts as one learner's. "
                f"If a class lies in it, give SUBMISSIONS={folder / one.learner}."
            )
    return sentences


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"


def of_another_version(handed_in: list[Submission], cells: Collection[str]) -> list[str]:
    """In a sentence, if there are such files."""
    found = [f"{one.learner} ({', '.join(files)})" for one in handed_in if (files := one.of_another_version(cells))]
    why = "these have cells that this version of the course does not make; answers were graded all the same"
    return (
        [f"Of an older version of the course, unless yours is the older one: {'; '.join(found)}. {why.capitalize()}."]
        if found
        else []
    )


def readable(name: str) -> str:
    """The name of a file in letters that can be written, and the same whatever system has packed it."""
    return unicodedata.normalize("NFC", os.fsencode(name).decode("utf-8", "backslashreplace"))


def is_notebook(path: Path) -> bool:
    return NOTEBOOK in path.name.lower()


def _taken_along(path: Path) -> list[Inside]:
    """The notebooks in a file of answers, of which there are none where nothing was begun.

    Raises:
        ValueError: it can't be read, or it comes from Colab, with what has passed and without the notebook.
    """
    names = {name for name in _opened(path).namelist() if answers_file.PLACES.fullmatch(name)}
    notebooks = sorted(name for name in names if name.endswith(NOTEBOOK))
    if names and not notebooks:
        raise ValueError("it holds no notebook; of work in Colab, the notebook itself is handed in")
    return [Inside(path, name) for name in notebooks]


def _opened(path: Path) -> zipfile.ZipFile:
    """Raises ValueError: it can't be read."""
    try:
        return open_zip(read_whole(path, answers_file.MOST), answers_file.MOST)
    except (OSError, Damaged):
        raise ValueError("it can't be opened: it is damaged, or holds too much") from None


def _content(path: Path | Inside) -> bytes:
    """Raises ValueError: it is too large, or can't be read."""
    try:
        if isinstance(path, Inside):
            opened = _opened(path.file)
            if opened.getinfo(path.name).file_size <= LARGEST:
                return opened.read(path.name)
        elif path.stat().st_size <= LARGEST:
            return path.read_bytes()
        raise ValueError(f"it is larger than {LARGEST >> 20} MB")
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None


def _glance(path: Path | Inside) -> bytes:
    """What it holds; nothing where it is too large, or can't be read."""
    try:
        return _content(path)
    except ValueError:
        return b""


def _why_not_read(path: Path) -> str:
    """ "" where it is a notebook that counts."""
    kind = _kind(path)
    if kind == "link":
        return "it is a link, which is not followed"
    if path.name.startswith("."):
        return "it is hidden: its name begins with a dot"
    if kind in ("folder", ""):
        return "the folder can't be opened"
    if kind == "other":
        return "it is a pipe, a socket or a device, which is not opened"
    if not ENDING.search(path.name):
        return "it is an archive, and is not unpacked" if ARCHIVE.search(path.name) else "it is not a notebook (.ipynb)"
    return "it is a copy that Jupyter keeps, and the notebook itself is not there" if CHECKPOINTS in path.parts else ""


def _of(found: dict[str, Submission], name: str, platforms: Iterable[str]) -> Submission:
    """The learner's submission, which is made where this is the first of their files."""
    one = Submission(ENDING.sub("", name) if ENDING.search(name) else ARCHIVE.sub("", name))
    one.name = one.learner
    for platform in platforms:
        if named := PLATFORMS[platform].match(name):
            number, late = (named.groupdict().get(key) or "" for key in ("number", "late"))
            one = Submission("-".join(filter(None, (named["name"], number))), named["name"], number, platform)
            one = found.setdefault(one.learner, one)
            one.late |= bool(late)
            one.packed = one.packed or _packed(platform, named[0])
            break
    return found.setdefault(one.learner, one)


def _packed(platform: str, begins: str) -> str:
    """Canvas knows a file of feedback by the user and the file that was handed in, Moodle by the participant and one of its own plugins."""
    if platform == "Moodle":
        return f"{begins}file_"
    return begins if platform.startswith("Canvas") and begins.endswith("_") else ""  # a text or link has no file


def _files(folder: Path) -> Iterator[Path]:
    """Without the system's own, and the course's own solutions; of Jupyter's copies those whose notebook is not there. A folder that is hidden or
    can't be opened is one of them."""
    waiting = [folder]
    while waiting:
        here = waiting.pop(0)
        try:
            paths = sorted(here.iterdir())
        except OSError:  # or its paths are too long
            yield here
            continue
        for path in paths:
            is_folder, is_hidden = _kind(path) == "folder", path.name.startswith(".")
            solutions = (here.name, path.name) == ("notebooks", "solutions")
            if path.name == CHECKPOINTS and is_folder:
                there = {one.name for one in paths}
                yield from (
                    one for one in sorted(path.glob("*.ipynb")) if one.name.replace("-checkpoint", "") not in there
                )
            elif path.name in OF_ANY_FOLDER or OF_A_ZIP.fullmatch(path.name) or solutions:
                continue
            elif is_folder and not is_hidden:
                waiting.append(path)
            elif not is_hidden or is_folder or ENDING.search(path.name) or ARCHIVE.search(path.name):
                yield path


def read_cells(name: str, path: Path | Inside) -> list[Cell]:
    """Raises ValueError: it can't be read; the message says why."""
    return cells_in(name, _content(path))
