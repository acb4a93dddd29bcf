"""Checks of the notebook "another game"."""
