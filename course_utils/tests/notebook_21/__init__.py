"""Checks of the notebook "the network by hand"."""
