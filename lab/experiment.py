"""An experiment: one measurement for several variants and seeds.

A file in `lab/experiments` says what it varies; this one runs it.

    EXPERIMENT = Experiment(
        question="Does noise at the root of self-play help?",
        published="alpha-zero-general has none; the paper mixes in a quarter",
        measure=measure,                             # (seed, **settings) -> rows
        base=dict(iterations=12),
        variants={"with noise": {}, "without": dict(noise_fraction=0.0)},
        quick=dict(iterations=3),
    )

Each (seed, variant) is a unit: it runs in a process of its own, two at a time, and its rows are kept at once. What was
interrupted goes on with the units that are missing. A quick run ends within a minute or so, shows that the experiment
works, and is not saved with the others.
"""

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from multiprocessing import get_context

import torch

from course_utils.results import Row
from lab.command import COMMANDS, command


@dataclass(frozen=True)
class Experiment:
    """What is asked, and what is varied.

    Attributes:
        question: one sentence.
        published: what the texts say, with their numbers; "" where none does.
        measure: (seed, **settings) -> rows. The settings are `base` with a variant's changes.
        variants: name -> what it changes of `base`. The first is the control.
        quick: what a quick run changes, whatever the variant; it has one seed.
    """

    question: str
    published: str
    measure: Callable[..., list[Row]]
    variants: dict[str, dict]
    base: dict = field(default_factory=dict)
    quick: dict = field(default_factory=dict)
    seeds: range | tuple[int, ...] = range(3)


EXPERIMENTS: dict[str, Experiment] = {}


def register_all() -> None:
    """Make a command of every file in `lab/experiments`, called as the file is."""
    import lab.experiments as folder

    for module in pkgutil.iter_modules(folder.__path__):
        register(module.name, importlib.import_module(f"{folder.__name__}.{module.name}").EXPERIMENT)


def register(name: str, experiment: Experiment) -> None:
    def rows(
        variants=tuple(experiment.variants), seeds=experiment.seeds, quick=False, workers=2, begun=()
    ) -> Iterator[list[Row]]:
        if unknown := set(variants) - set(experiment.variants):
            raise SystemExit(f"no variant {', '.join(unknown)}; there are: {'; '.join(experiment.variants)}")
        done = {(row["seed"], row["variant"]) for row in begun}
        units = list(product(seeds[:1] if quick else seeds, variants))
        print(f"{name}: {experiment.question} {len(units)} runs" + (f", {len(done)} of them done" if done else ""))
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            runs = [
                pool.submit(unit, name, seed, variant, quick) for seed, variant in units if (seed, variant) not in done
            ]
            for run in runs:
                yield run.result()

    rows.__doc__ = experiment.question
    EXPERIMENTS[name] = experiment
    command(name)(rows)


def unit(name: str, seed: int, variant: str, quick: bool) -> list[Row]:
    """One variant with one seed. The rows also say how many seconds of processor time they took together."""
    if name not in EXPERIMENTS:  # a process of its own
        register_all()
    torch.set_num_threads(1)
    experiment, began = EXPERIMENTS[name], time.process_time()
    settings = {**experiment.base, **experiment.variants[variant], **(experiment.quick if quick else {})}
    rows = experiment.measure(seed=seed, **settings)
    seconds = round(time.process_time() - began, 1)
    return [dict(variant=variant, seed=seed, **row, cpu_seconds=seconds) for row in rows]


def names(word: str = "") -> list[str]:
    """Of the experiments in whose name the word is. Raises ValueError: there is none."""
    matching = [name for name in EXPERIMENTS if word in name and name in COMMANDS]
    if not matching:
        raise ValueError(f"no experiment is called {word!r}; there are: {', '.join(EXPERIMENTS)}")
    return matching
