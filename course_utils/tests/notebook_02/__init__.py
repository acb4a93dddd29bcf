"""Hold the checks of the notebook "the network"."""
