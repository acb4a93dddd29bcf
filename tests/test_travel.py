"""Answers that travel: out of one copy of the course, into another, and equal."""

import base64
import json
import subprocess
import sys
import zipfile

import nbformat
import pytest

from course_utils import record
from course_utils.answers import notebook_file, stubs
from course_utils.authoring import site
from course_utils.learner import travel
from course_utils.material import build, merging, source_files
from course_utils.paths import COURSE

ANSWER = "# mine\n" + stubs.reference("backup")
OLDER = "# an older one\n" + stubs.reference("backup")
NAME = "03_puct_search.ipynb"


@pytest.fixture(scope="module")
def course():
    return merging.to_text(build.build(source_files.sources("03")[0]))


@pytest.fixture
def copies(tmp_path, course):
    """Two copies of the course, untouched: (notebooks, record) each."""
    places = []
    for name in ("tab", "home"):
        notebooks, folder = tmp_path / name / "notebooks", tmp_path / name / ".course"
        notebooks.mkdir(parents=True)
        folder.mkdir()
        (notebooks / NAME).write_text(course, "utf-8")
        places.append((notebooks, folder))
    return places


def work(notebooks, folder, answer=ANSWER):
    """What a learner does to a notebook: an answer, a guess, a changed text with a picture, cells of their own; it
    passes, and a network is kept.
    """
    notebook = notebook_file.read_notebook(notebooks / NAME)
    by_id = {cell.id: cell for cell in notebook.cells}
    by_id["exercise-backup"].source = answer
    by_id["check-backup"].outputs = [nbformat.v4.new_output("stream", text="passed")]
    by_id["check-backup"].execution_count = 7
    guess = next(cell for cell in notebook.cells if "tests.guess" in cell.source and cell.cell_type == "code")
    guess.source = guess.source.replace("...", "3")
    text = notebook.cells[1]
    text.source += "\nA note of mine."
    text["attachments"] = {
        **text.get("attachments", {}),
        "mine.png": {"image/png": base64.b64encode(b"picture").decode()},
    }
    notebook.cells.insert(5, nbformat.v4.new_markdown_cell("a thought of mine"))
    notebook.cells.insert(
        30, nbformat.v4.new_code_cell("print('mine')", outputs=[nbformat.v4.new_output("stream", text="mine\n")])
    )
    (notebooks / NAME).write_text(merging.to_text(notebook), "utf-8")
    (notebooks / "my own.ipynb").write_text(
        json.dumps(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")]))
    )
    record.save(record.Answer("backup", answer, 10, 10, True), folder)
    record.save(record.Answer("expand", "", 3, 12, False), folder)
    (folder / "agents").mkdir(exist_ok=True)
    (folder / "agents" / "tictactoe.pt").write_bytes(b"weights")


def all_of_it(notebooks, folder):
    """Everything that is a learner's, as plain values."""
    own = {path.name: json.loads(path.read_bytes()) for path in notebooks.glob("*.ipynb")}
    return own, {
        str(path.relative_to(folder)): path.read_bytes()
        for path in (*folder.glob("answers/*"), *folder.glob("agents/*"))
    }


def sources(notebooks):
    return [cell.source for cell in notebook_file.read_notebook(notebooks / NAME).cells]


def test_out_in_equal(copies):
    tab, home = copies
    work(*tab)
    message = travel.take_in(travel.pack(*tab), *home)
    assert all_of_it(*home) == all_of_it(*tab)
    nbformat.validate(notebook_file.read_notebook(home[0] / NAME))
    assert message.startswith("Taken in: 2 notebooks, and 1 answer that passed.")
    assert (home[1] / "backups" / "001" / NAME).exists()
    assert travel.take_in(travel.pack(*tab), *home) == "Everything in this file was already here."
    assert travel.take_in(travel.pack(*home), *tab) == "Everything in this file was already here."  # and back


def test_the_note_of_the_tab_stays_in_the_tab(copies):
    tab, home = copies
    as_in_the_tab = merging.to_text(site.in_the_tab(source_files.sources("03")[0]))
    (tab[0] / NAME).write_text(as_in_the_tab, "utf-8")
    tabs = len(notebook_file.read_notebook(tab[0] / NAME).cells)
    notebook = notebook_file.read_notebook(tab[0] / NAME)
    next(cell for cell in notebook.cells if cell.id == "exercise-backup").source = ANSWER
    (tab[0] / NAME).write_text(merging.to_text(notebook), "utf-8")
    travel.take_in(travel.pack(*tab), *home)
    there = notebook_file.read_notebook(home[0] / NAME)
    assert len(there.cells) == tabs - 1
    assert "in-the-tab" not in {cell.id for cell in there.cells}
    assert there.metadata.kernelspec.name == "python3"
    (tab[0] / NAME).write_text(as_in_the_tab, "utf-8")
    travel.take_in(travel.pack(*home), *tab)  # and back
    back = notebook_file.read_notebook(tab[0] / NAME)
    assert [cell.id for cell in back.cells] == [cell.id for cell in notebook.cells]
    assert (back.metadata.kernelspec.name, ANSWER in sources(tab[0])) == ("python", True)


def test_an_untouched_notebook_stays_at_home_and_a_notebook_that_is_not_there_comes_whole(copies, course):
    tab, home = copies
    assert zipfile.ZipFile(travel.io.BytesIO(travel.pack(*tab))).namelist() == []
    work(*tab)
    (home[0] / NAME).unlink()
    travel.take_in(travel.pack(*tab), *home)
    assert all_of_it(*home) == all_of_it(*tab)


def test_an_answer_that_was_here_is_kept_below_the_one_that_comes_and_in_a_backup(copies):
    tab, home = copies
    work(*tab)
    work(*home, answer=OLDER)
    before = (home[0] / NAME).read_bytes()
    travel.take_in(travel.pack(*tab), *home)
    texts = sources(home[0])
    place = texts.index(ANSWER)
    assert OLDER in texts[place + 1]
    assert texts[place + 1].startswith("<details>")
    assert record.load("backup", home[1]).source == ANSWER
    [kept] = (home[1] / "backups").rglob(NAME)
    assert kept.read_bytes() == before
    assert json.loads((kept.parent / "answers" / "backup.json").read_text())["source"] == OLDER
    count = len(texts)
    travel.take_in(travel.pack(*tab), *home)
    assert len(sources(home[0])) == count  # once is enough


def test_what_passed_here_gives_way_to_nothing_that_did_not(copies):
    tab, home = copies
    record.save(record.Answer("backup", "", 3, 10, False), tab[1])
    record.save(record.Answer("backup", ANSWER, 10, 10, True), home[1])
    travel.take_in(travel.pack(*tab), *home)
    assert record.load("backup", home[1]).source == ANSWER


def test_an_answer_that_passed_once_and_fails_now_travels_with_both(copies):
    tab, home = copies
    record.save(record.Answer("backup", ANSWER, 10, 10, True), tab[1])
    record.save(record.Answer("backup", "", 3, 10, False), tab[1])
    travel.take_in(travel.pack(*tab), *home)
    assert (
        record.load("backup", home[1]) == record.load("backup", tab[1]) == record.Answer("backup", ANSWER, 3, 10, False)
    )


def test_a_record_without_its_notebook_fills_the_stub(copies):
    """As it comes from Colab, whose notebooks lie elsewhere."""
    tab, home = copies
    record.save(record.Answer("backup", ANSWER, 10, 10, True), tab[1])
    travel.take_in(travel.pack(*tab), *home)
    assert sources(home[0]).count(ANSWER) == 1


def test_both_sides_own_cells_are_there_afterwards(copies):
    tab, home = copies
    for (notebooks, _), word in ((tab, "tab"), (home, "home")):
        notebook = notebook_file.read_notebook(notebooks / NAME)
        notebook.cells.insert(9, nbformat.v4.new_code_cell(f"place = {word!r}"))
        notebook.cells[1].source += f"\nwritten in the {word}"
        (notebooks / NAME).write_text(merging.to_text(notebook), "utf-8")
    travel.take_in(travel.pack(*tab), *home)
    texts = "\n".join(sources(home[0]))
    assert all(
        texts.count(word) == 1
        for word in ("place = 'tab'", "place = 'home'", "written in the tab", "written in the home")
    )


def zipped(**entries):
    """A file of answers that holds these notebooks, as they are."""
    archive = travel.io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(f"notebooks/{name}.ipynb", content)
    return archive.getvalue()


def notebook_with(**changes):
    cell = {"cell_type": "code", "metadata": {}, "source": "1", "outputs": [], "execution_count": None, "id": "one"}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{**cell, **changes}]})


