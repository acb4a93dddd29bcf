"""Workers that play the games of a run in lock step: this process, other processes, or (`cluster.py`) other machines.

A *batch* of games is one call of `play_batch`, and a future of its result. Its games depend on its arguments alone.
"""

import copy
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import torch
from torch import nn

from course_utils.exercise import adopt, sources_in_force
from course_utils.games import Game
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import batched_self_play
from course_utils.learning.config import EngineConfig
from course_utils.learning.examples import Examples
from course_utils.learning.run import new_network
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.checkpoint import from_bytes
from course_utils.networks.fast import fast_inference
from course_utils.search.on_device import DeviceSearch, network_on_device


def play_batch(
    game: Game,
    config: EngineConfig,
    weights: bytes,
    games: int,
    seed: tuple[int, ...],
    settings: dict,
    device: str = "cpu",
) -> tuple[Examples, float]:
    """Self-play of `games` games at once; on another device than "cpu" by `DeviceSearch`.

    Returns (examples, seconds of processor time).
    """
    began = time.process_time()
    net = network_with(weights, game, config)
    rng, batched = np.random.default_rng(seed), make_batched(game)
    if device == "cpu":
        network = fast_inference(net)
        if config.network != "mlp":  # the small network answers sooner than the memory would
            network = CachedNetwork(network)
        examples = batched_self_play(batched, network, games, rng, lockstep=games, **settings)
    else:
        if config.search != "puct":
            raise ValueError(f"on a device games are played by puct, not {config.search}: leave DEVICE out")
        search: Any = DeviceSearch(device)
        on_device: Any = network_on_device(net, device)  # asked with tensors, by a search that knows
        examples = batched_self_play(batched, on_device, games, rng, lockstep=games, puct=search, **settings)
    return replace(examples, planes=examples.planes.astype(bool)), time.process_time() - began


def network_with(weights: bytes, game: Game, config: EngineConfig) -> nn.Module:
    """The network of a run, with weights that were sent as `to_bytes` packs a state."""
    net = new_network(game, config, seed=0)
    net.load_state_dict(from_bytes(weights))
    return net


def games_of(config: EngineConfig, group: int) -> int:
    """How many games are in group `group`, from 0, of an iteration: `config.parts` groups share the games evenly."""
    return config.games * (group + 1) // config.parts - config.games * group // config.parts


class Workers:
    """This process: a batch is played when it is begun.

    Others are made of this class; what they are asked is only this.

    Attributes:
        count: how many play beside the process that learns.
        ahead: whether they are given the batches of the next iteration, too, and an iteration takes those that are
            finished first. Then the one that learns waits for no particular batch, and what comes of the run depends on
            who was faster.
    """

    count = 0
    ahead = False

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, kind: type | None, *_: object) -> None:
        """Stop the workers."""

    def check(self, game: Game) -> None:
        """Raises ValueError: the workers can't play the game."""

    def share(self, weights: bytes) -> Any:
        """Publish the weights, once for each version. Returns what `begin` gets in their place."""
        return weights

    def begin(self, play: Callable, *arguments: Any) -> Future:
        """Call `play(*arguments)`. The future's `result` returns the result or raises the exception."""
        done: Future = Future()
        done.set_result(play(*arguments))
        return done

    def recall(self, future: Future) -> bool:
        """Cancel a batch, so that it will never be finished. Returns False if it is too late, or impossible."""
        return False


class ProcessPool(Workers):
    """Other processes on this machine. They play by the answers of the learner's that are in force here."""

    def __init__(self, count: int):
        from concurrent.futures import ProcessPoolExecutor  # which can't be imported in a browser tab

        self.count = count
        self.processes: list[Any] = []
        # not a fork, which would copy torch's threads in any state
        self.spawn = multiprocessing.get_context("spawn")
        noting: Any = copy.copy(self.spawn)
        noting.Process = self.process
        self.pool = ProcessPoolExecutor(count, noting, initializer=become_worker, initargs=(sources_in_force(),))

    def process(self, *args: Any, **options: Any) -> Any:
        """Make a process for the pool, and remember it, since the pool has no public list of its processes."""
        self.processes.append(self.spawn.Process(*args, **options))
        return self.processes[-1]

    def __exit__(self, kind: type | None, *_: object) -> None:
        self.pool.shutdown(wait=kind is None, cancel_futures=True)
        if kind is not None:  # the games under way are not needed
            for process in self.processes:
                if process.is_alive():
                    process.terminate()

    def check(self, game: Game) -> None:
        kind = type(game)
        if "<locals>" in kind.__qualname__:
            where = "within a function"
        elif kind.__module__ == "__main__" and not is_a_file(sys.modules["__main__"]):
            where = "in a notebook"
        else:
            return
        raise ValueError(
            f"{kind.__name__} is written {where}, where other processes can't find it: "
            "train with workers=0, or put the class into a file and import it"
        )

    def begin(self, play: Callable, *arguments: Any) -> Future:
        return self.pool.submit(play, *arguments)


def is_a_file(module: ModuleType) -> bool:
    """Whether another process can import the module, unlike one typed in a notebook or after >>>."""
    return any(getattr(module, name, None) for name in ("__file__", "__spec__"))


def become_worker(sources: dict[str, str]) -> None:
    """Initialize a worker process of this machine."""
    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that learns
    adopt(sources)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()


def end_with(parent: Any) -> None:
    """End this process with its parent, which can't say goodbye if it is killed."""
    parent.join()
    os._exit(1)


def hire(workers: int | str | Workers | None) -> Workers:
    """Make the workers of a run, to be entered by `with`.

    Args:
        workers: a number of processes (they are started when they are needed, so never more than an iteration has
            parts);
            None: one a core; 0: this process; "ray": the processors of the cluster at RAY_ADDRESS, or of this machine.

    Raises:
        ValueError: something else, or Ray is not installed.
    """
    match workers:
        case Workers():
            return workers
        case None:
            return ProcessPool(os.cpu_count() or 1)
        case 0 | "0":
            return Workers()
        case "ray":
            from course_utils.learning.cluster import RayCluster

            return RayCluster()
        case _ if str(workers).isdecimal():
            return ProcessPool(int(workers))
    raise ValueError(f"workers are a number of processes or ray, not {workers}")
