"""Hold the checks of the notebook 'Connect Four'."""
