"""The widget of `travel.buttons()`: the page chooses and saves files, and Python exports and imports answers."""

from base64 import b64decode, b64encode

import traitlets

from course_utils.files import trouble
from course_utils.learner.travel import RUNS, SUFFIX, CannotTakeIn, file_name, pack, take_in
from course_utils.paths import NOTEBOOKS, record_folder
from course_utils.ui.component import Widget, module, style

AGAIN = "If a notebook is open, this one too, choose File > Reload Notebook from Disk there before you go on."


class TravelButtons(Widget):
    """The two buttons.

    `said` is the message below them, and `runs` the warning that the page shows before an import.
    """

    _esm = module("travel")
    _css = style("travel")
    said = traitlets.Unicode("").tag(sync=True)
    suffix = traitlets.Unicode(SUFFIX).tag(sync=True)
    runs = traitlets.Unicode(RUNS).tag(sync=True)

    def __init__(self):
        super().__init__()
        self._came: list[str] = []  # pieces of a file, since the size of a message is limited
        self.on_msg(self._hear)

    def _hear(self, _: object, message: dict, buffers: object) -> None:
        try:
            if "piece" in message:
                self._came.append(message["piece"])
                if message["last"]:
                    archive = b64decode("".join(self._came))
                    self._came = []
                    self.said = f"{take_in(archive, NOTEBOOKS, record_folder())} {AGAIN}"
            else:
                archive = pack(NOTEBOOKS, record_folder())
                self.said = f"Your answers are in {file_name()}, where your browser keeps what it downloads."
                self.send({"name": file_name(), "file": b64encode(archive).decode()})
        except (CannotTakeIn, OSError, ValueError) as error:
            self.said = f"Nothing is changed. {trouble(error)}"

    def __str__(self) -> str:
        return "(Two buttons, to take your answers along: run this cell to bring them to life.)"
