"""The file in which a learner's answers travel (`learner/travel.py`), and which may be handed in: a zip of notebooks and of the record."""

import re

SUFFIX = ".answers"  # of the file; a browser that unpacks what is called .zip leaves it whole
PLACES = re.compile(r"notebooks/[^/\\:.][^/\\:]*\.ipynb|record/answers/\w+\.json|record/agents/[\w][\w ,.-]*\.pt")
MOST = 2**28  # bytes of a file, and of what is unpacked
