"""Checks of notebook 07."""
