"""Checks of the notebook 'Connect Four'."""
