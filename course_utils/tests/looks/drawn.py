"""Pictures (see `looks`) as HTML and small inline SVG, in the colors of the page, light or dark. Everything in a
picture is escaped.
"""

import re
from functools import cache
from html import escape
from typing import Any

from course_utils.paths import PACKAGE

Picture = dict[str, Any]

CELL = 30  # pixels of a cell of a board with numbers
SMALL = 44  # pixels of a board within a tree
ACROSS, GAP, LINE = 70, 32, 16  # a tree: from leaf to leaf, above the first line of an edge's text, from line to line

STYLE = """
.course-case svg{overflow:visible;font:11px system-ui,sans-serif}
.course-case .ln{stroke:var(--grid);fill:none}
.course-case .gd{fill:var(--card);stroke:var(--grid)}
.course-case .sx{stroke:var(--blue);fill:none}
.course-case .so{stroke:var(--orange);fill:none}
.course-case text{fill:var(--ink);text-anchor:middle;font-variant-numeric:tabular-nums}
.course-case .up{stroke:var(--gray);fill:none;stroke-width:1.5}
.course-case .mk{fill:none;stroke-width:2.5}
.course-case .yours .mk{stroke:var(--wrong)}
.course-case .right .mk{stroke:var(--teal);stroke-dasharray:5 2}
.course-case .mt{font-weight:700;text-decoration:underline}
.course-case .yours :is(b,div).mt{color:var(--wrong)}
.course-case .pics{display:flex;flex-wrap:wrap;gap:10px 34px;margin:6px 0 6px 18px}
.course-case figure{margin:0;max-width:100%}
.course-case figcaption{color:var(--faint);margin-bottom:3px}
.course-case .items{display:flex;flex-wrap:wrap;gap:6px 14px}
.course-case .items>div{text-align:center}
.course-case .items table.nums{margin:0 auto}
.course-case .items span{display:block;color:var(--faint);font-size:12px}
.course-case table{font:inherit}
.course-case tr{background:none!important}
.course-case table.nums{border-collapse:collapse;border:none;margin:0;font-variant-numeric:tabular-nums}
.course-case table.nums td{border:1px solid var(--grid);padding:1px 6px;text-align:center}
.course-case table.nums td{background:var(--card);color:var(--ink)}
.course-case table.nums th{border:none;padding:0 6px 3px;text-align:center;background:none}
.course-case table.nums th{font-weight:400;font-size:11px;color:var(--faint)}
.course-case .yours td.mk{outline:2.5px solid var(--wrong);font-weight:700}
.course-case .right td.mk{outline:2.5px dashed var(--teal);font-weight:700}
.course-case pre{margin:4px 0 4px 18px;padding:0;color:var(--ink);background:none}
.course-case pre{white-space:pre-wrap;overflow-wrap:anywhere}
.course-case .unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.course-case summary{cursor:pointer}
"""


@cache
def style() -> str:
    """The style sheet of a check: the colors of the course's pages, and what stands above."""
    colors = (PACKAGE / "ui" / "course.css").read_text("utf-8")
    light = re.search(r"\.course-ui \{.*?\}", colors, re.S)
    dark = re.search(r'body\[data-jp-theme-light="false"\].*?(?=\.course-ui button)', colors, re.S)
    own = ".course-ui.course-case{container-type:normal}"
    text = "".join(match[0] for match in (light, dark) if match) + own + STYLE
    return "<style>" + re.sub(r"\s+", " ", text) + "</style>"


def figure(caption: str, picture: Picture, text: str, whose: str = "") -> str:
    """A picture below its caption. The text is for screen readers, and for pages that remove pictures."""
    title = escape(str(picture.get("title", ""))) if picture["kind"] != "row" or caption == "position" else ""
    mark = " class=mt" if picture.get("mark") == "title" else ""
    below = f"<div{mark}>{title}</div>" if title else ""
    hidden = f"<span class='unseen'>{escape(text)}</span>" if picture["kind"] != "grid" else ""
    return f"<figure class='{whose}'><figcaption>{escape(caption)}</figcaption>{hidden}{drawn(picture)}{below}</figure>"


def drawn(picture: Picture) -> str:
    return {"board": _board, "grid": _grid, "tree": _tree, "row": _row, "text": _text}[picture["kind"]](picture)


def _svg(width: float, height: float, content: str) -> str:
    return (
        f"<svg aria-hidden='true' width='{width:g}' height='{height:g}' viewBox='0 0 {width:g} {height:g}' "
        f"style='max-width:100%;height:auto'>{content}</svg>"
    )


def _text(picture: Picture) -> str:
    return f"<div{' class=mt' if picture.get('mark') else ''}>{escape(picture['text'])}</div>"


