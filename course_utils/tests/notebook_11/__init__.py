"""Checks of the notebook "bandits"."""
