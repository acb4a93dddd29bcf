"""Any text in an answer, an error or a name ends in a row and a page for each learner."""

import json
import os
import random
import sys
import unicodedata

import pytest

from course_utils.classroom import batch, reports
from course_utils.classroom.batch import page_of, safe
from course_utils.classroom.grading import Row
from course_utils.classroom.submission import read_cells, readable
from course_utils.files import write_atomically

PLANES = [*range(0x110000 >> 16)]
ODD = ["\ud83d", "\udc80", "\x00", "\x85", "\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x7f",
       "\ufffe", "\uffff", "\ufeff",
       "\u202e", "\r", "\r\n", "\n", "\t", "/", "\\", "..", "\"", "'", "`", "<", "]]>",
       "&", "|", "{{", "{%", "=1", "名" * 84, "🙂" * 60, "é" * 127, "e\u0301" * 90, "a" * 255]  # fmt: skip


def strings(count: int) -> list[str]:
    """Of all planes of Unicode, halves of characters included, and of all lengths."""
    rng = random.Random(62)
    made = [f"a{odd}z" for odd in ODD]
    while len(made) < count:
        planes = rng.choice([[0], [0], [0, 1], PLANES, [rng.choice(PLANES)]])
        length = rng.choice([0, 1, 2, 3, 10, 84, 85, 250, 1000])
        letters = (chr((rng.choice(planes) << 16) + rng.randrange(0x10000)) for _ in range(length))
        made.append("".join(rng.choice(ODD) if rng.random() < 0.05 else letter for letter in letters))
    return made[:count]


AMOUNTS = [40, pytest.param(1000, marks=pytest.mark.full)]


@pytest.mark.parametrize("count", AMOUNTS)
def test_any_text_in_a_row_gives_a_page_to_each_learner(tmp_path, count):
    learners = []
    for number, text in enumerate(strings(count)):
        learner = f"{number} {text}"[:400]
        told = {
            "cases": [{"name": text, "lines": text, "passed": False}],
            "headline": text,
            "notes": [text],
            "diagnosis": [[text, text]],
        }
        row = Row(learner, "03_puct_search", "backup", "failed", 0, 11, text, text, told, [text], [text], [text])
        learners.append([row])
        batch.save(tmp_path, learner, {"backup": "key"}, [row])
        assert batch.load(tmp_path, learner, {"backup": "key"})["backup"].reason == json.loads(
            json.dumps(text)
        )  # two halves join
    reports.write_reports(tmp_path, learners, ["held"])
    pages = {page_of(rows[0].learner) for rows in learners}
    assert len(pages) == count and all(
        (tmp_path / page).read_text("utf-8").rstrip().endswith("</html>") for page in pages
    )
    for table in ("grades.csv", "totals.csv", "canvas.csv", "class.html"):
        assert (tmp_path / table).read_text("utf-8")
    assert len(json.loads((tmp_path / "grades.json").read_text("utf-8"))["rows"]) == count


@pytest.mark.parametrize("count", AMOUNTS)
def test_every_name_is_a_file_and_another_one_for_each_learner(tmp_path, count):
    names = dict.fromkeys(strings(count))
    files = {safe(name) for name in names}
    assert len(files) == len(names)
    assert max(len(os.fsencode(f".{file}.json.12345678.part")) for file in files) < 255
    for file in files:
        write_atomically(tmp_path / f"{file}.json", "x")
    assert len([*tmp_path.iterdir()]) == len({unicodedata.normalize("NFC", file) for file in files})


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_a_name_of_any_bytes_is_readable():
    for raw in (b"\xff\xfe", b"caf\xe9", "名".encode() * 84, b"a\nb"):
        readable(os.fsdecode(raw)).encode("utf-8")


@pytest.mark.parametrize("count", AMOUNTS)
def test_any_text_in_a_notebook_is_read(tmp_path, count):
    cells = [{"cell_type": "code", "source": text, "metadata": {"note": text}, "id": text} for text in strings(count)]
    (tmp_path / "03.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}), "utf-8")
    read = read_cells("03.ipynb", tmp_path / "03.ipynb")
    assert len(read) == count
    for cell in read:
        assert cell.source.encode("utf-8") is not None and cell.place and cell.python is not None
