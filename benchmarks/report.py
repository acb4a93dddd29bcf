"""From what is recorded to what is read: the pages of docs/ from their sources, and the picture on them.

A page is a Jinja template in docs/source; every measured figure in it is an expression, so none is typed.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from operator import itemgetter
from statistics import median, stdev

import jinja2
import matplotlib.pyplot as plt
import numpy as np

from benchmarks.experiment import EXPERIMENTS, register_all
from course_utils.agents import card
from course_utils.course.classroom.chosen import chosen, course
from course_utils.course.classroom.examine import NOT_EXAMINED
from course_utils.course.classroom.sandbox import LIMITS
from course_utils.exercise import using
from course_utils.files import write_atomically
from course_utils.learning.exam import POSITIONS, Share
from course_utils.learning.pairs import at_the_end, difference, mean_interval, points_kept
from course_utils.learning.scaling import beside_others, fit_costs, iteration_seconds, measured_seconds
from course_utils.learning.tournament import elo_ratings, wilson_interval
from course_utils.paths import COURSE
from course_utils.results import Row, load_result, names, pivot, table
from course_utils.tests.clinic import patients
from course_utils.ui.palette import BLUE, FAINT, GRAY, ORANGE, STYLE, TEAL

register_all()
DOCS = COURSE / "docs"
SOURCES, PICTURE = DOCS / "source", DOCS / "images" / "performance.png"


# --- rows to tables --------------------------------------------------------------------------------------------------


def share(row: Row) -> Share:
    return Share(row["kept"], row["of"])


def alone_or(row: Row) -> str:
    return f"{row['simulations'] or 'no'} simulations"


def search_speed(rows: list[Row]) -> str:
    return table(
        rows,
        {
            "game, network": "{game}, {network}",
            "games at once": "{games}",
            "simulations/s": "{search:,.0f}",
            "network's limit, boards/s": "{limit:,.0f}",
            "fraction": lambda row: f"{row['search'] / row['limit']:.2f}",
            "simulations that asked the network": "{asked:.2f}",
            "next move, with memory": "{cached:,.0f}",
            "times one game": "{ratio:.1f}",
        },
    )


def search_on_device(rows: list[Row]) -> str:
    columns = {"network": "{network}", "games at once": "{games:,}", "one core, simulations/s": "{processor:,}"}
    return table(
        rows, columns | {"{device}".format_map(rows[0]) + ", simulations/s": "{gpu:,}", "times as fast": "{ratio:.1f}"}
    )


def since_when(rows: list[Row]) -> tuple[str, str]:
    """Seconds of training until nothing loses: for the first time, and for good."""
    first = good = None
    for row in rows:
        lost = row["first"] + row["second"]
        if lost == 0 and first is None:
            first = row["seconds"]
        good = None if lost else (row["seconds"] if good is None else good)
    return tuple("never" if value is None else f"{value:.1f} s" for value in (first, good))


def tictactoe_proof(rows: list[Row]) -> str:
    """One line for each seed."""
    lines = []
    for seed in dict.fromkeys(row["seed"] for row in rows):
        line: Row = dict(seed=seed)
        for simulations in (0, 50, 100):
            found = [row for row in rows if row["seed"] == seed and row["simulations"] == simulations]
            line[f"since {simulations}"], line[f"good {simulations}"] = since_when(found)
            for name, row in (("untrained", found[0]), ("trained", found[-1])):
                line[f"lost {name} {simulations}"] = "{first} + {second}".format_map(row)
                line[f"kept {name} {simulations}"] = f"{100 * row['kept'] / row['of']:.2f} %"
            line["seconds"] = found[-1]["seconds"]
        lines.append(line)
    return table(
        lines,
        {
            "seed": "{seed}",
            "trained": "{seconds:.1f} s",
            "losing lines, untrained, alone": "{lost untrained 0}",
            "untrained, with 50": "{lost untrained 50}",
            "trained, alone": "{lost trained 0}",
            "trained, with 50": "{lost trained 50}",
            "alone: none after": "{since 0}",
            "alone: none for good after": "{good 0}",
            "with 50: none after": "{since 50}",
            "with 50: none for good after": "{good 50}",
            "right, untrained, alone": "{kept untrained 0}",
            "right, untrained, with 100": "{kept untrained 100}",
            "right, trained, alone": "{kept trained 0}",
            "right, trained, with 100": "{kept trained 100}",
        },
    )


def tictactoe_shipped(rows: list[Row]) -> str:
    return table(
        rows,
        {
            "player": lambda row: f"{row['network']}, {alone_or(row)}",
            "losing lines, first": "{first}",
            "losing lines, second": "{second}",
            "right": lambda row: f"{row['kept']:,} of {row['of']:,}",
        },
    )


def graded(player: Callable[[Row], str]) -> Callable[[list[Row]], str]:
    """Shares of value-keeping moves: one line for each player, one column for each group of positions."""

    def make(rows: list[Row]) -> str:
        lines = pivot([dict(row, player=player(row)) for row in rows], ["player"], "group", share)
        sizes = {row["group"]: row["of"] for row in rows}
        return table(lines, {"player": "{player}"} | {f"{group} ({of})": f"{{{group}}}" for group, of in sizes.items()})

    return make


def means_of_runs(rows: list[Row], by: str, asked: dict[str, Row], told: Callable[[list[Row]], Row]) -> str:
    """Shares where some move loses value: one line for the runs with the same BY, the mean of their seeds and its 95 % interval."""
    lines: list[Row] = []
    for value in dict.fromkeys(row[by] for row in rows):
        here = [row for row in rows if (row[by], row["group"]) == (value, "matters")]
        line: Row = {}
        for name, wanted in asked.items():
            found = [row for row in here if wanted.items() <= row.items()]
            line |= {"seeds": len(found)} | told(found)
            line[f"{name}, %"] = "{:.1f} ({:.1f} to {:.1f})".format(
                *mean_interval([100 * row["kept"] / row["of"] for row in found])
            )
        lines.append(line)
    return table(lines, {name: itemgetter(name) for name in lines[0]})


def connect_four_runs(rows: list[Row]) -> str:
    """Runs by their number of iterations."""
    asked = {"alone": dict(simulations=0, divisor=1.0)} | {
        f"100 simulations{words}": dict(simulations=100, divisor=divisor)
        for divisor in sorted({row["divisor"] for row in rows})
        for words in ["" if divisor == 1 else f", logits divided by {divisor:g}"]
    }

    def told(runs: list[Row]) -> Row:
        minutes = [row["minutes"] for row in runs]
        return dict(
            iterations=runs[0]["iterations"] or "untrained",
            minutes=f"{min(minutes):.1f} to {max(minutes):.1f}",
            games=f"{runs[0]['games']:,}",
        )

    return means_of_runs(rows, "iterations", asked, told)


GENERATIONS = ["self-play", "first", "second"]


def connect_four_half_hour_searches(rows: list[Row]) -> str:
    """The same runs by both searches, and by how many points Gumbel search is ahead."""
    puct, gumbel = ([row for row in rows if row["search"] == search] for search in ("PUCT", "Gumbel"))
    ahead = [dict(g, search="Gumbel ahead by", kept=g["kept"] - p["kept"]) for p, g in zip(puct, gumbel, strict=True)]
    asked = {row["search"]: dict(search=row["search"]) for row in rows + ahead}
    return means_of_runs(
        rows + ahead, "generation", asked, lambda runs: dict(generation=GENERATIONS[runs[0]["generation"]])
    )


def network_training(rows: list[Row]) -> str:
    """The range over the seeds."""

    def line(part: str, variant: str) -> Row:
        found = [row for row in rows if (row["part"], row["variant"]) == (part, variant)]
        made: Row = dict(variant=f"{part}: {variant}", seeds=len(found))
        for key, scale, form in (
            ("right", 100, ".0f"),
            ("value_loss", 1, ".2f"),
            ("policy_loss", 1, ".2f"),
            ("positions", 1, ".0f"),
        ):
            numbers = [scale * row[key] for row in found if key in row]
            made[key] = f"{min(numbers):{form}} to {max(numbers):{form}}" if numbers else ""
        return made

    heads = {
        "right": "right moves, %",
        "value_loss": "value loss",
        "policy_loss": "cross-entropy",
        "positions": "different positions",
    }
    lines = [line(*pair) for pair in dict.fromkeys((row["part"], row["variant"]) for row in rows)]
    return table(lines, {"what": "{variant}", "seeds": "{seeds}"} | {head: f"{{{key}}}" for key, head in heads.items()})


def ablations(rows: list[Row]) -> str:
    """Every variant at the end of its runs, and by how many points it differs from the first of them."""
    control, *_ = variants_of = list(dict.fromkeys(row["variant"] for row in rows))

    def line(variant: str) -> Row:
        found = list(at_the_end(rows, variant, 50).values())
        cells: Row = dict(variant=variant, seeds=len(found))
        for name in ("games", "seconds"):
            cells[name] = mean(float(row[name]) for row in found)
        for simulations in (0, 50):
            cells[f"kept {simulations}"] = mean(points_kept(rows, variant, simulations).values())
            if variant != control:
                middle, low, high = difference(rows, variant, control, simulations)
                cells[f"difference {simulations}"] = f"{middle:+.1f} ({low:+.1f} to {high:+.1f})"
        return cells

    heads = {"run": "{variant}", "seeds": "{seeds}", "games": "{games:,.0f}", "seconds": "{seconds:.0f}"}
    for simulations, name in ((0, "network alone"), (50, "50 simulations")):
        heads |= {f"{name}, %": f"{{kept {simulations}:.1f}}", f"{name}, difference": f"{{difference {simulations}}}"}
    return table(map(line, variants_of), heads)


def trained_apart(variant: str, control: str, at: float) -> str:
    """By how many points `variant` of gumbel_training is above `control` after AT seconds: the mean over the seeds, and its interval."""
    rows = load_result("gumbel_training").where(at=at)
    right = {(row["variant"], row["seed"]): 100 * row["kept"] / row["of"] for row in rows}
    seeds = dict.fromkeys(row["seed"] for row in rows)
    middle, low, high = mean_interval([right[variant, seed] - right[control, seed] for seed in seeds])
    return f"{middle:+.1f} ({low:+.1f} to {high:+.1f})"


def gumbel_training(rows: list[Row]) -> str:
    """Each variant at each moment: the mean share over the seeds, and by how much it differs from the first variant's."""
    control, *_ = variants = list(dict.fromkeys(row["variant"] for row in rows))
    moments = list(dict.fromkeys(row["at"] for row in rows))
    lines = []
    for variant in variants:
        line: Row = dict(variant=variant)
        for at in moments:
            some = [row for row in rows if (row["variant"], row["at"]) == (variant, at)]
            line[f"at {at:g}"] = f"{mean(100 * row['kept'] / row['of'] for row in some):.1f}"
            if variant != control:
                line[f"at {at:g}"] += f"; {trained_apart(variant, control, at)}"
            line["games"] = mean(float(row["games"]) for row in some)  # in the end those of the last moment
        lines.append(line)
    heads = {f"after {at:g} s, %": f"{{at {at:g}}}" for at in moments}
    return table(lines, {"self-play": "{variant}", **heads, "games in the end": "{games:,.0f}"})


