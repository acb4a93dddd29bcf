"""JupyterLab in a real browser, for tests that read what stands on the page.

A module of tests that wants it imports the fixture `lab` and opens notebooks of its own:

    from tests.browser import lab  # noqa: F401

    def test_two(lab):
        notebook = lab.open("from IPython.display import HTML; HTML('<b>two</b>')")
        assert notebook.output(0).locator("b").inner_text() == "two"
"""

import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from course_utils.commands import jupyters_environment
from course_utils.paths import COURSE

expect.set_options(timeout=20_000)
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ["gpu", "quic", "background-networking", "component-update", "sync"]  # what a test has no use for
SECONDS = 60  # for anything to appear: a busy machine is slow
OPEN = """async ([path, theme]) => {
  await jupyterapp.commands.execute("apputils:change-theme", { theme });
  await jupyterapp.commands.execute("docmanager:open", { path });
}"""
CLOSE = "() => [...jupyterapp.shell.widgets('main')].forEach(one => one.dispose())"  # and asks nothing about saving
LAPTOPS = [  # width, height, theme
    (1280, 768, "light"),  # what fits there fits on each of the others
    *(
        pytest.param((*size, theme), marks=pytest.mark.full)
        for size in ((1280, 800), (1366, 768))
        for theme in ("light", "dark")
    ),
]
SETTINGS = {
    "notebook-extension/tracker": '{"windowingMode": "none"}',  # all cells are there, seen or not
}


def launched(playwright, profile: Path | None = None):
    """A browser, which the caller closes; with a folder for its profile it keeps large files, too, as a person's does."""
    flags = ["--no-sandbox", "--no-first-run", *(f"--disable-{what}" for what in QUIET)]
    if profile:
        return playwright.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=flags, viewport={"width": 1280, "height": 800}
        )
    return playwright.chromium.launch(executable_path=CHROMIUM, args=flags)


def violations(page, within: str) -> list[str]:
    """What axe-core calls serious or critical inside elements with this selector, a line each."""
    found = Axe().run(page, context=within, options={"preload": False}).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:200] for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


class Lab:
    """A JupyterLab in a temporary folder, and a browser. Both end with `close`.

    Args:
        front: "lab", or "notebook" for Jupyter Notebook 7.
        course: where its `course_utils` are; any other than this one's has no settings of Jupyter.
    """

    def __init__(self, playwright, folder: Path, front: str = "lab", course: Path = COURSE):
        self.folder, self.notebooks, self.token = folder, folder / "notebooks", secrets.token_hex(8)
        self.front, self.course = front, course
        self.left: list = []  # pages whose notebook is closed, for others: to load JupyterLab takes seconds of the processor
        self.address = f"http://127.0.0.1:{free_port()}"
        self.server = self._start_server()
        self.browser = launched(playwright)
        self._wait_for_server()

    def _start_server(self) -> subprocess.Popen:
        self.notebooks.mkdir()
        for name, setting in SETTINGS.items():
            path = self.folder / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(setting)
        own = {
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "COURSE_RECORD": "record",
        }
        own |= {
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_DATA_DIR": "data",
            "IPYTHONDIR": "ipython",
        }
        port = self.address.rpartition(":")[2]
        options = [f"--port={port}", f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.notebooks}"]
        options += ["--no-browser", "--ip=127.0.0.1", "--allow-root", "--ServerApp.port_retries=0"]
        if self.front == "lab":
            options.append("--LabApp.expose_app_in_browser=True")
        return subprocess.Popen(
            [sys.executable, "-m", {"lab": "jupyterlab", "notebook": "notebook"}[self.front], *options],
            env={
                **(jupyters_environment() if self.course == COURSE else os.environ),
                "PYTHONPATH": str(self.course),
                **{name: str(self.folder / place) for name, place in own.items()},
            },
            stdout=(self.folder / "log").open("w"),
            stderr=subprocess.STDOUT,
        )

    def _wait_for_server(self) -> None:
        try:
            until(lambda: self.server.poll() is not None or answers(f"{self.address}/api"), "JupyterLab")
            self._ask("sessions")
        except OSError as error:
            self.close()
            log = (self.folder / "log").read_text()[-2000:]
            raise RuntimeError(f"JupyterLab did not start:\n{log}") from error

    def open(self, *cells: str, theme: str = "light", width: int = 1200, height: int = 1000) -> "Notebook":
        """A new notebook of these code cells, opened, all of them run."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        name = f"{secrets.token_hex(4)}.ipynb"
        nbformat.write(notebook, self.notebooks / name)
        opened = self.visit(name, theme=theme, width=width, height=height)
        for number in range(len(cells)):
            opened.run(number)
        return opened

    def visit(
        self, name: str, theme: str = "light", width: int = 1200, height: int = 1000, fresh: bool = False
    ) -> "Notebook":
        """A notebook of `self.notebooks`, opened with its kernel idle; in a page that another one has left, if it need not be `fresh`."""
        theme = f"JupyterLab {theme.title()}"
        if self.left and not fresh:
            page = self.left.pop()
            page.set_viewport_size({"width": width, "height": height})
            page.evaluate(OPEN, [name, theme])
        else:
            themes = self.folder / "settings/@jupyterlab/apputils-extension/themes.jupyterlab-settings"
            themes.parent.mkdir(parents=True, exist_ok=True)
            themes.write_text(json.dumps({"theme": theme}))
            page = self.browser.new_page(viewport={"width": width, "height": height})
            page.set_default_timeout(1000 * SECONDS)
            place = f"lab/workspaces/{secrets.token_hex(4)}/tree" if self.front == "lab" else "notebooks"
            page.goto(f"{self.address}/{place}/{name}?token={self.token}")
        opened = Notebook(page, self)
        self._wait_for_kernel(name)
        opened.wait_until_idle()
        return opened

    def read(self, name: str):
        """A notebook as JupyterLab is given it now."""
        return nbformat.from_dict(self._ask(f"contents/{name}")["content"])

    def outputs(self, name: str, number: int) -> list[dict]:
        """The MIME bundles of a code cell's outputs, as JupyterLab is given them now."""
        cells = [cell for cell in self.read(name).cells if cell.cell_type == "code"]
        return [output.get("data", {}) for output in cells[number].outputs]

    def _wait_for_kernel(self, name: str) -> None:
        """Until the page is connected to it and it is idle: before that, what it is asked to run is lost. (The page says "idle" too soon.)"""

        def ready() -> bool:
            kernels = [session["kernel"] for session in self._ask("sessions") if session["path"] == name]
            return any(kernel["connections"] and kernel["execution_state"] == "idle" for kernel in kernels)

        until(ready, f"a kernel for {name}")

    def _ask(self, what: str):
        with urllib.request.urlopen(f"{self.address}/api/{what}?token={self.token}", timeout=5) as reply:
            return json.load(reply)

    def close(self) -> None:
        self.browser.close()
        self.server.terminate()
        self.server.wait(SECONDS)


