"""docs/coverage.md: each idea and figure of the sources stands where the page says that it stands."""

import re

import pytest

from course_utils.paths import COURSE

PAGE = COURSE / "docs" / "coverage.md"
PLACE = re.compile(r"\[(?P<name>[^\]]+)\]\((?P<path>[^)]+)\) `` (?P<words>.+?) ``")
ROWS = [
    line
    for line in PAGE.read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| what | from", "|--"))
]


def text_of(path: str) -> str:
    """What a page says, from its source where it has one, in one line."""
    target = (PAGE.parent / path).resolve()
    if target.suffix == ".ipynb":
        target = COURSE / "notebooks" / "source" / f"{target.stem}.md"
    return " ".join(target.read_text("utf-8").split())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip()[:40])
def test_what_is_covered_stands_there(row):
    places = list(PLACE.finditer(row))
    assert places, "a row says where"
    for place in places:
        assert " ".join(place["words"].split()) in text_of(place["path"]), place.groups()
