"""Hold the checks of the notebook "bandits"."""