MALFORMED = {
    "a number for a source": notebook_with(source=3),
    "numbers for lines": notebook_with(source=[1, 2]),
    "half a letter": notebook_with(source="\ud800"),
    "no kind": notebook_with(cell_type=None),
    "an unknown kind": notebook_with(cell_type="heading"),
    "a list for metadata": notebook_with(metadata=[]),
    "a number for an id": notebook_with(id=7),
    "a list for an exercise": notebook_with(metadata={"exercise": ["backup"]}),
    "a number for a mark": notebook_with(metadata={"course": 5}),
    "a text for outputs": notebook_with(outputs="none"),
    "numbers for outputs": notebook_with(outputs=[1]),
    "a list for pictures": notebook_with(cell_type="markdown", attachments=[1]),
    "a cell that is none": json.dumps({"nbformat": 4, "cells": [3]}),
    "cells that are none": json.dumps({"nbformat": 4, "cells": {}}),
    "no notebook": "[]",
    "no JSON": "half a noteb",
    "nested deeply": "[" * 100_000,
    "a number of many digits": '{"nbformat": ' + "4" * 5000 + "}",
    "bytes that are no text": b'\xff\xfe{"a": \xff',
}


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_notebook_changes_nothing_that_was_here_and_is_named(content, copies):
    """It may be all that a learner has left of one: it is laid beside."""
    tab, home = copies
    work(*home)
    before = all_of_it(*home)
    (tab[0] / "mine.ipynb").write_bytes(content if isinstance(content, bytes) else content.encode())
    message = travel.take_in(travel.pack(*tab), *home)
    assert message.startswith("Taken in: 1 notebook")
    message = travel.take_in(zipped(**{NAME.removesuffix(".ipynb"): content}), *home)
    beside = home[0] / NAME.replace(".ipynb", "-2.ipynb")
    assert beside.exists() and beside.name in message.partition("These of its files can't be read: ")[2]
    beside.unlink()
    (home[0] / "mine.ipynb").unlink()
    assert all_of_it(*home) == before


