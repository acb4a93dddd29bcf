"""The contents manager through which JupyterLab reads and saves the course's notebooks (configured in
`learner/jupyter`).

* A component whose kernel has ended (`course_utils.ui.component`) shows its latest picture, not "model not found".
* The kernel's metadata that JupyterLab would add is filled in, so that opening a notebook does not make it unsaved.
"""

from typing import Any

from ipykernel.ipkernel import IPythonKernel
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

from course_utils.pictures import WIDGET, latest_picture


class CourseContents(AsyncLargeFileManager):
    """JupyterLab's contents manager, with pictures of components and the kernel's metadata."""

    async def get(self, path: str, content: bool = True, *arguments: Any, **more: Any) -> dict:
        model = await super().get(path, content, *arguments, **more)
        if content and model["type"] == "notebook":
            name_the_kernel(model["content"], self.parent.kernel_spec_manager if self.parent else None)
            show_pictures(model["content"], self._processes())
        return model

    async def save(self, model: dict, path: str = "") -> dict:
        if model.get("type") == "notebook" and model.get("content"):
            show_pictures(model["content"], None)
        return await super().save(model, path)

    def _processes(self) -> set[int]:
        """The process ids of the running kernels."""
        kernels = self.parent.kernel_manager if self.parent else None
        running = [kernels.get_kernel(kernel) for kernel in kernels.list_kernel_ids()] if kernels else []
        return {kernel.provisioner.pid for kernel in running if kernel.provisioner is not None}


def show_pictures(notebook: dict, processes: set[int] | None) -> None:
    """Give each component its latest picture, and remove the widget if its kernel has ended.

    Args:
        processes: the running kernels; None keeps every widget.
    """
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            widget = data.get(WIDGET)
            if not isinstance(widget, dict) or "process" not in widget:
                continue
            data.update(latest_picture(widget["model_id"]))
            if processes is not None and widget["process"] not in processes:
                del data[WIDGET]


def name_the_kernel(notebook: dict, specs: Any) -> None:
    """Fill in the metadata that JupyterLab would write once the kernel has started."""
    metadata = notebook["metadata"]
    name = metadata.get("kernelspec", {}).get("name")
    if name != "python3":
        return
    if specs is not None:
        metadata["kernelspec"]["display_name"] = specs.get_kernel_spec(name).display_name
    metadata["language_info"] = {**IPythonKernel.language_info}
