"""What the course's widgets have in common: an ES module, a style sheet, and a picture for where no kernel is.

A component NAME is `NAME.py`, with a subclass of `Component`; `NAME.js`, a module whose default export is `{ render }`; and `NAME.css`. Neither is
built nor loads anything from the net. `course.js` (functions that every module may call) and `course.css` (the colors) stand in front of them,
so no file imports another. A static page uses the same text: `module(NAME)`, `style(NAME)`.
"""

from base64 import b64encode
from pathlib import Path

import anywidget

FOLDER = Path(__file__).parent
WAKE = "(A picture: run this cell to bring it to life.)"


def module(name: str) -> str:
    """The ES module of a component, whole."""
    return _text("course.js") + _text(f"{name}.js")


def style(name: str) -> str:
    """Its style sheet, with the course's colors."""
    return _text("course.css") + _text(f"{name}.css")


def _text(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


class Component(anywidget.AnyWidget):
    """A widget that also is a picture and a text: what a saved notebook shows without its kernel, on the web, and in a terminal.

    A subclass has `_esm = module(NAME)` and `_css = style(NAME)`, `picture` and `__str__`.
    """

    def picture(self) -> bytes:
        """A PNG of what it shows now."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **kwargs) -> dict | None:  # type: ignore[override]
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        return {**(data or {}), "image/png": b64encode(self.picture()).decode(), "text/plain": f"{self}\n{WAKE}"}
