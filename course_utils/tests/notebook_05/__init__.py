"""Hold the checks of the notebook "the training loop"."""
