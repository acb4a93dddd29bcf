"""Writing files: all or nothing, and for whom they may be read."""

import os

import pytest

from course_utils.files import write_atomically


@pytest.fixture
def umask():
    """Sets it for one test."""
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere files have no such modes")
@pytest.mark.parametrize(("mask", "mode"), [(0o077, 0o600), (0o022, 0o644), (0o002, 0o664)])
def test_a_new_file_may_be_read_by_whom_the_umask_says(mask, mode, tmp_path, umask):
    umask(mask)
    write_atomically(tmp_path / "new" / "grades.csv", "ben,0")
    assert (tmp_path / "new" / "grades.csv").stat().st_mode & 0o777 == mode


@pytest.mark.skipif(os.name != "posix", reason="elsewhere files have no such modes")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_that_is_written_again_may_be_read_by_the_same_people(mode, tmp_path, umask):
    path = tmp_path / "grades.csv"
    path.write_text("ben,0")
    path.chmod(mode)
    write_atomically(path, "ben,1")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("ben,1", mode)
