"""Batched search on a GPU beside the same search on the processor of one machine, in seconds by the clock."""

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import torch

from course_utils.games import ConnectFour
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_openings
from course_utils.networks.fast import fast_inference
from course_utils.networks.resnet import make_resnet
from course_utils.networks.wide import make_wide
from course_utils.results import Result, Row, table
from course_utils.search.batched import batched_search
from course_utils.search.on_device import DeviceSearch, network_on_device
from lab.command import command
from lab.shown import table_of

C_PUCT = 1.5


def fastest(search: Callable, simulations: int, rounds: int) -> float:
    """Seconds of the fastest round. Both searches hand back NumPy arrays, so a GPU has finished when they return."""
    search(2)  # not measured: the first call with so many boards
    seconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        search(simulations)
        seconds.append(time.perf_counter() - began)
    return min(seconds)


@command("search_on_device")
def search_on_device(simulations=64, rounds=3, games=(64, 256, 1024, 4096), seeds=(0,)) -> Iterator[Row]:
    """Simulations a second of Connect Four's search, by NumPy on one core and on the GPU, by games at once."""
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else "processor"
    there = DeviceSearch("cuda" if torch.cuda.is_available() else "cpu")
    game = ConnectFour()
    batched = make_batched(game)
    states, _ = batched_openings(batched, max(games), share=1.0, plies=14, rng=np.random.default_rng(seeds[0]))
    nets = {
        "4 x 64 tower": make_resnet(game, seed=seeds[0], blocks=4, channels=64),
        "wide": make_wide(game, seed=seeds[0], lines=True),
    }
    for name, net in nets.items():
        searches = ((batched_search, fast_inference(net.eval())), (there, network_on_device(net, there.device)))
        for count in games:
            rates = []
            for search, network in searches:
                once = partial(search, batched, states[:count], network, c_puct=C_PUCT)
                rates.append(count * simulations / fastest(once, simulations, rounds))
            yield dict(
                device=device, network=name, games=count, processor=rates[0], gpu=rates[1], ratio=rates[1] / rates[0]
            )


@table_of("search_on_device")
def rates(result: Result) -> str:
    columns = {"network": "{network}", "games at once": "{games:,}", "one core, simulations/s": "{processor:,}"}
    gpu = f"{result.rows[0]['device']}, simulations/s"
    return table(result.rows, columns | {gpu: "{gpu:,}", "times as fast": "{ratio:.1f}"})