def grading_class(rows: list[Row]) -> str:
    kinds = dict.fromkeys(row["kind"] for row in rows)
    lines = [{"kind": kind, "of_kind": [row for row in rows if row["kind"] == kind]} for kind in kinds]
    return table(
        lines,
        {
            "submissions": "{kind}",
            "how many": lambda line: len(line["of_kind"]),
            "honest marks lost": lambda line: sum(row["honest_marks_lost"] for row in line["of_kind"]),
            "undeserved passes": lambda line: sum(row["undeserved_passes"] for row in line["of_kind"]),
            "what they are": lambda line: ", ".join(row["submission"].replace("-", " ") for row in line["of_kind"]),
        },
    )


def held_openings(rows: list[Row]) -> str:
    """One line for each player; both halves together, since the table tells of one agent and chooses none."""
    lines = []
    for network, simulations in dict.fromkeys((row["network"], row["simulations"]) for row in rows):
        line: Row = dict(player=f"{network}, {alone_or(dict(simulations=simulations))}")
        for kind in ("won", "drawn"):
            group = [
                row
                for row in rows
                if (row["network"], row["simulations"], row["openings"]) == (network, simulations, kind)
            ]
            line[kind] = share(dict(kept=sum(row["kept"] for row in group), of=sum(row["of"] for row in group)))
            final = next(row for row in group if row["half"] == "final")
            line[f"final {kind}"] = f"{final['kept']} of {final['of']}"
        lines.append(line)
    return table(
        lines,
        {
            "player": "{player}",
            "won ones won": "{won}",
            "drawn ones held": "{drawn}",
            "of the final half, won": "{final won}",
            "held": "{final drawn}",
        },
    )


