"""The map at the head of a section: the right part is lit, and it is seen wherever a notebook is read."""

import copy
import io
import json
from base64 import b64decode

import matplotlib as mpl
import nbformat
import numpy as np
import pytest
from nbconvert import HTMLExporter
from PIL import Image
from playwright.sync_api import expect

from course_utils.answers import notebook_file, stubs
from course_utils.material import build, merging, source_files
from course_utils.paths import NOTEBOOKS, SOLUTIONS
from course_utils.ui.map import HEIGHT, NAMES, PARTS, VERBS, WIDTH, draw_map, map_in_words
from course_utils.ui.palette import BLUE
from tests.browser import lab  # noqa: F401

HEAD = "---\ntitle: A test\nminutes: 1\n---\n\n# A test\n\n"
MAPS = [*NAMES, "all", ""]


def pixels(png: bytes) -> np.ndarray:
    """[rows, columns, red green blue alpha], from 0 to 255."""
    with Image.open(io.BytesIO(png)) as picture:
        return np.asarray(picture.convert("RGBA"), dtype=int)


def places(name: str) -> tuple[slice, slice]:
    """The columns of a box over the whole height: no two parts share any, nor do two verbs."""
    x, width = (PARTS | VERBS)[name]
    fine = pixels(draw_map("")).shape[1] / WIDTH
    return slice(None), slice(round(fine * x), round(fine * (x + width)))


@pytest.mark.parametrize("lit", MAPS)
def test_exactly_the_right_box_is_lit(lit):
    """By the pixels, against the map with nothing lit."""
    drawn, dark = pixels(draw_map(lit)), pixels(draw_map(""))
    assert drawn.shape[1] / drawn.shape[0] == WIDTH / HEIGHT
    differs = np.abs(drawn - dark).max(axis=-1) > 40
    blue = np.abs(drawn[..., :3] - [int(BLUE[i : i + 2], 16) for i in (1, 3, 5)]).max(axis=-1) <= 12
    parts = set(PARTS) if lit == "all" else {"search"} if lit in VERBS else {lit} & set(PARTS)
    verbs = set(VERBS) if lit == "all" else {lit} & set(VERBS)
    for name in PARTS:
        share, changed = blue[places(name)].mean(), differs[places(name)].any()
        assert changed == (name in parts), name
        assert (share > 0.04) == (name in parts), (name, share)
    if lit != "search":
        rows = slice(round(drawn.shape[0] * 0.4), round(drawn.shape[0] * 0.65))  # through the middle of the verbs
        for name in VERBS:
            share = blue[rows, places(name)[1]].mean()
            assert (share > 0.6) == (name in verbs), (name, share)
            assert (share < 0.02) == (name not in verbs), (name, share)


def test_the_corners_are_clear_and_all_maps_differ():
    assert pixels(draw_map(""))[0, 0, 3] == 0  # no white triangle in a dark page
    assert len({draw_map(lit) for lit in MAPS}) == len({map_in_words(lit) for lit in MAPS}) == len(MAPS)
    assert max(len(draw_map(lit)) for lit in MAPS) < 12_000  # a notebook has one a section


def test_the_map_is_the_same_whatever_a_notebook_has_set():
    with mpl.rc_context({"font.size": 20, "savefig.facecolor": "red", "savefig.dpi": 30}):
        draw_map.cache_clear()
        styled = draw_map("select")
    draw_map.cache_clear()
    assert styled == draw_map("select")


def built(tmp_path, text, **options):
    path = tmp_path / "03_test.md"
    path.write_text(HEAD + text)
    return build.build(source_files.read_source(path), **options)


@pytest.mark.parametrize("solution", [False, True])
def test_a_map_in_a_source_becomes_an_attachment_with_a_text(tmp_path, solution):
    notebook = built(tmp_path, "## One\n\n![Map: select](map:select)\n\nText.\n\n\n## Two\n", solution=solution)
    nbformat.validate(notebook)
    first, second = notebook.cells[:2]
    assert "![The map of AlphaZero, lit: select, in the search](attachment:map-select.png)\n\nText." in first.source
    assert b64decode(first.attachments["map-select.png"]["image/png"]) == draw_map("select")
    assert "attachments" not in second
    again = nbformat.reads(merging.to_text(notebook), as_version=4)
    assert again == notebook
    page, _ = HTMLExporter().from_notebook_node(notebook)
    assert page.count(f'src="data:image/png;base64,{first.attachments["map-select.png"]["image/png"]}"') == 1


