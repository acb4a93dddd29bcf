"""What is set for everybody: whether results remember how they were made, and where arrays are."""

import contextlib

from .dtypes import float32

recording = True  # whether results remember what they were made of
without_memory = False  # whether new tensors have a shape only: `with torch.device("meta")`


class set_grad_enabled(contextlib.ContextDecorator):
    """At once, and in a `with` block until its end."""

    def __init__(self, wanted: bool):
        global recording
        self.wanted, self.before = wanted, recording
        recording = wanted

    def __enter__(self):
        return self

    def __exit__(self, *_):
        global recording
        recording = self.before


class no_grad(contextlib.ContextDecorator):
    """In a `with` block, or a function that is decorated by it, nothing is remembered."""

    wanted = False

    def __enter__(self):
        global recording
        self.before, recording = recording, self.wanted

    def __exit__(self, *_):
        global recording
        recording = self.before

    def _recreate_cm(self):  # a function may call itself
        return type(self)()


class inference_mode(no_grad):
    pass


class enable_grad(no_grad):
    wanted = True


def is_grad_enabled() -> bool:
    return recording


class device:
    """ "cpu", or "meta": in a `with` block of that, tensors have no numbers, and take no memory."""

    def __init__(self, kind: str):
        if kind not in ("cpu", "meta"):
            raise RuntimeError(f"The small torch of the browser tab has no device {kind}, only the processor.")
        self.type = kind

    def __enter__(self):
        global without_memory
        self.before, without_memory = without_memory, self.type == "meta"

    def __exit__(self, *_):
        global without_memory
        without_memory = self.before

    def __eq__(self, other) -> bool:
        return str(other) == self.type

    def __hash__(self) -> int:
        return hash(self.type)

    def __str__(self) -> str:
        return self.type

    def __repr__(self) -> str:
        return f"device(type='{self.type}')"


def set_num_threads(number: int) -> None:
    """There is one."""


def get_num_threads() -> int:
    return 1


def is_anomaly_enabled() -> bool:
    return False


def get_default_dtype():
    return float32


def set_default_dtype(wanted) -> None:
    if wanted is not float32:
        raise RuntimeError("The small torch of the browser tab has one default dtype, torch.float32.")
