"""Execute a solution notebook, and convert its outputs for the repository."""

import base64
import io
import re
from html import unescape
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

from course_utils.pictures import WIDGET


def run(notebook, folder: Path, allow_errors: bool = False, timeout: int = 600):
    """Execute a notebook in `folder`. Its outputs are converted by `_make_static`, and execution times are left out."""
    client = NotebookClient(
        notebook,
        timeout=timeout,
        allow_errors=allow_errors,
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
        record_timing=False,
    )
    client.execute()
    _make_static(notebook)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


FIGURE = re.compile(
    r'<figure class="course-figure".*?<img style="max-width: 100%" width="(\d+)" alt="(.*?)" '
    r'src="data:image/png;base64,(.*?)">(?:<figcaption.*?>(.*?)</figcaption>)?</figure>',
    re.DOTALL,
)


def few_colors(png: bytes) -> bytes:
    """Reduce a picture to a palette of 64 colors. It looks the same, in less than a third of the bytes."""
    small = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        quantized = picture.convert("RGB").quantize(64, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    quantized.save(small, "PNG", optimize=True)
    return small.getvalue()


def _make_static(notebook) -> None:
    """Convert outputs for a notebook without its kernel.

    A widget becomes its picture or text. A figure becomes a picture with a caption, and its text alternative goes
    into the metadata, where nbconvert looks for it. Pictures get `few_colors`.
    """
    for cell in notebook.cells:
        kept = []
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            kept.append(output)
            if data.pop(WIDGET, None) and "image/png" not in data:
                data["text/plain"] = "(An interactive control: it needs a running notebook.)"
            figure = FIGURE.fullmatch(data.get("text/html", ""))
            if figure:
                width, alt, data["image/png"], below = figure.groups()
                del data["text/html"]
                output.metadata = {"image/png": {"alt": unescape(alt), "width": int(width)}}
                if below:
                    kept.append(nbformat.v4.new_output("display_data", {"text/markdown": f"*{unescape(below)}*"}))
            if "image/png" in data:
                if data.get("text/plain") and "image/png" not in output.get("metadata", {}):
                    output.metadata = {"image/png": {"alt": data["text/plain"]}}
                data["image/png"] = base64.b64encode(few_colors(base64.b64decode(data["image/png"]))).decode()
        if "outputs" in cell:
            cell.outputs = kept
