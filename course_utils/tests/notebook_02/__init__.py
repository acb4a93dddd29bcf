"""Checks of notebook 02: the rules of tic-tac-toe, its symmetries, how many games there are."""
