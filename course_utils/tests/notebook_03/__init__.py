"""Checks of the notebook 'PUCT search'."""
