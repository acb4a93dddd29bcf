"""Source -> notebooks: repeatable, merged with the learner's work, and refused with file and line where broken."""

import ast
import builtins
import copy
import dis
import itertools
import json
import os
import re
import types

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils import command_line
from course_utils.answers import notebook_file, stubs
from course_utils.answers.cells import Cell, cells_of, find, fingerprint
from course_utils.authoring import pages, write
from course_utils.exercise import EXERCISES
from course_utils.material import build, manifest, merging, source_files
from course_utils.paths import COURSE, NOTEBOOKS, PACKAGE, SOLUTIONS

HEAD = "---\ntitle: A test\nminutes: 1\n---\n\n# A test\n"
GOOD = """
```python exercise="backup" difficulty=1 importance=1 minutes=1
course_utils.search.puct.backup
```

```python check="backup"
```

```python solution="backup"
```
"""


def _source(tmp_path, text, head=HEAD):
    path = tmp_path / "03_test.md"
    path.write_text(head + text)
    return path


def stale_cells(notebook, fresh) -> list[str]:
    """Ids of generated cells that differ from what would be built now, are missing, or are no longer built."""
    changed = {cell.get("id") for cell in notebook.cells if Cell.of(cell).is_changed}  # the learner's
    present = {cell.get("id"): cell.source for cell in notebook.cells if Cell.of(cell).of_the_course}
    wanted = {cell.id: cell.source for cell in fresh.cells if Cell.of(cell).of_the_course and cell.id not in changed}
    return sorted(key for key in present.keys() | wanted.keys() if present.get(key) != wanted.get(key))


@pytest.mark.parametrize("source", source_files.sources(), ids=lambda source: source.name)
def test_generated_cells_are_up_to_date(source):
    for folder, fresh in ((NOTEBOOKS, build.build(source)), (SOLUTIONS, build.build(source, solution=True))):
        notebook = notebook_file.read_notebook(folder / f"{source.name}.ipynb")
        assert stale_cells(notebook, fresh) == [], f"{folder / source.name}.ipynb is stale: run `make notebooks`"
        if folder == SOLUTIONS:
            exercises = [[c.source for c in nb.cells if "exercise" in c.metadata] for nb in (notebook, fresh)]
            assert exercises[0] == exercises[1]


@pytest.mark.skipif("CI" not in os.environ, reason="a learner's notebooks are filled")
@pytest.mark.parametrize("source", source_files.sources(), ids=lambda source: source.name)
def test_committed_notebooks_are_unfilled(source):
    committed, fresh = notebook_file.read_notebook(NOTEBOOKS / f"{source.name}.ipynb"), build.build(source)
    for cell in (*committed.cells, *fresh.cells):
        cell.pop("attachments", None)  # maps, which tests/test_map.py compares by their pixels
    assert committed == fresh


