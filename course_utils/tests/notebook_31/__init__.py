"""Checks of the notebook "batched search"."""
