import sys

import pytest

from course_utils.exercise import LEARNERS
from course_utils.tests import naming

# Naming a mistake then plays the fewest draws, so that no result depends on the speed of the machine.
naming.SECONDS = 0

# Without this package, jsonschema skips parsing a grammar, which takes two seconds in each process that imports
# nbformat.
sys.modules.setdefault("rfc3987_syntax", None)


@pytest.fixture(autouse=True)
def _nothing_left_in_force():
    """Forget the answers that a test has recorded, switched off or put in force."""
    yield
    LEARNERS.restart()
    LEARNERS.learners = True
