"""pyproject.toml says the rest. A wheel also holds the sources of the notebooks, inside the package; the notebooks themselves are the learner's."""

from setuptools import find_namespace_packages, setup

setup(
    packages=[*find_namespace_packages(include=["course_utils*"]), "course_utils.notebooks"],
    package_dir={"course_utils.notebooks": "notebooks"},
)
