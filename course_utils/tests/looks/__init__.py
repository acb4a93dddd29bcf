"""What a value looks like: a picture as plain data (JSON), by the type and shape of the value and the board of its
scene.

Every check uses this, so no check's file draws anything. `drawn.py` turns a picture into HTML. A picture has a `kind`:

* board: rows, columns, cells ("X", "O", "."), numbers (a text for each cell), over (a text for each column);
* grid, of numbers: heads, names (of columns and rows), lines (lists of texts);
* tree: nodes, see `trees.py`;
* row, of pictures: items;
* text: text.

`mark` is the first difference: [row, column] in a board or grid, where row -1 is the line above a board; of a text,
whether it differs.
"""

import ast
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from course_utils.tests.case import Raises, Such, Tolerance, errors, plain, same, show
from course_utils.tests.looks import boards, scores, trees

Picture = dict[str, Any]
Path = tuple[Any, ...]  # of indices into a value

MOST_ITEMS, MOST_LINES, MOST_COLUMNS = 9, 9, 14
RETURN_ACTIONS = ("legal_actions(", "select_child(")  # whose numbers are cells of the board


@dataclass(frozen=True)
class Scene:
    """What a case says about its values: which board they belong to, and how numbers are written.

    Attributes:
        shape: (rows, columns) of the board; None if there is none.
        drops: whether an action is a column, into which a stone drops.
        cells: the position, row by row; "" if it is not known.
        chain: the names of the nodes on a line from a root to a leaf, and the actions between them.
        parts: the expressions on the last line, if there are several.
        actions: whether the last line gives actions.
        scores: action -> its score, where the last line chooses by scores.
        digits: of a number.
    """

    shape: tuple[int, int] | None = None
    drops: bool = False
    cells: str = ""
    chain: trees.Chain | None = None
    parts: tuple[str, ...] = ()
    actions: bool = False
    scores: dict[int, float] = field(default_factory=dict)
    digits: int = 3


def of_case(expected: Any, got: Any, board: str, call: str, tolerance: Tolerance) -> dict[str, Picture | None]:
    """position, expected and got of a case, as pictures; None for what stays a text.

    Args:
        board, call: of the case.
        got: None if the answer gave no value.
    """
    scene = _scene(board, call)
    position = scene.chain.picture() if scene.chain else boards.row(board)
    if isinstance(expected, Such | Raises):
        return {"position": position, "expected": None, "got": None}
    right, yours = _pair(expected, got, scene, tolerance)
    return {"position": None if _is_root(position, right, scene) else position, "expected": right, "got": yours}


def _is_root(position: Picture | None, tree: Picture | None, scene: Scene) -> bool:
    """Whether the tree shows the position, too."""
    if position is None or tree is None or tree["kind"] != "tree":
        return False
    root = tree["nodes"][0]["board"]
    return scene.chain is not None or (root is not None and root["cells"] == position.get("cells"))


def _scene(board: str, call: str) -> Scene:
    """What the lines of a case and its drawn position say."""
    positions, _ = boards.in_text(board)
    only = positions[0] if len(positions) == 1 else None
    size = (only["rows"], only["columns"]) if only else None
    shape, drops = boards.named_in(call) or (size, False)
    cells = only["cells"] if only and size == shape else ""
    try:
        last = ast.parse(call).body[-1]
    except (SyntaxError, IndexError):
        return Scene(shape, drops, cells)
    value = last.value if isinstance(last, ast.Expr) else None
    parts = tuple(map(ast.unparse, value.elts)) if isinstance(value, ast.Tuple) else ()
    actions = value is not None and ast.unparse(value).startswith(RETURN_ACTIONS)
    return Scene(shape, drops, cells, trees.chain_in(board), parts, actions, scores.scores_in(call))


