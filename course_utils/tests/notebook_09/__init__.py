"""Checks of notebook 09: batched search."""