def grading_speed(rows: list[Row]) -> str:
    return table(
        rows,
        {
            "submissions of one notebook": "{submissions}",
            "exercises filled in": "{exercises}",
            "at a time": "{workers}",
            "minutes": lambda row: f"{row['seconds'] / 60:.0f}",
            "memory of all, GB": lambda row: f"{row['megabytes'] / 1000:.1f}",
            "load of the machine": "{waiting}",
        },
    )


def kills(rows: list[Row]) -> str:
    ends = [row for row in rows if "run" in row]
    columns = {head: "{" + head.split()[0] + ":,}" for head in ("iterations", "games", "examples", "batches taken")}
    same = {"networks": lambda row: {True: "the same, bit for bit", False: "DIFFERENT"}.get(row.get("same"), "")}
    return table(ends, {"run": "{run}", **columns, "losing lines, network alone": "{losing}", **same})


def batches_once(rows: list[Row]) -> str:
    """What became of the batches of a run, in words."""
    taken = [number for row in rows for number in map(int, row["batches"].split())]
    once = sorted(taken) == list(range(len(taken)))
    return f"all {len(taken)} batches once" if once else "NOT all batches once"


TABLES: dict[str, Callable[[list[Row]], str]] = {
    "search_speed": search_speed,
    "search_on_device": search_on_device,
    "tictactoe_proof": tictactoe_proof,
    "tictactoe_shipped": tictactoe_shipped,
    "connect_four_runs": connect_four_runs,
    "connect_four_half_hour_searches": connect_four_half_hour_searches,
    "connect_four_moves": graded(lambda row: f"{row['network']}, {alone_or(row)}"),
    "connect_four_others": graded(lambda row: row["player"]),
    "held_openings": held_openings,
    "ablations": ablations,
    "gumbel_training": gumbel_training,
    "network_training": network_training,
    "kills": kills,
    "grading_class": grading_class,
    "grading_speed": grading_speed,
}


# --- what the pages ask for ------------------------------------------------------------------------------------------


def made_table(name: str) -> str:
    """The table of a result, and below it how to measure it again."""
    return f"{TABLES[name](load_result(name).rows)}\n\n{origin(name)}"


INSTRUCTIONS = dict(amx_bf16="AMX and AVX-512", avx512f="AVX-512", avx2="AVX2")  # the fastest first


def origin(name: str) -> str:
    """How a result was measured, and by what kind of processor."""
    found = load_result(name)
    seconds = "" if found.seconds is None else f" in {found.seconds:.0f} s"
    flags = set(found.machine["flags"])
    best = next((name for flag, name in INSTRUCTIONS.items() if flag in flags), "neither AVX2 nor AVX-512")
    return f"*Measured by `{found.command}`{seconds}, {found.date}, commit {found.commit}, with {best}.*"


def percent(row: Row) -> str:
    return f"{100 * row['kept'] / row['of']:.1f} %"


def games_of(row: Row) -> int:
    return row["wins"] + row["draws"] + row["losses"]


def interval(row: Row, outcome: str) -> str:
    """Of the share of games with this outcome, in percent."""
    low, high = wilson_interval(row[outcome], games_of(row))
    return f"{100 * low:.0f}-{100 * high:.0f}"


def outcomes(row: Row) -> str:
    return f"first wins {row['wins']}, drawn {row['draws']}, second wins {row['losses']}"


def runs_together(name: str, **values) -> str:
    """The share of right moves where some move loses value: the mean of these runs, and its 95 % interval (Student's t)."""
    rows = load_result(name).where(group="matters", **values)
    return "{:.1f} % ({:.1f} to {:.1f})".format(*mean_interval([100 * row["kept"] / row["of"] for row in rows]))


def visited(*actions: int) -> float:
    """The mean share of visits, in percent, that an opening move among these got from the empty board."""
    rows = load_result("uct_opening").rows
    return mean(row["visits"] / 100 for row in rows if row["action"] in actions)


