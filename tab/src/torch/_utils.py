"""A name that PyTorch's files contain (`files.py`)."""


def _rebuild_tensor_v2(*parts):
    raise NotImplementedError  # `load` has its own
