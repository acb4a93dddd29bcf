"""Store the latest picture of a component outside the notebook.

The kernel draws it, and JupyterLab's server shows it later.
"""

import contextlib
from pathlib import Path

from course_utils.files import Damaged, seal, unseal, write_atomically

WIDGET = "application/vnd.jupyter.widget-view+json"
AT_MOST = 200  # pictures; the oldest are deleted


def _folder() -> Path:
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir()) / "course-pictures"


def keep_picture(model_id: str, bundle: dict[str, str]) -> None:
    """Store a component's picture and text, `{"image/png": ..., "text/plain": ...}`. A full disk is ignored."""
    with contextlib.suppress(OSError):
        write_atomically(_folder() / f"{model_id}.json", seal(bundle))
        for old in sorted(_folder().glob("*.json"), key=lambda path: path.stat().st_mtime)[:-AT_MOST]:
            old.unlink(missing_ok=True)


def latest_picture(model_id: str) -> dict[str, str]:
    """Load a component's picture and text; {} if nothing was stored."""
    try:
        return unseal((_folder() / f"{Path(model_id).name}.json").read_bytes())
    except (OSError, Damaged):
        return {}
