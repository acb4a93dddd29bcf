"""Temperature and c_puct in play: the strength of three networks with two budgets, exactly."""

import numpy as np

from course_utils.learning.proof import tictactoe_key
from course_utils.networks.fast import fast_inference
from course_utils.results import Result, Row, table
from course_utils.search.batched import batched_search
from lab.experiment import Experiment
from lab.experiments.network_under_search import network
from lab.experiments.parts_of_training import PLAIN
from lab.schedules import train_in_lockstep
from lab.shown import chosen, each, spread, table_of


def tempered(visits: np.ndarray, temperature: float) -> np.ndarray:
    """The player, [positions, actions], that draws a move in proportion to visits ** (1 / temperature).

    At 0 it plays the most visited move, the first of equals.
    """
    if temperature == 0:
        return np.eye(visits.shape[1])[visits.argmax(axis=1)]
    weights = (visits / visits.max(axis=1, keepdims=True)) ** (1 / temperature)
    return weights / weights.sum(axis=1, keepdims=True)


def measure(
    seed: int, kind: str, simulations: tuple[int, ...], constants: tuple[float, ...], temperatures: tuple[float, ...]
) -> list[Row]:
    """c_puct at temperature 0, and temperatures at the c_puct of the course.

    The uniform and the shipped network are the same with every
    seed: they are measured with the first only."""
    if kind != "early" and seed:
        return []
    key, net = (
        tictactoe_key(),
        network(kind, seed)
        if kind != "early"
        else fast_inference(train_in_lockstep(seed, **{**PLAIN, "iterations": 2}).network),
    )
    rows = []
    for count in simulations:
        for c_puct in constants:
            visits = batched_search(key.batched, key.batch, net, count, c_puct)
            for temperature in temperatures if c_puct == 1.5 else (0.0,):
                player = tempered(visits, temperature)
                second = key.odds(player, key.perfect, -1)
                weak = np.mean([key.odds(player, key.random, side).wins for side in (1, -1)])
                head = dict(simulations=count, c_puct=c_puct, temperature=temperature)
                drawn = dict(
                    drawn_first=round(key.odds(player, key.perfect, 1).draws, 4), drawn_second=round(second.draws, 4)
                )
                rows.append(dict(head, **drawn, won_random=round(float(weak), 4)))
    return rows


EXPERIMENT = Experiment(
    question="What are temperature and c_puct worth in play, against perfect play and against random moves?",
    published="greedy in matches; c_puct 1.5, and 0.5, 1 and 3 are to be tried; no numbers",
    measure=measure,
    base=dict(simulations=(25, 100), constants=(0.5, 1.0, 1.5, 3.0), temperatures=(0.0, 0.25, 0.5, 1.0)),
    variants={
        "no network": dict(kind="uniform"),
        "after two iterations": dict(kind="early"),
        "trained": dict(kind="trained"),
    },
    quick=dict(simulations=(25,)),
    seeds=range(5),
)


@table_of("settings_in_play")
def by_setting(result: Result, varied: str) -> str:
    """Draws as second player against perfect play and wins against random moves, by c_puct or by temperature."""
    fixed = dict(temperature=0.0) if varied == "c_puct" else dict(c_puct=1.5)
    lines = []
    for name in each(result.rows, "variant"):
        rows = result.where(variant=name, **fixed)
        for count in each(rows, "simulations"):
            for what, column in (
                ("drawn as second player, %", "drawn_second"),
                ("won against random, %", "won_random"),
            ):
                line: Row = {"network": name, "simulations": count, "what": what}
                for value in each(rows, varied):
                    matching = chosen(rows, simulations=count, **{varied: value})
                    line[f"{varied} {value:g}"] = spread(100 * row[column] for row in matching)
                lines.append(line)
    return table(lines)
