"""Check that a source is consistent: everything that its cells name exists, once and in order."""

import importlib
import inspect

from course_utils.answers.stubs import SourceError, stub, template
from course_utils.exercise import EXERCISES
from course_utils.material.source_files import Source
from course_utils.tests.grade import CHECKS

KINDS = ("exercise", "check", "solution", "given")
RATINGS = ("difficulty", "importance", "minutes")


def check_cells(source: Source) -> None:
    """Raises SourceError: an unknown exercise, an exercise without its check, and the like."""
    seen: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for cell in source.cells:
        for kind in KINDS:
            name = cell.metadata.get(kind)
            if name is None:
                continue
            where = f'{kind}="{name}"'
            if kind == "given":
                given_code(name, source)
                continue
            if name not in EXERCISES:
                raise source.error(where, f"no exercise is called {name!r}")
            if name in seen[kind]:
                raise source.error(where, f"{kind} of {name!r} is here twice")
            if kind != "exercise" and name not in seen["exercise"]:
                raise source.error(where, f"the {kind} of {name!r} comes before its exercise")
            seen[kind].append(name)
            if kind == "exercise":
                try:
                    CHECKS[name]
                except KeyError:
                    raise source.error(where, f"the package has no check for {name!r}") from None
                if cell.source.strip() != EXERCISES[name].path:
                    raise source.error(where, f"the cell of {name!r} must hold {EXERCISES[name].path}")
                if EXERCISES[name].notebook != cell.metadata.get("home", source.name[:2]):
                    raise source.error(where, f"{name!r} belongs to notebook {EXERCISES[name].notebook}")
                missing = [rating for rating in RATINGS if rating not in cell.metadata]
                if missing:
                    raise source.error(where, f"{name!r} has no {', '.join(missing)}")
                stub_of(source, cell)  # says where a marker is unmatched
    for kind in ("check", "solution"):
        for name in seen["exercise"]:
            if name not in seen[kind]:
                raise source.error(f'exercise="{name}"', f"the exercise {name!r} has no {kind} cell")


def stub_of(source: Source, cell) -> str:
    """The stub of an exercise cell. With `open`, all lines are given except those that begin with these words."""
    name, begins = cell.metadata["exercise"], cell.metadata.get("open")
    if begins is None:
        return stub(name)
    try:
        return template(name, [opening.strip() for opening in begins.split(",")])
    except SourceError as error:
        raise source.error(f'open="{begins}"', str(error)) from None


def given_code(paths: str, source: Source) -> str:
    """The source of one or more objects of the package, named by comma-separated paths."""
    parts = []
    for path in paths.split(","):
        module, _, name = path.strip().rpartition(".")
        try:
            parts.append(inspect.getsource(getattr(importlib.import_module(module), name)).rstrip())
        except (ImportError, AttributeError, TypeError, ValueError):
            raise source.error(f'given="{paths}"', f"the package has no {path.strip()}") from None
    return "\n\n\n".join(parts)
