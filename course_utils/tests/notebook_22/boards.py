"""Boards of tic-tac-toe, written as they look."""

import numpy as np


def planes_of(*boards: str) -> np.ndarray:
    """One position for each board: X is to move, the rows stand side by side, and a dot is a free cell."""
    cells = [[mark for mark in board if mark != " "] for board in boards]
    return np.array([[[cell == mark for cell in board] for mark in "XO"] for board in cells], dtype=np.float32).reshape(
        -1, 2, 3, 3
    )
