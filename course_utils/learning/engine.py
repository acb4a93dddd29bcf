"""The engine: the loop of `train_alphazero`, with the parts that an `EngineConfig` may exchange.

Two ways to play: `self_play_game`, one game after the other; or `batched_self_play`, many in lock step, by whichever
`Workers`, while this process learns from the games of the iterations before. Three ways to choose the network that
plays: the *latest*, which learns; the *average* of its weights over its latest steps, which is steadier and rarely
worse; or the *champion*, which plays until the latest network, the candidate, beats it at the *gate*.
"""

import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field

import torch
from torch import nn

from course_utils.learning.arena import Score, gate, random_openings
from course_utils.learning.examples import Examples
from course_utils.learning.run import Run
from course_utils.learning.self_play import self_play_game
from course_utils.learning.training import train_step
from course_utils.learning.workers import Workers, games_of, hire, play_batch
from course_utils.networks.checkpoint import to_bytes
from course_utils.networks.fast import fast_learning
from course_utils.networks.policy_value import TorchNetwork

STALEST = 4  # iterations between the weights that a batch is played with and the iteration that takes it, at most


def train(
    run: Run,
    callback: Callable[[Run], bool | None] | None = None,
    *,
    workers: int | str | Workers | None = None,
    device: str = "cpu",
) -> None:
    """Go on until the history has `config.iterations` entries, from wherever it stands.

    With a `TrainingConfig` this is `train_alphazero`, to the last bit.

    Args:
        callback: called with `run` after each iteration; training stops early if it returns True.
        workers: play the games in lock step, as for `hire`. The games are the same for all workers, unless they
            play ahead.
        device: of torch, on which they search and ask the network; "cpu" is the search on NumPy. This process learns on
            the processor.

    Raises ValueError: other processes are to play, and can't find the class of the game.
    """
    with hire(workers if run.config.lockstep else 0) as hired:
        hired.check(run.game)
        queue = Queue(run, hired, device)
        while len(run.history) < run.config.iterations:
            iteration(run, queue)
            if callback is not None and callback(run):
                return


def iteration(run: Run, queue: "Queue") -> None:
    config, cpu = run.config, time.process_time()
    run.begin_iteration()
    more: dict = {}  # for the history
    if config.lockstep:
        queue.fill()
        losses = learn(run)  # meanwhile, from what was played before
        batches = queue.take()
        games = [batch.games() for batch in batches]
        cpu -= sum(batch.cpu_seconds() for batch in batches) if queue.workers.count else 0.0
        more["batches"] = [batch.number for batch in batches]
        more["staleness"] = [len(run.history) - batch.version for batch in batches]
        run.keep(games)
    else:
        network = TorchNetwork(run.network)
        games = [self_play_game(run.game, network, run.rng, **run.settings()) for _ in range(config.games)]
        run.keep(games)
        losses = learn(run)
    accepted, score = pass_gate(run) if config.promotion == "gate" else (None, None)
    run.log(games, losses, accepted, score, cpu_seconds=time.process_time() - cpu, **more)


# --- learning and promotion ------------------------------------------------------------------------------------------


def learn(run: Run) -> list[dict[str, float]]:
    """The steps of an iteration; with "average", the network that plays follows each of them. Returns their losses."""
    if not len(run.buffer):
        return []  # the first games are still being played
    config, net, losses = run.config, fast_learning(run.latest), []
    for _ in range(config.steps):
        losses.append(train_step(net, run.optimizer, *run.sample()))
        run.steps += 1
        if config.promotion == "average":
            keep = min(config.average, (1 + run.steps) / (10 + run.steps))
            update_average(run.network, run.latest, keep)
    return losses


def pass_gate(run: Run) -> tuple[bool, Score]:
    """Let the candidate take the champion's place if it is good enough. Returns (whether it was, its score)."""
    config = run.config
    candidate, champion = (run.agent(net, config.gate_simulations) for net in (run.latest, run.network))
    openings = random_openings(run.game, config.gate_openings, config.gate_plies, run.rng)
    accepted, score = gate(run.game, candidate, champion, openings, config.gate_threshold)
    if accepted:
        run.network.load_state_dict(run.latest.state_dict())
    return accepted, score


@torch.no_grad()
def update_average(average: nn.Module, net: nn.Module, keep: float) -> None:
    """average = keep * average + (1 - keep) * net, batch norm's statistics included.

    Counters (whole numbers) are copied. `average` is changed in place; `net` stays as it is.
    """
    for mean, latest in zip(average.state_dict().values(), net.state_dict().values(), strict=True):
        if mean.is_floating_point():
            mean.lerp_(latest, 1 - keep)
        else:
            mean.copy_(latest)


# --- games in lock step ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Batch:
    """Games that were requested.

    Attributes:
        number: its id in the run, counted from 0. An iteration has `config.parts` batches.
        version: of the weights: the iterations that had been logged when it was requested.
    """

    number: int
    version: int
    future: Future

    def games(self) -> Examples:
        return self.future.result()[0]

    def cpu_seconds(self) -> float:
        return self.future.result()[1]


@dataclass
class Queue:
    """The batches of a run that are being played.

    The history says which were taken, so that no batch counts twice or is left out, even in a resumed run.
    """

    run: Run
    workers: Workers
    device: str = "cpu"
    pending: list[Batch] = field(default_factory=list)  # requested and not taken

    def fill(self) -> None:
        """Request the missing batches, played by the current network, and request overdue ones again."""
        run, config, version = self.run, self.run.config, len(self.run.history)
        overdue = [batch for batch in self.pending if version - batch.version >= STALEST]
        recalled = [batch for batch in overdue if self.workers.recall(batch.future)]
        self.pending = [batch for batch in self.pending if batch not in recalled]
        room = config.parts * (2 if self.workers.ahead else 1) - len(self.pending)
        requested = {number for entry in run.history for number in entry.get("batches", [])}
        requested |= {batch.number for batch in self.pending}
        missing = [number for number in range(config.parts * config.iterations) if number not in requested][:room]
        if not missing:
            return
        weights = self.workers.share(to_bytes(run.network.state_dict()))
        settings = run.lockstep_settings()
        for number in missing:
            iteration, group = divmod(number, config.parts)
            games, seed = games_of(config, group), (run.seed, iteration, group)
            arguments = (run.game, config, weights, games, seed, settings, self.device)
            self.pending.append(Batch(number, version, self.workers.begin(play_batch, *arguments)))

    def take(self) -> list[Batch]:
        """Wait until `config.parts` batches are finished, and take those with the oldest weights."""
        parts = self.run.config.parts
        while sum(batch.future.done() for batch in self.pending) < parts:
            wait([batch.future for batch in self.pending if not batch.future.done()], return_when=FIRST_COMPLETED)
        done = sorted(
            (batch for batch in self.pending if batch.future.done()), key=lambda batch: (batch.version, batch.number)
        )
        taken = done[:parts]
        self.pending = [batch for batch in self.pending if batch not in taken]
        return taken