@pytest.mark.parametrize("name", ["slect", "Search", "search "])
def test_an_unknown_name_is_refused_with_file_and_line(tmp_path, name):
    with pytest.raises(stubs.SourceError, match=rf"03_test.md:10: the map has no '{name}'; it has rules, network, "):
        built(tmp_path, f"## One\n\n![Map](map:{name})\n")


def test_an_old_notebook_gets_the_new_map_and_keeps_what_a_learner_pasted(tmp_path):
    fresh = built(tmp_path, "![Map](map:search)\n\nNew.\n\n\n## Two\n\n![Map](map:backup)\n\n\n## Three\n")
    old = built(tmp_path, "Old.\n\n\n## Two\n\n![Map](map:backup)\n\n\n## Three\n")
    _, two, three = old.cells[:3]
    two.attachments["map-backup.png"]["image/png"] = "AAAA"  # drawn by an older version
    three.source += "\n\n![](attachment:mine.png)"
    three.attachments = {"mine.png": {"image/png": "BBBB"}}
    old = nbformat.from_dict(json.loads(merging.to_text(old)))  # as it is read from a file
    merged = merging.merge(copy.deepcopy(fresh), old)
    assert [cell.get("attachments") for cell in merged.cells[:2]] == [cell.attachments for cell in fresh.cells[:2]]
    assert merged.cells[2].source.endswith("(attachment:mine.png)")
    assert merged.cells[2].attachments == {"mine.png": {"image/png": "BBBB"}}
    assert len(merged.cells) == len(fresh.cells)


def test_a_map_cell_that_a_learner_wrote_in_has_both_texts_pictures(tmp_path):
    fresh = built(tmp_path, "![Map](map:search)\n")
    old = copy.deepcopy(fresh)
    old.cells[0].source += "\n\nA note."
    old.cells[0].attachments = {"mine.png": {"image/png": "BBBB"}, "map-search.png": {"image/png": "AAAA"}}
    [merged] = merging.merge(copy.deepcopy(fresh), old).cells
    assert merged.source.endswith("A note.")
    assert merged.attachments == {"mine.png": {"image/png": "BBBB"}, **fresh.cells[0].attachments}


def test_the_maps_in_the_notebooks_are_as_they_are_drawn_now():
    """By their pixels: another machine may compress them differently."""
    count = 0
    for folder in (NOTEBOOKS, SOLUTIONS):
        for source in source_files.sources():
            cells = {cell.id: cell for cell in notebook_file.read_notebook(folder / f"{source.name}.ipynb").cells}
            for cell in build.build(source, solution=folder == SOLUTIONS).cells:
                for name, data in cell.get("attachments", {}).items():
                    kept = pixels(b64decode(cells[cell.id].attachments[name]["image/png"]))
                    assert np.abs(kept - pixels(b64decode(data["image/png"]))).mean() < 2, (source.name, name)
                    count += 1
    assert count


@pytest.mark.parametrize(
    ("theme", "width", "browses"), [("light", 1280, True), ("dark", 1280, True), ("light", 390, False)]
)
def test_jupyterlab_shows_all_of_it_before_a_cell_is_run(lab, tmp_path, theme, width, browses):  # noqa: F811
    name = f"{theme}-{width}.ipynb"
    nbformat.write(built(tmp_path, "## One\n\n![Map](map:select)\n\n\n```python\n1\n```\n"), lab.notebooks / name)
    notebook = lab.visit(name, theme=theme, width=width, height=800)
    page, picture = notebook.page, notebook.page.get_by_role("img", name=map_in_words("select"))
    files = page.locator("#filebrowser")
    if files.is_visible() != browses:
        page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")
    expect(files).to_be_visible(visible=browses)
    expect(picture).to_be_visible()
    assert picture.evaluate("one => one.complete && one.naturalWidth") == pixels(draw_map("select")).shape[1]
    box, pane = picture.bounding_box(), page.locator(".jp-Notebook").bounding_box()
    assert pane["x"] <= box["x"] and box["x"] + box["width"] <= pane["x"] + pane["width"] <= width
    assert box["width"] / box["height"] == pytest.approx(WIDTH / HEIGHT, rel=0.02)  # not squeezed
    if width == 1280:
        assert box["width"] >= WIDTH  # no text is smaller than it was drawn
    notebook.close()
