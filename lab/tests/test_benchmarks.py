"""What the pages and the picture say is what was measured, and can be measured again."""

import re
import shlex
import subprocess
import sys
from inspect import isgeneratorfunction, signature

import jinja2
import pytest
from PIL import Image

from course_utils import results
from course_utils.classroom.assignment import write_assignment
from course_utils.material.handout import Handout
from course_utils.paths import COURSE
from lab import __main__ as command_line
from lab import command, experiment, report, saving
from lab.command import COMMANDS, USUAL, chosen, file_of, options_for
from lab.saving import load_result
from lab.shown import TABLES


@pytest.mark.parametrize("name", report.pages())
def test_a_page_is_made_from_its_source_and_the_results(name):
    assert (report.DOCS / name).read_text("utf-8") == report.page(name), "run `python -m lab report`"


def test_no_figure_is_typed_into_the_page_on_speed_and_strength():
    """All numbers except in names, code and intervals: measured values and settings must come from the results."""
    prose = (report.SOURCES / "performance.md").read_text("utf-8")
    for name in (
        r"\{\{.*?\}\}",
        r"\{%.*?%\}",
        "`.*?`",
        "<!--.*?-->",
        "95 % interval",
        "interval without 0",
        r"notebook \d\d",
    ):
        prose = re.sub(name, "", prose)
    numbers = r"\d|\b(three|four|five|six|seven|eight|nine|ten|twelve|hundred|thousand)\b"
    assert [line for line in prose.splitlines() if re.search(numbers, line)] == []


@pytest.mark.parametrize("name", report.PICTURES)
def test_a_picture_is_drawn_from_the_results(name):
    with Image.open(report.DOCS / "images" / name) as picture:
        assert picture.text["Results"] == report.fingerprint(name), "run `python -m lab report`"


def test_a_page_that_asks_for_what_was_not_measured_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "SOURCES", tmp_path)
    for text in ('{{ result("x").rows }}', '{{ result("uct_random").one(simulations=11) }}', "{{ strength }}"):
        (tmp_path / "page.md").write_text(text)
        with pytest.raises((ValueError, jinja2.UndefinedError)):
            report.page("page.md")


@pytest.mark.parametrize("name", saving.names())
def test_every_result_has_a_command_that_would_measure_it_again(name):
    result = load_result(name)
    python, m, package, command, *arguments = shlex.split(result.command)
    assert (python, m, package, command) == ("python", "-m", COMMANDS[name].__module__.partition(".")[0], name)
    options, unknown = options_for(COMMANDS[name], arguments)
    assert not unknown
    assert isgeneratorfunction(COMMANDS[name])
    assert result.seeds == list(options.get("seeds", signature(COMMANDS[name]).parameters["seeds"].default))
    assert result.rows and result.machine and result.date
    assert result.code in ("", f"{file_of(name).relative_to(COURSE).as_posix()} {result.code[-10:]}")


def test_every_measurement_has_seeds_and_defaults_and_the_page_its_results():
    for function in filter(isgeneratorfunction, COMMANDS.values()):
        parameters = signature(function).parameters
        assert "seeds" in parameters
        assert all(parameter.default is not parameter.empty for parameter in parameters.values())
    assert set(USUAL) <= set(saving.names())
    assert set(TABLES) <= set(saving.names())


def test_every_table_has_its_control():
    assert load_result("connect_four_course").rows[0]["iteration"] == 0
    assert load_result("tictactoe_proof").rows[0]["iteration"] == 0
    for name in ("connect_four_moves", "connect_four_rollouts", "connect_four_solver"):
        assert load_result(name).where(network="untrained")


def test_a_measurement_is_called_by_its_name_or_a_part_of_it():
    assert chosen(["four_moves", "uct_equal"]) == ["connect_four_moves", "uct_equal"]
    assert {name[:4] for name in chosen(["uct_"])} == {"uct_"}
    with pytest.raises(ValueError, match="nothing is called 'chess'"):
        chosen(["chess"])


