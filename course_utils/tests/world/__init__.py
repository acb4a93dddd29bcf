"""What the checks of several notebooks share: made-up games, networks and positions, and plain search by PUCT."""
