"""Two errors end in one sentence in a notebook, where a traceback would stand: a training that is interrupted, and what
torch lacks in a browser tab.
"""

import sys
from pathlib import Path
from traceback import walk_tb
from types import TracebackType

from IPython import get_ipython

from course_utils import platform
from course_utils.learning.run import Run
from course_utils.paths import learners_record


def install() -> None:
    """Does nothing outside of a notebook."""
    if (shell := get_ipython()) is not None:
        shell.set_custom_exc((KeyboardInterrupt, ImportError, AttributeError), show)
        if not platform.INTERRUPTS:
            shell.events.register("pre_run_cell", lambda _: _stop_file().unlink(missing_ok=True))


def raise_if_stopped() -> None:
    """Raise KeyboardInterrupt if the square button was pressed in a browser tab.

    No interrupt reaches a running cell there, so tab/course.js writes a file.
    """
    if not platform.INTERRUPTS and _stop_file().exists():
        raise KeyboardInterrupt


def _stop_file() -> Path:
    return learners_record().parent / ".stop"  # the record itself may not be there yet


def show(shell, kind: type, error: BaseException, traceback: TracebackType, tb_offset: int | None = None) -> None:
    """The cell fails as it would without us; only what is shown is shorter."""
    words = None
    if isinstance(error, ImportError | AttributeError):
        words = lacking(error)
    elif (run := trained_in(traceback)) is not None:
        words = sentence(run, shell.user_ns)
    if words is not None:
        error._render_traceback_ = lambda: [words]  # type: ignore[attr-defined]  # IPython asks for it
    shell.showtraceback((kind, error, traceback), tb_offset=tb_offset)


def lacking(error: ImportError | AttributeError) -> str | None:
    """What the small torch of the browser tab says of a name that it does not have; None, where PyTorch is."""
    missing = getattr(sys.modules.get("torch"), "missing", None)  # a module of that torch alone
    if missing is None:
        return None
    if isinstance(error, missing.NotInTheTab):
        return str(error)
    if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "torch":
        return missing.sentence(error.name)
    return None


def trained_in(traceback: TracebackType) -> Run | None:
    """The run that a function below the cell was at work on."""
    frames = [frame for frame, _ in walk_tb(traceback) if frame.f_code.co_name != "<module>"]
    return next((value for frame in frames for value in frame.f_locals.values() if isinstance(value, Run)), None)


def sentence(run: Run, names: dict) -> str:
    """What is kept, and how to go on."""
    done, of = len(run.history), run.config.iterations
    name = next((name for name, value in names.items() if value is run and not name.startswith("_")), None)
    go_on = f" Train `{name}` again to go on from there." if name else ""
    kept = (
        f"the {done} before it are kept" if done > 1 else "the one before it is kept" if done else "none was finished"
    )
    return f"Interrupted in iteration {min(done + 1, of)} of {of}: {kept}.{go_on}"
