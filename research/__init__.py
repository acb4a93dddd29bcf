"""How the shipped Connect Four agent was made: `python -m research`. Nothing in the course needs it."""

import benchmarks  # noqa: F401 - one thread, set before NumPy and torch are imported
