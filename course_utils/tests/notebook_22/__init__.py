"""Checks of the notebook "What has it seen?"."""
