"""Hold the checks of the notebook "self-play"."""
