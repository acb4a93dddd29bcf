"""Hold the checks of the notebook "perfect play"."""
