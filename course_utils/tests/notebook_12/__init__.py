"""Checks of notebook 12: the laboratory."""
