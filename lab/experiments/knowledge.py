"""What does a network of tic-tac-toe know, when does it come to know it, and does it use it? Probes along a run."""

import numpy as np

from course_utils.learning.knowledge import (
    aucs,
    best_neurons,
    blocks_seen,
    line_threats,
    moves,
    opinion,
    played_without,
    questions,
    wins_seen,
    wins_seen_at_random,
)
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run
from course_utils.learning.training import TrainingConfig, train_alphazero
from course_utils.networks.probing import OpenNetwork, flattened, probe_auc, threats, without
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
            rows.extend(uses(seed, ask, network, number))

    look(run)
    train_alphazero(run, look)
    return rows


def uses(seed: int, ask, network: OpenNetwork, iteration: int) -> list[Row]:
    """What single neurons tell, what random labels tell, and what becomes of a win if its direction is taken away."""
    rng, rows = np.random.default_rng(seed), []
    at = dict(iteration=iteration)
    layers = dict(zip(network.names, network.layers(ask.planes), strict=True))
    for concept, labels in ask.concepts.items():
        shuffled = rng.permutation(labels)
        rows += [
            at
            | dict(
                kind="random labels",
                concept=concept,
                layer=name,
                auc=round(probe_auc(layer, shuffled, ask.held_out), 4),
            )
            for name, layer in layers.items()
        ]
    for name in network.names[1:]:
        chosen, best = best_neurons(layers[name], threats(ask.planes))
        _, line = best_neurons(layers[name], line_threats(ask.planes))
        whole, blind = moves(network, name, layers[name], ask.legal), played_without(ask, network, name)
        removed = np.array([wins_seen(ask, played) for played in blind])
        shares = dict(
            best_neuron=best.mean(),
            best_neuron_of_a_line=line.mean(),
            seen=wins_seen(ask, whole).mean(),
            seen_random=np.mean([wins_seen_at_random(ask, network, name, rng) for _ in range(10)]),
            seen_own=removed.diagonal().mean(),
            seen_others=removed[~np.eye(9, dtype=bool)].mean(),
            blocked=blocks_seen(ask, whole).mean(),
            blocked_own=np.mean([blocks_seen(ask, played)[cell] for cell, played in enumerate(blind)]),
        )
        rows.append(at | dict(kind="use", layer=name, neurons=len(set(chosen.tolist())), **rounded(shares)))
        for concept, labels in ask.concepts.items():
            blind = without(layers[name], labels, ask.held_out)
            random = flattened(layers[name], rng.normal(size=layers[name].shape[1]))
            for taken, layer in (("nothing", layers[name]), ("the concept", blind), ("a random direction", random)):
                said = opinion(ask, network, name, layer, concept)._asdict()
                told = probe_auc(layer, labels, ask.held_out)
                rows.append(
                    at
                    | dict(
                        kind="taken away", layer=name, concept=concept, taken=taken, **rounded(said | dict(auc=told))
                    )
                )
    return rows


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
    return {"probes": by_iteration, "taken away": by_direction}[which](result)


def by_iteration(result: Result) -> str:
    """How well a probe tells each concept of held-out positions from the last layer: the mean over the seeds, with the lowest and the highest."""
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


def by_direction(result: Result) -> str:
    """What taking a direction out of a layer does to the network after its training: lowest and highest of the seeds."""
    last = max(row["iteration"] for row in result.rows)
    return table(
        {"from": layer, "taken away": f"“{concept}”" if taken == "the concept" else taken, "of": concept}
        | {
            head: over_seeds(
                result, value, "{:.2f}", kind="taken away", iteration=last, layer=layer, concept=concept, taken=taken
            )
            for head, value in (
                ("probe", "auc"),
                ("value where it is there", "with_it"),
                ("where it is not", "without_it"),
                ("right moves", "right"),
            )
        }
        for concept in dict.fromkeys(row["concept"] for row in result.where(kind="taken away"))
        for layer in ("layer 1", "layer 2")
        for taken in ("nothing", "a random direction", "the concept")
    )