def _row(picture: Picture) -> str:
    items = [f"<div><span>{_title(item)}</span>{drawn(item)}</div>" for item in picture["items"]]
    more = "<div><span>&nbsp;</span>…</div>" if picture.get("more") else ""
    return f"<div class='items'>{''.join(items)}{more}</div>"


def _title(item: Picture) -> str:
    title = escape(str(item.get("title", ""))) or "&nbsp;"
    title = f"[{title}]" if title.isdigit() else title  # an index
    return f"<b class='mt'>{title}</b>" if item.get("mark") == "title" else title


def _grid(picture: Picture) -> str:
    mark = picture["mark"]
    head = "".join(f"<th scope='col'>{escape(head)}</th>" for head in picture["heads"])
    corner = "<th></th>" if picture["names"] else ""
    lines = [f"<tr>{corner}{head}</tr>"]
    for number, line in enumerate(picture["lines"]):
        name = f"<th scope='row'>{escape(picture['names'][number])}</th>" if picture["names"] else ""
        cells = [
            f"<td{' class=mk' if mark == [number, place] else ''}>{escape(text)}</td>"
            for place, text in enumerate(line)
        ]
        lines.append(f"<tr>{name}{''.join(cells)}</tr>")
    return f"<table class='nums'>{''.join(lines)}</table>{'…' if picture['more'] else ''}"


# --- boards -----------------------------------------------------------------------------------------------------------


