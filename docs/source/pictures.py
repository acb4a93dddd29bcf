"""Take the pictures of microscope and dashboard that the pages show, as JupyterLab draws them: `python -m docs.source.pictures`."""

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


def take(found, name: str) -> None:
    (IMAGES / f"{name}.png").write_bytes(few_colors(found.screenshot()))


def main() -> None:
    with a_lab() as lab:
        found = opened(lab, MICROSCOPE).output(0).locator(".microscope")
        for _ in range(SIMULATION):
            found.get_by_label("One simulation on").click()
        for phase, steps in STEPS.items():
            for _ in range(steps):
                found.get_by_label("One step on").click()
            take(found, f"microscope_{phase}")
        take(opened(lab, TRAINING).output(0).locator(".dashboard"), "dashboard")


def opened(lab: Lab, code: str):
    notebook = lab.open(code, width=WIDE, height=HIGH)
    notebook.page.keyboard.press("Control+b")  # the list of files goes
    notebook.output(0).locator(".course-ui").wait_for()
    notebook.page.wait_for_timeout(500)
    return notebook


if __name__ == "__main__":
    main()
