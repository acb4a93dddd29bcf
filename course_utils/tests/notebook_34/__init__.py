"""Hold the checks of the notebook 'A better lesson'."""
