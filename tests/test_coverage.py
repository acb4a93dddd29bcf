"""docs/coverage.md: a state for each idea of the sources, and what stands is where the page says it stands."""

import re

import pytest

from course_utils.paths import COURSE

PAGE = (COURSE / "docs" / "coverage.md").read_text("utf-8")
LINKS = dict(re.findall(r"^\[([^\]]+)\]: (.+)$", PAGE, re.MULTILINE))
ROWS = [line for line in PAGE.splitlines() if re.match(r"\| (?!what \| state|-)", line)]
STATES = ("stands", "thin", "differs", "missing")


def cells(row: str) -> list[str]:
    """What, state, where and how."""
    return [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def text_of(name: str) -> str:
    """What a page says, from its source where it has one, in one line."""
    target = (COURSE / "docs" / LINKS[name]).resolve()
    if target.suffix == ".ipynb":
        target = COURSE / "notebooks" / "source" / f"{target.stem}.md"
    return " ".join(target.read_text("utf-8").split())


def test_every_idea_of_the_sources_has_a_state_and_each_state_is_counted():
    states = [cells(row)[1] for row in ROWS]
    assert len(states) == 172
    for state in STATES:
        assert f"**{state}** ({states.count(state)})" in PAGE
    assert set(states) == set(STATES)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: cells(row)[0][:40])
def test_what_stands_is_found_and_what_does_not_says_how(row):
    _, state, where = cells(row)
    places = re.findall(r"\[([^\]]+)\] `` (.+?) ``", where)
    for name, words in places:
        assert " ".join(words.split()) in text_of(name), (name, words)
    how = re.sub(r"\[[^\]]+\] `` .+? ``;?", "", where).strip()
    assert places if state == "stands" else how, "a place, or a word on how"
