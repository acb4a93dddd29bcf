"""Checks of notebook 02: the rules of tic-tac-toe, planes, symmetries."""
