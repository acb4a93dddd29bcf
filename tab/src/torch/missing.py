"""What this torch lacks ends in one sentence that names it."""

from collections.abc import Callable


class NotInTheTab(AttributeError):
    """PyTorch has it, perhaps; the small torch of the browser tab has not."""


def sentence(name: str) -> str:
    return (
        f"The small torch of the browser tab has no {name}: if PyTorch has it, "
        "it runs where the course is installed (`make lab`)."
    )


def names_what_is_missing(module: str) -> Callable:
    """The `__getattr__` of a module."""

    def get(name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotInTheTab(sentence(f"{module}.{name}"))

    return get
