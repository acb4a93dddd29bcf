"""`save` and `load`, in PyTorch's own format: what is saved here is read by PyTorch, and the other way round.

The file is a zip. `data.pkl` is a pickle of everything but the numbers; these lie beside it, an entry for each tensor.
"""

import io
import math
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np

from . import _utils
from .tensor import Tensor

NAMES = {  # of PyTorch's kinds of storage
    "FloatStorage": np.float32, "DoubleStorage": np.float64, "HalfStorage": np.float16, "LongStorage": np.int64,
    "IntStorage": np.int32, "ShortStorage": np.int16, "CharStorage": np.int8, "ByteStorage": np.uint8, "BoolStorage": np.bool_,
}  # fmt: skip
STORAGES = {name: type(name, (), {"__module__": "torch"}) for name in NAMES}  # to be named in a pickle


class Storage:
    """The numbers of a tensor, one after the other."""

    def __init__(self, array: np.ndarray):
        self.array = np.ascontiguousarray(array).reshape(-1)
        self.kind = next(STORAGES[name] for name, kind in NAMES.items() if kind == array.dtype)


def save(data: Any, file) -> None:
    """Args: file: a path, or a file open for writing."""
    pickled = io.BytesIO()
    writer = _Writer(pickled)
    writer.dump(data)
    with zipfile.ZipFile(file, "w") as entries:
        entries.writestr("archive/data.pkl", pickled.getvalue())
        entries.writestr("archive/byteorder", "little")
        for number, storage in enumerate(writer.storages):
            entries.writestr(f"archive/data/{number}", storage.array.tobytes())
        entries.writestr("archive/version", "3\n")


class _Writer(pickle.Pickler):
    def __init__(self, file):
        super().__init__(file, protocol=2)
        self.storages: list[Storage] = []

    def reducer_override(self, value):
        if not isinstance(value, Tensor):
            return NotImplemented
        strides = [step // value.array.itemsize for step in np.empty_like(value.array, order="C").strides]
        parts = Storage(value.array), 0, tuple(value.shape), tuple(strides), False, OrderedDict()
        return _utils._rebuild_tensor_v2, parts

    def persistent_id(self, value):
        if not isinstance(value, Storage):
            return None
        self.storages.append(value)
        return "storage", value.kind, str(len(self.storages) - 1), "cpu", value.array.size


def load(file, map_location=None, weights_only: bool = True) -> Any:
    """What `save` saved, here or in PyTorch. Nothing in it is executed.

    Raises some error: it is damaged, or holds something else than plain data and tensors.
    """
    content = Path(file).read_bytes() if isinstance(file, str | Path) else file.read()
    with zipfile.ZipFile(io.BytesIO(content)) as entries:
        return _Reader(entries, next(name for name in entries.namelist() if name.endswith("/data.pkl"))).load()


class _Reader(pickle.Unpickler):
    def __init__(self, entries: zipfile.ZipFile, pickled: str):
        super().__init__(io.BytesIO(entries.read(pickled)))
        self.entries, self.folder = entries, pickled.removesuffix("data.pkl")

    def find_class(self, module: str, name: str) -> Any:
        allowed = {"collections.OrderedDict": OrderedDict, "torch._utils._rebuild_tensor_v2": _tensor}
        return (allowed | {f"torch.{name}": kind for name, kind in NAMES.items()})[f"{module}.{name}"]

    def persistent_load(self, pid: tuple) -> np.ndarray:
        _, kind, key, *_ = pid
        return np.frombuffer(self.entries.read(f"{self.folder}data/{key}"), kind)


def _tensor(storage: np.ndarray, offset: int, shape: tuple, strides: tuple, *_: object) -> Tensor:
    size = storage.itemsize
    if math.prod(shape) > storage.size:
        raise ValueError("a tensor has more numbers than its file")
    return Tensor(np.ndarray(shape, storage.dtype, storage, offset * size, [size * step for step in strides]).copy())
