"""Checks of notebook 06: PUCT search."""
