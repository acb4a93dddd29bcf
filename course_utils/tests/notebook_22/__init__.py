"""Hold the checks of the notebook "What has it seen?"."""
