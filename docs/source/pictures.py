"""Take the pictures of microscope and dashboard that the pages show, as JupyterLab draws them: `python -m docs.source.pictures`."""

import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from course_utils.paths import COURSE
from tests import browser
from tests.browser import Lab

browser.SECONDS = 300  # a training run takes as long as it takes
IMAGES = COURSE / "docs" / "images"
TRAINING = """
from course_utils import ui
from course_utils.games import TicTacToe
from course_utils.learning.training import Run, TrainingConfig, train_alphazero
run = Run.start(TicTacToe(), TrainingConfig(iterations=14, games=20, steps=60), seed=0)
train_alphazero(run, ui.Dashboard(run))
"""
MICROSCOPE = "from course_utils import ui\nui.microscope()"
SIMULATION, STEPS = (
    18,
    {"select": 3, "evaluate": 2, "backup": 1},
)  # what is done in this simulation, and how many steps on


def take(found, name: str) -> None:
    path = IMAGES / f"{name}.png"
    found.screenshot(path=path)
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(128, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        lab = Lab(playwright, Path(folder))
        try:
            for theme in ("light", "dark"):
                page = opened(lab, MICROSCOPE, theme)
                found = page.output(0).locator(".microscope")
                for _ in range(SIMULATION):
                    found.get_by_label("One simulation on").click()
                for phase, steps in STEPS.items():
                    for _ in range(steps):
                        found.get_by_label("One step on").click()
                    take(found, f"microscope_{phase}" + ("_dark" if theme == "dark" else ""))
                    if theme == "dark":
                        break
                take(opened(lab, TRAINING, theme).output(0).locator(".dashboard"), f"dashboard_{theme}")
        finally:
            lab.close()


def opened(lab: Lab, code: str, theme: str):
    notebook = lab.open(code, theme=theme, width=1400, height=1100)
    notebook.page.keyboard.press("Control+b")  # the list of files goes
    notebook.output(0).locator(".course-ui").wait_for()
    notebook.page.wait_for_timeout(500)
    return notebook


if __name__ == "__main__":
    main()
