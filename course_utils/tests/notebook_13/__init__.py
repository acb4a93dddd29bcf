"""Checks of the notebook "tree search with rollouts"."""
