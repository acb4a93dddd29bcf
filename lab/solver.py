"""The perfect solver bitbully.

No part of the course needs it: it has a license of its own (AGPL) and runs on fewer machines.
"""

from io import BytesIO
from pathlib import Path

import numpy as np

from course_utils.files import write_atomically
from course_utils.games import ConnectFour
from course_utils.games.batched import make_batched
from course_utils.learning.exam import keeps_value

GAME = ConnectFour()
BATCHED = make_batched(GAME)
FULL = -128  # in the file, the score of a column that is full


class Solver:
    """The exact score of every column, remembered: by `save` in a file, too."""

    def __init__(self, kept: Path | None = None):
        try:
            import bitbully
        except ImportError:
            raise SystemExit('this needs the extra `solver`: pip install -e ".[solver]"') from None
        self.board, self.solver, self.kept = bitbully.Board, bitbully.BitBully(), kept
        self.cache: dict[tuple[int, int], list[int | None]] = {}  # by the stones of the player to move and of the other
        if kept is not None and kept.exists():
            with np.load(kept) as file:
                boards, scores = file["boards"].tolist(), file["scores"].tolist()
            answers = ([None if score == FULL else score for score in row] for row in scores)
            self.cache = dict(zip(map(tuple, boards), answers, strict=True))

    def scores(self, state) -> list[int | None]:
        """Scores of columns 0 to 6 for the player to move, before the end: 0 draw, +k win, -k loss, None if it is full.

        k is 22 minus the number of stones that the winner will have on the board.
        """
        own, opponents = BATCHED.from_states([state])[0].tolist()
        if (own, opponents) not in self.cache:
            marks = {1: 1, -1: 2, 0: 0}  # which of the two players has a cell
            rows = [[marks[cell] for cell in row] for row in GAME.cells(state).tolist()]
            scores = self.solver.score_all_moves(self.board(rows))
            self.cache[own, opponents] = [
                scores.get(column) for column in range(GAME.num_actions)
            ]  # (it answers in order of score)
        return self.cache[own, opponents]

    def save(self) -> None:
        """Put all that is known into the file."""
        assert self.kept is not None, "this solver has no file"
        scores = [[FULL if score is None else score for score in answer] for answer in self.cache.values()]
        packed = BytesIO()
        np.savez_compressed(packed, boards=np.array(list(self.cache), np.uint64), scores=np.array(scores, np.int8))
        write_atomically(self.kept, packed.getvalue())


class SolverAgent:
    """Plays perfectly, with some variety.

    Its first two moves are any that keep the value, later ones the fastest win or slowest loss, at random among equals.
    """

    def __init__(self, solver: Solver, rng: np.random.Generator):
        self.solver, self.rng = solver, rng

    def act(self, state) -> int:
        scores = np.array(self.solver.scores(state), dtype=float)
        stones = sum(len(column) for column in state.columns)
        best = keeps_value(scores) if stones < 4 else scores == np.nanmax(scores)
        return int(self.rng.choice(np.flatnonzero(best)))
