"""Making and keeping the course: notebooks from sources, progress, the score of the checks, commands."""
