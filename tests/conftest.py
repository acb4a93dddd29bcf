import sys

import pytest

from course_utils.exercise import LEARNERS

# jsonschema would parse a grammar of links with it, for two seconds in each process that imports nbformat
sys.modules.setdefault("rfc3987_syntax", None)


@pytest.fixture(autouse=True)
def _nothing_left_in_force():
    """What one test records, switches off or lets others adopt is gone for the next."""
    yield
    LEARNERS.restart()
    LEARNERS.learners = True
