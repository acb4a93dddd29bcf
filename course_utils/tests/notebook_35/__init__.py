"""Checks of the notebook "scaling out"."""
