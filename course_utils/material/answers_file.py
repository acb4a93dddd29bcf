"""The format of exported answers (`learner/travel.py`), which can also be handed in: a zip of notebooks and the
record.
"""

import re

SUFFIX = ".answers"  # not .zip, because Safari unpacks such files
PLACES = re.compile(r"notebooks/[^/\\:.][^/\\:]*\.ipynb|record/answers/\w+\.json|record/agents/[\w][\w ,.-]*\.pt")
MOST = 2**28  # bytes of a file, packed or unpacked
