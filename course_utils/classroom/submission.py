"""Submissions: which files are whose, and their cells, read leniently."""

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
# browsers save .ipynb.txt and .ipynb.json
ENDING = re.compile(rf"({re.escape(NOTEBOOK)}|{re.escape(answers_file.SUFFIX)}).*$", re.IGNORECASE)
CHECKPOINTS = ".ipynb_checkpoints"
PLATFORMS = {  # how each names a file or folder; Canvas never gives a file a small number
    "Canvas": re.compile(r"(?P<name>[^_]+)(?P<late>_LATE)?_(?P<number>\d+)_(?:\d{3,}_|(?:text|link)\.html$)"),
    "Canvas, anonymous": re.compile(r"(?P<name>anon_[A-Za-z0-9]{5})(?P<late>_LATE)?_(?:\d{3,}_|(?:text|link)\.html$)"),
    "Moodle": re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_"),
    "Blackboard": re.compile(r"(?P<name>.+)_attempt_\d{4}(?:-\d\d){5}"),  # the assignment's name and the login
}
OF_ANY_FOLDER = (".DS_Store", ".localized", "Thumbs.db", "desktop.ini")  # added by macOS and Windows
OF_A_ZIP = re.compile(r"\._.*|__MACOSX")  # added by macOS to an archive
ARCHIVE = re.compile(r"\.(zip|7z|rar|tar|t?gz|t?bz2|t?xz)$", re.IGNORECASE)
IDS = re.compile(rb'"exercise(?:" ?: ?"|-)(\w+)"')  # how an exercise's cell is marked
MADE = re.compile(rb'"course" ?: ?"([0-9a-f]{12})"')  # the mark of a cell that the course made
INSTALLS = re.compile(
    rb'"id" ?: ?"install",\s*"metadata" ?: ?\{\s*' + MADE.pattern
)  # differs between copies of the course
DEFINED = re.compile(rb'(?:"|\\n)def (\w+)')  # what a cell defines, if its mark is gone


class Inside(NamedTuple):
    """A notebook in a file of answers."""

    file: Path
    name: str


@dataclass
class Submission:
    """One learner's notebooks.

    Attributes:
        name: the learner's name in the platform's name of the file or folder; otherwise as `learner`.
        number: the platform's number of the learner, "" if there is none: Canvas' user id, or Moodle's participant
            number.
        platform: a key of PLATFORMS, or "".
        late: whether Canvas' name of a file has LATE in it.
        feedback_prefix: how the name of a file of feedback must begin for the platform to accept it, "" if it accepts
            none.
        files: the notebooks, by name within the learner's folder. Some lie in a file of answers, which a browser tab
            saves.
        loose: whether a file lies beside the learners' folders.
        unread: the other files.
        cells: of all notebooks that could be read, file by file.
        unreadable: file -> why it could not be read, in words, if an answer may be in it.
    """

    learner: str
    name: str = ""
    number: str = ""
    platform: str = ""
    late: bool = False
    feedback_prefix: str = ""
    files: dict[str, Path | Inside] = field(default_factory=dict)
    loose: bool = False
    unread: list[str] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, path: Path, folder: str) -> None:
        """Add a file. Two files of the same name are told apart by the folder."""
        name = (name if name not in self.files else f"{folder}/{name}")[-300:]
        why = _why_not_read(path)
        if not why and is_notebook(path):
            self.files[name] = path
        elif not why:
            try:
                self.files |= {f"{name}/{file.name.rpartition('/')[2]}": file for file in _notebooks_in_answers(path)}
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
        """The exercises that it has a cell of, filled in or not.

        A search in the bytes tells: the submission's own process reads them.
        """
        marked, defined = set[bytes](), set[bytes]()
        for path in self.files.values():
            data = _glance(path).replace(b"\0", b"")  # of UTF-16
            marked |= set(IDS.findall(data))
            defined |= set(DEFINED.findall(data))
        return {name.decode("utf-8", "replace") for name in marked or defined}

    def of_another_version(self, cells: Collection[str]) -> list[str]:
        """The files with a cell of the course whose mark is not among `cells`."""
        files = []
        for name, path in self.files.items():
            data = _glance(path)
            if {mark.decode() for mark in {*MADE.findall(data)} - {*INSTALLS.findall(data)}} - {*cells}:
                files.append(name)
        return files

    def key(self) -> str:
        """Changes with any of its files."""
        digest = hashlib.sha256("\0".join(self.unread).encode("utf-8", "replace"))
        for name, path in self.files.items():
            digest.update(name.encode("utf-8", "replace") + b"\0")
            digest.update(hashlib.sha256(_glance(path)).digest())
        return digest.hexdigest()


