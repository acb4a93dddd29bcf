"""Runs that are killed, and workers on several machines: what of it costs how much, and that nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from course_utils.games import ConnectN, TicTacToe
from course_utils.learning.arena import count_lines
from course_utils.learning.cluster import RayCluster, cluster_of
from course_utils.learning.config import config_for
from course_utils.learning.engine import train
from course_utils.learning.run import Run
from course_utils.paths import COURSE
from course_utils.results import Result, Row, table
from lab.command import command
from lab.saving import load_result
from lab.shown import figure, table_of

# --- killed and resumed ----------------------------------------------------------------------------------------------


def begin_training(out: Path, seed: int, iterations: int) -> subprocess.Popen:
    """`make train` of tic-tac-toe in lock step, in one process."""
    words = f"train --game tictactoe --workers 0 --minutes 99 --seed {seed} --iterations {iterations}".split()
    line = [sys.executable, "-m", "course_utils", *words, "--out", str(out)]
    return subprocess.Popen(line, cwd=COURSE, env={**os.environ, "COURSE_READY": "1"}, stderr=subprocess.DEVNULL)


def saved(out: Path) -> int:
    """Iterations in the state of a run; 0 where there is none."""
    return len(Run.resume(out / "state.pt", TicTacToe()).history) if (out / "state.pt").exists() else 0


def noted(out: Path) -> int:
    """Iterations in the metrics of a run, which are written after its state."""
    path = out / "metrics.json"
    return len(json.loads(path.read_text())) if path.exists() else 0


def line_of(run: Run, seed: int, name: str, **more: Any) -> Row:
    agent = run.agent(run.network, 0)
    return dict(
        **more,
        seed=seed,
        run=name,
        iterations=len(run.history),
        games=sum(entry["games"] for entry in run.history),
        examples=sum(entry["examples"] for entry in run.history),
        batches=len({number for entry in run.history for number in entry["batches"]}),
        losing=sum(count_lines(run.game, agent, side).losses for side in (1, -1)),
    )


def same_networks(ours: Run, theirs: Run) -> bool:
    pairs = ((ours.network, theirs.network), (ours.latest, theirs.latest))
    states = [zip(a.state_dict().values(), b.state_dict().values(), strict=True) for a, b in pairs]
    return all(torch.equal(a, b) for state in states for a, b in state)


@command("kills")
def kills(kills=20, iterations=40, seeds=(0,)) -> Iterator[Row]:
    """A run SIGKILLed at random moments and resumed each time, beside the same run left alone."""
    for seed in seeds:
        with TemporaryDirectory() as folder:
            whole, killed = Path(folder, "whole"), Path(folder, "killed")
            began = time.monotonic()
            process = begin_training(whole, seed, iterations)
            while saved(whole) < 1:
                time.sleep(0.1)
            start = time.monotonic() - began
            process.wait()
            work = time.monotonic() - began - start
            rng = np.random.default_rng(seed)
            for number in range(kills):
                before = saved(killed)
                process = begin_training(killed, seed, iterations)
                began, more = (
                    time.monotonic(),
                    rng.integers(4),
                )  # a moment of the start, or of one of the next iterations
                while more and noted(killed) < before + more and process.poll() is None:
                    time.sleep(0.02)
                time.sleep(rng.uniform(0, work / iterations if more else start))
                alive = time.monotonic() - began
                process.send_signal(signal.SIGKILL)
                ended = process.wait()
                yield dict(seed=seed, kill=number + 1, seconds=alive, ended=ended, before=before, after=saved(killed))
            begin_training(killed, seed, iterations).wait()
            runs = [Run.resume(out / "state.pt", TicTacToe()) for out in (whole, killed)]
            yield line_of(runs[0], seed, "left alone")
            yield line_of(runs[1], seed, "killed", same=same_networks(*runs))


@table_of("kills")
def ends(result: Result) -> str:
    columns = {head: "{" + head.split()[0] + ":,}" for head in ("iterations", "games", "examples", "batches taken")}
    same = {"networks": lambda row: {True: "the same, bit for bit", False: "DIFFERENT"}.get(row.get("same"), "")}
    rows = [row for row in result.rows if "run" in row]
    return table(rows, {"run": "{run}", **columns, "losing lines, network alone": "{losing}", **same})


# --- a cluster on this machine ---------------------------------------------------------------------------------------


def players_only(game: Any, seed: int, **changes: Any) -> Run:
    """A run in which nearly all the work is self-play."""
    config = config_for(game, lockstep=True, network="mlp", steps=1, batch=32, first_simulations=None, **changes)
    return Run.start(game, config, seed)


@command("node_killed")
def node_killed(iterations=16, games=768, simulations=24, seeds=(0,)) -> Iterator[list[Row]]:
    """Games a second on a cluster of two nodes, of which one is killed half-way; a row for each iteration."""
    for seed in seeds:
        settings = dict(iterations=iterations, games=games, parts=8, simulations=simulations)
        yield half_on_one_node(players_only(ConnectN(5, 5, 4), seed, **settings))


def half_on_one_node(run: Run) -> list[Row]:
    rows: list[Row] = []
    half = run.config.iterations // 2
    with cluster_of(1, 1) as cluster:
        ended = time.perf_counter()

        def after(run: Run) -> None:
            nonlocal ended
            now, entry = time.perf_counter(), run.history[-1]
            noted = {name: entry[name] for name in ("iteration", "games", "examples")}
            noted |= {name: " ".join(map(str, entry[name])) for name in ("batches", "staleness")}
            rows.append(dict(seed=run.seed, nodes=2 if entry["iteration"] <= half else 1, seconds=now - ended, **noted))
            if entry["iteration"] == half:
                cluster.remove_node(cluster.others[0], allow_graceful=False)
            ended = now

        train(run, after, workers=RayCluster(cluster.address))
    return rows


@figure
def batches_once() -> str:
    """What became of the batches of a run on the cluster, in words."""
    taken = [number for row in load_result("node_killed").rows for number in map(int, row["batches"].split())]
    once = sorted(taken) == list(range(len(taken)))
    return f"all {len(taken)} batches once" if once else "NOT all batches once"
