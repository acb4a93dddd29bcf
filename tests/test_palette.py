"""One palette: colors that everybody can tell apart, and none anywhere else."""

import re
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.paths import COURSE
from course_utils.ui import palette

TOLD_APART = ("BLUE", "ORANGE", "TEAL", "INK", "GRAY")
# What is seen of linear red, green and blue: Machado, Oliveira and Fernandes (2009), severity 1.
VISION = {
    "normal": np.eye(3),
    "no red cones": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green cones": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "no blue cones": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def linear(color: str) -> np.ndarray:
    """[red, green, blue], as amounts of light."""
    parts = np.array([int(color[place : place + 2], 16) for place in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def oklab(light: np.ndarray) -> np.ndarray:
    """Where a color stands among those that people see: distances are differences (Ottosson, 2020)."""
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    axes = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return axes @ np.cbrt(cones @ np.clip(light, 0, 1))


def contrast(first: str, second: str) -> float:
    """From 1 to 21, as the Web Content Accessibility Guidelines have it."""
    low, high = sorted(float(linear(color) @ [0.2126, 0.7152, 0.0722]) for color in (first, second))
    return (high + 0.05) / (low + 0.05)


def on_the_page(theme: str) -> dict[str, str]:
    """Name -> color of the style sheet, in upper case as in `palette`. theme: light or dark."""
    sheet = (COURSE / "course_utils/ui/course.css").read_text("utf-8")
    colors = re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\);", sheet)
    return {name.upper(): light if theme == "light" else dark for name, light, dark in colors}


def test_a_page_has_the_colors_of_the_palette():
    for name, color in on_the_page("light").items():
        assert color == getattr(palette, name), name


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("eyes", VISION)
def test_colors_on_a_page_are_told_apart_with_any_kind_of_color_vision(eyes, theme):
    colors = on_the_page(theme)
    seen = {name: oklab(VISION[eyes] @ linear(colors[name])) for name in TOLD_APART}
    for first, second in combinations(TOLD_APART, 2):
        assert np.linalg.norm(seen[first] - seen[second]) > 0.1, (first, second)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_on_a_page_can_be_read(theme):
    colors = on_the_page(theme)
    for ground in ("PAPER", "CARD", "SPARE", "LATEST"):
        assert contrast(colors["INK"], colors[ground]) > 4.5
    for mark in ("FAINT", "BLUE", "ORANGE"):
        assert contrast(colors[mark], colors["CARD"]) > 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_share_can_be_read_on_the_strongest_shade_of_the_microscope(theme):
    colors = on_the_page(theme)
    script = (COURSE / "course_utils/ui/microscope.js").read_text("utf-8")
    [opacity] = map(float, re.findall(r"opacity:\$\{\(([\d.]+) \* share\)", script))
    teal, card = (np.array([int(colors[name][at : at + 2], 16) for at in (1, 3, 5)]) for name in ("TEAL", "CARD"))
    shade = "#" + "".join(f"{round(part):02x}" for part in opacity * teal + (1 - opacity) * card)
    assert contrast(colors["INK"], shade) > 4.5


@pytest.mark.parametrize("eyes", VISION)
def test_colors_are_told_apart_with_any_kind_of_color_vision(eyes):
    seen = {name: oklab(VISION[eyes] @ linear(getattr(palette, name))) for name in TOLD_APART}
    for first, second in combinations(TOLD_APART, 2):
        assert np.linalg.norm(seen[first] - seen[second]) > 0.1, (first, second)


def test_text_can_be_read_on_what_it_stands_on():
    for ground in (palette.PAPER, palette.CARD, palette.SPARE, palette.LATEST, palette.tint(1)):
        assert contrast(palette.INK, ground) > 4.5
    for mark in (palette.FAINT, *palette.COLOR.values()):
        assert contrast(mark, palette.CARD) > 4.5
    assert contrast(palette.FAINT, "#111111") > 3  # the frame of a square in a dark notebook


def test_mixing_goes_from_white_to_the_color():
    assert [palette.mixed(palette.BLUE, share) for share in (0, 1)] == ["#ffffff", palette.BLUE]
    assert palette.mixed("#000000", 0.5) == "#808080"


def test_matplotlib_takes_the_style():
    with plt.rc_context(palette.STYLE):
        assert plt.rcParams["axes.prop_cycle"].by_key()["color"][:2] == [palette.BLUE, palette.ORANGE]


def test_no_color_is_defined_anywhere_else():
    color = re.compile(r"""#[0-9a-fA-F]{6}\b|color=["'](?!none)|(?<!aria-)\brgba?\(""")
    theme = re.compile(r"var\(--jp-[^)]*\)")  # JupyterLab's own, with what stands in for it elsewhere
    places = [path for kind in ("py", "js", "css") for path in (COURSE / "course_utils").rglob(f"*.{kind}")]
    places += (COURSE / "notebooks" / "source").glob("*.md")
    assert len(places) > 50
    for path in places:
        if path.name not in ("palette.py", "course.css"):
            lines = [line for line in path.read_text("utf-8").splitlines() if color.search(theme.sub("", line))]
            assert not lines, path