def held(simulations: int) -> str:
    """Draws as second player against perfect play."""
    row = load_result("uct_budgets").one(simulations=simulations, side="second")
    return f"{row['draws']} of {games_of(row)} ({interval(row, 'draws')} %)"


def drawn_by_side(name: str, varied: str, head: str = "") -> str:
    """Draws as first and as second player against perfect play, over what was varied."""
    rows = load_result(name).rows
    lines = pivot([dict(row, of=games_of(row)) for row in rows], ["side", "of"], varied, lambda row: row["draws"])
    values = {f"{value:g}": itemgetter(value) for value in dict.fromkeys(row[varied] for row in rows)}
    return table(lines, {head or varied: "drawn of {of}, moving {side}", **values})


def variants() -> str:
    """Draws as second player against perfect play, for every variant of the search."""
    kinds = {
        "selection by": ("uct_selection", "score"),
        "final move:": ("uct_rules", "rule"),
        "tree:": ("uct_tree", "variant"),
    }
    rows = [
        dict(row, variant=f"{kind} {row[varied]}")
        for kind, (name, varied) in kinds.items()
        for row in load_result(name).where(side="second")
    ]
    columns = {
        "variant": "{variant}",
        "drawn": lambda row: f"{row['draws']} of {games_of(row)}",
        "interval": lambda row: f"{interval(row, 'draws')} %",
    }
    return table(rows, columns)


def over_seeds(name: str, value: str | Callable[[Row], float], form: str = "{:.0f}", **values) -> str:
    """The mean over the seeds of an experiment, with the lowest and the highest."""
    get = itemgetter(value) if isinstance(value, str) else value
    found = [float(get(row)) for row in load_result(name).where(**values)]
    if len(found) == 1:
        return form.format(found[0])
    return f"{form.format(mean(found))} ({form.format(min(found))} to {form.format(max(found))}, {len(found)} seeds)"


def lost(row: Row) -> int:
    """Losing lines on both sides."""
    return row["first"] + row["second"]


def counted(name: str, outcome: str, **values) -> str:
    """Games with this outcome in all rows together, with the interval."""
    rows = load_result(name).where(**values)
    return of(sum(row[outcome] for row in rows), sum(map(games_of, rows)))


def thesis_sets() -> str:
    """The fourteen sets: what was published with its interval (of 50 games, as we take it), and what each of our runs draws, exactly."""
    rows = [row for row in load_result("thesis_sets").rows if row["simulations"]]
    sets = {
        name: [row for row in rows if row["variant"] == name] for name in dict.fromkeys(row["variant"] for row in rows)
    }
    alone = {name: load_result("thesis_sets").where(variant=name, simulations=0) for name in sets}
    lines = []
    for name, mine in sets.items():
        low, high = wilson_interval(mine[0]["published"], 50)
        words = {
            where: ", ".join(f"{100 * row['drawn_second']:.0f}" for row in some)
            for where, some in (("searched", mine), ("alone", alone[name]))
        }
        lines.append(
            dict(name=name, published=f"{2 * mine[0]['published']} ({100 * low:.0f}-{100 * high:.0f})", **words)
        )
    heads = {
        "published, % of 50 (interval)": "{published}",
        "here with 100 simulations, %, by seed": "{searched}",
        "here alone, %": "{alone}",
    }
    return table(lines, {"set": "{name}", **heads})


def sets_spread(which: str) -> float:
    """In points of percent: the standard deviation between the seeds of a set, on average, or between the means of the sets."""
    result = load_result("thesis_sets")
    drawn = [
        [100 * row["drawn_second"] for row in result.where(variant=name) if row["simulations"]]
        for name in variants_of("thesis_sets")
    ]
    return mean(map(stdev, drawn)) if which == "within" else stdev(map(mean, drawn))


def variants_of(name: str) -> list[str]:
    return list(dict.fromkeys(row["variant"] for row in load_result(name).rows))


def of(count: int, games: int) -> str:
    """A count of games with the interval of its share."""
    low, high = wilson_interval(count, games)
    return f"{count} of {games} ({100 * low:.0f}-{100 * high:.0f} %)"


def quoted(lines: list[tuple[str, str, str, str]]) -> str:
    """Published figures beside ours: what, where it is printed, what is printed there, and ours with its interval or range."""
    heads = ("figure", "printed in", "published", "here")
    return table([dict(zip(heads, line, strict=True)) for line in lines], {head: itemgetter(head) for head in heads})


def thesis_run() -> str:
    """The thesis' final run: all figures that its text prints."""
    runs = ("H", "H, a step an epoch")

    def ours(**values) -> str:
        return "; ".join(
            over_seeds("thesis_run", lambda row: 100 * row["drawn_second"], variant=run, **values) for run in runs
        )

    def losses(value) -> str:
        values = dict(games=1000, simulations=0)
        return "; ".join(over_seeds("thesis_run", value, "{:.2f}", variant=run, **values) for run in runs)

    def uct(count: int) -> str:
        rows = load_result("thesis_run").where(variant="UCT", simulations=count)
        return of(round(sum(100 * row["drawn_second"] for row in rows)), 100 * len(rows))

    return quoted([
        ("plain UCT, 100 iterations", "5.1.3, figure 5.4a", of(53, 100), uct(100)),
        ("the agent after its first 100 games, 100 iterations", "5.1.3, figure 5.4a", of(68, 100), ours(games=100, simulations=100)),
        ("the agent after 1,000 games, 100 iterations", "a point of figure 5.4, no number", "-", ours(games=1000, simulations=100)),
        ("the network alone after 1,000 games (one iteration)", "5.1.3, figure 5.4b", of(87, 100), ours(games=1000, simulations=0)),
        ("plain UCT, 200 iterations", "5.1.3, figure 5.4b", "under 70 of 100", uct(200)),
        ("loss at the end", "5.1.3, figure 5.2", "around 0.36, wavy", losses(total_loss)),
        ("value loss at the end", "5.1.3, figure 5.2", "under 0.1", losses("value_loss")),
    ])  # fmt: skip


