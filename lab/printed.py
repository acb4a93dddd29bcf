"""Programs of others, as they are printed, beside the same with their faults put right, and beside what is published: one table of three measurements."""

from collections.abc import Callable, Iterable

from course_utils.results import Row, table
from lab.saving import load_result
from lab.shown import figure, over_seeds

PRINTED = {
    "goes_on_after_a_win": ("as printed", "mended: a win ends the game in the tree, too"),
    "accepted_candidates": ("as printed", "mended"),
    "blog_search": ("as printed", "mended: finished games are not expanded", "mended, and the sign right"),
}


def cells(name: str, value: str | Callable[[Row], float], form: str = "{:.0f}", **values: object) -> list[str]:
    """Of each variant, over its seeds."""
    return [over_seeds(load_result(name), value, form, variant=variant, **values) for variant in PRINTED[name]]


def openings(name: str) -> list[str]:
    return [", ".join(str(row["opening"]) for row in load_result(name).where(variant=one)) for one in PRINTED[name]]


def ends(side: str) -> list[str]:
    """Of the games that came to an end: won, drawn and lost, in percent, over all seeds."""
    told = []
    for variant in PRINTED["blog_search"]:
        rows = load_result("blog_search").where(variant=variant, side=side)
        counts = [sum(row[outcome] for row in rows) for outcome in ("wins", "draws", "losses")]
        told.append("-".join(f"{100 * count / sum(row['games'] for row in rows):.0f}" for count in counts))
    return told


@figure
def printed_programs() -> str:
    rust_11, rust_14, post = "Rust course, 11", "Rust course, 14", "the post"

    def line(program: str, what: str, found: Iterable[str], published: str) -> Row:
        printed, mended, *more = found
        if more:
            mended += f"; with the sign, too: {more[0]}"
        return {"program": program, "figure": what, "as printed": printed, "mended": mended, "published": published}

    win, gate, blog = PRINTED
    return table([
        line(rust_11, "examples of 100 games", cells(win, "examples"), "671"),
        line(rust_11, "drawn of 100 games", cells(win, "draws"), "-"),
        line(rust_11, "won by O", cells(win, "o_wins"), "-"),
        line(rust_11, "loss at the end", cells(win, "loss", "{:.2f}"), "0.89"),
        line(rust_14, "candidates accepted, of 20", cells(gate, "accepted"), "early ones accepted, late ones mostly rejected"),
        line(rust_14, "drawn in the last iteration, %", cells(gate, lambda row: 100 * row["draws"] / row["games"]), "80-100"),
        line(rust_14, "first move, by seed", openings(gate), "4, the center"),
        line(post, "games that end in an error, %, as O", cells(blog, lambda row: 100 * row["raised"] / row["games"], side="O"), "none: its code came later"),
        line(post, "won-drawn-lost as X, %", ends("X"), "-"),
        line(post, "won-drawn-lost as O, %", ends("O"), "-"),
    ])  # fmt: skip
