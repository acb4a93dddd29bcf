"""Boards as texts show them: rows of "X", "O" and ".", read into pictures (see `looks`)."""

import re
from typing import Any

Picture = dict[str, Any]

SQUARE = {"TicTacToe()": (3, 3), "Misere()": (3, 3), "Touching()": (3, 3), "State(": (3, 3)}  # a move takes a cell
TURN = {1: "X to move", -1: "O to move"}  # of a state
DROPPED = re.compile(r"ConnectN\((?:rows=)?(\d+), (?:columns=)?(\d+)")
ROW = re.compile(r"(?<!\S)[XO.](?: [XO.])*(?!\S)")
EXAMPLE = re.compile(r"([mo.]+(?: [mo.]+)*)  policy \{([^}]*)\}  value (\S+)$")
VIEW = re.compile(r"([a-z -]+): (-?\d+(?: -?\d+)*(?: / -?\d+(?: -?\d+)*)+)")


def board(rows: int, columns: int, cells: str) -> Picture:
    return {
        "kind": "board",
        "rows": rows,
        "columns": columns,
        "cells": cells or "." * (rows * columns),
        "numbers": [],
        "over": [],
        "mark": None,
    }


def named_in(lines: str) -> tuple[tuple[int, int], bool] | None:
    """((rows, columns), whether stones drop into columns) of the game that these lines make; None if they make none, or
    several.
    """
    games = {(shape, False) for name, shape in SQUARE.items() if name in lines}
    games |= {((int(rows), int(columns)), True) for rows, columns in DROPPED.findall(lines)}
    games |= {((6, 7), True)} if "ConnectFour()" in lines else set()
    return games.pop() if len(games) == 1 else None


def in_text(text: str) -> tuple[list[Picture], str]:
    """(the boards of a text, what else it says). Boards may stand beside each other, with words behind them."""
    lines, positions, number = text.splitlines(), [], 0
    left = list(lines)
    while number < len(lines):
        height = 1
        for match in ROW.finditer(lines[number]):
            start, width = match.start(), len(match[0])
            rows = _rows_below(lines[number:], start, width)
            if len(rows) < 2 and width < 5:
                continue
            picture = board(len(rows), (width + 1) // 2, "".join(row.replace(" ", "") for row in rows))
            slant = len(rows) > 1 and not _row_at(lines[number + 1], start, width)
            positions.append(picture | {"slant": slant, "title": ""})
            height = max(height, len(rows))
            for down, row in enumerate(rows):
                left[number + down] = left[number + down].replace(row, " " * len(row), 1)
        number += height
    words = [" ".join(line.split()) for line in left]
    return positions, "\n".join(line for line in words if line and not line.replace(" ", "").isdigit())


def _row_at(line: str, start: int, width: int) -> str:
    """The row of a board that stands there; "" if none does."""
    row = line[start : start + width]
    if len(row) < width or not ROW.fullmatch(row) or line[:start][-1:].strip():
        return ""
    return row if width > 1 or line.strip() == row else ""


def _rows_below(lines: list[str], start: int, width: int) -> list[str]:
    """The rows of a board that begins there, each below the last or, in Hex, half a cell further to the right."""
    rows = [_row_at(lines[0], start, width)]
    if not rows[0]:
        return []
    slant = 0
    for line in lines[1:]:
        if len(rows) == 1 and not _row_at(line, start, width):
            slant = 1
        row = _row_at(line, start + slant * len(rows), width)
        if not row:
            break
        rows.append(row)
    return rows


def only(text: str) -> Picture | None:
    """The board that a text consists of, with what it says beside it as its title."""
    positions, words = in_text(text)
    return positions[0] | {"title": words} if len(positions) == 1 and len(words) < 60 else None


def row(text: str) -> Picture | None:
    """The boards of a position, however many there are; None if the text has none."""
    positions, words = in_text(text)
    if len(positions) < 2:
        return positions[0] | {"title": words} if positions else None
    return {"kind": "row", "items": positions[:6], "more": len(positions) > 6, "title": words}


def cell_at(picture: Picture, path: tuple | None) -> list[int] | None:
    """The cell of a board that a path into a state names: `(0, 4)` is the fifth of its first field, its cells."""
    if not path or len(path) < 2 or path[0] != 0 or not isinstance(path[1], int):
        return None
    return list(divmod(path[1], picture["columns"])) if path[1] < len(picture["cells"]) else None


def of_line(line: str) -> Picture | None:
    """The board that a line of a longer text tells of."""
    return _example(line) or _view(line)


def _example(line: str) -> Picture | None:
    """A position of self-play as its mover saw it, with the policy and the value to learn; X is the mover."""
    match = EXAMPLE.match(line)
    if not match:
        return None
    rows = match[1].split()
    picture = board(len(rows), len(rows[0]), "".join(rows).replace("o", "O").replace("m", "X"))
    shares = dict(entry.split(": ") for entry in filter(None, match[2].split(", ")))
    drops = len(rows) != len(rows[0])  # tic-tac-toe and Hex are square, and a move takes a cell there
    places = range(len(rows[0]) if drops else len(picture["cells"]))
    written = [shares.get(str(action), "") for action in places]
    picture["over" if drops else "numbers"] = written
    return picture | {"title": f"value {match[3]} for X".replace("-", "−")}


def _view(line: str) -> Picture | None:
    """Numbers over a board, as a turned or mirrored one has them."""
    match = VIEW.match(line)
    if not match:
        return None
    rows = [row.split() for row in match[2].split(" / ")]
    if len({len(row) for row in rows}) > 1:
        return None
    picture = board(len(rows), len(rows[0]), "")
    return picture | {"numbers": [number for row in rows for number in row], "title": match[1]}


def first_unlike(picture: Picture, second: Picture | None) -> list[int] | str:
    """The first cell in which two boards differ, [-1, column] above them; "title" if it is neither."""
    columns = picture["columns"]
    if second is None or (picture["rows"], columns) != (second["rows"], second["columns"]):
        return "title"
    for name in ("cells", "over", "numbers"):
        pairs = zip(picture[name], second[name], strict=False)
        differs = [place for place, (own, theirs) in enumerate(pairs) if own != theirs]
        if differs:
            return [-1, differs[0]] if name == "over" else list(divmod(differs[0], columns))
    return "title"
