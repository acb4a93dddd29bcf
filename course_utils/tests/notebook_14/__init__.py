"""Hold the checks of the notebook "a search that knows"."""
