"""The widget of `keepsake.buttons()`: Python writes the files, and the page saves them as downloads."""

from base64 import b64encode

import traitlets

from course_utils.files import trouble
from course_utils.learner.keepsake import PAGE, of_learner
from course_utils.learner.one_file import FILE, one_file
from course_utils.ui.agent_page import agent_page
from course_utils.ui.component import Widget, module, style

SAVED = {
    PAGE: "Your agent's page is in {name}, where your browser keeps what it downloads. It is one file: open it, send "
    "it, put it on the web.",
    FILE: "Your AlphaZero is in {name}, where your browser keeps what it downloads. With NumPy and PyTorch installed, "
    "`python {name}` trains and proves it.",
}


class KeepsakeButtons(Widget):
    """The two buttons. The page requests a file by name; `said` is the message below the buttons."""

    _esm = module("keepsake")
    _css = style("keepsake")
    said = traitlets.Unicode("").tag(sync=True)
    files = traitlets.List([PAGE, FILE]).tag(sync=True)

    def __init__(self):
        super().__init__()
        self.on_msg(self._hear)

    def _hear(self, _: object, message: dict, buffers: object) -> None:
        name, by = message.get("name"), str(message.get("by", ""))[:60].strip()
        try:
            if name == PAGE:
                text = agent_page(of_learner(by, functions=bool(message.get("functions"))))
            elif name == FILE:
                text = one_file(by or "you")
            else:
                return
            self.said = SAVED[name].format(name=name)
            self.send({"name": name, "file": b64encode(text.encode()).decode()})
        except Exception as error:  # a learner's functions may raise anything
            self.said = f"Nothing is written. {trouble(error)}"

    def __str__(self) -> str:
        return (
            "(Two buttons, for your agent's page and your AlphaZero in one file: run this cell to bring them to life.)"
        )