def test_a_measurement_is_recorded_with_the_command_that_repeats_it(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "folder_of", lambda name: tmp_path)
    monkeypatch.setattr(command_line, "report", lambda: None)
    assert command_line.main(["uct_equal", "--games", "2", "--simulations", "5", "10", "--seeds", "3", "4"]) == 0
    found = results.load_result("uct_equal", tmp_path)
    assert found.command == "python -m lab uct_equal --games 2 --simulations 5 10 --seeds 3 4"
    assert found.seeds == [3, 4]
    assert [(row["simulations"], row["wins"] + row["draws"] + row["losses"]) for row in found.rows] == [(5, 2), (10, 2)]
    again = list(COMMANDS["uct_equal"](games=2, simulations=(5, 10), seeds=(3, 4)))
    assert again == found.rows


def test_an_option_that_no_command_has_is_refused(capsys):
    assert command_line.main(["uct_equal", "--gmaes", "2"]) == 2
    assert command_line.main(["chess"]) == 2
    assert "--gmaes" in capsys.readouterr().err


def test_what_was_interrupted_goes_on_with_what_is_missing(tmp_path):
    def failing():
        yield [dict(n=1), dict(n=2)]
        yield [dict(n=3)]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        saving.save_rows("x", "python -m lab x", [0], failing(), tmp_path)
    assert saving.unfinished("x", "python -m lab x --seeds 1", tmp_path) is None
    begun = saving.unfinished("x", "python -m lab x", tmp_path)
    assert [row["n"] for row in begun.rows] == [1, 2, 3]
    done = saving.save_rows("x", "python -m lab x", [0], [[dict(n=4)]], tmp_path, begun)
    assert [row["n"] for row in results.load_result("x", tmp_path).rows] == [1, 2, 3, 4]
    assert done.seconds >= begun.seconds
    assert saving.unfinished("x", "python -m lab x", tmp_path) is None


def test_an_experiment_runs_each_variant_and_skips_those_that_are_done():
    rows = COMMANDS["network_under_search"]
    variants, done = ("uniform", "trained"), [dict(variant="uniform", seed=0)]
    [unit] = rows(variants=variants, quick=True, begun=done, workers=1)
    assert {(row["variant"], row["seed"]) for row in unit} == {("trained", 0)}
    assert [row["simulations"] for row in unit] == [0, 10, 25]
    assert all(row["first"] == row["second"] == 0 and row["cpu_seconds"] > 0 for row in unit)
    with pytest.raises(SystemExit, match="no variant tarined"):
        next(rows(variants=("tarined",)))


def test_every_experiment_has_a_question_a_control_and_something_that_it_varies():
    assert len(experiment.EXPERIMENTS) >= 10
    for name, one in experiment.EXPERIMENTS.items():
        assert one.question.endswith("?"), name
        assert one.variants and len(one.seeds) >= 1, name
        assert isgeneratorfunction(COMMANDS[name])


def test_a_quick_run_is_not_recorded_among_the_results(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "COURSE", tmp_path)
    monkeypatch.setattr(command_line, "report", lambda: pytest.fail("a quick run changes no page"))
    before = load_result("network_under_search")
    assert command_line.main(["experiments", "--only", "under_search", "--quick", "--variants", "uniform"]) == 0
    found = results.load_result("network_under_search", tmp_path / "runs" / "quick")
    assert found.command == "python -m lab network_under_search --quick --variants uniform"
    assert load_result("network_under_search") == before
    assert command_line.main(["experiments", "--only", "chess"]) == 2


def test_a_class_gets_what_its_notebooks_measure_with_and_no_answers_of_others(tmp_path):
    write_assignment(tmp_path, Handout.of("41"))
    told = subprocess.run(
        [sys.executable, "-m", "lab", "experiments", "--help"], cwd=tmp_path, capture_output=True, text=True
    )
    assert told.returncode == 0, told.stderr
    assert not (tmp_path / "lab" / "blind").exists()
