"""A small experiment of your own: a control, one change, the same seeds for both, and what the differences show."""

from collections.abc import Sequence

from course_utils.learning.config import config_for
from course_utils.learning.engine import train
from course_utils.learning.pairs import mean_interval, percent_kept
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.run import Run

PLAIN = dict(
    simulations=16,
    noise_fraction=0.25,
    opening_share=0.0,
    root_share=0.0,
    blunder_margin=3.0,
    policy_power=1.0,
    window=8,
    steps=60,
)  # as little as possible that a change could interact with


def short_runs(name: str, *, seeds: Sequence[int], **settings) -> list[dict]:
    """Short trainings of tic-tac-toe, one for each seed, with these settings in place of the plain ones.

    Returns:
        A row for each iteration of each run: `variant` (the name), `seed`, `iteration`, and what the champion, alone,
        is worth.
    """
    key, rows = tictactoe_key(), []
    for seed in seeds:
        run = Run.start(key.game, config_for(key.game, lockstep=True, **{**PLAIN, **settings}), seed)

        def look(run: Run, seed: int = seed) -> None:
            worth = key.report(key.moves(run.network, 0))
            rows.append(dict(variant=name, seed=seed, iteration=len(run.history), **worth))

        train(run, look, workers=0)
    return rows


def sentence(control: list[dict], changed: list[dict]) -> str:
    """Say what the differences between runs with the same seed show, at 95 %.

    Both have the same two to ten seeds.
    """
    ends = [_percent_kept_at_the_end(rows) for rows in (control, changed)]
    if ends[0].keys() != ends[1].keys() or len(ends[0]) < 2:
        return "The two have different seeds or lengths, or only one seed: run the control again, too."
    differences = [end - ends[0][which] for which, end in ends[1].items()]
    middle, low, high = mean_interval(differences)
    verdict = "no difference that these seeds can show" if low <= 0 <= high else "better" if middle > 0 else "worse"
    name, baseline = changed[0]["variant"], control[0]["variant"]
    return f"{name}: {middle:+.1f} points ({low:+.1f} to {high:+.1f}) against {baseline}: {verdict}"


def _percent_kept_at_the_end(rows: list[dict]) -> dict[tuple[int, int], float]:
    """(seed, iteration) -> the share of moves that keep the value, in %, at the last iteration."""
    last = max(row["iteration"] for row in rows)
    return {(row["seed"], last): percent_kept(row) for row in rows if row["iteration"] == last}
