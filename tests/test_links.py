"""Links in notebooks and pages lead somewhere, as far as that can be told without a network."""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from course_utils.paths import COURSE, NOTEBOOKS, SOURCES

PAGES = [
    COURSE / "README.md",
    COURSE / "CONTRIBUTING.md",
    COURSE / "CHANGELOG.md",
    *sorted((COURSE / "docs").glob("*.md")),
]
LAB = COURSE / "lab"  # may be gone: nothing else needs it
NAMES = sorted(path.stem for path in SOURCES.glob("[0-9][0-9]_*.md"))
NUMBERS = {name[:2] for name in NAMES}
TEXTS = [(path, path.parent) for path in PAGES] + [(path, NOTEBOOKS) for path in sorted(SOURCES.glob("*.md"))]


def _links(text: str) -> list[str]:
    """Targets of `[words](target)`, outside code; one pair of parentheses inside a target is its own."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return re.findall(r"\]\(((?:[^()\s]|\([^()\s]*\))+)\)", text)


def headings_of(text: str) -> set[str]:
    """As JupyterLab names them in links."""
    return {heading.replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize(("path", "folder"), TEXTS, ids=lambda value: value.name)
def test_a_link_within_the_course_leads_to_a_file_or_a_heading(path, folder):
    text = path.read_text("utf-8")
    headings = headings_of(text)
    for link in _links(text):
        target = urlsplit(link)
        if target.scheme:
            assert target.scheme == "map" or (target.scheme in ("http", "https") and target.netloc), link
        elif target.path:
            made = {NOTEBOOKS / f"{name}.ipynb" for name in NAMES}  # perhaps not yet
            lead = (folder / target.path).resolve()
            assert lead.exists() or lead in made or lead.is_relative_to(LAB), link
            source = SOURCES / f"{Path(target.path).stem}.md"
            if target.fragment and source.exists():
                assert target.fragment in headings_of(source.read_text("utf-8")), link
        else:
            assert target.fragment in headings or target.fragment in {h.lower() for h in headings}, link


def test_a_source_of_the_shelf_that_a_notebook_names_is_linked_the_same_way():
    """Each paper has one address over the whole course."""
    shelf = set(_links((SOURCES / "99_shelf.md").read_text("utf-8")))
    papers = re.compile(r"https?://(doi\.org|arxiv\.org|proceedings|openreview)")
    for path in sorted(SOURCES.glob("*.md")):
        missing = [link for link in _links(path.read_text("utf-8")) if papers.match(link) and link not in shelf]
        assert not missing, f"{path.name} links papers that the shelf does not have: {missing}"


def glossary() -> list[tuple[str, str]]:
    """Each word, and the links to its notebooks."""
    text = (SOURCES / "99_shelf.md").read_text("utf-8").split("\n## Glossary\n")[1].split("\n## ")[0]
    return re.findall(r"^\| (.+?) \| .+ \| (.*?) *\|$", text, re.MULTILINE)[1:]


def test_the_glossary_names_the_notebooks_of_each_word_and_each_word_once():
    rows = glossary()
    words = [word for word, _ in rows]
    assert len(words) > 60 and len(set(words)) == len(words)
    assert words == sorted(words, key=str.casefold)
    assert all(re.fullmatch(r"(\[[\w ?-]+\]\(\w+\.ipynb\)(, )?)*", notebooks) for _, notebooks in rows)


@pytest.mark.parametrize(("entry", "links"), glossary(), ids=lambda value: value[:20])
def test_a_word_of_the_glossary_is_found_in_its_notebooks(entry, links):
    words = [word.casefold() for word in re.split(r", | \(|\)", entry) if word]
    texts = [(SOURCES / f"{name}.md").read_text("utf-8").casefold() for name in re.findall(r"\((\w+)\.ipynb", links)]
    for text in texts:
        assert any(word in text for word in words), f"a notebook named for {entry!r} does not have it"
    assert not texts or all(any(word in text for text in texts) for word in words)


NUMBERED = re.compile(
    r"\bnotebooks? \d\d\b|\((?:0\d|1[0-3])(?:, \d\d)*\)|\b(?:in|from|of|by|to|and|with|before|after) 0[1-9]\b(?![:.]\d)"
)


@pytest.mark.parametrize("path", sorted(SOURCES.glob("*.md")), ids=lambda path: path.name)
def test_a_text_names_a_notebook_by_its_title(path):
    """Never by its number; and a link's words are the title of the notebook that it leads to."""
    text = path.read_text("utf-8")
    prose = re.sub(r"```.*?```|`[^`\n]*`|\]\(\S+\)", "", text, flags=re.DOTALL)
    assert not [match[0] for match in NUMBERED.finditer(prose)]
    titles = {name: re.search(r"^title: (.+)$", (SOURCES / f"{name}.md").read_text("utf-8"), re.M)[1] for name in NAMES}
    for words, name in re.findall(r"\[([^\]]+)\]\((\d\d_\w+)\.ipynb\)", text):
        assert words.lower() == titles[name].lower(), words
    code = "".join(re.findall(r"```.*?```", text, flags=re.DOTALL))
    assert not re.search(r"\]\(\d\d_\w+\.ipynb", code), "a link inside Python"


HISTORY = ("CHANGELOG.md",)  # it keeps the numbers of its time
WRITTEN = [*(page for page in PAGES if page.name not in HISTORY), *sorted((COURSE / "course_utils").rglob("*.py"))]


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.name)
def test_the_package_and_the_pages_name_a_notebook_by_its_title(path):
    assert not re.search(r"\bnotebooks? \d\d\b", path.read_text("utf-8"))


def test_the_pictures_of_the_readme_are_there():
    pictures = re.findall(r'(?:src|srcset)="([^"]+)"', (COURSE / "README.md").read_text("utf-8"))
    assert len(pictures) >= 3
    assert [picture for picture in pictures if not (COURSE / picture).is_file()] == []
