"""What does a network of tic-tac-toe know, when does it come to know it, and does it use it? Probes along a run."""

from collections.abc import Iterator

import numpy as np

from course_utils.learning.knowledge import (
    aucs,
    best_neurons,
    control_auc,
    line_threats,
    moves,
    opinion,
    paired,
    played_by_direction,
    played_without,
    questions,
    wins_seen,
)
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.learning.training import TrainingConfig, train_alphazero
from course_utils.networks.probing import (
    OpenNetwork,
    flattened,
    principal_component,
    probe_auc,
    threats,
    variance_removed,
    without,
)
from course_utils.results import Result, Row, table
from lab.experiment import Experiment
from lab.shown import over_seeds, table_of


def measure(seed: int, **changes) -> list[Row]:
    """The champion before training and after each iteration; the seed also decides which positions are held out."""
    key, ask = tictactoe_key(), questions(seed)
    rows: list[Row] = []
    run = Run.start(key.game, TrainingConfig(**changes), seed)

    def look(run: Run) -> None:
        network, number = OpenNetwork(run.network), len(run.history)
        lost = sum(key.losing_lines(key.moves(run.network, 0)))
        ends = number in (0, run.config.iterations)  # every layer; in between the last one only
        rows.extend(
            dict(kind="probe", iteration=number, lost=lost, concept=concept, layer=name, auc=round(value, 4))
            for concept in ask.concepts
            for name, value in zip(network.names, aucs(ask, network, concept), strict=True)
            if ends or name == network.names[-1]
        )
        if ends:
            rows.extend(uses(ask, network, number))

    look(run)
    train_alphazero(run, look)
    return rows


def uses(ask, network: OpenNetwork, iteration: int) -> list[Row]:
    """What single neurons tell, what a probe learns by heart, and what is played when a direction is taken away."""
    layers = dict(zip(network.names, network.layers(ask.planes), strict=True))
    top_row = (ask.planes[:, 0] - ask.planes[:, 1])[:, 0]
    learned = control_auc(list(layers.values()), top_row, ask.held_out)
    rows: list[Row] = [
        dict(kind="control task", layer=name, auc=round(value, 4)) for name, value in zip(layers, learned, strict=True)
    ]
    for name in network.names[1:]:
        played = played_by_direction(ask, network, name).items()
        rows.append(cells(ask, network, name))
        rows += [dict(kind="played", layer=name, taken=taken) | rounded(shares) for taken, shares in played]
        rows += by_concept(ask, network, name)
    return [dict(iteration=iteration) | row for row in rows]


def cells(ask, network: OpenNetwork, name: str) -> Row:
    """What single neurons of this layer tell, and how many wins are played without the direction "cell c wins"."""
    layer = network.layers(ask.planes)[network.names.index(name)]
    chosen, best = best_neurons(layer, threats(ask.planes))
    _, line = best_neurons(layer, line_threats(ask.planes))
    removed = np.array([wins_seen(ask, played) for played in played_without(ask, network, name, "c wins")])
    shares = dict(
        best_neuron=best.mean(),
        best_neuron_of_a_line=line.mean(),
        seen=wins_seen(ask, moves(network, name, layer, ask.legal)).mean(),
        seen_own=removed.diagonal().mean(),
        seen_others=removed[~np.eye(9, dtype=bool)].mean(),
    )
    return dict(kind="use", layer=name, neurons=len(set(chosen.tolist()))) | rounded(shares)


def by_concept(ask, network: OpenNetwork, name: str) -> Iterator[Row]:
    """The network's opinion with each concept's direction taken out, and with the first principal component."""
    layer = network.layers(ask.planes)[network.names.index(name)]
    component = flattened(layer, principal_component(layer))
    for concept, labels in ask.concepts.items():
        whole = opinion(ask, network, name, layer, concept)
        for taken, blind in (
            ("nothing", layer),
            ("the concept", without(layer, labels, ~ask.held_out)),
            ("principal component 1", component),
        ):
            result = opinion(ask, network, name, blind, concept)
            numbers = dict(
                with_it=result.with_it,
                without_it=result.without_it,
                right=result.right.mean(),
                auc=probe_auc(blind, labels, ask.held_out),
                variance=variance_removed(layer, blind),
            )
            pairs = paired(whole.right, result.right)
            counts = dict(moves_lost=pairs.lost, moves_gained=pairs.gained, positions=pairs.of)
            yield dict(kind="taken away", layer=name, concept=concept, taken=taken) | rounded(numbers) | counts


