"""Hold the checks of the notebook "batched search"."""
