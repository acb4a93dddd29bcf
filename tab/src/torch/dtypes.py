"""What kind of numbers a tensor holds."""

import numpy as np


class dtype:
    def __init__(self, name: str, numpy: type | None, floats: bool = False):
        self.name, self.numpy, self.is_floating_point = name, numpy, floats

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


float16 = half = dtype("float16", np.float16, True)
float32 = float = dtype("float32", np.float32, True)
float64 = double = dtype("float64", np.float64, True)
bfloat16 = dtype("bfloat16", None, True)  # a name only: NumPy doesn't have it
uint8, int8 = dtype("uint8", np.uint8), dtype("int8", np.int8)
int16 = short = dtype("int16", np.int16)
int32 = int = dtype("int32", np.int32)
int64 = long = dtype("int64", np.int64)
bool = dtype("bool", np.bool_)

_OF = {np.dtype(kind.numpy): kind for kind in [*globals().values()] if isinstance(kind, dtype) and kind.numpy}


def dtype_of(kind: np.dtype) -> dtype:
    if kind not in _OF:
        raise TypeError(f"can't convert np.ndarray of type {kind}")
    return _OF[kind]


def in_numpy(kind) -> np.dtype | None:
    """Of a dtype of torch, or of None."""
    if kind is None:
        return None
    if kind.numpy is None:
        raise RuntimeError(f"The small torch of the browser tab can't compute in {kind}.")
    return np.dtype(kind.numpy)
