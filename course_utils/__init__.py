"""AlphaZero from nothing: the package behind the course.

Importing it costs nothing: `python -m course_utils` must start on a machine that has only Python.
"""

__version__ = "0.1.0"
