"""Checks of the notebook "the laboratory"."""
