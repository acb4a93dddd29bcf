"""What docs/performance.md states, measured again: `make bench`.

    python benchmarks/bench.py [PART ...] [--run FOLDER] [--minutes 30]

Parts: search, tictactoe, course, moves, others, rollouts, and on request solver (needs the extra of that name), ship, ablation. `course`
trains Connect Four in FOLDER for so many minutes, or goes on with the run that is there, and grades it along the way; `ship` makes
its agent the one that comes with the course.

What a part finds is kept in docs/results; `report` (always last) makes the tables, the plot and the agent's card from there.
"""

import argparse
import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import ablations
import connect_four_strength
import matplotlib.pyplot as plt
import search_speed
import tictactoe_proof
import torch

from course_utils.agents import CHECKPOINTS, card
from course_utils.files import replace_between, write_atomically
from course_utils.learning.batched_training import BatchedTraining
from course_utils.learning.exam import Share
from course_utils.learning.tournament import RESULTS, load_results
from course_utils.networks.checkpoint import save_network
from course_utils.paths import ROOT

HERE = Path(__file__).parent
PAGE, PLOT = ROOT / "docs" / "performance.md", ROOT / "docs" / "images" / "performance.png"
RUN_COMMAND = "python -m course_utils train --game connect_four --out runs/connect_four --minutes 60 --seed 1"
BLUE, ORANGE, GREEN, GRAY = "#1f4e8c", "#c2571a", "#2a8c82", "#7a858e"


def measure(script: str, *arguments) -> None:
    """Run a benchmark in a process of its own."""
    command = [sys.executable, str(HERE / f"{script}.py"), *map(str, arguments)]
    print("$", " ".join(command[1:]), flush=True)
    subprocess.run(command, cwd=ROOT, check=True)


def search(options) -> None:
    measure("search_speed", "--json", RESULTS / "search_speed.json")


def tictactoe(options) -> None:
    measure("tictactoe_proof", "batched", "--json", RESULTS / "tictactoe_proof.json")


def course(options) -> None:
    train = ["train", "--game", "connect_four", "--out", options.run, "--minutes", options.minutes, "--seed", 1]
    subprocess.run([sys.executable, "-m", "course_utils", *map(str, train)], cwd=ROOT, check=True)
    strength("course", options.run)


def ship(options) -> None:
    """Put the run's agent, rounded to 16 bits, in the place of the shipped one, with a card that says where it is from."""
    training = BatchedTraining.resume(options.run / "state.pt")
    save_network(CHECKPOINTS / "connect_four.pt", training.average, "connect_four", half=True)
    history = training.history
    write_card(
        dict(
            game="connect_four",
            command=options.command,
            seed=training.seed,
            c_puct=training.config.c_puct,
            iterations=len(history),
            games=sum(entry["games"] for entry in history),
            examples=sum(entry["examples"] for entry in history),
            cpu_minutes_on_two_cores=round(training.cpu_seconds / 120, 1),
            machine=options.machine,
            torch=torch.__version__,
            parameters=sum(parameter.numel() for parameter in training.average.parameters()),
            configuration=asdict(training.config),
        )
    )


def write_card(content: dict) -> None:
    write_atomically(CHECKPOINTS / "connect_four.json", json.dumps(content, indent=1) + "\n")


def moves(options) -> None:
    strength("moves")


def others(options) -> None:
    strength("others")


def rollouts(options) -> None:
    strength("rollouts")


def solver(options) -> None:
    strength("solver")


def ablation(options) -> None:
    measure("ablations", "--json", RESULTS / "ablations.json")


def strength(command: str, *arguments) -> None:
    measure("connect_four_strength", command, *arguments, "--json", RESULTS / "connect_four.json")


def shares(rows: dict[str, dict]) -> dict[str, dict[str, Share]]:
    """Rows as they come back from JSON, where a Share is a list."""
    return {name: {group: Share(*share) for group, share in row.items()} for name, row in rows.items()}


def card_with_strength(content: dict, found: dict) -> dict:
    """The card of the shipped agent, with what `moves`, `rollouts` and `solver` found."""

    def rounded(share: list) -> dict:
        kept, of, *bounds = share
        return dict(
            percent=round(100 * kept / of, 1), interval=[round(100 * bound, 1) for bound in bounds], positions=of
        )

    sample = (
        "course_utils/games/data/connect_four_positions.json; percent and 95 % Wilson interval; every group after 'all' "
        "counts only positions where some move loses value"
    )
    graded = {name: {group: rounded(share) for group, share in row.items()} for name, row in found["moves"].items()}
    games = {
        "against_1200_rollouts_with_800_simulations": found.get("rollouts"),
        "first_player_against_perfect_play": found.get("solver"),
    }
    return {**content, "value_keeping_moves": dict(sample=sample, **graded), **{k: v for k, v in games.items() if v}}


def tables() -> dict[str, str]:
    """By the name of its place in the page; only what has been measured."""
    made = {}
    if (RESULTS / "search_speed.json").exists():
        made["search"] = search_speed.table(load_results("search_speed"))
    if (RESULTS / "tictactoe_proof.json").exists():
        made["tictactoe"] = tictactoe_proof.table(load_results("tictactoe_proof")["batched"])
    found = load_results("connect_four") if (RESULTS / "connect_four.json").exists() else {}
    if "course" in found:
        made["course"] = connect_four_strength.table(shares(connect_four_strength.course_rows(found["course"])))
    for name in ("moves", "others"):
        if name in found:
            made[name] = connect_four_strength.table(shares(found[name]))
    for name in ("rollouts", "solver"):
        if name in found:
            rows = [
                f"| {who} | {r['wins']} | {r['draws']} | {r['losses']} | {r['different']} |"
                for who, r in found[name].items()
            ]
            made[name] = "\n".join(["| | won | drawn | lost | different games |", "|---|---|---|---|---|", *rows])
    if (RESULTS / "ablations.json").exists():
        made["ablations"] = ablations.table(load_results("ablations"))
    return made