def test_a_damaged_record_is_left_out_and_named(copies):
    tab, home = copies
    work(*tab)
    path = tab[1] / "answers" / "backup.json"
    path.write_text(path.read_text().replace("# mine", "# thine"))
    message = travel.take_in(travel.pack(*tab), *home)
    assert message.endswith("These of its files can't be read: record/answers/backup.json.")
    assert record.load("backup", home[1]) is None


@pytest.mark.parametrize(
    ("size", "message"),
    [
        (travel.LARGEST + 1, "notebooks/x.ipynb in this file has 30 MB. The limit is 30 MB"),
        (travel.MOST + 1, "damaged or contains no"),
    ],
)
def test_how_large_what_is_packed_would_be_is_asked_before_it_is_unpacked(size, message, copies, monkeypatch):
    *_, home = copies
    monkeypatch.setattr(travel, "LARGEST", travel.LARGEST)
    archive = zipped(x=bytes(size))
    assert len(archive) < size / 100
    with pytest.raises(travel.CannotTakeIn, match=message):
        travel.take_in(archive, *home)
    assert not (home[0] / "x.ipynb").exists()


def test_a_notebook_that_could_not_be_taken_in_is_not_packed(copies, monkeypatch):
    tab, _ = copies
    monkeypatch.setattr(travel, "LARGEST", 1000)
    with pytest.raises(travel.CannotTakeIn, match=r"03_puct_search.ipynb is larger than .* Clear its outputs first"):
        travel.pack(*tab)


