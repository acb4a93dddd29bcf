"""Take the pictures of a class's page and of a page of feedback, as a browser draws them: `python -m docs.source.class_pages`."""

import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from course_utils.authoring.execute import few_colors
from course_utils.classroom.whole_class import grade_class, read_class
from docs.source.pictures import IMAGES
from tests import classroom
from tests.browser import launched

LEARNERS = ["all-right", "right-and-written-otherwise", "partly-right", "empty", "half-filled", "cells-reordered", "settings-of-figures-and-types", "unused-imports", "stub-line-left", "package-that-is-not-here", "syntax-error", "endless-cell"]  # fmt: skip
PAGES = {"grade_class": "class.html", "grade_feedback": "feedback/partly-right.html"}
SIZE = {"width": 1060, "height": 1000}


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder, out = Path(name, "class"), Path(name, "out")
        classroom.write_class(folder, LEARNERS)
        grade_class(read_class(folder), out, "03", "7", progress=print).write_reports(out)
        page = launched(playwright).new_page(viewport=SIZE)
        for picture, path in PAGES.items():
            page.goto((out / path).as_uri())
            (IMAGES / f"{picture}.png").write_bytes(few_colors(page.screenshot()))


if __name__ == "__main__":
    main()
