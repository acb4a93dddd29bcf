"""Checks of notebook 05: the network."""