def submissions(folder: Path) -> list[Submission]:
    """A submission for each folder in `folder`, with the notebooks at any depth.

    A loose notebook or archive is a learner's, too.

    If there is no notebook, another file in a folder, or one named as by a platform, shows that something unreadable
    was handed in. A learner on a platform is identified by the number in the file's name, since names are not unique:
    "bauerben-12345".

    Raises:
        ValueError: there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder. Give SUBMISSIONS a folder that has a folder for each learner")
    by_learner: dict[str, Submission] = {}
    for path in sorted(folder.iterdir()):
        name = readable(path.name)
        if _why_ignored(path):
            continue
        if _kind(path) == "folder":
            submission = _submission_of(name, ("Moodle",), by_learner)
            for file in _files(path):
                submission.add(readable(str(file.relative_to(path))), file, name)
        else:
            submission = _submission_of(name, PLATFORMS, by_learner)
            submission.loose = True
            submission.add(name, path, "loose")
    if not by_learner:
        raise ValueError(f"{folder} contains no submissions. It needs a folder for each learner, with their notebooks")
    for submission in by_learner.values():
        if submission.files:  # then no other file is missed but one that may hold notebooks
            reasons = submission.unreadable.items()
            submission.unreadable = {name: why for name, why in reasons if ARCHIVE.search(name)}
            submission.unread = [name for name in submission.unread if not name.rpartition("/")[2].startswith(".")]
    return list(by_learner.values())


def _why_ignored(path: Path) -> str:
    """Why a file or folder beside the learners' folders belongs to no learner; "" if it does."""
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
        or any(platform.match(name) for platform in PLATFORMS.values())
    ):
        return ""
    return "a link" if kind == "link" else "no notebook"


def _kind(path: Path) -> str:
    """One of "folder", "file", "link" and "other" (a pipe, say), without following links; "" if it can't be told."""
    try:
        mode = path.lstat().st_mode
    except OSError:  # its path is too long
        return ""
    kinds = {"folder": stat.S_ISDIR, "file": stat.S_ISREG, "link": stat.S_ISLNK}
    return next((kind for kind, holds in kinds.items() if holds(mode)), "other")


def questions(folder: Path, handed_in: list[Submission]) -> list[str]:
    """What to check before trusting the points: files that were not read, and learners who may be confused."""
    sentences = []
    ignored: dict[str, list[str]] = {}
    for path in sorted(folder.iterdir()):
        if (why := _why_ignored(path)) and path.name not in OF_ANY_FOLDER:
            ignored.setdefault(why, []).append(readable(path.name))
    unread = [f"{_some(names)} ({why})" if why != "no notebook" else ", ".join(names) for why, names in ignored.items()]
    unread += [f"{submission.learner}: {_some(submission.unread)}" for submission in handed_in if submission.unread]
    if unread:
        sentences.append(f"Handed in, and not read: {'; '.join(unread)}.")
    if empty := [submission.learner for submission in handed_in if not submission.files and not submission.unread]:
        sentences.append(f"No notebook is in: {', '.join(empty)}.")
    single = [submission for submission in handed_in if submission.loose and submission.files]
    loose = [submission.learner for submission in single if not submission.platform]
    if len(loose) > 1:
        sentences.append(
            f"{len(loose)} loose files count as one learner each: {', '.join(loose)}. "
            "If several belong to one learner, put them into a folder."
        )
    if len(handed_in) == 1:
        [only] = handed_in
        folders = {name.partition("/")[0]: name.rpartition("/")[2] for name in only.files if "/" in name}
        of_platforms = [name for name in only.files if any(platform.match(name) for platform in PLATFORMS.values())]
        if len(folders) > len(set(folders.values())) or len(of_platforms) > 1:
            sentences.append(
                f"All that was handed in lies in one folder, {only.learner}, and counts as one learner's. "
                f"If a class lies in it, give SUBMISSIONS={folder / only.learner}."
            )
    return sentences


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{', '.join(names[:3])}{more}"


