"""Three made-up submissions, to try `make grade` with before there is a class."""

from pathlib import Path

from course_utils.answers import stubs
from course_utils.files import write_atomically
from course_utils.material import build, merging, source_files
from course_utils.material.handout import must_be_empty
from course_utils.tests.grade import CHECKS

NOTEBOOK = "03_puct_search"


def write_sample(out: Path) -> list[str]:
    """Write a folder for each learner: one has right answers, one a mistake with a name, one a slip.

    Returns the learners.

    Raises:
        ValueError: the folder holds something already.
    """
    must_be_empty(out)
    [source] = source_files.sources(NOTEBOOK)
    names = [cell.metadata["exercise"] for cell in source.cells if "exercise" in cell.metadata]
    answers = {
        "anna": {name: stubs.reference(name) for name in names},
        "ben": {"select_child": stubs.reference("select_child"), "backup": CHECKS["backup"].wrong[0].source},
        "cem": {"expand": "def expand(node, action, game):\n    return ("},
    }
    for learner, written in answers.items():
        notebook = build.build(source, folded_solutions=False)
        for cell in notebook.cells:
            if cell.metadata.get("exercise") in written:
                cell.source = f"# {learner}\n{written[cell.metadata['exercise']]}"
        write_atomically(out / learner / f"{NOTEBOOK}.ipynb", merging.to_text(notebook))
    return list(answers)
