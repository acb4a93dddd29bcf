"""Checks of notebook 02."""
