"""The published capstone of 20 x 50 games as its code runs it: a step of gradient descent after every example, not every 32."""

from dataclasses import replace

from benchmarks.experiments.published_schedule import EXPERIMENT as AS_PRINTED

EXPERIMENT = replace(
    AS_PRINTED,
    question="The published schedule with a step after every example, as its code runs: what do 32 times as many steps change?",
    variants={"20 x 50, batch 1": dict(games=50, batch=1)},
    seeds=range(1),
)
