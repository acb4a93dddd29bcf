"""Checks of the notebook "perfect play"."""
