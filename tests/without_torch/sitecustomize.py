"""In a Python that has this folder on its path, PyTorch and some compiled packages can't be found, as in a browser tab."""

import importlib.machinery
import sys

GONE = {"torch", "psutil", "filelock", "threadpoolctl"}


class Finder(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in GONE else super().find_spec(name, path, target)

    @classmethod
    def find_distributions(cls, context):
        return (one for one in super().find_distributions(context) if one.name not in GONE)


sys.meta_path[sys.meta_path.index(importlib.machinery.PathFinder)] = Finder
