"""Checks of notebook 13: scaling out."""
