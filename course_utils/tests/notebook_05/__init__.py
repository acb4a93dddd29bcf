"""Checks of the notebook "the training loop"."""