class Notebook:
    """A notebook open in the browser. `page` is Playwright's."""

    def __init__(self, page, lab: Lab):
        self.page, self.lab = page, lab

    def close(self) -> None:
        """Leave the page to the next notebook (Jupyter Notebook 7 has one for each)."""
        if self.lab.front == "lab":
            self.page.evaluate(CLOSE)
            self.lab.left.append(self.page)
        else:
            self.page.close()

    def wait_until_idle(self) -> None:
        self.page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for(state="attached")

    def cell(self, number: int):
        return self.page.locator(".jp-CodeCell").nth(number)

    def run(self, number: int) -> None:
        """Run a cell and wait until its number stands beside it."""
        self.cell(number).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        expect(self.cell(number).locator(".jp-InputPrompt")).to_have_text(re.compile(r"\d"), timeout=1000 * SECONDS)

    def output(self, number: int):
        """Where a cell's output stands, as a Playwright locator."""
        return self.cell(number).locator(".jp-OutputArea").first

    def command(self, menu: str, item: str) -> None:
        """Choose from JupyterLab's menus."""
        self.page.get_by_role("menuitem", name=menu, exact=True).click()
        self.page.get_by_role("menuitem", name=item).first.click()

    @property
    def name(self) -> str:
        """Of its file."""
        return self.page.url.partition("?")[0].rpartition("/")[2]

    def load_again(self) -> None:
        """Load the page again, with this notebook alone in it: JupyterLab may still remember one that was closed."""
        if self.lab.front == "lab":
            self.page.goto(f"{self.page.url}?reset")
        else:
            self.page.reload()

    def reload(self) -> None:
        self.load_again()
        self.wait_until_idle()
        expect(self.cell(0)).to_be_visible()

    def restart_kernel(self) -> None:
        self.command("Kernel", "Restart Kernel…")
        self.page.get_by_role("button", name="Confirm Kernel Restart").click()

    def save(self) -> None:
        self.command("File", "Save Notebook Ctrl")
        expect(self.page.locator(".jp-mod-dirty")).to_have_count(0)

    def violations(self, within: str) -> list[str]:
        return violations(self.page, within)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for it. Raises TimeoutError."""
    end = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {SECONDS} seconds for {what}")
        time.sleep(0.1)


def answers(address: str) -> bool:
    """Whether anything answers there."""
    try:
        urllib.request.urlopen(address, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def skip_without_chromium() -> None:
    if CHROMIUM is None:
        message = "NO CHROMIUM: what stands on the page was not tested (Debian, Ubuntu: apt-get install chromium)"
        warnings.warn(message)
        pytest.skip(message)


@contextmanager
def a_lab(front: str = "lab") -> Iterator[Lab]:
    """A running `Lab`, which ends with the block."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        running = Lab(playwright, Path(folder), front)
        try:
            yield running
        finally:
            running.close()


@pytest.fixture(scope="module")
def lab():
    """`a_lab`, with the front end that COURSE_FRONT names; skips, and says so, where there is no Chromium."""
    skip_without_chromium()
    with a_lab(os.environ.get("COURSE_FRONT", "lab")) as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    """A browser alone; skips as `lab` does."""
    skip_without_chromium()
    with sync_playwright() as playwright:
        running = launched(playwright)
        yield running
        running.close()