def _pair(expected: Any, got: Any, scene: Scene, tolerance: Tolerance) -> tuple[Picture | None, Picture | None]:
    """The picture of each of two values, the first difference marked in both; None for what stays a text."""
    if type(got) is tuple and hasattr(type(expected), "_fields") and len(got) == len(expected):
        got = type(expected)(*got)  # from another process a state arrives as a tuple
    if isinstance(expected, str):
        return trees.pair(expected, got) or _texts(expected, got)
    if scene.actions and scene.shape:
        right, yours = _chosen(expected, got, scene), _chosen(got, expected, scene)
        if not scene.drops:
            right, yours = right or _actions(expected, got, scene), yours or _actions(got, expected, scene)
        return right, yours
    if (
        isinstance(expected, tuple)
        and isinstance(got, tuple)
        and len(expected) == len(got) == len(scene.parts)
        and str in map(type, expected)
    ):
        return _pairs(expected, got, scene, tolerance)
    mark = _first_difference(expected, got, tolerance)
    if mark is not None:
        scene = replace(scene, digits=_digits(_at(expected, mark), _at(got, mark)))
    right = _look(expected, scene, mark)
    alike = got is not None and not isinstance(got, str | bool | int | float)
    return right, _look(got, scene, mark) if right and alike else None


def _pairs(expected: tuple, got: tuple, scene: Scene, tolerance: Tolerance) -> tuple[Picture, Picture]:
    """Several values, texts among them, each marked where it differs."""
    inner, rows = replace(scene, parts=()), ([], [])  # type: tuple[Scene, tuple[list[Picture], list[Picture]]]
    for title, wanted, given in zip(scene.parts, expected, got, strict=True):
        pictures = _pair(wanted, given, inner, tolerance)
        mark = not same(given, wanted, tolerance)
        for row, value, picture in zip(rows, (wanted, given), pictures, strict=True):
            row.append((picture or {"kind": "text", "text": _written(value, scene), "mark": mark}) | {"title": title})
    right, yours = ({"kind": "row", "items": row, "more": False} for row in rows)
    return right, yours


def _look(value: Any, scene: Scene, mark: Path | None = None) -> Picture | None:
    """The picture of a value in which the place `mark` differs; None if a text says as much."""
    value = plain(value)
    if isinstance(value, str):
        return _of_text(value, None)
    if hasattr(type(value), "_fields") and (board := boards.only(str(value))):
        turn = boards.TURN.get(getattr(value, "to_play", 0), board["title"])
        elsewhere = "title" if mark and value._fields[mark[0]] == "to_play" else None
        return board | {"title": turn, "mark": boards.cell_at(board, mark) or elsewhere}
    if scene.chain and (picture := _on_chain(value, scene, mark)):
        return picture
    if isinstance(value, tuple) and len(value) == len(scene.parts):
        inner = replace(scene, parts=())
        return _row(dict(enumerate(value)), inner, mark, list(scene.parts))
    if _of_shapes(value):
        return None
    array = _numbers(value)
    if array is not None:
        return _of_array(array, scene, mark)
    if isinstance(value, dict):
        return _row(value, scene, mark, list(map(str, value)))
    if isinstance(value, list | tuple) and value:
        return _row(dict(enumerate(value)), scene, mark, [str(number) for number in range(len(value))])
    return None


def _of_shapes(value: Any) -> bool:
    """Whether it is a list of tuples of whole numbers, as shapes of arrays are: some have one number, some several."""
    tuples = isinstance(value, list) and value and all(isinstance(entry, tuple) for entry in value)
    return bool(tuples) and all(type(number) is int for entry in value for number in entry)


def _on_chain(value: Any, scene: Scene, mark: Path | None) -> Picture | None:
    """The values of a line of nodes or of its edges, written there; None if they are something else."""
    assert scene.chain is not None
    at = mark[0] if mark else None
    if isinstance(value, tuple) and len(value) == len(scene.parts):
        texts = [
            (expression, _written(entry, scene), number == at)
            for number, (expression, entry) in enumerate(zip(scene.parts, value, strict=True))
        ]
        return scene.chain.with_parts(texts)
    if isinstance(value, list):
        return scene.chain.with_values([(_written(entry, scene), number == at) for number, entry in enumerate(value)])
    return None


def _actions(value: Any, other: Any, scene: Scene) -> Picture | None:
    """The position with the actions in their cells. The mark is on the first action that only this value has or,
    without one, that only the other has.
    """
    assert scene.shape is not None
    rows, columns = scene.shape
    actions, others = (set(entry if isinstance(entry, list) else [entry]) for entry in (value, other))
    if not all(isinstance(action, int) and 0 <= action < rows * columns for action in actions):
        return None
    board = boards.board(rows, columns, scene.cells)
    alone = sorted(actions - others) or sorted(action for action in others - actions if action in range(rows * columns))
    numbers = [str(cell) if cell in actions else "" for cell in range(rows * columns)]
    return board | {"numbers": numbers, "mark": list(divmod(alone[0], columns)) if alone else None}