def against_rollouts(variant: str, simulations: int, rollouts: int) -> str:
    return ", ".join(
        f"{word} {counted('network_against_rollouts', name, variant=variant, simulations=simulations, rollouts=rollouts)}"
        for word, name in (("won", "wins"), ("drawn", "draws"), ("lost", "losses"))
    )


def course_in_rust() -> str:
    """What the course in Rust says is to be expected, and what we measured."""
    runs = ("20 x 50", "20 x 100")
    taught, raw = variants_of("network_against_rollouts")[:2]

    def last(value, form: str) -> str:
        values = dict(simulations=0, iteration=20)
        return "; ".join(over_seeds("published_schedule", value, form, variant=run, **values) for run in runs)

    def at_the_end(told: Callable[[Row], object]) -> str:
        rows = [load_result("published_schedule").where(variant=run, simulations=200) for run in runs]
        return "; ".join(", ".join(str(told(row)) for row in some) for some in rows)

    return quoted([
        ("a taught network against rollouts, 200 iterations each", "section 12", "it should win most games", against_rollouts(taught, 200, 200)),
        ("the same, 100 against 500", "section 12", "comparable", against_rollouts(taught, 100, 500)),
        ("an untrained network against rollouts", "section 12", "it should do worse than rollouts (no counts given)", f"200 each: {against_rollouts(raw, 200, 200)}"),
        ("draws in self-play by iteration 15 to 20, %", "section 14", "80-100", last(lambda row: 100 * row["draws"] / row["games"], "{:.0f}")),
        ("policy loss", "section 14", "from 2.0-2.5 to 0.5-1.0", last("policy_loss", "{:.2f}")),
        ("value loss", "section 14", "under 0.3", last("value_loss", "{:.2f}")),
        ("mean length of a game", "section 14", "5-7", last(lambda row: row["examples"] / row["games"], "{:.1f}")),
        ("prior of the center on the empty board, %", "section 14", "heavily on the center", last(lambda row: 100 * row["center"], "{:.0f}")),
        ("candidates accepted in iterations 1 to 3", "sections 13, 14", "every time", "; ".join(f"{accepted(run, 3)}" for run in runs)),
        ("late candidates", "sections 13, 14", "mostly rejected; section 13 also: the gate rarely rejects", "; ".join(f"{rejected(run)} rejected" for run in runs)),
        ("against 10,000 rollouts, 200 iterations", "section 14", "100 of 100 drawn is asked for", f"shipped with the course: {counted('validations', 'draws', variant='trained')} drawn"),
        ("first move, 200 iterations", "section 14", "4, the center", at_the_end(itemgetter("opening"))),
        ("a human cannot win: losing lines, 200 iterations", "section 14", "none is asked for", at_the_end(lost)),
    ])  # fmt: skip


def accepted(name: str, until: int) -> str:
    """Candidates that the gate accepted in the first iterations."""
    rows = load_result("published_schedule").where(variant=name, simulations=0)
    first = [row["accepted"] for row in rows if row["iteration"] <= until]
    return of(sum(first), len(first))


def rejected(name: str) -> str:
    """Candidates that the gate rejected in the last five iterations."""
    rows = [
        row for row in load_result("published_schedule").where(variant=name, simulations=0) if row["iteration"] > 15
    ]
    return of(sum(not row["accepted"] for row in rows), len(rows))


def sign_at_the_leaf() -> str:
    """Against random moves, by the search that trained and the search that plays: the mean of the seeds, with the lowest and the highest."""
    result, lines = load_result("sign_at_the_leaf"), []
    for variant in variants_of("sign_at_the_leaf"):
        for iteration, which in ((0, "untrained"), (20, variant)):
            for searched_by in ("right", "as listed"):
                if iteration or variant == variants_of("sign_at_the_leaf")[0]:
                    values = dict(variant=variant, iteration=iteration, searched_by=searched_by)
                    shares = {
                        name: over_seeds(result.name, lambda row, name=name: 100 * row[name], **values)
                        for name in ("won", "drawn", "lost")
                    }
                    lines.append(dict(network=which, search=searched_by, **shares))
    return table(lines, {head: itemgetter(head) for head in lines[0]})


def parts_of_training() -> str:
    result = load_result("parts_of_training")
    lines = []
    for name in dict.fromkeys(row["variant"] for row in result.rows):
        alone, searched = (result.where(variant=name, simulations=count) for count in (0, 25))
        alone = [row for row in alone if row["iteration"] == searched[0]["iteration"]]
        share = mean(100 * row["kept"] / row["of"] for row in alone)
        found = {
            where: ", ".join(str(lost(row)) for row in some)
            for where, some in (("alone", alone), ("searched", searched))
        }
        lines.append(dict(name=name, share=f"{share:.1f}", **found))
    heads = {
        "optimal alone, mean, %": "{share}",
        "losing lines alone, by seed": "{alone}",
        "with 25 simulations": "{searched}",
    }
    return table(lines, {"changed": "{name}", **heads})


def staleness() -> str:
    """Losing lines of the network alone, by how late its games were: the mean over the seeds, with the lowest and the highest."""
    lines = [
        {"games are": name} | {f"after {iteration} iterations": over_seeds("staleness", lost, variant=name, iteration=iteration) for iteration in (4, 6, 8, 12, 20)}
        for name in variants_of("staleness")
    ]  # fmt: skip
    return table(lines, {head: itemgetter(head) for head in lines[0]})


