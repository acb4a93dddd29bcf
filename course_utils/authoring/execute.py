"""Running a completed notebook, and making its outputs fit to be kept."""

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
    """Execute a notebook in `folder` and keep its outputs, without times."""
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
    r'<figure class="course-figure".*?<img style="max-width: 100%" width="(\d+)" alt="(.*?)" src="data:image/png;base64,(.*?)">(?:<figcaption.*?>(.*?)</figcaption>)?</figure>',
    re.DOTALL,
)


def few_colors(png: bytes) -> bytes:
    """The same picture with a palette of 64 colors, which takes less than a third of the room and looks the same."""
    small = io.BytesIO()
    with Image.open(io.BytesIO(png)) as picture:
        quantized = picture.convert("RGB").quantize(64, Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    quantized.save(small, "PNG", optimize=True)
    return small.getvalue()


def _make_static(notebook) -> None:
    """Make outputs fit to be kept: a widget stays as its picture or text, since its kernel is gone; a figure as its picture, whose
    text is in the metadata, where nbconvert looks for it, and its caption; a picture has `few_colors`."""
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
