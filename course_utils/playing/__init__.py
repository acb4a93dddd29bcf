"""Agents against each other and against you, outside of a notebook."""