def predicted_iterations() -> str:
    """Games per second by workers: what the model of notebook 13 says, and what was measured."""
    result, lines = load_result("scaling"), []
    with using({}):
        alone = fit_costs(result.rows)
        beside = beside_others(alone, result.where(part="iteration", workers=1))
        for count in dict.fromkeys(row["workers"] for row in result.where(part="iteration")):
            rows = result.where(part="iteration", workers=count)
            games = rows[0]["games"]
            seconds = (iteration_seconds(count, games, beside if count else alone), *measured_seconds(rows))
            lines.append(dict(zip(("predicted", "measured", "average"), (games / one for one in seconds), strict=True), workers=count))  # fmt: skip
    heads = {"predicted": "{predicted:.0f}", "measured": "{measured:.0f}"}
    heads["if all workers were as fast as the average"] = "{average:.0f}"
    return table(lines, {"workers": "{workers}", **heads})


def metrics_of_training() -> str:
    """Of the plain run, along its iterations."""
    views: dict[str, Callable[[Row], float]] = {
        "fatal moves, %": lambda row: 100 * row["fatal"] / row["could_be"],
        "forks made, %": lambda row: 100 * row["forked"] / row["could_fork"],
        "missed, %": lambda row: 100 - 100 * row["forked"] / row["could_fork"],
        "won against random, %": lambda row: 100 * row["won_random"],
        "won against greedy, %": lambda row: 100 * row["won_greedy"],
        "value error": itemgetter("value_error"),
        "cross-entropy": itemgetter("cross_entropy"),
        "moves tried at the root, %": lambda row: 100 * row["tried"],
        "children per node": itemgetter("branching"),
        "drawn as second against perfect play, %": lambda row: 100 * row["drawn_second"],
        "losing lines": lost,
    }
    two_digits = ("value error", "cross-entropy", "children per node")
    lines = []
    for iteration in (0, 2, 3, 4, 6, 8, 10, 12):
        rows = load_result("metrics_along_a_run").where(iteration=iteration)
        cells = {name: f"{mean(map(view, rows)):.{2 if name in two_digits else 1}f}" for name, view in views.items()}
        lines.append({"iteration": iteration} | cells)
    return table(lines, {head: itemgetter(head) for head in lines[0]})


def settings_in_play(varied: str) -> str:
    """Draws as second player against perfect play and wins against random moves, in percent, by c_puct (at temperature 0) or by temperature."""
    fixed = dict(temperature=0.0) if varied == "c_puct" else dict(c_puct=1.5)
    result = load_result("settings_in_play")
    lines = []
    for name in variants_of("settings_in_play"):
        rows = result.where(variant=name, **fixed)
        for count in dict.fromkeys(row["simulations"] for row in rows):
            for what, column in (
                ("drawn as second player, %", "drawn_second"),
                ("won against random, %", "won_random"),
            ):
                line: Row = {"network": name, "simulations": count, "what": what}
                for value in dict.fromkeys(row[varied] for row in rows):
                    chosen = {"simulations": count, varied: value}
                    found = [100 * row[column] for row in rows if chosen.items() <= row.items()]
                    spread = f" ({min(found):.0f}-{max(found):.0f})" if len(found) > 1 else ""
                    line[f"{varied} {value:g}"] = f"{mean(found):.0f}{spread}"
                lines.append(line)
    return table(lines, {head: itemgetter(head) for head in lines[0]})


def total_loss(row: Row) -> float:
    return row["policy_loss"] + row["value_loss"]


def lowest_loss() -> float:
    """Of all updates of the thesis' final run, trained anew."""
    return min(total_loss(row) for row in load_result("thesis_run").rows if row["games"])


def supervised_stage() -> str:
    """Right moves of the network alone and the policy's loss, by epochs."""
    result = load_result("supervised_stage")
    lines = []
    for name in variants_of("supervised_stage"):
        line: Row = {"varied": name}
        for epochs in dict.fromkeys(row["epochs"] for row in result.rows):
            rows = result.where(variant=name, epochs=epochs)
            right = [100 * row["right"] for row in rows]
            loss = mean(row["policy_loss"] for row in rows)
            line[f"{epochs} epochs: right moves, %; cross-entropy"] = (
                f"{mean(right):.0f} ({min(right):.0f}-{max(right):.0f}); {loss:.2f}"
            )
        lines.append(line)
    return table(lines, {head: itemgetter(head) for head in lines[0]})


def stops_by_loss() -> str:
    """By the limit of the loss: how many seeds reach it, and what has been learned by then."""
    lines = []
    for name in variants_of("stop_by_loss"):
        rows = load_result("stop_by_loss").where(variant=name)
        lines.append(
            {
                "loss": name,
                "reached": f"{sum(row['reached'] for row in rows)} of {len(rows)} seeds",
                "after iterations": ", ".join(str(row["iteration"]) for row in rows),
                "losing lines, network alone": ", ".join(str(lost(row)) for row in rows),
                "drawn as second player, %": ", ".join(f"{100 * row['drawn_second']:.0f}" for row in rows),
                "cross-entropy against perfect play": f"{mean(row['cross_entropy'] for row in rows):.2f}",
            }
        )
    return table(lines, {head: itemgetter(head) for head in lines[0]})


