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
SIMULATION, STEPS = (
    18,
    {"select": 3, "evaluate": 2, "backup": 1},
)  # what is done in this simulation, and how many steps on


WIDE, HIGH = 1400, 1200


def take(found, theme: str, name: str) -> None:
    dark = "_dark" * (theme == "dark")
    (IMAGES / f"{name}{dark}.png").write_bytes(few_colors(found.screenshot()))


def main() -> None:
    with a_lab() as lab:
        for theme in ("light", "dark"):
            page = opened(lab, MICROSCOPE, theme)
            found = page.output(0).locator(".microscope")
            for _ in range(SIMULATION):
                found.get_by_label("One simulation on").click()
            for phase, steps in STEPS.items():
                for _ in range(steps):
                    found.get_by_label("One step on").click()
                take(found, theme, f"microscope_{phase}")
                if theme == "dark":
                    break
            take(opened(lab, TRAINING, theme).output(0).locator(".dashboard"), theme, "dashboard")


def opened(lab: Lab, code: str, theme: str):
    notebook = lab.open(code, theme=theme, width=WIDE, height=HIGH)
    notebook.page.keyboard.press("Control+b")  # the list of files goes
    notebook.output(0).locator(".course-ui").wait_for()
    notebook.page.wait_for_timeout(500)
    return notebook


if __name__ == "__main__":
    main()
