"""Hold the checks of the notebook "tree search with rollouts"."""
