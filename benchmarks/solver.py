"""The perfect solver bitbully. No part of the course needs it: it has a license of its own (AGPL) and runs on fewer machines."""

import numpy as np

from course_utils.games import ConnectFour
from course_utils.learning.exam import keeps_value

GAME = ConnectFour()


class Solver:
    """The exact score of every column, remembered."""

    def __init__(self):
        try:
            import bitbully
        except ImportError:
            raise SystemExit('this needs the extra `solver`: pip install -e ".[solver]"') from None
        self.board, self.solver, self.known = bitbully.Board, bitbully.BitBully(), {}

    def scores(self, state) -> list[int | None]:
        """For the columns 0 to 6, for the player to move of a game that is not over: 0 draw, +k win, -k loss, None: the column is full.

        k is 22 minus the number of stones that the winner will have on the board.
        """
        if state not in self.known:
            marks = {1: 1, -1: 2, 0: 0}  # which of the two players has a cell
            rows = [[marks[cell] for cell in row] for row in GAME.cells(state).tolist()]
            found = self.solver.score_all_moves(self.board(rows))
            self.known[state] = [
                found.get(column) for column in range(GAME.num_actions)
            ]  # (it answers in order of score)
        return self.known[state]


class SolverAgent:
    """Plays perfectly, and not always the same: its first two moves are any that keep the value, later ones the fastest win or
    slowest loss; chance decides among equals."""

    def __init__(self, solver: Solver, rng: np.random.Generator):
        self.solver, self.rng = solver, rng

    def act(self, state) -> int:
        scores = np.array(self.solver.scores(state), dtype=float)
        stones = sum(len(column) for column in state.columns)
        best = keeps_value(scores) if stones < 4 else scores == np.nanmax(scores)
        return int(self.rng.choice(np.flatnonzero(best)))