def _chosen(action: Any, other: Any, scene: Scene) -> Picture | None:
    """The position with the score of every action, the chosen one marked; None if the action has no score."""
    assert scene.shape is not None
    action = plain(action)
    if type(action) is not int or action not in scene.scores:
        return None
    rows, columns = scene.shape
    scene = replace(scene, digits=_digits(scene.scores[action], scene.scores.get(plain(other))))
    written = {place: _written(score, scene) for place, score in scene.scores.items()}
    board = boards.board(rows, columns, scene.cells)
    board["over" if scene.drops else "numbers"] = [
        written.get(place, "") for place in range(columns if scene.drops else rows * columns)
    ]
    mark = [-1, action] if scene.drops else list(divmod(action, columns))
    return board | {"mark": mark, "title": f"action {action}: by the formula {written[action]}"}


# --- where two values differ ------------------------------------------------------------------------------------------


def _numbers(value: Any) -> np.ndarray | None:
    """A value as an array of numbers or of truth values; None for everything else, a single number too."""
    if not isinstance(value, list | tuple | np.ndarray) or hasattr(type(value), "_fields"):
        return None
    if not isinstance(value, np.ndarray) and len({isinstance(entry, bool | np.bool_) for entry in value}) > 1:
        return None
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return array if array.ndim and array.size and array.dtype.kind in "biuf" else None


def _first_difference(expected: Any, got: Any, tolerance: Tolerance) -> Path | None:
    """Where two values of one form differ first; None if they don't, or if their forms differ."""
    expected, got = plain(expected), plain(got)
    right, yours = _numbers(expected), _numbers(got)
    if right is not None and yours is not None:
        if right.shape != yours.shape:
            return None
        off = ~np.isclose(yours.astype(float), right.astype(float), *errors(tolerance))
        return tuple(int(places[0]) for places in np.nonzero(off)) if off.any() else None
    keys: list[Any] = []
    if isinstance(expected, dict) and isinstance(got, dict):
        keys = [key for key in expected if key in got]
    elif (
        isinstance(expected, list | tuple) and isinstance(got, list | tuple | np.ndarray) and len(expected) == len(got)
    ):
        keys = list(range(len(expected)))
    for key in keys:
        if not same(got[key], expected[key], tolerance):
            return (key, *(_first_difference(expected[key], got[key], tolerance) or ()))
    return None


def _at(value: Any, path: Path) -> Any:
    for key in path:
        value = value[key]
    return value


def _digits(expected: Any, got: Any) -> int:
    """As few as show that two numbers differ."""
    try:
        return next((digits for digits in (3, 4, 6, 9) if f"{expected:.{digits}g}" != f"{got:.{digits}g}"), 9)
    except (TypeError, ValueError):
        return 3


def _written(value: Any, scene: Scene) -> str:
    value = plain(value)
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | float | np.number):
        digits = max(scene.digits, len(f"{abs(value):.0f}"))
        return f"{value + 0:.{digits}g}".replace("-", "−")
    if isinstance(value, tuple) and value:
        return ", ".join(_written(entry, scene) for entry in value)
    text = show(value)
    return text if len(text) <= 40 else text[:38] + " …"


# --- arrays -----------------------------------------------------------------------------------------------------------


def _of_array(array: np.ndarray, scene: Scene, mark: Path | None) -> Picture | None:
    if scene.shape and array.ndim > 1 and array.shape[-2:] == scene.shape:
        return _over_boards(array, scene, mark, 2)
    if scene.shape and array.shape[-1] == scene.shape[0] * scene.shape[1] > 4 and not scene.drops:
        return _over_boards(array, scene, mark, 1)
    if array.size == 1:
        return None
    if array.ndim <= 2:
        place = (0, *mark) if mark is not None and array.ndim == 1 else mark
        return _grid(np.atleast_2d(array), scene, place, array.ndim == 1)
    return _row(dict(enumerate(array)), scene, mark, [str(number) for number in range(len(array))])


