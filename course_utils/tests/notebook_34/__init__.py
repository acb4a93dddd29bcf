"""Checks of the notebook 'A better lesson'."""
