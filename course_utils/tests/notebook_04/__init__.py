"""Checks of the notebook "self-play"."""
