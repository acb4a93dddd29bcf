"""Checks of the notebook "the network"."""
