"""Search trees as texts tell them (`world.trees.told`), read into pictures: yours and the right one, what differs first
marked in both.

A node of a picture has
    up: the number of its parent, None at the root;
    step: the action that leads to it;
    board: its position, or None for a move that has no node;
    edge: [text, whether it is marked], what is written on the edge that leads to it;
    below: the same, what is written below its board.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from course_utils.tests.looks import boards

Picture = dict[str, Any]
Mark = tuple[str, str]  # (the path of a node, "N", "W", "P", "node", "board", "over", "returned" or "remark")

NODE = re.compile(r"(root(?:/-?\d+)*): (.*)")
BELOW = re.compile(r"^root/(\S+)(?=: )", re.M)
TABLE = re.compile(r", ([NWP]) \{([^}]*)\}")
OVER = re.compile(r", the game is over, worth (\S+)")
BOARD = re.compile(r"[XO.]+(?: [XO.]+)*")
STEP = re.compile(r" --(-?\d+)--> ")
FIELD = re.compile(r"(\w+)\.([A-Z]\w*)(?:\[(-?\d+)\])?(?:\.sum\(\))?")
MOST_NODES, DEEPEST = 8, 3


@dataclass
class Told:
    """A node that a line tells of."""

    board: str = ""
    tables: dict[str, dict[str, str]] = field(default_factory=dict)  # "N" -> action -> number
    over: str = ""
    returned: str = ""
    remark: str = ""


def read(text: Any) -> dict[str, Told]:
    """Path -> node, the root first; {} if this is no such text."""
    nodes: dict[str, Told] = {}
    for line in text.splitlines() if isinstance(text, str) else []:
        match = NODE.match(line)
        if not match:
            return {}
        path, rest = match.groups()
        shown = BOARD.match(rest)
        over = OVER.search(rest)
        nodes[path] = Told(
            shown[0] if shown else "",
            {
                name: dict(entry.split(": ") for entry in entries.split(", ") if ": " in entry)
                for name, entries in TABLE.findall(rest)
            },
            over[1] if over else "",
            "returned" if rest.endswith("(returned)") else "",
            "" if shown else rest,
        )
    return nodes if "root" in nodes else {}


def in_words(text: str) -> str:
    """The text with a node named by the moves that lead to it: "after 2, 5: " for "root/2/5: "."""
    return BELOW.sub(lambda match: "after " + match[1].replace("/", ", "), text)


def pair(expected: str, got: Any) -> tuple[Picture, Picture | None] | None:
    """Both trees as pictures; None if the first text tells of no tree."""
    right, yours = read(expected), read(got)
    if not right:
        return None
    mark = _first(right, yours) if yours else None
    shown = _shown(right, yours, mark)
    return _picture(right, shown, mark), _picture(yours, shown, mark) if yours else None


def only(text: str) -> Picture | None:
    """The tree that a text tells of."""
    nodes = read(text)
    return _picture(nodes, _shown(nodes, {}, None), None) if nodes else None


def _first(right: dict[str, Told], yours: dict[str, Told]) -> Mark | None:
    """What differs first, on the way from the root."""
    for path in sorted({**right, **yours}, key=lambda path: (path.count("/"), path)):
        right_node, your_node = right.get(path), yours.get(path)
        if right_node is None or your_node is None:
            return path, "node"
        for name in ("board", "over", "returned", "remark"):
            if getattr(right_node, name) != getattr(your_node, name):
                return path, name
        for name in "NWP":
            a, b = right_node.tables.get(name, {}), your_node.tables.get(name, {})
            for action in sorted({*a, *b}, key=int):
                if a.get(action) != b.get(action):
                    return f"{path}/{action}", name
    return None


def _shown(right: dict[str, Told], yours: dict[str, Told], mark: Mark | None) -> set[str]:
    """The paths that are drawn: the one that is marked and those above it, then the most visited near the root."""
    marked = mark[0].split("/") if mark else ["root"]
    paths = ["/".join(marked[:length]) for length in range(1, len(marked) + 1)]

    def rank(path: str) -> tuple:
        above, _, action = path.rpartition("/")
        visits = [float(tree[above].tables.get("N", {}).get(action, 0)) for tree in (right, yours) if above in tree]
        return path.count("/"), -max(visits, default=0.0), path

    others = sorted({*right, *yours, *_visited(right), *_visited(yours)} - {*paths}, key=rank)
    kept = {*paths}
    for path in others:
        deep = path.count("/") > max(DEEPEST, len(marked) - 1)
        if len(kept) < MOST_NODES and not deep and path.rpartition("/")[0] in {*kept, ""}:
            kept.add(path)
    return kept


def _visited(nodes: dict[str, Told]) -> list[str]:
    """The paths of the moves that have visits, whether there is a node or not."""
    return [f"{path}/{action}" for path, node in nodes.items() for action in node.tables.get("N", {})]


def _picture(nodes: dict[str, Told], shown: set[str], mark: Mark | None) -> Picture:
    where, kind = mark or ("", "")
    priors = kind == "P" or not any("N" in node.tables for node in nodes.values())
    numbers: dict[str, int] = {}
    drawn: list[Picture] = []

    def key(path: str) -> tuple:
        return path.count("/"), [int(step) for step in path.split("/")[1:]]

    for path in sorted(shown, key=key):
        above, _, action = path.rpartition("/")
        if above and above not in numbers:
            continue
        node, upper = nodes.get(path), nodes.get(above)
        edge = []
        for name in "NWP" if priors else "NW":
            number = upper.tables.get(name, {}).get(action, "") if upper else ""
            is_it = (path, name) == mark
            if number or is_it:
                edge.append([f"{name} {number or '0'}".replace("-", "−"), is_it])
        if node is None and not edge and path != where:
            continue
        numbers[path] = len(drawn)
        hidden = sum(below.rpartition("/")[0] == path and below not in shown for below in nodes)
        drawn.append(
            {
                "up": numbers.get(above),
                "step": action if above else "",
                "edge": edge,
                **_node(node, path == where, kind, hidden),
            }
        )
    return {"kind": "tree", "nodes": drawn}


def _node(node: Told | None, is_it: bool, kind: str, hidden: int) -> Picture:
    if node is None:
        gone = is_it and kind == "node"
        return {"board": None, "below": [["no node", True]] if gone else [], "mark": False}
    rows = node.board.split()
    below = [["over, worth " + node.over.replace("-", "−"), is_it and kind == "over"]] if node.over else []
    below += [["returned", is_it and kind == "returned"]] if node.returned else []
    below += [[node.remark, is_it and kind == "remark"]] if node.remark else []
    below += [["not over", True]] if is_it and kind == "over" and not node.over else []
    below += [["not returned", True]] if is_it and kind == "returned" and not node.returned else []
    below += [[f"+ {hidden} more", False]] if hidden else []
    picture = boards.board(len(rows), len(rows[0]), "".join(rows)) if rows else None
    return {"board": picture, "below": below, "mark": is_it and kind in ("board", "node")}


# --- a line of nodes --------------------------------------------------------------------------------------------------


def chain_in(text: str) -> "Chain | None":
    """Read a position like "root --8--> a --7--> leaf (worth 1)" as a line of nodes; None if it is no such line."""
    names = STEP.split(text)
    if len(names) < 3 or "\n" in text:
        return None
    return Chain([*names[:-1:2], names[-1].partition(" (")[0]], names[1::2])


@dataclass(frozen=True)
class Chain:
    """Nodes below each other, each with one child, and the actions that lead from one to the next."""

    names: list[str]
    steps: list[str]

    def picture(self, edges: list[list] | None = None, below: list[list] | None = None) -> Picture:
        """edges, below: for each node what is written on the edge that leads to it, and below it; see the top of this
        file.
        """
        nodes = [
            {
                "up": number - 1 if number else None,
                "step": self.steps[number - 1] if number else "",
                "name": name,
                "board": None,
                "edge": edges[number] if edges else [],
                "below": below[number] if below else [],
                "mark": False,
            }
            for number, name in enumerate(self.names)
        ]
        return {"kind": "tree", "nodes": nodes}

    def with_values(self, texts: list[tuple[str, bool]]) -> Picture | None:
        """Write a text on each edge or below each node, marked or not; None if there are more texts or fewer."""
        each = [[list(text)] for text in texts]
        if len(texts) == len(self.steps) > 1:
            return self.picture(edges=[[], *each])
        return self.picture(below=each) if len(texts) == len(self.names) else None

    def with_parts(self, texts: list[tuple[str, str, bool]]) -> Picture | None:
        """(expression, value, whether it is marked): `root.N[8]` belongs to an edge, `leaf.W` to a node; None if one
        belongs to neither.
        """
        edges: list[list] = [[] for _ in self.names]
        below: list[list] = [[] for _ in self.names]
        for expression, value, marked in texts:
            match = FIELD.fullmatch(expression)
            if not match or match[1] not in self.names:
                return None
            number = self.names.index(match[1])
            if match[3] and number < len(self.steps) and self.steps[number] == match[3]:
                edges[number + 1].append([f"{match[2]} {value}", marked])
            else:
                below[number].append([f"{expression.partition('.')[2]} {value}", marked])
        return self.picture(edges, below)
