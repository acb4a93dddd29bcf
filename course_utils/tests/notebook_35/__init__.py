"""Hold the checks of the notebook "scaling out"."""