def draw() -> plt.Figure:
    """Search speed, the way to a proven player, and strength over time, side by side."""
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.9), facecolor="white", layout="constrained")
    draw_search(axes[0], load_results("search_speed"))
    draw_proof(axes[1], load_results("tictactoe_proof")["batched"])
    draw_course(axes[2], load_results("connect_four"))
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="y", color="#e3e6e8", linewidth=0.7)
        ax.set_axisbelow(True)
    return figure


def draw_search(ax, rows: list[dict]) -> None:
    kinds = {(row["game"], row["network"]): None for row in rows}
    for (game, network), color, marker in zip(kinds, (BLUE, GRAY, ORANGE), "os^", strict=False):
        mine = [row for row in rows if (row["game"], row["network"]) == (game, network)]
        batches = [row["games"] for row in mine]
        name = game.replace("_", " ").replace("tictactoe", "tic-tac-toe").replace("connect four", "Connect Four")
        ax.plot(batches, [row["search"] for row in mine], marker + "-", color=color, label=f"{name}, {network}")
        ax.plot(batches, [row["limit"] for row in mine], ":", color=color)
    ax.set(xscale="log", yscale="log", xlabel="games at once", ylabel="simulations a second, one core")
    ax.set_title("Search (dotted: the network's limit)", fontsize=11)
    ax.set_xticks([1, 64, 256, 1024], ["1", "64", "256", "1024"])
    ax.minorticks_off()
    ax.legend(frameon=False, fontsize=8.5)


def draw_proof(ax, seeds: dict[str, dict]) -> None:
    for found in seeds.values():
        seconds = [entry[0] for entry in found["course"]]
        losing = [entry[1]["first"] + entry[1]["second"] for entry in found["course"]]
        ax.plot(seconds, losing, "-", color=BLUE, linewidth=1.3)
    ax.set_yscale("symlog", linthresh=1)
    ax.set(xlabel="seconds of training, one core", ylabel="losing lines of play", ylim=(-0.15, 2000))
    ax.set_yticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1000"])
    ax.set_title(f"Tic-tac-toe, network alone, {len(seeds)} seeds", fontsize=11)


def draw_course(ax, found: dict) -> None:
    def percent(share) -> float:
        return 100 * share[0] / share[1]

    for simulations, color, label in ((0, GREEN, "network alone"), (100, BLUE, "100 simulations")):
        points = [entry for entry in found["course"] if entry["simulations"] == simulations]
        low, high = ([100 * entry["shares"]["matters"][i] for entry in points] for i in (2, 3))
        minutes = [entry["minutes"] for entry in points]
        ax.fill_between(minutes, low, high, color=color, alpha=0.15, linewidth=0)
        ax.plot(minutes, [percent(entry["shares"]["matters"]) for entry in points], "o-", color=color, label=label)
    for name, row in found["others"].items():
        if name.startswith(("alpha-beta, depth 6", "rollouts, 800", "rollouts, 10")):
            ax.axhline(percent(row["matters"]), color=GRAY, linewidth=1, linestyle=":")
            ax.text(
                points[-1]["minutes"],
                percent(row["matters"]) - 0.4,
                name,
                ha="right",
                va="top",
                fontsize=8,
                color="#4b555d",
            )
    ax.set(xlabel="minutes on two cores", ylabel="moves that keep the value, %", ylim=(35, 100))
    ax.set_title("Connect Four, judged by a perfect player", fontsize=11)
    ax.legend(frameon=False, loc="lower right", fontsize=8.5)


def report() -> None:
    page = PAGE.read_text("utf-8")
    for name, table in tables().items():
        page = replace_between(page, name, table.splitlines())
    write_atomically(PAGE, page)
    try:
        draw().savefig(PLOT, dpi=110)
    except ValueError as missing:
        print(f"no plot yet: {missing}")
    found = load_results("connect_four")
    if "moves" in found:
        write_card(card_with_strength(card("connect_four"), found))
    print(f"made anew: {PAGE.relative_to(ROOT)}, {PLOT.relative_to(ROOT)} and the card of the Connect Four agent")


PARTS = {part.__name__: part for part in (search, tictactoe, course, moves, others, rollouts, solver, ship, ablation)}
ON_REQUEST = (solver, ship, ablation)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}, report; the first six if none is named"
    )
    parser.add_argument("--run", type=Path, default=Path("runs/bench"))
    parser.add_argument("--minutes", type=float, default=60, help="of the clock, for `course`")
    parser.add_argument(
        "--machine", default=f"{os.cpu_count()} cores, CPU only", help="for the card that `ship` writes"
    )
    parser.add_argument("--command", default=RUN_COMMAND, help="how FOLDER was made, for the card that `ship` writes")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in (*PARTS, "report")]
    if unknown:
        parser.error(f"there is no part {', '.join(unknown)}")
    if "solver" in options.parts and importlib.util.find_spec("bitbully") is None:
        parser.error("`solver` needs the extra: pip install -e .[solver]")
    for part in options.parts or [name for name, part in PARTS.items() if part not in ON_REQUEST]:
        if part != "report":
            PARTS[part](options)
    report()
    return 0


if __name__ == "__main__":
    sys.exit(main())
