"""How good are the graded checks? Two scores, which docs/checks.md keeps: `python -m tests.quality` prints them."""
