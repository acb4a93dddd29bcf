"""Games that the shipped Connect Four agent does not win as first player, found by a search, and by chance.

From the empty board the first player wins, so each such game holds a move that loses value. The solver says which
(extra `solver`).
"""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from course_utils.games import after
from course_utils.learning.exam import exam, keeps_value, searched_moves
from course_utils.learning.weak_spots import Answers, answers_of, weak_spots
from course_utils.networks import Network
from course_utils.results import Result, Row, table
from lab.command import command
from lab.connect_four import GAME, SHIPPED, with_control
from lab.held_openings import SOLVED
from lab.shown import alone_or, over_seeds, table_of
from lab.solver import Solver

OWN, UNTRAINED, CHANCE, BENCHMARK = "its own value", "an untrained network's value", "chance", "benchmark"
NOISE = 0.02  # on the values, so that each seed is another search
WIDER = {CHANCE: 2}  # so many times as wide, so that chance asks no fewer questions than the others
SEARCHES = (
    (0, 64, (OWN, UNTRAINED, CHANCE)),
    (25, 64, (OWN, UNTRAINED, CHANCE)),
    (100, 64, (OWN,)),
    (100, 256, (OWN, CHANCE)),
)


def guided(name: str, answers: Answers, untrained: Network, rng: np.random.Generator) -> Answers:
    """The agent's moves, with the values that lead this search."""
    batched = GAME.batched()

    def answer(positions: list) -> tuple[Sequence[int], Sequence[float] | np.ndarray]:
        moves, values = answers(positions)
        if name == CHANCE:
            return moves, rng.random(len(positions))
        if name == UNTRAINED:
            values, _ = untrained(batched.encode(batched.from_states(positions)))
        return moves, np.asarray(values) + rng.normal(0, NOISE, len(positions))

    return answer


def counting(answers: Answers, asked: list[int]) -> Answers:
    """Wrap `answers` so that `asked` counts the positions of each call."""

    def answer(positions: list):
        asked.append(len(positions))
        return answers(positions)

    return answer


def first_blunder(solver: Solver, line: list[int]) -> str:
    """Find the first move that cost the first player the win: the moves before it, a dash, and the move."""
    for ply in range(0, len(line), 2):
        if not keeps_value(np.array(solver.scores(after(GAME, line[:ply])), dtype=float))[line[ply]]:
            return "".join(map(str, line[:ply])) + f"-{line[ply]}"
    raise AssertionError(f"the first player made no mistake in {line}, and did not win")


def searched(answers: Answers, name: str, width: int, untrained: Network, solver: Solver, seed: int) -> Row:
    """The results of one search."""
    rng = np.random.default_rng(seed)
    asked: list[int] = []
    lines = weak_spots(GAME, guided(name, counting(answers, asked), untrained, rng), width)
    lost = sum(GAME.winner(after(GAME, line)) == -1 for line in lines)
    blunders = sorted({first_blunder(solver, line) for line in lines}, key=len)
    return dict(
        asked=sum(asked), drawn=len(lines) - lost, lost=lost, blunders=len(blunders), where=" ".join(blunders[:5])
    )


def on_benchmark(network: Network, simulations: int) -> Row:
    positions = exam(GAME.name)
    moves = searched_moves(GAME, network, positions, simulations)
    wrong = sum(not position.keeps[move] for position, move in zip(positions, moves, strict=True))
    return dict(wrong=wrong, of=len(positions))


@command("weak_spots")
def found(agent=SHIPPED, seeds=range(3)) -> Iterator[Row]:
    """An opponent that searches for games which the first player, AGENT, does not win; needs the extra `solver`."""
    solver, networks = Solver(SOLVED), with_control(agent, 0)
    network, untrained = networks["trained"], networks["untrained"]
    for simulations in sorted({simulations for simulations, _, _ in SEARCHES}):
        yield dict(simulations=simulations, guide=BENCHMARK, seed=0, **on_benchmark(network, simulations))
    for simulations, width, guides in SEARCHES:
        answers = answers_of(GAME, network, simulations)
        for name, seed in product(guides, seeds):
            row = searched(answers, name, width * WIDER.get(name, 1), untrained, solver, seed)
            yield dict(simulations=simulations, guide=name, seed=seed, **row)
        solver.save()


@table_of("weak_spots")
def by_guide(result: Result) -> str:
    lines: list[Row] = []
    rows = [row for row in result.rows if row["guide"] != BENCHMARK]
    for simulations, width, name in dict.fromkeys((row["simulations"], row["width"], row["guide"]) for row in rows):
        benchmark = result.one(simulations=simulations, guide=BENCHMARK)
        cell = dict(simulations=simulations, guide=name, width=width)
        searches = result.where(**cell)
        lines.append(
            {
                "agent": alone_or(simulations),
                "wrong in the benchmark": f"{benchmark['wrong']} of {benchmark['of']}",
                "led by": name,
                "width": width,
                "positions asked": over_seeds(result, "asked", "{:,.0f}", **cell),
                "games drawn, by search": ", ".join(str(row["drawn"]) for row in searches),
                "games lost": ", ".join(str(row["lost"]) for row in searches),
                "different first mistakes": ", ".join(str(row["blunders"]) for row in searches),
            }
        )
    return table(lines)
