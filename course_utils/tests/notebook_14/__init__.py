"""Checks of the notebook "a search that knows"."""