def eight_positions() -> str:
    """Of how many seeds the move is right, alone and with 25 simulations; and at the end what the networks of the run say of the value."""
    result = load_result("eight_positions")
    columns = {
        (row["variant"], row["iteration"]): f"{row['variant']}, iteration {row['iteration']}" if row["variant"].startswith("a run")
        else row["variant"]
        for row in result.rows
    }  # fmt: skip
    *_, last = [chosen for chosen in columns if chosen[0].startswith("a run")]
    lines = []
    for position in dict.fromkeys(row["position"] for row in result.rows):
        line: Row = {"position": position}
        for (variant, iteration), head in columns.items():
            cells = []
            for count in (0, 25):
                rows = result.where(variant=variant, iteration=iteration, simulations=count, position=position)
                cells.append(f"{sum(row['right'] for row in rows)} of {len(rows)}")
            line[head] = "; ".join(cells)
        rows = result.where(variant=last[0], iteration=last[1], simulations=0, position=position)
        values = [row["value"] for row in rows]
        line["value there (true)"] = (
            f"{mean(values):+.2f}, {min(values):+.2f} to {max(values):+.2f} ({rows[0]['true_value']:+.0f})"
        )
        lines.append(line)
    return table(lines, {head: itemgetter(head) for head in lines[0]})


def networks_under_search() -> str:
    """One column for each budget: losing lines, and draws as second player against perfect play."""
    rows = load_result("network_under_search").rows
    lines = []
    for kind in dict.fromkeys(row["variant"] for row in rows):
        for what, value in (
            ("losing lines", lost),
            ("drawn as second player, %", lambda row: 100 * row["drawn_second"]),
        ):
            line: Row = {"network": kind, "what": what}
            for count in dict.fromkeys(row["simulations"] for row in rows):
                found = [value(row) for row in rows if (row["variant"], row["simulations"]) == (kind, count)]
                spread = f" ({min(found):.0f}-{max(found):.0f})" if len(found) > 1 else ""
                line[str(count)] = f"{mean(found):.0f}{spread}"
            lines.append(line)
    return table(lines, {head: itemgetter(head) for head in lines[0]})


def ladder() -> str:
    """The ratings of all players, from the highest to the lowest, with their points."""
    rows = load_result("ladder").rows
    players = list(dict.fromkeys(row[side] for row in rows for side in ("one", "other")))
    points = np.zeros((len(players), len(players)))
    for row in rows:
        one, other = players.index(row["one"]), players.index(row["other"])
        points[one, other] += row["wins"] + row["draws"] / 2
        points[other, one] += row["losses"] + row["draws"] / 2
    with using({}):
        ratings = elo_ratings(points)
    share = points.sum(axis=1) / (points + points.T).sum(axis=1)
    lines = [
        dict(name=players[i], elo=f"{ratings[i]:+.0f}", share=f"{100 * share[i]:.0f}") for i in np.argsort(-ratings)
    ]
    return table(lines, {"player": "{name}", "Elo": "{elo}", "points, %": "{share}"})


def click_times() -> str:
    """Milliseconds: the median over all clicks, in brackets the longest."""
    result, lines = load_result("click_times"), []
    for game, count in dict.fromkeys((row["game"], row["simulations"]) for row in result.rows):
        line: Row = {"game": game, "simulations": count}
        for what in ("stone", "reply"):
            for board in ("before", "now"):
                times = [row[what] for row in result.where(board=board, game=game, simulations=count)]
                line[f"{what}, {board}"] = f"{median(times):.0f} ({max(times):.0f})"
        lines.append(line)
    return table(lines, {head: itemgetter(head) for head in lines[0]})


def unrecorded() -> list[str]:
    """Experiments that have no result."""
    return sorted(set(EXPERIMENTS) - set(names()))


def clinic() -> str:
    """What each patient has, and how it ends."""
    result, known = load_result("bug_clinic"), patients()
    last = max(row["iteration"] for row in result.rows)
    lines = [
        dict(
            row,
            mistake=known[row["variant"]].diagnosis if row["variant"] in known else "none",
            caught=f"`tests.test_{known[row['variant']].exercise}`" if row["variant"] in known else "",
            lines=lost(row),
            share=f"{100 * row['kept'] / row['of']:.1f}",
            drawn=f"{100 * row['draws'] / (row['first_wins'] + row['draws'] + row['second_wins']):.0f}",
            different_=f"{100 * row['different'] / row['examples']:.0f}",
            accepted_=sum(one["accepted"] for one in result.where(variant=row["variant"])),
        )
        for row in result.rows
        if row["iteration"] == last
    ]
    columns = {
        "patient": "{variant}", "mistake": "{mistake}", "losing lines": "{lines}", "optimal, %": "{share}", "policy loss": "{policy_loss:.2f}",
        "value loss": "{value_loss:.2f}", "draws in self-play, %": "{drawn}", "different positions, %": "{different_}",
        f"accepted of {last}": "{accepted_}", "caught by": "{caught}",
    }  # fmt: skip
    return table(lines, columns)


def mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / len(values)


def pairs_shown(name: str, simulations: int, shown: bool = True) -> str:
    """The variants whose difference from the first is larger than chance explains (its interval leaves out 0), or the others."""
    rows = load_result(name).rows
    control, *others = dict.fromkeys(row["variant"] for row in rows)
    found = []
    for variant in others:
        middle, low, high = difference(rows, variant, control, simulations)
        if (low > 0 or high < 0) == shown:
            found.append(f"{variant} ({middle:+.1f})")
    return "; ".join(found) or "none"


def minutes(only: str, road: str = "") -> int:
    """What a week takes, in fives: the minutes of its notebooks; of a notebook given in part, the share that its exercises have."""
    notebooks, exercises = chosen(only, road)
    takes = {entry["id"]: entry["minutes"] for entry in course()}
    found = 0.0
    for source in notebooks:
        whole = sum(takes[name] for name in (source.road_exercises if road else source.exercises))
        part = sum(entry["minutes"] for entry in exercises if entry["notebook"] == source.name)
        found += (source.road_minutes if road else source.minutes) * (part / whole if whole else 1)
    return 5 * round(found / 5)


