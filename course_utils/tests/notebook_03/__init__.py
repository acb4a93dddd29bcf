"""Checks of notebook 03: negamax, alpha-beta, a heuristic."""
