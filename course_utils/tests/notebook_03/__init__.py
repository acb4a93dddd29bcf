"""Hold the checks of the notebook 'PUCT search'."""
