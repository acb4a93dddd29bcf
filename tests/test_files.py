"""Writing files, and for whom they may be read; reading them, and what shows damage."""

import os

import pytest

from course_utils.files import Damaged, read_whole, seal, trouble, unseal, write_atomically


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


@pytest.mark.parametrize("data", [{}, {"points": 3, "source": "x = 'é'", "told": {"b": [1.5, None], "a": True}}])
def test_what_was_sealed_comes_back_and_another_letter_is_noticed(data):
    text = seal(data)
    assert unseal(text) == data
    for place, letter in enumerate(text):
        changed = text[:place] + ("3" if letter == "4" else "4") + text[place + 1 :]
        with pytest.raises(Damaged):
            unseal(changed)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_what_a_disk_refuses_names_the_file_and_leaves_it_as_it_was(call, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "grades.csv"
    path.write_text("ben,0")
    monkeypatch.setattr(os, call, full)
    with pytest.raises(OSError) as refused:
        write_atomically(path, "ben,1")
    assert trouble(refused.value) == f"can't write or read {path} (No space left on device)"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("grades.csv", "ben,0")]


def test_what_is_no_file_or_too_large_is_not_read(tmp_path):
    (tmp_path / "file").write_bytes(bytes(2**20))
    assert len(read_whole(tmp_path / "file", 2**20)) == 2**20
    with pytest.raises(Damaged, match="larger than 0 MB"):
        read_whole(tmp_path / "file", 2**20 - 1)
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(OSError):
            read_whole(path, 1)