def rounded(shares: dict[str, float]) -> dict[str, float]:
    return {name: round(float(share), 4) for name, share in shares.items()}


EXPERIMENT = Experiment(
    question="What do the layers of a network of tic-tac-toe tell, at which iteration, and does it play by that?",
    published="McGrath and others 2022 asked this of AlphaZero's network of chess",
    measure=measure,
    variants={"the training loop": {}},
    quick=dict(iterations=2, games=10),
    seeds=range(5),
)


@table_of("knowledge")
def shown(result: Result, which: str = "probes") -> str:
    tables = {
        "probes": by_iteration,
        "control": beside_control,
        "played": by_situation,
        "taken away": by_direction,
    }
    return tables[which](result)


def by_iteration(result: Result) -> str:
    """How well a probe tells each concept from the last layer, in held-out positions: mean, lowest, highest seed."""
    iterations = (0, 1, 2, 4, 8, 20)
    concepts = dict.fromkeys(row["concept"] for row in result.where(kind="probe"))
    return table(
        {"the last layer tells": concept}
        | {
            f"after {number} iterations": over_seeds(
                result, "auc", "{:.2f}", kind="probe", concept=concept, layer="layer 2", iteration=number
            )
            for number in iterations
        }
        for concept in concepts
    )


def beside_control(result: Result) -> str:
    """How well a probe tells the first concept, and labels to learn by heart, before and after training."""
    first, last = result.rows[0]["concept"], max(row["iteration"] for row in result.rows)
    return table(
        {
            "iterations": number,
            "layer": layer,
            first: over_seeds(result, "auc", "{:.2f}", kind="probe", iteration=number, layer=layer, concept=first),
            "control task": over_seeds(result, "auc", "{:.2f}", kind="control task", iteration=number, layer=layer),
        }
        for number in (0, last)
        for layer in ("board", "layer 1", "layer 2")
    )


def by_situation(result: Result) -> str:
    """How often c is played in each situation after training, by the direction taken out: means of cells and seeds."""
    last = max(row["iteration"] for row in result.rows)
    rows = result.where(kind="played", iteration=last)
    return table(
        {"from": layer, "taken away": taken}
        | {
            situation: over_seeds(result, situation, "{:.0%}", kind="played", iteration=last, layer=layer, taken=taken)
            for situation in ("c wins", "c must be blocked", "no threat", "another cell wins")
        }
        for layer, taken in dict.fromkeys((row["layer"], row["taken"]) for row in rows)
    )


def by_direction(result: Result) -> str:
    """What taking a direction out of a layer does to the trained network: the mean, lowest and highest seed."""
    last = max(row["iteration"] for row in result.rows)
    return table(
        {"from": layer, "taken away": f"“{concept}”" if taken == "the concept" else taken, "of": concept}
        | {
            head: over_seeds(
                result, value, form, kind="taken away", iteration=last, layer=layer, concept=concept, taken=taken
            )
            for head, value, form in (
                ("probe", "auc", "{:.2f}"),
                ("value where it is there", "with_it", "{:.2f}"),
                ("where it is not", "without_it", "{:.2f}"),
                ("right moves", "right", "{:.2f}"),
                ("lost", "moves_lost", "{:.0f}"),
                ("gained", "moves_gained", "{:.0f}"),
                ("share of the variance", "variance", "{:.1%}"),
            )
        }
        for concept in dict.fromkeys(row["concept"] for row in result.where(kind="taken away"))
        for layer in ("layer 1", "layer 2")
        for taken in ("nothing", "principal component 1", "the concept")
    )
