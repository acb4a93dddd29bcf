"""Turn drawings of tic-tac-toe boards into planes."""

import numpy as np


def planes_of(*boards: str) -> np.ndarray:
    """Encode one position for each board: X is to move, the rows are separated by spaces, and a dot is a free cell."""
    cells = [[mark for mark in board if mark != " "] for board in boards]
    return np.array([[[cell == mark for cell in board] for mark in "XO"] for board in cells], dtype=np.float32).reshape(
        -1, 2, 3, 3
    )
