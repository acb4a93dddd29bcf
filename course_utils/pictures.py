"""The latest picture of a component, kept outside the notebook: the kernel draws it, JupyterLab's server puts it where the component stood."""

import contextlib
from pathlib import Path

from course_utils.files import Damaged, seal, unseal, write_atomically

WIDGET = "application/vnd.jupyter.widget-view+json"
AT_MOST = 200  # pictures; the oldest go


def _folder() -> Path:
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir()) / "course-pictures"


def keep_picture(model_id: str, bundle: dict[str, str]) -> None:
    """Keep a component's picture and text, `{"image/png": ..., "text/plain": ...}`. Nothing is lost but the picture if the disk is full."""
    with contextlib.suppress(OSError):
        write_atomically(_folder() / f"{model_id}.json", seal(bundle))
        for old in sorted(_folder().glob("*.json"), key=lambda path: path.stat().st_mtime)[:-AT_MOST]:
            old.unlink(missing_ok=True)


def latest_picture(model_id: str) -> dict[str, str]:
    """What was kept; {} if nothing was."""
    try:
        return unseal((_folder() / f"{Path(model_id).name}.json").read_bytes())
    except (OSError, Damaged):
        return {}
