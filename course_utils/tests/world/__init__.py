"""Define what the checks of several notebooks use: made-up games, networks and positions, and PUCT by plain loops."""
