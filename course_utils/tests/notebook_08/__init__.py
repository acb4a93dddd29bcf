"""Checks of notebook 08: the training loop."""
