"""Checks of the notebook "the game"."""
