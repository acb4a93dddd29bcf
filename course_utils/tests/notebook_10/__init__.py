"""Checks of notebook 10: Connect Four."""