@pytest.mark.parametrize("source", source_files.sources(), ids=lambda source: source.name)
def test_solutions_are_complete_executed_and_small(source):
    path = SOLUTIONS / f"{source.name}.ipynb"
    assert path.stat().st_size <= 750_000
    cells = [cell for cell in notebook_file.read_notebook(path).cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    assert not any(output.output_type == "error" for cell in cells for output in cell.outputs)
    for cell in cells:  # a figure that a cell also returns is shown twice: its last line wants a `;`
        kinds = {output.output_type for output in cell.outputs if "image/png" in output.get("data", {})}
        assert len(kinds) < 2, cell.source


def test_building_twice_gives_the_same_bytes(tmp_path):
    path = _source(tmp_path, GOOD)
    assert merging.to_text(build.build(source_files.read_source(path))) == merging.to_text(
        build.build(source_files.read_source(path))
    )


def test_stub_solution_and_ids(tmp_path):
    source = source_files.read_source(_source(tmp_path, GOOD))
    cells = {cell.id: cell for cell in build.build(source).cells}
    assert 'raise NotImplementedError("backup is not written yet")' in cells["exercise-backup"].source
    assert "value = -value" not in cells["exercise-backup"].source
    assert "value = -value" in cells["solution-backup"].source
    assert "tests.test_backup(backup)" in cells["check-backup"].source
    assert cells["check-backup"].metadata["tags"] == ["raises-exception"]  # Run All goes on after a check that fails
    assert "points" in cells["rating-backup"].source
    solved = {cell.id: cell for cell in build.build(source, solution=True).cells}
    assert "value = -value" in solved["exercise-backup"].source
    assert "solution-backup" not in solved
    assert "solution-backup" not in {cell.id for cell in build.build(source, folded_solutions=False).cells}


def test_the_last_cell_before_what_is_folded_leads_on_on_both_roads():
    def last(number):
        cells = build.build(source_files.sources(number)[0]).cells
        shown = itertools.takewhile(lambda cell: "jp-MarkdownHeadingCollapsed" not in cell.metadata, cells)
        return [*shown][-1].source

    assert last("01") == "**Next**: [The network](02_the_network.ipynb)"
    assert last("14") == "**Next deep dive**: [The network by hand](21_network_by_hand.ipynb)"
    choice = last("06")
    assert choice.startswith(
        "**Deep dives, in any order**: where it came from ([Bandits](11_bandits.ipynb), [Perfect play]"
    )
    assert last("10") == "**The main road** begins with [Welcome](00_welcome.ipynb)"
    assert "One evening" not in choice
    deep_dives = [source for source in source_files.sources() if source.road == "deep dive"]
    assert all(f"[{source.title}]({source.name}.ipynb)" in choice for source in deep_dives)
    assert build.link_to_next(source_files.sources("99")[0]) == ""
    assert [source.name[0] == "0" for source in source_files.sources()] == [
        source.main_road for source in source_files.sources()
    ]


def test_an_exercise_counts_once_though_a_second_notebook_asks_for_it():
    entries = {entry["id"]: entry["notebook"][:2] for entry in manifest.manifest()}
    assert len(entries) == len(manifest.manifest()) == len(EXERCISES)
    [evening] = source_files.sources("10")
    assert {name: entries[name] for name in evening.exercises} == {
        "select_child": "03", "backup": "03", "sample_action": "04", "value_targets": "04", "train_alphazero": "05",
    }  # fmt: skip
    assert pages.minutes("10") == evening.minutes


def test_a_second_notebook_asks_for_the_same_function_by_the_same_check():
    mine, homes = (
        build.build(source_files.sources("10")[0]),
        [build.build(source_files.sources(number)[0]) for number in ("03", "04", "05")],
    )
    theirs = {cell.id: cell.source for notebook in homes for cell in notebook.cells}
    asked = {cell.id: cell.source for cell in mine.cells if re.match("(exercise|check|solution)-", cell.id)}
    assert len(asked) == 15
    assert asked.items() <= theirs.items()


def test_a_template_is_the_reference_but_for_its_open_lines():
    [cell] = [
        cell for cell in build.build(source_files.sources("10")[0]).cells if cell.id == "exercise-train_alphazero"
    ]
    lines = cell.source.splitlines()
    whole = stubs.reference("train_alphazero").splitlines()
    assert [line.strip().split("(")[0] for line in whole if line not in lines] == [
        "games = [self_play_game", "buffer.add", "losses = [train_step",
    ]  # fmt: skip
    added = [line.strip() for line in lines if line not in whole]
    assert added[::2] == [f"# your line {number} here" for number in (1, 2, 3)]
    assert added[1] == 'raise NotImplementedError("line 1 of 3 of train_alphazero is not written yet")'
    compile(cell.source, "template", "exec")


def test_given_lines_stay_in_the_stub():
    text = stubs.stub("mcts_search")
    assert "the game is over at this state" in text
    assert "return (root.N, root) if return_root else root.N" in text
    assert "backup(" not in text
    assert "begin given" not in text + stubs.reference("mcts_search")
    compile(text, "stub", "exec")


BROKEN = {
    "unknown exercise": (GOOD.replace("backup", "back_up"), 8, "no exercise is called 'back_up'"),
    "no check": (GOOD.replace('```python check="backup"\n```\n', ""), 8, "has no check cell"),
    "no solution": (GOOD.replace('```python solution="backup"\n```\n', ""), 8, "has no solution cell"),
    "check first": ('\n```python check="backup"\n```\n' + GOOD, 8, "comes before its exercise"),
    "wrong path": (GOOD.replace("search.puct.backup", "search.uct.backup"), 8, "must hold"),
    "another home": (GOOD.replace("difficulty", 'home="04" difficulty'), 8, "'backup' belongs to notebook 03"),
    "no such line": (
        GOOD.replace("difficulty", 'open="value = -value, value = 1" difficulty'),
        8,
        "0 lines of backup begin with 'value = 1'",
    ),
    "no rating": (GOOD.replace("difficulty=1 ", ""), 8, "has no difficulty"),
    "fence left open": (GOOD + "\n```python\nx = 1\n", 18, "never closed"),
    "unknown given code": (GOOD + '\n```python given="course_utils.search.puct.Nod"\n```\n', 18, "the package has no"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_source_is_refused_with_file_and_line(tmp_path, name):
    text, line, message = BROKEN[name]
    path = _source(tmp_path, text)
    with pytest.raises(stubs.SourceError) as error:
        build.build(source_files.read_source(path))
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert message in str(error.value)


def test_an_exercise_without_a_check_in_the_package_is_refused(tmp_path, monkeypatch):
    from course_utils.tests.grade import CHECKS

    monkeypatch.delitem(CHECKS, "backup", raising=False)
    monkeypatch.setattr("course_utils.tests.grade.PACKAGE", tmp_path)
    with pytest.raises(stubs.SourceError, match="the package has no check for 'backup'"):
        build.build(source_files.read_source(_source(tmp_path, GOOD)))


def test_a_source_without_front_matter_is_refused(tmp_path):
    with pytest.raises(stubs.SourceError, match=r"03_test.md:1: a source begins with a front matter"):
        source_files.read_source(_source(tmp_path, GOOD, head="# A test\n"))


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("    # begin given\n    x = 1\n", "never closed"),
        ("    x = 1\n    # end given\n", "without"),
        ("    # begin given\n    # begin given\n    # end given\n", "inside a given part"),
    ],
)
def test_an_unmatched_marker_in_the_package_is_refused(tmp_path, monkeypatch, body, what):
    file = tmp_path / "broken_reference.py"
    file.write_text(
        f'from course_utils.exercise import exercise\n\n@exercise("03")\ndef backup(leaf, value):\n    """Text."""\n{body}'
    )
    monkeypatch.syspath_prepend(tmp_path)
    import importlib

    from course_utils.exercise import EXERCISES, Exercise

    broken = Exercise("backup", "broken_reference", "03")
    importlib.invalidate_caches()
    import sys

    sys.modules.pop("broken_reference", None)
    monkeypatch.setitem(EXERCISES, "backup", broken)
    with pytest.raises(stubs.SourceError, match=what) as error:
        stubs.stub("backup")
    assert f"{file}:" in str(error.value)


def test_rebuilding_keeps_what_is_the_learners(tmp_path):
    source = source_files.read_source(_source(tmp_path, GOOD + "\n```python\nx = 1\n```\n"))
    theirs = copy.deepcopy(build.build(source))
    by_id = {cell.id: cell for cell in theirs.cells}
    by_id["exercise-backup"].source = "def backup(leaf, value):\n    pass  # mine"
    by_id["check-backup"].outputs = [nbformat.v4.new_output("stream", text="failed")]
    position = theirs.cells.index(by_id["check-backup"])
    theirs.cells.insert(position + 1, nbformat.v4.new_code_cell("print('my own cell')"))

    changed = _source(tmp_path, GOOD + "\nNew text.\n\n```python\nx = 2\n```\n")
    merged = merging.merge(build.build(source_files.read_source(changed)), theirs)
    sources = [cell.source for cell in merged.cells]
    assert "def backup(leaf, value):\n    pass  # mine" in sources
    assert sources[sources.index(by_id["check-backup"].source) + 1] == "print('my own cell')"
    assert "New text." in sources
    assert "x = 2" in sources
    assert "x = 1" not in sources  # it was as the course had made it
    assert next(cell for cell in merged.cells if cell.id == "check-backup").outputs


def test_an_untouched_stub_of_an_older_version_is_replaced(tmp_path):
    source = source_files.read_source(_source(tmp_path, GOOD))
    old = copy.deepcopy(build.build(source))
    cell = next(cell for cell in old.cells if cell.id == "exercise-backup")
    cell.source = cell.source.replace("backup", "backup", 1) + "\n    # an older stub"
    cell.metadata["untouched"] = fingerprint(cell.source)
    merged = merging.merge(build.build(source), old)
    assert "an older stub" not in next(cell for cell in merged.cells if cell.id == "exercise-backup").source


def test_stale_cells_are_found_and_the_learners_are_not(tmp_path):
    source = source_files.read_source(_source(tmp_path, GOOD))
    notebook = copy.deepcopy(build.build(source))
    next(cell for cell in notebook.cells if cell.id == "exercise-backup").source = "def backup(leaf, value): ..."
    notebook.cells.append(nbformat.v4.new_code_cell("my_own = 1"))
    assert stale_cells(notebook, build.build(source)) == []
    check = next(cell for cell in notebook.cells if cell.id == "check-backup")
    check.source, check.metadata["course"] = "pass", fingerprint("pass")  # as an older version had it
    assert stale_cells(notebook, build.build(source)) == ["check-backup"]


def test_a_changed_course_cell_is_kept_and_listed(tmp_path):
    text = GOOD + "\n```python\nseed = 1\n```\n"
    theirs = copy.deepcopy(build.build(source_files.read_source(_source(tmp_path, text))))
    cell = next(cell for cell in theirs.cells if cell.source == "seed = 1")
    cell.source = "seed = 7"
    assert write.changed_cells(theirs) == ["seed = 7"]
    same = build.build(source_files.read_source(_source(tmp_path, text)))
    assert stale_cells(theirs, same) == []
    merged = [cell.source for cell in merging.merge(same, theirs).cells]
    assert "seed = 7" in merged
    assert "seed = 1" not in merged
    newer = build.build(source_files.read_source(_source(tmp_path, text.replace("seed = 1", "seed = 2"))))
    merged = [cell.source for cell in merging.merge(newer, theirs).cells]
    assert "seed = 7" in merged
    assert "seed = 2" in merged


def test_the_readme_and_the_pages_for_instructors_are_made_from_the_notebooks_as_they_are():
    text = pages.README.read_text("utf-8")
    assert text == pages.readme_with_table(text), "README.md is stale: run `make notebooks`"
    for name in pages.TEACHING:
        made = (pages.DOCS / name).read_text("utf-8")
        assert made == pages.teaching_page(name), f"docs/{name} is stale: run `make notebooks`"


def test_the_page_of_the_commands_is_made_from_the_commands_as_they_are():
    made = (pages.DOCS / "commands.md").read_text("utf-8")
    assert made == command_line.commands_page(), "docs/commands.md is stale: run `make notebooks`"


def test_the_instructors_session_names_the_figures_that_one_evening_prints():
    [printed] = re.findall(
        r"untrained +0 simulations: +(\d+) of .+\n.*untrained +50 simulations: +(\d+) of ", _printed("10")
    )
    sentence = "{} games lost without training and without search, {} with a search alone".format(*printed)
    assert sentence in (pages.DOCS / "sessions.md").read_text("utf-8")


def _printed(number):
    """All that the cells of a solution have printed."""
    [source] = source_files.sources(number)
    cells = notebook_file.read_notebook(SOLUTIONS / f"{source.name}.ipynb").cells
    return "".join(output.get("text", "") for cell in cells for output in cell.get("outputs", []))


def test_the_minutes_of_a_week_are_those_of_its_notebooks_and_of_parts_their_share():
    assert pages.minutes("02") == source_files.sources("02")[0].minutes and pages.minutes("", "main") == pages.minutes(
        "0"
    )
    parts = "select_child select expand evaluate backup", "mcts_search"
    assert sum(pages.minutes(selection) for selection in parts) == pages.minutes("03")
    assert pages.minutes("04 symmetries") == pages.minutes("04") + pages.minutes("symmetries") > pages.minutes("04")


MORE = "\n\n## If you want more\n\nFolded.\n"


def test_what_stands_below_if_you_want_more_is_folded_at_the_end_and_is_an_extra(tmp_path):
    source = source_files.read_source(_source(tmp_path, "Text.\n" + MORE + GOOD))
    assert (source.exercises, source.extras) == (["backup"], ["backup"])
    cells = build.build(source).cells
    [heading] = [cell for cell in cells if cell.metadata.get("jp-MarkdownHeadingCollapsed")]
    assert heading.source.startswith("## If you want more")
    below = cells[cells.index(heading) + 1 :]
    assert not any(re.match("##? ", cell.source) for cell in below)  # JupyterLab would fold no further than there
    assert [cell.metadata["exercise"] for cell in below if "exercise" in cell.metadata] == ["backup"]


def test_every_fold_of_the_course_holds_all_that_follows_and_the_way_on_stands_before_it():
    for source in source_files.sources():
        cells = build.build(source).cells
        for number, cell in enumerate(cells):
            if "jp-MarkdownHeadingCollapsed" in cell.metadata:
                below = [below_cell.source for below_cell in cells[number + 1 :] if below_cell.cell_type == "markdown"]
                assert not any(re.search("^##? ", text, re.MULTILINE) for text in below), source.name
                assert "next" not in [below_cell.id for below_cell in cells[number:]]
                assert re.findall("^#+ .*", cell.source, re.MULTILINE) == ["## If you want more"]  # what stays in sight


def test_an_answer_given_before_its_exercise_became_an_extra_moves_with_it(tmp_path):
    old = copy.deepcopy(build.build(source_files.read_source(_source(tmp_path, GOOD + "\n## The end\n"))))
    next(cell for cell in old.cells if cell.id == "exercise-backup").source = "def backup(leaf, value): ...  # mine"
    new = merging.merge(build.build(source_files.read_source(_source(tmp_path, "## The end\n" + MORE + GOOD))), old)
    texts = [cell.source for cell in new.cells]
    assert texts.index("def backup(leaf, value): ...  # mine") > texts.index(MORE.strip())


@pytest.mark.parametrize("filled", [False, True])
def test_an_exercise_that_moved_to_another_notebook_leaves_nothing_but_a_learners_answer(tmp_path, filled):
    old = copy.deepcopy(build.build(source_files.read_source(_source(tmp_path, GOOD))))
    if filled:
        next(cell for cell in old.cells if cell.id == "exercise-backup").source = "def backup(leaf, value): ...  # mine"
    merged = merging.merge(build.build(source_files.read_source(_source(tmp_path, "Nothing to write.\n"))), old)
    assert [cell.metadata.get("exercise") for cell in merged.cells if "exercise" in cell.metadata] == [
        "backup"
    ] * filled


@pytest.mark.parametrize("filled", [False, True])
def test_what_is_an_exercise_no_more_leaves_nothing_but_a_learners_answer(tmp_path, filled):
    """The name is that of a function that was an exercise once: a copy of the course from then has its cells."""
    old = copy.deepcopy(build.build(source_files.read_source(_source(tmp_path, GOOD))))
    for cell in old.cells:
        cell.id = cell.id.replace("backup", "final_action")
        if cell.metadata.get("exercise") == "backup":
            cell.metadata["exercise"] = "final_action"
            cell.source = cell.source.replace("backup", "final_action") + "  # mine" * filled
            cell.metadata["untouched"] = "" if filled else fingerprint(cell.source)
    merged = merging.merge(build.build(source_files.read_source(_source(tmp_path, "Nothing to write.\n"))), old)
    assert [cell.source.endswith("# mine") for cell in merged.cells if "exercise" in cell.metadata] == [True] * filled
    nbformat.validate(merged)
    assert find(cells_of("03_test", merged.cells)) == {}


def _with_answer(tmp_path, change):
    """(built anew, what a learner has made of it by `change(notebook, the filled exercise cell)`), merged."""
    source = source_files.read_source(_source(tmp_path, GOOD))
    theirs = copy.deepcopy(build.build(source))
    cell = next(cell for cell in theirs.cells if cell.id == "exercise-backup")
    cell.source = "def backup(leaf, value):\n    pass  # mine"
    change(theirs, cell)
    merged = merging.merge(build.build(source), theirs)
    nbformat.validate(merged)
    return merged


def _cells(notebook, exercise="backup"):
    return [cell for cell in notebook.cells if cell.metadata.get("exercise") == exercise]


def test_an_answer_that_was_pasted_stands_in_its_exercise_cell_again(tmp_path):
    def paste(notebook, cell):
        cell.id = "pasted"

    [cell] = _cells(_with_answer(tmp_path, paste))
    assert cell.id == "exercise-backup"
    assert cell.source.endswith("# mine")


def test_of_two_answers_none_is_lost(tmp_path):
    def copy_it(notebook, cell):
        second = copy.deepcopy(cell)
        second.id, second.source = "pasted", "def backup(leaf, value):\n    pass  # second"
        notebook.cells.append(second)

    first, second = _cells(_with_answer(tmp_path, copy_it))
    assert first.source.endswith("# mine")
    assert second.source.endswith("# second")


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_whose_cell_is_code_no_more_is_kept_below_the_stub(tmp_path, kind):
    def turn(notebook, cell):
        retyped = getattr(nbformat.v4, f"new_{kind}_cell")(cell.source, id=cell.id, metadata=cell.metadata)
        notebook.cells[notebook.cells.index(cell)] = retyped

    merged = _with_answer(tmp_path, turn)
    [stub] = _cells(merged)
    assert stub.cell_type == "code"
    assert merged.cells[merged.cells.index(stub) + 1].source.endswith("# mine")
    fresh = copy.deepcopy(merged)
    fresh.cells = [cell for cell in fresh.cells if "course" in cell.metadata]
    assert merging.merge(fresh, copy.deepcopy(merged)) == merged


def test_without_its_marks_an_answer_is_known_by_its_id_and_a_changed_text_is_kept(tmp_path):
    """As programs leave a notebook that clear metadata."""

    def clear(notebook, cell):
        notebook.cells[0].source += "\na note of mine"
        for cell in notebook.cells:
            cell.metadata.clear()

    merged = _with_answer(tmp_path, clear)
    assert _cells(merged)[0].source.endswith("# mine")
    assert merged.cells[0].source.endswith("a note of mine")
    assert not any(cell.source.startswith("# A test") for cell in merged.cells[1:])


def _names(code) -> set[str]:
    """Those that a function takes from where it is defined, nested functions included."""
    names = {
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
    return names.union(*(_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)))


@pytest.mark.parametrize("path", sorted(SOLUTIONS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_has_all_names_that_the_solutions_in_it_use(path):
    has, lacks = {*vars(builtins), "__name__"}, {}
    for cell in notebook_file.read_notebook(path).cells:
        if cell.cell_type != "code":
            continue
        code = compile(cell.source, path.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        has |= {instruction.argval for instruction in dis.get_instructions(code) if instruction.opname == "STORE_NAME"}
        if exercise := cell.metadata.get("exercise"):
            lacks[exercise] = _names(code) - has
    assert not any(lacks.values()), lacks


# --- a notebook that other programs have saved ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course():
    return build.build(source_files.sources("03")[0])


ANSWER = "# mine\n" + stubs.reference("expand")


def _worked_in(course):
    """Two answers, two cells of the learner's own, a changed text and a changed cell, an output in each cell of code."""
    theirs = copy.deepcopy(course)
    for cell in theirs.cells:
        if cell.metadata.get("exercise") == "expand":
            cell.source = ANSWER
        if cell.metadata.get("exercise") == "backup":
            cell.source = "# mine, too\n" + stubs.reference("backup")
    theirs.cells[1].source += "\nA note of mine."
    setup = next(cell for cell in theirs.cells if cell.source.startswith("import numpy"))
    setup.source += "\nimport time"
    for place in (40, 6):
        theirs.cells.insert(place, nbformat.v4.new_code_cell(f"my_value = {place}"))
    for number, cell in enumerate(theirs.cells):
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [nbformat.v4.new_output("stream", text=str(number))], number
    return theirs


def _shown(notebook):
    return [(cell.source, cell.get("outputs", [])) for cell in notebook.cells]


SAVED_BY = {  # what programs make of a cell
    "Colab": lambda cell, number: cell.metadata.update(id=cell.pop("id")),
    "a cleaner": lambda cell, number: cell.metadata.clear(),
    "another cleaner": lambda cell, number: (cell.metadata.clear(), cell.pop("id")),
    "VS Code, new ids": lambda cell, number: cell.update(id=f"W{number}sZmls"),
    "an editor on Windows": lambda cell, number: cell.update(source=cell.source.replace("\n", "\r\n")),
    "an editor that trims": lambda cell, number: cell.update(
        source="\n".join(map(str.rstrip, cell.source.split("\n"))) + "\n"
    ),
}


@pytest.mark.parametrize("program", SAVED_BY)
def test_whatever_program_saved_a_notebook_it_is_rebuilt_as_it_was(course, tmp_path, program):
    theirs = _worked_in(course)
    before = _shown(theirs)
    for number, cell in enumerate(theirs.cells):
        SAVED_BY[program](cell, number)
    for encoding in ("utf-8", "utf-16"):
        (tmp_path / "saved.ipynb").write_text(json.dumps(theirs), encoding)
        merged = merging.merge(copy.deepcopy(course), notebook_file.read_notebook(tmp_path / "saved.ipynb"))
        assert [(source.rstrip(), outputs) for source, outputs in _shown(merged)] == before
        nbformat.validate(merged)
        again = merging.merge(copy.deepcopy(course), copy.deepcopy(merged))
        assert again == merged
        assert stale_cells(merged, course) == []


@given(st.data())
@settings(max_examples=25)
def test_whichever_ids_and_marks_are_gone_no_cell_is_doubled_moved_or_lost(course, data):
    theirs = _worked_in(course)
    before = _shown(theirs)
    flags = st.lists(st.booleans(), min_size=len(theirs.cells), max_size=len(theirs.cells))
    for cell, no_id, no_mark in zip(theirs.cells, data.draw(flags), data.draw(flags), strict=True):
        if no_id:
            del cell["id"]
        if no_mark:
            cell.metadata = nbformat.NotebookNode()
    assert _shown(merging.merge(copy.deepcopy(course), theirs)) == before


@pytest.mark.parametrize(("road", "texts"), [
    ("main_road", [COURSE / "README.md", NOTEBOOKS / "source" / "00_welcome.md", PACKAGE / "authoring" / "book.py"]),
    ("evening", [COURSE / "README.md"]),
])  # fmt: skip
def test_the_hours_of_a_road_are_said_as_its_notebooks_add_up(road, texts):
    hours, rest = divmod(sum(source.minutes for source in source_files.sources() if getattr(source, road)), 60)
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"][hours - 1]
    duration = f"{words} and a half hours" if 15 <= rest < 45 else f"{words} hours"
    assert all(duration in path.read_text("utf-8") for path in texts), duration
