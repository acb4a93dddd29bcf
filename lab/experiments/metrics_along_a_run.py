"""The metrics that a blog post names, and those of this course, along a run of tic-tac-toe; all of them exact."""

from collections.abc import Callable
from operator import itemgetter

from course_utils.learning.proof import AnswerKey, tictactoe_key
from course_utils.learning.run import Run
from course_utils.networks import Network
from course_utils.networks.fast import fast_inference
from course_utils.results import Result, Row, table
from course_utils.search.batched import UNVISITED, batched_search
from lab.experiment import Experiment
from lab.experiments.parts_of_training import PLAIN
from lab.schedules import train_in_lockstep
from lab.shown import lost, mean, table_of


def branching(key: AnswerKey, network: Network, simulations: int, c_puct: float) -> dict[str, float]:
    """How widely a search looks, over all positions.

    The share of the legal moves that it tries at the root, and the mean number of children of nodes with children.
    """
    visits, tree = batched_search(key.batched, key.batch, network, simulations, c_puct, return_tree=True)
    children = (tree.children != UNVISITED).sum(axis=2)  # [positions, nodes]
    tried = (visits > 0).sum(axis=1) / key.legal.sum(axis=1)
    return dict(tried=round(float(tried.mean()), 4), branching=round(float(children[children > 0].mean()), 4))


def measure(seed: int, **changes) -> list[Row]:
    """The network alone before training and after each iteration; `branching` in self-play's search without noise."""
    key = tictactoe_key()
    rows: list[Row] = []

    def look(run: Run) -> None:
        entry = run.history[-1] if run.history else {}
        losses = {name: entry.get(name) and round(entry[name], 4) for name in ("policy_loss", "value_loss")}
        network = fast_inference(run.network)
        rows.append(
            dict(
                iteration=len(run.history),
                **losses,
                **key.report(key.moves(network, 0)),
                **key.errors(network),
                **branching(key, network, run.config.simulations, run.config.c_puct),
            )
        )

    train_in_lockstep(seed, look, **changes)
    return rows


EXPERIMENT = Experiment(
    question="Fatal moves, forks, branching, value error, cross-entropy, wins against weak players: what do they show?",
    published="named, without numbers",
    measure=measure,
    base=PLAIN,
    variants={"plain": {}},
    quick=dict(iterations=3, games=64, steps=30),
    seeds=range(5),
)


VIEWS: dict[str, Callable[[Row], float]] = {
    "fatal moves, %": lambda row: 100 * row["fatal"] / row["could_be"],
    "forks made, %": lambda row: 100 * row["forked"] / row["could_fork"],
    "missed, %": lambda row: 100 - 100 * row["forked"] / row["could_fork"],
    "won against random, %": lambda row: 100 * row["won_random"],
    "won against greedy, %": lambda row: 100 * row["won_greedy"],
    "value error": itemgetter("value_error"),
    "cross-entropy": itemgetter("cross_entropy"),
    "moves tried at the root, %": lambda row: 100 * row["tried"],
    "children per node": itemgetter("branching"),
    "drawn as second against perfect play, %": lambda row: 100 * row["drawn_second"],
    "losing lines": lost,
}
TWO_DIGITS = ("value error", "cross-entropy", "children per node")


@table_of("metrics_along_a_run")
def along(result: Result) -> str:
    lines = []
    for iteration in (0, 2, 3, 4, 6, 8, 10, 12):
        rows = result.where(iteration=iteration)
        cells = {name: f"{mean(map(view, rows)):.{2 if name in TWO_DIGITS else 1}f}" for name, view in VIEWS.items()}
        lines.append({"iteration": iteration} | cells)
    return table(lines)