def _over_boards(array: np.ndarray, scene: Scene, mark: Path | None, axes: int) -> Picture | None:
    """An array whose last axis, or whose last two, run over the cells of a board: one board, or a row of them."""
    assert scene.shape is not None
    if array.ndim > axes:
        inner = replace(scene, cells="")
        return _row(dict(enumerate(array)), inner, mark, [str(number) for number in range(len(array))])
    rows, columns = scene.shape
    board = boards.board(rows, columns, scene.cells if axes == 1 else "")
    sparse = array.dtype.kind != "b" and bool((array == 0).any())
    place = (mark[0] if axes == 1 else mark[0] * columns + mark[1]) if mark else None
    board["numbers"] = [
        "" if sparse and number == 0 and cell != place else _written(number, scene)
        for cell, number in enumerate(array.ravel())
    ]
    return board | {"mark": None if place is None else list(divmod(place, columns))}


def _grid(array: np.ndarray, scene: Scene, mark: Path | None, single: bool) -> Picture:
    """A table of the numbers around the mark."""
    row, column = mark if mark and len(mark) == 2 else (0, 0)
    top = max(0, min(row - 3, len(array) - MOST_LINES))
    left = max(0, min(column - 3, array.shape[1] - MOST_COLUMNS))
    window = array[top : top + MOST_LINES, left : left + MOST_COLUMNS]
    return {
        "kind": "grid",
        "heads": [str(left + number) for number in range(window.shape[1])],
        "names": [] if single else [str(top + number) for number in range(len(window))],
        "lines": [[_written(number, scene) for number in line] for line in window],
        "more": window.size < array.size,
        "mark": [row - top, column - left] if mark else None,
    }


def _row(values: dict[Any, Any], scene: Scene, mark: Path | None, titles: list[str]) -> Picture | None:
    """Several values side by side; None if a text says as much: if nothing is drawn and all titles are numbers."""
    keys = list(values)
    at = keys.index(mark[0]) if mark and mark[0] in keys else None
    begin = 0 if at is None else max(0, min(at - 2, len(keys) - MOST_ITEMS))
    items: list[Picture] = []
    for number in range(begin, min(begin + MOST_ITEMS, len(keys))):
        marked = number == at
        value = values[keys[number]]
        picture = _look(value, scene, (mark[1:] or None) if marked and mark else None)
        items.append(
            (picture or {"kind": "text", "text": _written(value, scene), "mark": marked}) | {"title": titles[number]}
        )
    if all(item["kind"] == "text" for item in items) and all(title.isdigit() for title in titles):
        return None
    return {"kind": "row", "items": items, "more": len(keys) > len(items)}


# --- texts ------------------------------------------------------------------------------------------------------------


def _texts(expected: str, got: Any) -> tuple[Picture | None, Picture | None]:
    """Two texts with a line for each position of a game, or each view of a board; or two boards."""
    if not isinstance(got, str):
        return _of_text(expected, None), None
    right, yours = expected.splitlines(), got.splitlines()
    shared = min(len(right), len(yours))
    first = next((number for number in range(shared) if right[number] != yours[number]), shared)
    line, counterpart = (lines[first] if first < len(lines) else "" for lines in (right, yours))
    return _of_text(expected, (first, counterpart)), _of_text(got, (first, line))


def _of_text(text: str, differs: tuple[int, str] | None) -> Picture | None:
    """differs: (the line that differs first, what stands there in the other text)."""
    if picture := trees.only(text) or boards.only(text):
        return picture
    read = {number: picture for number, line in enumerate(text.splitlines()) if (picture := boards.of_line(line))}
    if not read:
        return None
    first, counterpart = differs or (-1, "")
    before = sum(number < first for number in read)
    begin = max(0, min(before - 2, len(read) - MOST_ITEMS))
    items = []
    for number in list(read)[begin : begin + MOST_ITEMS]:
        mark = {"mark": boards.first_unlike(read[number], boards.of_line(counterpart))} if number == first else {}
        items.append(read[number] | mark)
    return {"kind": "row", "items": items, "more": len(read) > len(items)}
