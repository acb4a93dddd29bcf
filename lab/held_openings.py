"""Does a Connect Four agent hold what an opening is worth?

Against a perfect player from random openings, and against every reply.

Both need the extra `solver`. What it answered is kept in runs/solved.npz, so that the next agent is measured sooner.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from course_utils.games.connect_n import ConnectState
from course_utils.learning.exam import best_moves, keeps_value
from course_utils.networks import Network
from course_utils.paths import COURSE
from course_utils.results import Result, Row, table
from lab.command import command
from lab.connect_four import GAME, SHIPPED, play_out, with_control
from lab.shown import alone_or, chosen, share, table_of
from lab.solver import Solver, SolverAgent

SOLVED = COURSE / "runs" / "solved.npz"
PLIES = 8  # the longest opening


class Opening(NamedTuple):
    """`worth` is what it is worth for the agent, which plays `side`: 1 won, 0 drawn."""

    moves: str
    state: ConnectState
    side: int
    worth: int


def held_openings(solver: Solver, count: int, rng: np.random.Generator) -> list[Opening]:
    """`count` openings that are won for the agent and then as many that are drawn, no two equal or mirror images.

    They have 1 to 8 random moves, all numbers equally often as far as there are so many openings. The agent is on the
    winning side, or in drawn openings on a random side.
    """
    openings: dict[int, list[Opening]] = {1: [], 0: []}
    seen = set()
    while min(map(len, openings.values())) < count:
        state, moves = GAME.initial_state(), ""
        for _ in range(rng.integers(1, PLIES + 1)):
            if not GAME.is_terminal(state):
                move = int(rng.choice(GAME.legal_actions(state)))
                state, moves = GAME.play(state, move), moves + str(move)
        side = int(rng.choice((1, -1)))
        if GAME.is_terminal(state) or state.columns in seen:
            continue
        best = np.nanmax(np.array(solver.scores(state), dtype=float))
        value = state.to_play * int(np.sign(best))  # for the first player
        if len(group := openings[abs(value)]) < count:
            group.append(Opening(moves, state, value or side, abs(value)))
            seen |= {state.columns, state.columns[::-1]}
    return openings[1] + openings[0]


@command("held_openings")
def held(agent=SHIPPED, simulations=(400,), count=100, seeds=(1,)) -> Iterator[Row]:
    """Games from random openings that are won or drawn for the agent, against perfect replies (extra `solver`).

    COUNT openings of each kind; every other one is for choosing between agents (`development`), the others for the
    figure that is told (`final`).
    """
    solver = Solver(SOLVED)
    openings = held_openings(solver, count, np.random.default_rng(seeds[0]))
    for name, network in with_control(agent, 0).items():
        for budget in simulations:
            rngs = np.random.default_rng([seeds[0], 1]).spawn(len(openings))
            opponents = [SolverAgent(solver, rng) for rng in rngs]
            starts = [(opening.state, opening.moves) for opening in openings]
            results, _ = play_out(network, budget, opponents, [opening.side for opening in openings], starts)
            for worth, kind in ((1, "won"), (0, "drawn")):
                for half, first in (("development", 0), ("final", 1)):
                    group = [i for i, opening in enumerate(openings) if opening.worth == worth][first::2]
                    kept = sum(results[i] >= worth for i in group)
                    yield dict(network=name, simulations=budget, openings=kind, half=half, kept=kept, of=len(group))
        solver.save()


@table_of("held_openings")
def openings_held(result: Result) -> str:
    """One line for each player; both halves together, since the table tells of one agent and chooses none."""
    lines = []
    for network, simulations in dict.fromkeys((row["network"], row["simulations"]) for row in result.rows):
        line: Row = {"player": f"{network}, {alone_or(simulations)}"}
        groups = [result.where(network=network, simulations=simulations, openings=kind) for kind in ("won", "drawn")]
        for head, group in zip(("won ones won", "drawn ones held"), groups, strict=True):
            line[head] = share({name: sum(row[name] for row in group) for name in ("kept", "of")})
        for head, group in zip(("of the final half, won", "held"), groups, strict=True):
            [final] = chosen(group, half="final")
            line[head] = "{kept} of {of}".format_map(final)
        lines.append(line)
    return table(lines)


@command("every_reply")
def every_reply(agent=SHIPPED, simulations=(400,), plies=PLIES, seeds=(0,)) -> Iterator[Row]:
    """Every position to ply PLIES that replies can bring the agent to, as first and as second player (extra `solver`).

    Its own moves are those that it plays, its opponent's are all there are. `matter` are those in which some move loses
    value, `wrong` those in which the agent's does, and `where` lists the first twenty: moves, and after a dash the
    agent's.
    """
    solver = Solver(SOLVED)
    for name, network in with_control(agent, 0).items():
        for budget in simulations:
            for side, place in ((1, "first"), (-1, "second")):
                yield dict(
                    network=name, simulations=budget, side=place, **all_lines(network, budget, solver, side, plies)
                )
        solver.save()


def all_lines(network: Network, simulations: int, solver: Solver, side: int, plies: int) -> Row:
    batched, level = GAME.batched(), {GAME.initial_state(): ""}
    positions = matter = 0
    wrong: list[str] = []
    for ply in range(plies + 1):
        level = {state: moves for state, moves in level.items() if not GAME.is_terminal(state)}
        if (ply % 2 == 0) == (side == 1):
            states = list(level)
            moves = best_moves(batched, batched.from_states(states), network, simulations).tolist()
            chosen = {state: [move] for state, move in zip(states, moves, strict=True)}
            for state, [move] in chosen.items():
                scores = np.array(solver.scores(state), dtype=float)
                keeps = keeps_value(scores)
                positions += 1
                matter += bool((~keeps & ~np.isnan(scores)).any())
                if not keeps[move]:
                    wrong.append(f"{level[state]}-{move}")
        else:
            chosen = {state: GAME.legal_actions(state) for state in level}
        level = {GAME.play(state, move): level[state] + str(move) for state, moves in chosen.items() for move in moves}
    return dict(positions=positions, matter=matter, wrong=len(wrong), where=" ".join(wrong[:20]))