def _board(picture: Picture) -> str:
    numbers, over = picture.get("numbers") or [], picture.get("over") or []
    rows, columns = int(picture["rows"]), int(picture["columns"])
    longest = max((len(text) for text in [*numbers, *over]), default=0)
    side = max(CELL, 7 * longest + 8) if numbers or longest else max(16, min(24, 150 // max(rows, columns)))
    slant = side / 2 if picture.get("slant") else 0
    top = 16 if over else 0
    parts = [_stones(picture, side, top, slant)]
    mark = picture.get("mark") if isinstance(picture.get("mark"), list) else None
    for place, text in enumerate(numbers):
        row, column = divmod(place, columns)
        if text:
            parts.append(_label(column * side + side / 2, top + row * side + side / 2 + 4, text, mark == [row, column]))
    for column, text in enumerate(over):
        if text:
            parts.append(_label(column * side + side / 2, 12, text, mark == [-1, column]))
    if mark:
        height = top if mark[0] < 0 else side
        x, y = mark[1] * side + max(mark[0], 0) * slant, 0 if mark[0] < 0 else top + mark[0] * side
        parts.append(f"<rect class='mk' x='{x + 1:g}' y='{y + 1:g}' width='{side - 2:g}' height='{height - 2:g}'/>")
    return _svg(columns * side + slant * (rows - 1) + 1, rows * side + top + 1, "".join(parts))


def _label(x: float, y: float, text: str, marked: bool) -> str:
    return f"<text x='{x:g}' y='{y:g}'{' class=mt' if marked else ''}>{escape(text)}</text>"


def _stones(picture: Picture, side: float, top: float = 0, slant: float = 0, left: float = 0) -> str:
    """The lines and stones of a board, each kind in one path."""
    rows, columns, cells = int(picture["rows"]), int(picture["columns"]), str(picture["cells"])
    ground, crosses, rings = "", "", ""
    if slant:
        for row in range(rows):
            ground += (
                f"M{left + row * slant:g} {top + row * side:g}" + f"h{side:g}v{side:g}h-{side:g}zm{side:g} 0" * columns
            )
    r = 0.26 * side
    for place, cell in enumerate(cells[: rows * columns]):
        row, column = divmod(place, columns)
        x, y = left + (column + 0.5) * side + row * slant, top + (row + 0.5) * side
        if cell == "X":
            crosses += f"M{x - r:.4g} {y - r:.4g}l{2 * r:.3g} {2 * r:.3g}m0-{2 * r:.3g}l-{2 * r:.3g} {2 * r:.3g}"
        elif cell == "O":
            rings += f"M{x - r:.4g} {y:.4g}a{r:.3g} {r:.3g} 0 1 0 {2 * r:.3g} 0a{r:.3g} {r:.3g} 0 1 0-{2 * r:.3g} 0"
    if not slant:
        across, down = columns * side, rows * side
        inner = "".join(f"M{left + x * side:.4g} {top:g}v{down:.4g}" for x in range(1, columns))
        inner += "".join(f"M{left:g} {top + y * side:.4g}h{across:.4g}" for y in range(1, rows))
        ground = f"M{left:g} {top:g}h{across:.4g}v{down:.4g}h-{across:.4g}z{inner}"
    thick = max(1.2, 0.11 * side)
    stones = f"<path class='sx' stroke-width='{thick:.2g}' d='{crosses}'/>" if crosses else ""
    stones += f"<path class='so' stroke-width='{thick:.2g}' d='{rings}'/>" if rings else ""
    return f"<path class='gd' d='{ground}'/>{stones}"


# --- trees ------------------------------------------------------------------------------------------------------------


def _tree(picture: Picture) -> str:
    """Leaves stand side by side, a node above the middle of its children; what is written on an edge stands above the
    node it leads to.
    """
    nodes = picture["nodes"]
    below: list[list[int]] = [[] for _ in nodes]
    depth = [0] * len(nodes)
    for number, node in enumerate(nodes):
        if node["up"] is not None and node["up"] < number:
            below[node["up"]].append(number)
            depth[number] = depth[node["up"]] + 1
    x, leaves = [0.0] * len(nodes), 0
    for number in _children_first(below, [n for n, node in enumerate(nodes) if node["up"] is None]):
        if below[number]:
            x[number] = (x[below[number][0]] + x[below[number][-1]]) / 2
        else:
            x[number], leaves = ACROSS * (leaves + 0.5), leaves + 1
    tops, heights = _levels(nodes, depth)
    parts = []
    for number, node in enumerate(nodes):
        y = tops[depth[number]]
        if node["up"] is not None and node["up"] < number:
            parts.append(_edge(node, x[node["up"]], tops[depth[node["up"]]] + _whole(nodes[node["up"]]), x[number], y))
        parts.append(_node(node, x[number], y))
    return _svg(max(leaves * ACROSS, ACROSS), tops[-1] + heights[-1] + 4, "".join(parts))


def _children_first(below: list[list[int]], roots: list[int]) -> list[int]:
    order: list[int] = []
    stack = [(root, False) for root in reversed(roots)]
    while stack:
        number, left = stack.pop()
        if left:
            order.append(number)
        else:
            stack.append((number, True))
            stack += [(child, False) for child in reversed(below[number])]
    return order


def _levels(nodes: list[Picture], depth: list[int]) -> tuple[list[float], list[float]]:
    """(where each level begins, how high it is)."""
    tops, heights = [4.0], []
    for level in range(max(depth) + 1):
        level_nodes = [node for node, at in zip(nodes, depth, strict=True) if at == level]
        heights.append(max(map(_whole, level_nodes)))
        under = [node for node, at in zip(nodes, depth, strict=True) if at == level + 1]
        if under:
            tops.append(tops[-1] + heights[-1] + GAP + LINE * max(1 + len(node["edge"]) for node in under))
    return tops, heights


def _height(node: Picture) -> float:
    if node["board"]:
        return SMALL * node["board"]["rows"] / max(node["board"]["columns"], node["board"]["rows"])
    return 18 if node.get("name") else 4


def _whole(node: Picture) -> float:
    """With what is written below it."""
    return _height(node) + LINE * len(node["below"]) + 3 * bool(node["below"])


def _node(node: Picture, x: float, y: float) -> str:
    parts = []
    board = node["board"]
    if board:
        side = SMALL / max(board["columns"], board["rows"])
        width, height = side * board["columns"], side * board["rows"]
        parts.append(_stones(board, side, top=y, left=x - width / 2))
        if node["mark"]:
            parts.append(
                f"<rect class='mk' x='{x - width / 2 - 2:g}' y='{y - 2:g}' width='{width + 4:g}' "
                f"height='{height + 4:g}'/>"
            )
    elif node.get("name"):
        parts.append(
            f"<rect class='gd' x='{x - 24:g}' y='{y:g}' width='48' height='18' rx='9'/>"
            f"{_label(x, y + 13, node['name'], False)}"
        )
    else:
        parts.append(f"<path class='up' d='M{x - 5:g} {y + 2:g}h10'/>")
    for number, (text, marked) in enumerate(node["below"]):
        parts.append(_written(x, y + _height(node) + LINE * (number + 1) + 1, text, marked))
    return "".join(parts)


def _edge(node: Picture, px: float, py: float, x: float, y: float) -> str:
    """From the upper node's lower edge to the text, which stands right above this node."""
    lines = [[node["step"], False], *node["edge"]]
    first = y - 8 - LINE * (len(lines) - 1)
    end = first - 11
    middle = (py + end) / 2
    written = [_written(x, first + LINE * number, text, marked) for number, (text, marked) in enumerate(lines)]
    return f"<path class='up' d='M{px:g} {py:g}C{px:g} {middle:g} {x:g} {middle:g} {x:g} {end:g}'/>{''.join(written)}"


def _written(x: float, y: float, text: str, marked: bool) -> str:
    text = text if len(text) < 40 else text[:38] + "…"
    box = ""
    if marked:
        half = 3.6 * len(text) + 4
        box = f"<rect class='mk' x='{x - half:g}' y='{y - 11:g}' width='{2 * half:g}' height='15' rx='3'/>"
    return box + _label(x, y, text, marked)
