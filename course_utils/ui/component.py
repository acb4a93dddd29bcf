"""What the course's widgets have in common: an ES module, a style sheet, and a picture for where no kernel is.

A component NAME is `NAME.py`, with a subclass of `Component`; `NAME.js`, a module whose default export is `{ render }`;
and `NAME.css`. Neither is built nor loads anything from the net. `course.js` (functions that every module may call) and
`course.css` (the colors) stand in front of them, so no file imports another. A static page uses the same text:
`module(NAME)`, `style(NAME)`.
"""

import asyncio
import json
import os
import threading
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import anywidget
from IPython import get_ipython

from course_utils.pictures import WIDGET, keep_picture
from course_utils.platform import PROCESSES
from course_utils.ui.figures import page_width

FOLDER = Path(__file__).parent
WAKE = "A picture: run this cell to bring it to life."
QUIET = 1.5  # seconds
_SHOWN: dict[str, dict["Component", str]] = {}  # cell -> what it shows, and which of its runs has shown it last


def module(name: str) -> str:
    """The ES module of a component, whole."""
    return text("course.js") + text(f"{name}.js")


def style(name: str) -> str:
    """Its style sheet, with the course's colors."""
    return text("course.css") + text(f"{name}.css")


def text(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def running_loop() -> asyncio.AbstractEventLoop | None:
    """A kernel's; None in a plain Python."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _send_as_json(shell: Any) -> None:
    """Pyodide's kernel makes JavaScript of each object of Python, and `undefined` of None; as JSON it is `null`, as
    everywhere else.
    """
    from js import JSON  # type: ignore[import-not-found]  # it is there in a browser tab

    send = shell.send_comm
    shell.send_comm = lambda kind, content, *more: send(kind, JSON.parse(json.dumps(content)), *more)


if hasattr(get_ipython(), "send_comm"):
    _send_as_json(get_ipython())


def _running() -> tuple[str | None, str]:
    """The cell that runs, None where no front end names it, and which of its runs this is."""
    shell: Any = get_ipython()
    asked: Any = shell if hasattr(shell, "get_parent") else getattr(shell, "kernel", None)  # a browser tab's
    message = asked.get_parent() if hasattr(asked, "get_parent") else {}
    return message.get("metadata", {}).get("cellId"), message.get("header", {}).get("msg_id", "")


def _cell_is_over(_) -> None:
    """What the cell has shown when it ran before, and no longer does, leaves, unless another cell shows it, too."""
    cell, run = _running()
    shown = _SHOWN.get(cell or "", {})
    for component in [component for component, shown_in in shown.items() if shown_in != run]:
        del shown[component]
        if not any(component in elsewhere for elsewhere in _SHOWN.values()):
            component.leave()


class Widget(anywidget.AnyWidget):
    """A widget that is a text where no kernel is: its `__str__`."""

    def _widget(self, **kwargs) -> dict[str, Any]:
        """What brings it to life, with the process that it ends with."""
        bundle = super()._repr_mimebundle_(**kwargs)
        data = dict((bundle[0] if isinstance(bundle, tuple) else bundle) or {})
        if WIDGET in data:
            data[WIDGET] = {**data[WIDGET], "process": os.getpid()}
        return data

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        return {**self._widget(**kwargs), "text/plain": str(self)}, {}


class Component(Widget):
    """A widget that also is a picture and a text: what a saved notebook shows without its kernel, on the web, and in a
    terminal.

    A subclass has `_esm = module(NAME)` and `_css = style(NAME)`, `picture` and `__str__`, and calls `changed` when
    these have changed.
    """

    _later: asyncio.TimerHandle | None = None  # the picture that is still to be drawn
    _loop: asyncio.AbstractEventLoop | None = None  # the kernel's own

    def open(self) -> None:
        self._loop = running_loop()
        self.layout.open()  # a widget of its own
        super().open()

    def _handle_msg(self, message: dict) -> None:
        """What the page says is heard when no cell runs: a newer JupyterLab brings it in a thread beside the running
        cell, if its settings let it.
        """
        if self._loop is None or threading.current_thread() is threading.main_thread():
            super()._handle_msg(message)
        else:
            self._loop.call_soon_threadsafe(super()._handle_msg, message)

    def picture(self) -> bytes:
        """A PNG of what it shows now, with `WAKE` below it."""
        raise NotImplementedError

    def leave(self) -> None:
        """Its cell has run again and shows something else: stop, and keep no line to a page that is gone. Shown again,
        it is opened again.
        """
        if self._later is not None:
            self._later.cancel()
        for widget in (self, self.layout):
            widget.close()
        self.__dict__.pop("_repr_mimebundle_", None)  # with which ipywidgets would never show it again

    def changed(self) -> None:
        """Keep a picture, as soon as nothing has changed for a while."""
        if get_ipython() is None or not PROCESSES:  # no server would read it
            return
        if (loop := running_loop()) is not None:  # no loop, no page
            if self._later is not None:
                self._later.cancel()
            self._later = loop.call_later(QUIET, lambda: keep_picture(self.model_id, self._bundle()))

    def _bundle(self) -> dict[str, str]:
        return {"image/png": b64encode(self.picture()).decode(), "text/plain": f"{self}\n{WAKE}"}

    def __repr__(self) -> str:
        return str(self)

    def _take_place(self) -> None:
        """Note in which cell it stands."""
        cell, run = _running()
        if cell is not None:
            _SHOWN.setdefault(cell, {})[self] = run
            get_ipython().events.register("post_run_cell", _cell_is_over)  # to register again changes nothing

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        self._take_place()
        self.open()
        data = self._widget(**kwargs)
        picture = self._bundle()
        if "image/png" not in picture:
            return {**data, **picture}, {}
        shown = {"alt": f"{self}", "width": page_width(b64decode(picture["image/png"]))}
        return {**data, **picture}, {"image/png": shown}
