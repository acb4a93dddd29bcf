"""Checks of notebook 04: tree search with rollouts."""
