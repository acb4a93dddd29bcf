"""Checks of notebook 08."""