def test_a_disk_that_is_full_on_the_way_leaves_everything_as_it_was(copies, monkeypatch):
    tab, home = copies
    work(*tab)
    work(*home, answer=OLDER)
    (home[0] / "my own.ipynb").unlink()
    before, write, remaining = all_of_it(*home), travel.write_atomically, [None] * 2

    def full(path, content):
        if not remaining:
            raise OSError(28, "No space left on device")
        remaining.pop()
        write(path, content)

    archive = travel.pack(*tab)
    monkeypatch.setattr(travel, "write_atomically", full)
    with pytest.raises(OSError, match="No space left"):
        travel.take_in(archive, *home)
    assert not remaining and all_of_it(*home) == before


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>"])
def test_another_kind_of_file_gets_one_sentence_and_changes_nothing(copies, content):
    """`test_damage.py` damages a file of answers."""
    _, home = copies
    work(*home, answer=OLDER)
    before = all_of_it(*home)
    with pytest.raises(travel.CannotTakeIn) as raised:
        travel.take_in(content, *home)
    assert str(raised.value).count(".") == 1
    assert all_of_it(*home) == before
    assert not (home[1] / "backups").exists()


def test_nothing_is_written_outside_the_course(copies, tmp_path):
    _, home = copies
    archive = travel.io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name in (
            "../evil.ipynb",
            "notebooks/../../evil.ipynb",
            "/evil.ipynb",
            "record/answers/../../x.json",
            "notebooks/.hidden.ipynb",
        ):
            file.writestr(name, "{}")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(travel.CannotTakeIn, match="no answers"):
        travel.take_in(archive.getvalue(), *home)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_notebook_that_cannot_be_read_comes_along_beside_the_other(copies):
    tab, home = copies
    (tab[0] / NAME).write_bytes(b"half a noteb")
    travel.take_in(travel.pack(*tab), *home)
    assert (home[0] / "03_puct_search-2.ipynb").read_bytes() == b"half a noteb"
    assert travel.take_in(travel.pack(*tab), *home) == "Everything in this file was already here."


def test_a_file_is_found_once_and_not_where_it_was_written(copies, tmp_path):
    tab, home = copies
    work(*tab)
    path = tmp_path / travel.file_name()
    path.write_bytes(travel.pack(*tab))
    assert travel.new_files([tmp_path], tab[1]) == []
    assert travel.new_files([tmp_path], home[1]) == [path]
    (home[1] / travel.SEEN).write_bytes(b"\xff\xfe")  # damaged
    assert travel.new_files([tmp_path], home[1]) == [path]
    travel.take_in(path.read_bytes(), *home)
    assert travel.new_files([tmp_path], home[1]) == []


def test_it_runs_where_there_is_neither_torch_nor_nbformat_nor_a_thread(copies):
    """As in a browser tab."""
    tab, home = copies
    work(*tab)
    script = """
import pathlib, sys
for name in ("torch", "nbformat", "jupytext", "nbclient", "yaml", "multiprocessing"):
    sys.modules[name] = None
import subprocess, threading
subprocess.Popen.__init__ = threading.Thread.start = None
from course_utils.learner import travel
tab, home = (tuple(map(pathlib.Path, sys.argv[n : n + 2])) for n in (1, 3))
travel.take_in(travel.pack(*tab), *home)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, (*tab, *home))], cwd=COURSE, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert all_of_it(*home) == all_of_it(*tab)


def test_nothing_grows_on_the_way_there_and_back(copies):
    tab, home = copies
    work(*tab)
    work(*home, answer=OLDER)
    for _ in range(2):
        travel.take_in(travel.pack(*tab), *home)
        travel.take_in(travel.pack(*home), *tab)
    first = sources(tab[0])
    travel.take_in(travel.pack(*tab), *home)
    assert sources(home[0]) == sources(tab[0]) == first
