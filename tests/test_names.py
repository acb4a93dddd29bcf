"""What a piece of Python binds and takes from elsewhere, against what Python itself says when it runs it."""

import pytest

from course_utils.names import assigns, defines, makes, needs, sets_globally

SOURCES = {  # what it needs -> source
    "c helper d": "import numpy as np\nK = [i for i in range(3)]\ndef f(a, b=c):\n    return np.sum(a) + helper(K) + d",
    "thing": "match thing:\n    case (r, c):\n        r + c\n    case [x, *rest]:\n        rest\n    case {'a': y, "
    "**others}:\n        y, others",
    "count": "def f():\n    global count\n    if count: count = 0",
    "calls": "def f():\n    global calls\n    calls += 1",
    "total": "def f(total):\n    return total\ndef g():\n    return total",
    "seen": "class A:\n    x = seen\n    def f(self):\n        return [x for x in self.y]",
    "what": "def f():\n    try:\n        return what\n    except ValueError as error:\n        return error",
}


@pytest.mark.parametrize("needed", SOURCES)
def test_names_that_a_source_needs(needed):
    assert needs(SOURCES[needed]) == set(needed.split())


def test_names_that_a_source_binds():
    assert defines(SOURCES["c helper d"]) == {"np", "K", "f"}
    assert assigns(SOURCES["c helper d"]) == {"K", "f"}
    assert sets_globally(SOURCES["count"]) == {"count"}
    assert defines("def broken(:\n  pass\nclass Other(") == {"broken", "Other"}


def test_names_that_may_be_functions():
    source = (
        "def f(): ...\nclass C: ...\na, b, c, d = 1, 2, 3, 4\na = f()\nb = f\nc = lambda x: x\nd: int = np.sum\ne = "
        "functools.cache(f)"
    )
    assert makes(source) == {"f", "C", "a", "b", "c", "d", "e"}
