"""Checks of notebook 07: self-play."""
