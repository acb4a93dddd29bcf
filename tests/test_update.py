"""`make update`, end to end: two git repositories, and a learner between two versions of the course."""

import inspect
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from course_utils.answers.notebook_file import read_notebook
from course_utils.answers.stubs import reference
from course_utils.exercise import EXERCISES
from course_utils.learner import update as updating
from course_utils.learner.update import CannotUpdate, update
from course_utils.material import backups
from course_utils.material.merging import to_text
from course_utils.paths import COURSE

pytestmark = pytest.mark.slow

ANSWER = "# my own words\n" + reference("backup")
NEW_SENTENCE = "This sentence came with the update."


def run(folder, *command):
    environment = {**os.environ, "COURSE_READY": "1", "PYTHONPATH": str(folder)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def first_version(tmp_path_factory):
    """A repository with the course as it stands here."""
    folder = tmp_path_factory.mktemp("first") / "version"
    listed = run(COURSE, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in listed.split("\0"):
        if name and (COURSE / name).exists() and not name.startswith(("docs/", "notebooks/solutions/")):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((COURSE / name).read_bytes())
    run(folder, "git", "init", "--quiet", "--initial-branch=main")
    commit(folder, "first version")
    return folder


@pytest.fixture
def upstream(first_version, tmp_path):
    return shutil.copytree(first_version, tmp_path / "upstream")


@pytest.fixture
def learner(tmp_path, upstream):
    """A clone with an answer, and a cell of the learner's own, not committed."""
    folder = tmp_path / "learner"
    run(tmp_path, "git", "clone", "--quiet", str(upstream), str(folder))
    notebook = read_notebook(path_of(folder))
    cell_of(notebook, "backup").source = ANSWER
    notebook.cells.insert(3, {"cell_type": "markdown", "metadata": {}, "source": "a note of mine", "id": "mynote"})
    path_of(folder).write_text(to_text(notebook))
    return folder


def commit(folder, message):
    for key in ("name", "email"):
        run(folder, "git", "config", f"user.{key}", "somebody")
    run(folder, "git", "add", "--all")
    run(folder, "git", "commit", "--quiet", "-m", message)


def path_of(folder):
    return folder / "notebooks" / "03_puct_search.ipynb"


def cell_of(notebook, exercise):
    return next(cell for cell in notebook.cells if cell.metadata.get("exercise") == exercise)


def new_version(upstream):
    """A sentence more in the notebook 'PUCT search', and another docstring in the exercise that the learner has
    filled.
    """
    source = upstream / "notebooks" / "source" / "03_puct_search.md"
    source.write_text(source.read_text() + f"\n\n{NEW_SENTENCE}\n")
    old = inspect.getdoc(EXERCISES["backup"].reference).splitlines()[0]
    for path in (upstream / "course_utils" / "search" / "puct.py", path_of(upstream)):
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, f"Newly worded. {old}"))
    commit(upstream, "second version")


def assert_has_both(learner):
    notebook = read_notebook(path_of(learner))
    sources = [cell.source for cell in notebook.cells]
    assert cell_of(notebook, "backup").source == ANSWER
    assert "a note of mine" in sources
    assert any(NEW_SENTENCE in source for source in sources)
    assert NEW_SENTENCE in (learner / "notebooks" / "source" / "03_puct_search.md").read_text()


def test_an_update_brings_the_new_and_keeps_the_learners(upstream, learner):
    before = path_of(learner).read_bytes()
    new_version(upstream)
    printed = run(learner, sys.executable, "-m", "course_utils", "update")
    assert_has_both(learner)
    assert "Updated from" in printed
    assert (learner / ".course" / "backups" / "001" / "03_puct_search.ipynb").read_bytes() == before
    first, now, _ = update(learner)
    assert first == now
    assert_has_both(learner)


def test_an_update_of_a_notebook_that_lost_its_ids_and_marks_doubles_nothing(upstream, learner):
    notebook = read_notebook(path_of(learner))
    for cell in notebook.cells:
        cell.metadata = {}
        del cell["id"]
    path_of(learner).write_bytes(to_text(notebook).replace("\\n", "\\r\\n").encode("utf-16"))
    new_version(upstream)
    run(learner, sys.executable, "-m", "course_utils", "update")
    assert_has_both(learner)
    sources = [cell.source for cell in read_notebook(path_of(learner)).cells]
    assert len(set(sources)) == len(sources) == len(notebook.cells) + 1


def test_answers_that_were_committed_are_kept_too(upstream, learner):
    commit(learner, "my answers")
    mine = path_of(learner).read_bytes()
    new_version(upstream)
    first, now, _ = update(learner)
    assert first != now
    assert path_of(learner).read_bytes() == mine  # `make notebooks` rebuilds it around the answers
    assert NEW_SENTENCE in (learner / "notebooks" / "source" / "03_puct_search.md").read_text()


def test_what_was_changed_beside_the_notebooks_is_kept_aside(upstream, learner):
    page, gone = (learner / "notebooks" / name for name in ("alphazero_on_one_page.py", "99_shelf.ipynb"))
    page.write_text("mine")
    gone.unlink()
    new_version(upstream)
    printed = run(learner, sys.executable, "-m", "course_utils", "update")
    assert (learner / ".course" / "backups" / "001" / page.name).read_text() == "mine"
    assert page.read_text() != "mine"
    assert f"These of your changes are only there, and no longer in the notebooks folder: {page.name}." in printed
    assert_has_both(learner)


