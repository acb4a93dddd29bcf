"""Checks of the notebook 'Gumbel search'."""
