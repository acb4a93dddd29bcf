"""Name the parts of the course, without any library, so that a browser tab can name them, too."""

PARTS = {  # a notebook's number, or its first digit -> the part of the course
    "0": "The main road",
    "10": "One evening",  # a road of its own
    "1": "Where it came from",
    "2": "Inside the network",
    "3": "Larger games, faster search",
    "4": "Experiments",
    "9": "To look things up",
}
MORE = "## If you want more"  # the heading of the folded section at a notebook's end, whose exercises are extras


def part_of(notebook: str) -> str:
    """The part of the course that a notebook, "03_puct_search", belongs to."""
    return PARTS.get(notebook[:2]) or PARTS[notebook[0]]
