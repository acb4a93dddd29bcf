"""The sample of Connect Four positions with the exact score of every column, by the perfect solver bitbully.

Positions come from games in which a share of the moves is random and the others are perfect (the fastest win, the
slowest loss); from nothing but random moves to one in ten. None is finished, no two are equal or mirror images, and
every ply has the same number of them (the first plies have all there are).
"""

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from course_utils.files import write_atomically
from course_utils.games import ConnectFour
from course_utils.learning.exam import POSITIONS, tactics
from lab.command import command
from lab.solver import Solver

KINDS = {"random": (1.0, 0.25), "half random": (0.5, 0.15), "quarter random": (0.25, 0.3), "tenth random": (0.1, 0.3)}
LAST_PLY = 36
APART = 3  # positions of one game are at least so many plies apart


def write_positions(path: Path, head: dict, positions: Iterable[dict]) -> None:
    """From the first ply to the last, one a line."""
    head |= dict(tactics="win: the player to move can win at once; block: the opponent threatens to; empty: quiet")
    entries = sorted(positions, key=lambda entry: (len(entry["moves"]), entry["moves"]))
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    write_atomically(path, f'{{"meta":{json.dumps(head, indent=1)},\n"positions":[\n{lines}\n]}}\n')
    print(len(entries), "positions;", sum(entry["tactics"] == "" for entry in entries), "quiet")


def perfect_moves(scores: list) -> list[int]:
    """The columns with the highest score."""
    best = max(score for score in scores if score is not None)
    return [column for column, score in enumerate(scores) if score == best]


def play(game, solver: Solver, random_share: float, rng: np.random.Generator) -> list[tuple[str, object]]:
    """The positions (moves, state) of a game, from the start to the last one that is not over."""
    state, moves, positions = game.initial_state(), "", []
    while not game.is_terminal(state) and len(moves) <= LAST_PLY:
        positions.append((moves, state))
        random = rng.random() < random_share
        move = int(rng.choice(game.legal_actions(state) if random else perfect_moves(solver.scores(state))))
        state, moves = game.play(state, move), moves + str(move)
    return positions


@command("make_positions")
def make_positions(out=POSITIONS, per_ply=60, seed=0) -> None:
    """The recorded positions of Connect Four and their scores; takes some minutes and the extra `solver`."""
    game, solver, rng = ConnectFour(), Solver(), np.random.default_rng(seed)

    taken: dict = {}  # stones by column -> entry
    count = [0] * (LAST_PLY + 1)

    def take(moves: str, state, kind: str) -> bool:
        if count[len(moves)] >= per_ply or state.columns in taken or state.columns[::-1] in taken:
            return False
        scores = solver.scores(state)
        taken[state.columns] = dict(moves=moves, scores=scores, tactics=tactics(game, state), kind=kind)
        count[len(moves)] += 1
        return True

    level = [("", game.initial_state())]
    for _ in range(3):  # plies 0 to 2: as many as there are
        for index in rng.permutation(len(level)):
            take(*level[index], "opening")
        level = [(moves + str(a), game.play(state, a)) for moves, state in level for a in game.legal_actions(state)]

    names, shares = list(KINDS), [share for _, share in KINDS.values()]
    while min(count[3:]) < per_ply:
        kind = str(rng.choice(names, p=shares))
        game_positions = play(game, solver, KINDS[kind][0], rng)
        free = [i for i in range(len(game_positions)) if count[i] < per_ply]
        from_here: list[int] = []
        for i in sorted(rng.permutation(free), key=lambda ply: count[ply]):  # the rarest plies first
            if all(abs(i - other) >= APART for other in from_here) and take(*game_positions[i], kind):
                from_here.append(i)

    head = dict(
        about="Connect Four positions with the exact score of every column, for the player to move",
        moves="columns 0 to 6 from the empty board",
        scores="0 draw, +k win, -k loss, null full; k = 22 - the stones that the winner will have on the board",
        solver="bitbully 0.0.79",
        command=f"python -m lab make_positions --per-ply {per_ply} --seed {seed}",
        positions=len(taken),
    )
    write_positions(out, head, taken.values())