def test_a_copy_on_no_branch_is_told_before_anything_happens(learner):
    run(learner, "git", "checkout", "--quiet", "--detach")
    before = path_of(learner).read_bytes()
    with pytest.raises(CannotUpdate, match="the current branch has no upstream branch"):
        update(learner)
    assert path_of(learner).read_bytes() == before
    assert not (learner / ".course").exists()


def test_a_file_in_the_way_is_named_and_a_merge_under_way_is_left_alone(upstream, learner):
    (upstream / "news.txt").write_text("theirs")
    commit(upstream, "a file more")
    (learner / "news.txt").write_text("mine")
    with pytest.raises(CannotUpdate, match=r"git merge failed: .*news\.txt"):
        update(learner)
    assert (learner / "news.txt").read_text() == "mine"
    (learner / ".git" / "MERGE_HEAD").write_text("0" * 40)
    with pytest.raises(CannotUpdate, match="a merge is in progress"):
        update(learner)
    assert (learner / ".git" / "MERGE_HEAD").exists()


def test_a_changed_file_of_the_course_stops_the_update_before_anything_happens(upstream, learner):
    (learner / "README.md").write_text("mine")
    before = path_of(learner).read_bytes()
    with pytest.raises(CannotUpdate, match=r"README\.md"):
        update(learner)
    assert path_of(learner).read_bytes() == before
    assert not (learner / ".course").exists()


def everything(folder):
    """All files with what they hold and when they were written, and what git says of them."""
    files = [path for path in folder.rglob("*") if path.is_file() and not {".git", ".course"} & {*path.parts}]
    return {path: (path.read_bytes(), path.stat().st_mtime) for path in files}, run(folder, "git", "status", "--short")


@pytest.mark.parametrize("why", ["a conflict", "a file in the way", "Ctrl-C"])
def test_after_an_update_that_failed_everything_is_as_it_was_and_the_copies_are_named(
    why, upstream, learner, monkeypatch
):
    notebooks = learner / "notebooks"
    if why == "a conflict":  # git can't tell which of the two to prefer
        (learner / "LICENSE").unlink()
        commit(learner, "I need no license")
        with (upstream / "LICENSE").open("a") as file:
            file.write("One more line.")
    (upstream / "news.txt").write_text("theirs")
    (notebooks / "alphazero_on_one_page.py").write_text("my experiment")
    new_version(upstream)
    cell = read_notebook(path_of(learner))
    cell_of(cell, "backup").source = "# another one"
    path_of(learner).write_text(to_text(cell))
    (notebooks / "staged.ipynb").write_text("{}")
    run(learner, "git", "add", "notebooks/staged.ipynb", "notebooks/alphazero_on_one_page.py")
    run(learner, "git", "mv", "notebooks/01_the_game.ipynb", "notebooks/game.ipynb")
    (notebooks / "99_shelf.ipynb").unlink()
    (notebooks / "my own.py").write_text("mine")
    if why == "a file in the way":
        (learner / "news.txt").write_text("mine")
    if why == "Ctrl-C":
        git = updating.git

        def interrupted(*arguments, root):
            if arguments[0] == "merge":
                raise KeyboardInterrupt
            return git(*arguments, root=root)

        monkeypatch.setattr(updating, "git", interrupted)
    before = everything(learner)
    with pytest.raises(KeyboardInterrupt if why == "Ctrl-C" else CannotUpdate) as raised:
        update(learner)
    assert everything(learner) == before
    assert not (learner / ".git" / "MERGE_HEAD").exists()
    copies = learner / ".course" / "backups" / "001"
    assert (copies / "alphazero_on_one_page.py").read_text() == "my experiment"
    if why != "Ctrl-C":
        sentence = (
            rf"git merge failed: .* \(copies of your notebooks are in {re.escape(str(copies.relative_to(learner)))}\)"
        )
        assert re.fullmatch(sentence, str(raised.value))


def test_the_newest_ten_backups_are_kept(tmp_path):
    for number in range(1, 13):
        (backups.new_backup(tmp_path) / "notebook.ipynb").write_text(str(number))
    (tmp_path / "backups" / "by hand").mkdir()
    folder = backups.new_backup(tmp_path)
    assert folder.name == "013" and not list(folder.iterdir())
    kept = sorted(path.name for path in (tmp_path / "backups").iterdir())
    assert kept == [*(f"{number:03}" for number in range(4, 14)), "by hand"]
    assert (tmp_path / "backups" / "012" / "notebook.ipynb").read_text() == "12"


def test_without_a_network_or_a_repository_it_says_so(learner, tmp_path):
    run(learner, "git", "remote", "set-url", "origin", str(tmp_path / "nowhere"))
    with pytest.raises(CannotUpdate, match="git fetch failed"):
        update(learner)
    assert json.loads(path_of(learner).read_text())
    with pytest.raises(CannotUpdate, match="not a git repository"):
        update(tmp_path)