FIGURES = dict(
    minutes=minutes,
    result=load_result,
    table=made_table,
    percent=percent,
    interval=interval,
    games=games_of,
    outcomes=outcomes,
    runs_together=runs_together,
    pairs=pairs_shown,
    batches_once=batches_once,
    visited=visited,
    held=held,
    drawn_by_side=drawn_by_side,
    variants=variants,
    mean=mean,
    over_seeds=over_seeds,
    lost=lost,
    counted=counted,
    origin=origin,
    thesis_sets=thesis_sets,
    parts_of_training=parts_of_training,
    predicted_iterations=predicted_iterations,
    staleness=staleness,
    networks_under_search=networks_under_search,
    clinic=clinic,
    ladder=ladder,
    unrecorded=unrecorded,
    click_times=click_times,
    measured=names,
    metrics_of_training=metrics_of_training,
    settings_in_play=settings_in_play,
    stops_by_loss=stops_by_loss,
    lowest_loss=lowest_loss,
    total_loss=total_loss,
    supervised_stage=supervised_stage,
    eight_positions=eight_positions,
    sets_spread=sets_spread,
    variants_of=variants_of,
    thesis_run=thesis_run,
    course_in_rust=course_in_rust,
    sign_at_the_leaf=sign_at_the_leaf,
    card=card("connect_four"),
    positions=json.loads(POSITIONS.read_text("utf-8"))["meta"],
    limits=LIMITS,
    not_examined=NOT_EXAMINED,
)


def page(name: str) -> str:
    """The page docs/NAME, from its source. Raises jinja2.UndefinedError or ValueError: it asks for what there isn't."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(SOURCES), undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    environment.filters["lost"] = lost
    environment.filters["games"] = games_of
    environment.filters["share"] = lambda row: 100 * row["kept"] / row["of"]
    return environment.get_template(name).render(**FIGURES)


def pages() -> list[str]:
    return sorted(path.name for path in SOURCES.glob("*.md"))


# --- the picture -----------------------------------------------------------------------------------------------------

DRAWN = ("search_speed", "tictactoe_proof", "connect_four_course", "connect_four_others")


def fingerprint() -> str:
    """Of the rows that the picture shows; it is kept in the file."""
    return hashlib.sha256(json.dumps([load_result(name).rows for name in DRAWN]).encode()).hexdigest()


def draw() -> plt.Figure:
    """Search speed, the way to a proven player, and strength over time, side by side."""
    figure, axes = plt.subplots(1, 3, figsize=(11, 4.6), layout="constrained")
    draw_search(axes[0], load_result("search_speed").rows)
    draw_proof(axes[1], load_result("tictactoe_proof").where(way="batched", simulations=0))
    draw_course(axes[2])
    for ax in axes:
        ax.grid(axis="y", linewidth=0.7)
        ax.set_axisbelow(True)
    return figure


def draw_search(ax, rows: list[Row]) -> None:
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
    ax.legend(loc="upper left", bbox_to_anchor=(-0.15, -0.18))


def draw_proof(ax, rows: list[Row]) -> None:
    seeds = list(dict.fromkeys(row["seed"] for row in rows))
    for seed in seeds:
        mine = [row for row in rows if row["seed"] == seed]
        losing = [row["first"] + row["second"] for row in mine]
        ax.plot([row["seconds"] for row in mine], losing, "-", color=BLUE, linewidth=1.3)
    ax.set_yscale("symlog", linthresh=1)
    ax.set(xlabel="seconds of training, one core", ylabel="losing lines of play", ylim=(-0.15, 2000))
    ax.set_yticks([0, 1, 10, 100, 1000], ["0", "1", "10", "100", "1000"])
    ax.set_title(f"Tic-tac-toe, network alone, {len(seeds)} seeds", fontsize=11)


def draw_course(ax) -> None:
    course = load_result("connect_four_course")
    for simulations, color, label in ((0, TEAL, "network alone"), (100, BLUE, "100 simulations")):
        rows = course.where(simulations=simulations, group="matters")
        minutes = [row["minutes"] for row in rows]
        low, high = zip(*(share(row).interval for row in rows), strict=True)
        ax.fill_between(
            minutes, *([100 * bound for bound in side] for side in (low, high)), color=color, alpha=0.15, lw=0
        )
        ax.plot(minutes, [100 * row["kept"] / row["of"] for row in rows], "o-", color=color, label=label)
    for row in load_result("connect_four_others").where(group="matters"):
        if row["player"].startswith(("alpha-beta, depth 6", "rollouts, 100", "rollouts, 800")):
            level = 100 * row["kept"] / row["of"]
            ax.axhline(level, color=GRAY, linewidth=1, linestyle=":")
            ax.text(minutes[-1], level - 0.4, row["player"], ha="right", va="top", fontsize=10, color=FAINT)
    ax.set(xlabel="minutes on two cores", ylabel="moves that keep the value, %", ylim=(35, 100))
    ax.set_title("Connect Four, a tower in training", fontsize=11)
    ax.legend(loc="lower right")


def report() -> None:
    """Make all of it anew."""
    for name in pages():
        write_atomically(DOCS / name, page(name))
    with plt.rc_context(STYLE):
        draw().savefig(PICTURE, dpi=110, metadata={"Results": fingerprint()})
    print(f"made anew: {', '.join(pages())} and {PICTURE.name}, in docs/")
