"""The small torch of the browser tab: beside PyTorch, and in its place."""

import importlib.util
import os
import subprocess
import sys
from types import ModuleType

from course_utils.paths import COURSE

FOLDER = COURSE / "tab" / "src"
GONE = "import sys; sys.modules.update(psutil=None, filelock=None)  # nor are these there\n"


def beside_pytorch() -> ModuleType:
    """It, under another name."""
    where = FOLDER / "torch"
    spec = importlib.util.spec_from_file_location(
        "small_torch", where / "__init__.py", submodule_search_locations=[str(where)]
    )
    sys.modules["small_torch"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


small = beside_pytorch()


def run(code: str) -> str:
    """What this program prints where the small torch stands in PyTorch's place, as in a browser tab."""
    environment = {**os.environ, "PYTHONPATH": f"{FOLDER}{os.pathsep}{COURSE}", "PYTHONUTF8": "1", "MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, "-c", GONE + code], cwd=COURSE, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
