"""The course's address stands in one place."""

from email.message import Message

from course_utils.authoring import pages
from course_utils.material import address as module
from course_utils.material.address import address

HERE = "https://example.org/somebody/course"


def test_the_address_is_the_one_of_the_project_file(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "COURSE", tmp_path)
    file = tmp_path / "pyproject.toml"
    file.write_text('[project]\nname = "x"\n')
    assert address() is None
    file.write_text(f'[project]\nname = "x"\n[project.urls]\nRepository = "{HERE}/"\n')
    assert address() == HERE


def test_a_wheel_knows_the_address_it_was_built_with(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "COURSE", tmp_path)
    metadata = Message()
    monkeypatch.setattr(module, "metadata", lambda name: metadata)
    assert address() is None
    metadata["Project-URL"] = f"Repository, {HERE}"
    assert address() == HERE


def test_badges_and_the_way_to_colab_appear_with_the_address_and_not_before(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "address", lambda: None)
    text = module.COURSE.joinpath("README.md").read_text("utf-8")
    assert module.badges() == []
    assert "badge" not in pages.readme_with_table(text).replace("<!-- badges: ", "")
    monkeypatch.setattr(module, "address", lambda: "https://github.com/somebody/course")
    text = pages.readme_with_table(text)
    assert "(https://somebody.github.io/course/)" in text
    assert "github/somebody/course/blob/main/notebooks/00_welcome.ipynb" in text
    assert text == pages.readme_with_table(text)
