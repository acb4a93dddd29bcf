"""What is a network worth under search, and what is one worth that knows nothing, or has random weights?"""

from course_utils.agents import CHECKPOINTS
from course_utils.learning.proof import tictactoe_key
from course_utils.networks import Network, UniformNetwork
from course_utils.networks.checkpoint import load_network
from course_utils.networks.fast import fast_inference
from course_utils.networks.policy_value import make_network
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.shown import chosen, each, lost, spread, table_of


def network(kind: str, seed: int) -> Network:
    key = tictactoe_key()
    if kind == "uniform":
        return UniformNetwork(key.game.num_actions)
    trained = kind == "trained"
    return fast_inference(
        load_network(CHECKPOINTS / "tictactoe.pt", key.game.name) if trained else make_network(key.game, seed)
    )


def measure(seed: int, kind: str, simulations: tuple[int, ...]) -> list[Row]:
    """The uniform and the shipped network are the same with every seed: they are measured with the first only."""
    if kind != "random" and seed:
        return []
    key, net = tictactoe_key(), network(kind, seed)
    return [dict(simulations=count, **key.report(key.moves(net, count, c_puct=1.5))) for count in simulations]


EXPERIMENT = Experiment(
    question="No network, random weights and a trained network under the same search: what is each worth?",
    published="",
    measure=measure,
    base=dict(simulations=(0, 1, 10, 20, 25, 50, 100, 200, 500)),
    variants={kind: dict(kind=kind) for kind in ("uniform", "random", "trained")},
    quick=dict(simulations=(0, 10, 25)),
    seeds=range(10),
)


@table_of("network_under_search")
def by_budget(result: Result) -> str:
    """One column for each budget: losing lines, and draws as second player against perfect play."""
    lines = []
    for kind in each(result.rows, "variant"):
        for what, value in (
            ("losing lines", lost),
            ("drawn as second player, %", lambda row: 100 * row["drawn_second"]),
        ):
            rows = result.where(variant=kind)
            cells = {str(n): spread(map(value, chosen(rows, simulations=n))) for n in each(result.rows, "simulations")}
            lines.append({"network": kind, "what": what} | cells)
    return table(lines)
