"""Checks of notebook 05."""
