"""The parts of the course. It needs no library, so that a browser tab can name them, too."""

PARTS = {  # what a notebook's number, or the first digit of it, stands for
    "0": "The main road",
    "10": "One evening",  # a road of its own
    "1": "Where it came from",
    "2": "Inside the network",
    "3": "Larger games, faster search",
    "4": "Experiments",
    "9": "To look things up",
}
MORE = "## If you want more"  # heads what a notebook has folded at its end; an exercise below it is an extra


def part_of(notebook: str) -> str:
    """The part of the course that a notebook, "03_puct_search", belongs to."""
    return PARTS.get(notebook[:2]) or PARTS[notebook[0]]
