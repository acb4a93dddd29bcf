"""Checks of notebook 01: bandits."""
