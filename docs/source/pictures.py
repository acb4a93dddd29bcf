"""Take the pictures of microscope and dashboard that the pages show, as JupyterLab draws them: `python -m docs.source.pictures [dashboard]`."""

import sys

from playwright.sync_api import expect

from course_utils.authoring.execute import few_colors
from course_utils.paths import COURSE
from tests import browser
from tests.browser import Lab, a_lab

browser.SECONDS = 300  # a training run takes as long as it takes
IMAGES = COURSE / "docs" / "images"
TRAINING = """
from course_utils import ui
from course_utils.games import TicTacToe
from course_utils.learning.config import TrainingConfig
from course_utils.learning.run import Run
from course_utils.learning.training import train_alphazero
run = Run.start(TicTacToe(), TrainingConfig(iterations=14, games=20, steps=60), seed=0)
train_alphazero(run, ui.Dashboard(run))
"""
MICROSCOPE = "from course_utils import ui\nui.microscope()"
SIMULATION, STEPS = 18, {"select": 3, "backup": 3}  # what is done in this simulation, and how many steps on
WIDE, HIGH = 1400, 1200


DARK = "jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Dark' })"


def take(shown, name: str) -> None:
    (IMAGES / f"{name}.png").write_bytes(few_colors(shown.screenshot()))


def main(names: list[str]) -> None:
    with a_lab() as lab:
        for name in names or DRAWN:
            DRAWN[name](lab)


def microscope(lab: Lab) -> None:
    scope = opened(lab, MICROSCOPE).output(0).locator(".microscope")
    for _ in range(SIMULATION):
        scope.get_by_label("One simulation on").click()
    for phase, steps in STEPS.items():
        for _ in range(steps):
            scope.get_by_label("One step on").click()
        take(scope, f"microscope_{phase}")


def dashboard(lab: Lab) -> None:
    """The same run in the light and in the dark."""
    notebook = opened(lab, TRAINING)
    shown = notebook.output(0).locator(".dashboard")
    expect(shown).to_contain_text("iteration 14 of 14", timeout=1000 * browser.SECONDS)
    notebook.wait_until_idle()
    take(shown, "dashboard")
    notebook.page.evaluate(DARK)
    notebook.page.wait_for_timeout(2000)
    take(shown, "dashboard_dark")


def opened(lab: Lab, code: str):
    notebook = lab.open(code, width=WIDE, height=HIGH)
    notebook.page.keyboard.press("Control+b")  # the list of files goes
    notebook.output(0).locator(".course-ui").wait_for()
    notebook.page.wait_for_timeout(500)
    return notebook


DRAWN = {"microscope": microscope, "dashboard": dashboard}

if __name__ == "__main__":
    main(sys.argv[1:])
