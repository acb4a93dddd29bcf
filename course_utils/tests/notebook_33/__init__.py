"""Hold the checks of the notebook "another game"."""
