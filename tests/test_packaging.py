"""The lists of dependencies agree, and nothing in them ties the course to one machine."""

import re
import subprocess
import sys
import tomllib

import yaml

import course_utils
from course_utils.paths import COURSE, PACKAGE


def _requirements(*extras):
    project = tomllib.loads((COURSE / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    return dict(re.fullmatch(r"([\w-]+)(>=.*)", requirement).groups() for requirement in wanted)


def test_conda_and_pip_ask_for_the_same():
    conda = yaml.safe_load((COURSE / "environment.yml").read_text())["dependencies"]
    *packages, pip, from_pip = conda
    assert pip == "pip"
    assert from_pip["pip"].pop() == "-e ."
    packages += from_pip["pip"]  # what conda-forge does not have
    ranges = dict(re.fullmatch(r"([\w-]+)(>=.*)", line).groups() for line in packages)
    assert ranges.pop("python") == ">=3.11"
    for pip, name_there in (("torch", "pytorch"), ("playwright", "playwright-python")):
        ranges[pip] = ranges.pop(name_there)
    assert ranges == _requirements("dev")


def test_every_requirement_has_a_tested_version_and_none_is_a_local_build():
    lines = (COURSE / "constraints.txt").read_text().splitlines()
    pins = dict(line.lower().split("==") for line in lines if not line.startswith("#"))
    assert pins.keys() == _requirements("dev", "scale").keys()
    assert not any("+" in version for version in pins.values())


def test_what_is_installed_are_all_data_files_of_the_package_and_no_pattern_is_stale():
    patterns = tomllib.loads((COURSE / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    by_pattern = [{path for path in PACKAGE.glob(pattern) if path.is_file()} for pattern in patterns["course_utils"]]
    assert all(by_pattern)
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc", ".partial")}
    assert files == set.union(*by_pattern)


def test_the_version_is_the_packages_and_citation_and_changelog_have_the_same():
    project = tomllib.loads((COURSE / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "course_utils.__version__"}
    version = course_utils.__version__
    assert yaml.safe_load((COURSE / "CITATION.cff").read_text())["version"] == version
    latest = re.search(r"^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$", (COURSE / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert latest[1] == version


def test_the_command_line_starts_without_any_package_installed():
    """A bare Python must get as far as making the environment: `-S` hides everything installed."""
    script = "import course_utils.__main__, sys; print(sorted({'numpy', 'torch', 'IPython'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-S", "-c", script], cwd=COURSE, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_makefile_is_thin():
    recipes = [line for line in (COURSE / "Makefile").read_text().splitlines() if line.startswith("\t")]
    assert recipes
    assert all(line.startswith("\t@$(COURSE) ") for line in recipes)


def test_every_action_of_the_workflows_is_a_commit_that_nobody_can_move():
    used = [line for path in (COURSE / ".github").rglob("*.yml") for line in re.findall("uses: (.*)", path.read_text())]
    assert used and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", line) for line in used)