def of_another_version(handed_in: list[Submission], cells: Collection[str]) -> list[str]:
    """A sentence, if there are such files."""
    files = {submission.learner: submission.of_another_version(cells) for submission in handed_in}
    named = [f"{learner} ({', '.join(names)})" for learner, names in files.items() if names]
    if not named:
        return []
    return [
        f"Of an older version of the course, unless yours is the older one: {'; '.join(named)}. "
        "These have cells that this version of the course does not make; answers were graded all the same."
    ]


def readable(name: str) -> str:
    """A file's name in letters that can be written, the same on every system."""
    return unicodedata.normalize("NFC", os.fsencode(name).decode("utf-8", "backslashreplace"))


def is_notebook(path: Path) -> bool:
    return NOTEBOOK in path.name.lower()


def _notebooks_in_answers(path: Path) -> list[Inside]:
    """The notebooks in a file of answers; none if nothing was begun.

    Raises:
        ValueError: it can't be read, or it comes from Colab and holds passed answers without the notebook.
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
    """Its bytes; none if it is too large or can't be read."""
    try:
        return _content(path)
    except ValueError:
        return b""


def _why_not_read(path: Path) -> str:
    """Why a file is not read; "" if it is a notebook that counts."""
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


def _submission_of(name: str, platforms: Iterable[str], by_learner: dict[str, Submission]) -> Submission:
    """The submission that a file or folder of this name belongs to; a new one for the learner's first."""
    for platform in platforms:
        if named := PLATFORMS[platform].match(name):
            number, late = (named.groupdict().get(key) or "" for key in ("number", "late"))
            new = Submission("-".join(filter(None, (named["name"], number))), named["name"], number, platform)
            submission = by_learner.setdefault(new.learner, new)
            submission.late |= bool(late)
            submission.feedback_prefix = submission.feedback_prefix or _feedback_prefix(platform, named[0])
            return submission
    learner = ENDING.sub("", name) if ENDING.search(name) else ARCHIVE.sub("", name)
    return by_learner.setdefault(learner, Submission(learner, learner))


def _feedback_prefix(platform: str, begins: str) -> str:
    """Canvas identifies a file of feedback by user and handed-in file, Moodle by participant and plugin."""
    if platform == "Moodle":
        return f"{begins}file_"
    return begins if platform.startswith("Canvas") and begins.endswith("_") else ""  # a text or link has no file


def _files(folder: Path) -> Iterator[Path]:
    """Its files, without the operating system's and without the course's own solutions.

    Of Jupyter's copies, those whose notebook is gone.

    Folders that are hidden or can't be opened are yielded themselves.
    """
    waiting = [folder]
    while waiting:
        parent = waiting.pop(0)
        try:
            paths = sorted(parent.iterdir())
        except OSError:  # or its paths are too long
            yield parent
            continue
        for path in paths:
            is_folder, is_hidden = _kind(path) == "folder", path.name.startswith(".")
            solutions = (parent.name, path.name) == ("notebooks", "solutions")
            if path.name == CHECKPOINTS and is_folder:
                names = {sibling.name for sibling in paths}
                copies = sorted(path.glob("*.ipynb"))
                yield from (copy for copy in copies if copy.name.replace("-checkpoint", "") not in names)
            elif path.name in OF_ANY_FOLDER or OF_A_ZIP.fullmatch(path.name) or solutions:
                continue
            elif is_folder and not is_hidden:
                waiting.append(path)
            elif not is_hidden or is_folder or ENDING.search(path.name) or ARCHIVE.search(path.name):
                yield path


def read_cells(name: str, path: Path | Inside) -> list[Cell]:
    """Raises ValueError: it can't be read; the message says why."""
    return cells_in(name, _content(path))
