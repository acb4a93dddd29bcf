"""Python's own slips, the same in every exercise: each has a sentence. They are looked for in an answer that failed."""

import ast
import re
from collections.abc import Callable, Iterator

import numpy as np

from course_utils.tests.case import Outcome, Raises, Tolerance, errors, plain, same

OF_MEMORY = ("writing into one changes the other", "is there again at the next call")
ARRAY_FOR_TENSOR = ("order must be str, not int", "flatten() takes", "must be Tensor, not numpy.ndarray")
OF_A_GAME = {"num_actions", "initial_state", "legal_actions", "is_terminal", "play", "symmetries"}
IN_PLACE = {"append", "extend", "insert", "remove", "reverse", "sort", "clear", "update", "fill", "shuffle"}


def found(source: str, failures: list[Outcome], exercise: str) -> list[str]:
    """A sentence for each slip in `source` that the failures may come from, the likeliest first."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        tree = ast.Module([], [])
    sentences = [*_by_what_came(failures, tree, exercise)]
    for node in ast.walk(tree):
        for slip in SLIPS:
            sentence = slip(node)
            if sentence and (slip is not whole_numbers or any(map(_cut_off, failures))):
                sentences.append(f"Line {node.lineno}: {sentence}")  # type: ignore[attr-defined]  # slips are expressions or statements
    return list(dict.fromkeys(sentences or filter(None, map(_is_none, failures))))


# --- told by what came of it -------------------------------------------------------------------------------------------


def _by_what_came(failures: list[Outcome], tree: ast.Module, exercise: str) -> Iterator[str]:
    if not failures:
        return
    if all(one.error is None and one.value is None for one in failures) or any(
        "got None" in one.complaint for one in failures
    ):
        function = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == exercise), None)
        returned = [n.value for n in ast.walk(function) if isinstance(n, ast.Return)] if function is not None else []
        if any(outcome.printed for outcome in failures) and not any(returned):
            yield "It prints its result and returns None: `print` shows a value, `return` hands it to the caller."
        elif function is None or not any(returned):
            yield "It returns None: is a `return` missing?"
            return
        elif not any(value is None or (isinstance(value, ast.Constant) and value.value is None) for value in returned):
            if isinstance(function.body[-1], ast.Return):
                yield f"Where it fails `{ast.unparse(function.body[-1])}` hands over None."
            else:
                yield "Where it fails it returns None: it comes to its end without a `return`."
            return
    wanted = failures[0].case.expected
    if isinstance(wanted, Raises) and failures[0].error is not None and not refused(failures[0]):
        yield f"It is right to refuse this, but with a {wanted.kind.__name__}: that is what callers expect."
    if all(refused(outcome) and outcome.complaint.startswith("the message") for outcome in failures):
        yield f"{type(failures[0].error).__name__} is right, but {failures[0].complaint}."
    if len(failures) > 1 and all(_only_the_sign(outcome) for outcome in failures):
        yield "In every case that fails only the sign is wrong: from whose point of view is the number?"
    if all(isinstance(one.value, str | list | tuple | dict | set) and _is_number(one) for one in failures):
        yield f"Expected a number, got {failures[0].got} of type {type(failures[0].value).__name__}."
    shared = next((one.complaint for one in failures if one.complaint.startswith("what it returns shares")), "")
    if shared and all(any(words in one.complaint for words in OF_MEMORY) for one in failures):
        yield f"W{shared[1:]}. Return a copy."
    changed = next(filter(None, (re.match(r"its argument `\w+` was changed", one.complaint) for one in failures)), None)
    if changed:
        yield f"I{changed[0][1:]}, which the caller still needs: leave it as it is, or work on a copy."
    kind = next((one.complaint for one in failures if one.complaint.startswith("expected ")), "")
    if kind:  # it is another kind of thing
        yield f"E{' '.join(kind.split())[1:]}."
    arrays = [one for one in failures if hasattr(one.value, "shape") and _numbers(one.case.expected) is not None]
    shapes = [_shapes(one.case.expected, one.value) for one in arrays]
    if not kind and all(shapes):
        yield from (f"It returns an array of another shape: {shape}." for shape in shapes[:1])
    yield from by_error(failures)
    if any(_nan(one.value) and not _may_be_nan(one.case.expected) for one in failures):
        yield "It returns NaN, which is what 0 / 0, infinity * 0 and infinity - infinity give: which of these do your lines compute?"


def _may_be_nan(expected: object) -> bool:
    """Whether NaN does not come from the answer's own arithmetic: it is expected, or was given, so that an error is."""
    return isinstance(expected, Raises) or _nan(expected)


def _nan(value: object) -> bool:
    try:
        numbers = np.asarray(plain(value))
    except (TypeError, ValueError, RuntimeError):
        return False
    return numbers.dtype.kind == "f" and bool(np.isnan(numbers).any())


def _cut_off(outcome: Outcome) -> bool:
    """Whether it gave whole numbers or truth values where a number with a point was expected."""
    got, wanted = _numbers(outcome.value), _numbers(outcome.case.expected)
    if got is None or wanted is None:
        return "array of float" in outcome.complaint
    return bool(np.all(got == np.floor(got))) and not np.all(wanted == np.floor(wanted))


def _is_none(outcome: Outcome) -> str:
    found = re.match(r"'NoneType' object (?:has no attribute '(\w+)'|(.*))", str(outcome.error or ""))
    if not found:
        return ""
    asked = f"is asked for its `.{found[1]}`" if found[1] else found[2]
    return f"None {asked}: was an argument left out, was a variable never set, or does a function lack its `return`?"


def refused(outcome: Outcome) -> bool:
    """Whether an error was wanted, and one of its kind was raised."""
    wanted = outcome.case.expected if outcome.case is not None else None
    return isinstance(wanted, Raises) and isinstance(outcome.error, wanted.kind)


def _is_number(outcome: Outcome) -> bool:
    """Whether a single number was expected."""
    wanted = outcome.case.expected
    return isinstance(wanted, int | float | np.number) and not isinstance(wanted, bool)


def _only_the_sign(outcome: Outcome) -> bool:
    try:
        got, wanted = np.asarray(outcome.value), np.asarray(outcome.case.expected)
        signed = got.dtype.kind in "if" and wanted.dtype.kind in "if" and bool(got.any())
        return signed and outcome.complaint == "not the same" and same(-got, wanted, outcome.case.tolerance)
    except Exception:  # whatever was returned
        return False


def by_error(failures: list[Outcome]) -> Iterator[str]:
    for outcome in failures:
        text = str(outcome.error or "")
        if isinstance(outcome.error, NotImplementedError) and "not implemented for" in text:
            yield "torch can't do this with whole numbers: which of the tensors hold numbers with a point, and which hold counts?"
        elif isinstance(outcome.error, NotImplementedError):
            yield "The stub's line `raise NotImplementedError(...)` is still there: delete it."
        elif "truth value of an array" in text or "Boolean value of Tensor" in text:
            yield "`if`, `and`, `or` and `not` need one truth value, not an array of them: use `.any()` or `.all()`, or between arrays `&`, `|` and, for `not`, `~`."
        elif "could not be broadcast" in text or "must match the size of tensor" in text:
            yield "Two shapes don't go together: is one argument in another's place, or does a column lack an axis of length 1 (`x[..., None]`, `keepdims=True`)?"
        elif "inhomogeneous" in text or "must have the same shape" in text or "to be equal size" in text:
            yield "Things of different shapes don't make one array: what is in each place of the list, and is it an array?"
        elif any(words in text for words in ARRAY_FOR_TENSOR):
            yield _TENSORS
        elif outcome.case is not None and isinstance(outcome.case.expected, Raises):
            continue  # an error was wanted: to make the call work would be no help
        elif re.search("ufunc '(bitwise|left|right)_.*' not supported", text):
            yield "NumPy combines the bits of whole numbers of one kind only, and `uint64` beside `int64` is none (`1 << actions` is int64): make them all `np.uint64`, by `np.uint64(1)` and `.astype(np.uint64)`."
        elif "indices must be integers or slices, not tuple" in text or "not list" in text:
            yield "A list or tuple has one place in its brackets: for several at once make an array of it (`np.array`)."
        elif "only integer scalar arrays" in text:
            yield "An array stands where one whole number belongs: as an index, a count or an axis."
        elif "indices must be integers" in text or "cannot be interpreted as an integer" in text:
            yield "A number with a point is used as an index or a count: `int(...)` makes it whole."
        elif "index -100 is out of bounds" in text:
            yield "-100 is `NO_ACTION`: the root has it as its `parent_action`, since no action leads there, and `select` returns it at the end of a game."
        elif beyond := re.search(r"index (\d+) is out of bounds for axis \d+ with size \1$", text):
            yield f"There are {beyond[1]} entries, so the last has the index {int(beyond[1]) - 1}. Does your code count to tic-tac-toe's nine? Other games have another number of moves: `len(...)` of the array."
        elif "'int' object is not iterable" in text:
            yield "A number is no list to go through: `range(number)` counts up to it."
        elif "boolean array indexing assignment" in text:
            yield "There are more numbers than places for them, or fewer: how many entries of the mask are True?"
        elif "mat1 and mat2 shapes" in text:
            yield "A layer gets rows of another length than it takes: which tensor did you hand to it?"
        elif text in ("Axes must be different.", "Input must be >= 2-d."):
            yield "`np.rot90` and `np.fliplr` turn boards, not rows of nine: `reshape(3, 3)` first, and flatten afterwards."
        elif "Probabilities do not sum to 1" in text:
            yield "Probabilities must sum to 1: divide them by their sum, after everything else that you do to them."
        elif "'float' has no len()" in text:
            yield "There is a single number where a list is needed, with one number for each."
        elif "object is not callable" in text and getattr(outcome.error, "in_torch", False):
            yield _TENSORS
        elif "backward through the graph a second time" in text:
            yield "`backward` frees what it walked through, and both losses walk through the same network: add them, and call it once."
        elif (asked := re.match(r"'(?!None)(\w+)' object has no attribute '(\w+)'", text)) and asked[2] in OF_A_GAME:
            yield f"`{asked[2]}` belongs to the game, and here a `{asked[1]}` is asked for it."
        elif "read-only" in text and isinstance(outcome.error, ValueError):
            yield "It writes into an array that it must leave alone: make a copy first."
        elif "does not support item assignment" in text:
            yield "A tuple can't be changed: make a list of it, change that, and make a tuple again."


_TENSORS = "Torch was given a numpy array: it takes tensors (`torch.from_numpy`); a search takes `TorchNetwork(net)` instead of `net`."


# --- told by how it is written -----------------------------------------------------------------------------------------


def _is(node: ast.AST, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value == value and type(node.value) is type(value)


def power_of_one(node: ast.AST) -> str:
    match node:
        case ast.BinOp(_, ast.Pow(), one) if _is(one, 1):
            return (
                f"`{ast.unparse(node)}` changes nothing, and a division after it divides the whole: write x ** (1 / 2)."
            )
    return ""


def divided_too_early(node: ast.AST) -> str:
    match node:
        case ast.BinOp(ast.BinOp(_, ast.Div(), one), ast.Add(), _) if _is(one, 1):
            return f"`{ast.unparse(node)}` divides by 1 and then adds: write / (1 + ...)."
    return ""


def kept_nothing(node: ast.AST) -> str:
    match node:
        case (
            ast.Assign(value=ast.Call(ast.Attribute(attr=attr))) | ast.Return(value=ast.Call(ast.Attribute(attr=attr)))
        ) if attr in IN_PLACE:
            return f"`.{attr}(...)` works in place and returns None: call it on a line of its own."
    return ""


def tuple_of_where(node: ast.AST) -> str:
    match node:
        case ast.Assign(value=ast.Call(ast.Attribute(attr="where" | "nonzero"), args=[_], keywords=[])):
            return "`np.where(condition)` returns a tuple of arrays, one for each axis: take its [0], or use np.flatnonzero."
    return ""


def whole_numbers(node: ast.AST) -> str:
    match node:
        case ast.Call(ast.Attribute(attr="zeros_like" | "empty_like" | "ones_like" | "full_like" as name), keywords=[]):
            return f"`{name}` copies the type, too: an array of whole numbers or truth values cuts off the digits of what you write into it. Give dtype=float."
    return ""


def upper_limit(node: ast.AST) -> str:
    match node:
        case ast.Call(ast.Attribute(attr="integers"), args=[zero, ast.BinOp(n, ast.Sub(), one)]) if _is(
            zero, 0
        ) and _is(one, 1):
            return f"`{ast.unparse(node)}` gives {ast.unparse(n)} - 2 at most, since the limit itself is never drawn."
    return ""


def axis_of_two(node: ast.AST) -> str:
    match node:
        case ast.Call(ast.Attribute(attr="max" | "min" as name), args=[ast.Constant(int() | float()), second]):
            return f"`{ast.unparse(node)}` takes `{ast.unparse(second)}` for an axis: `np.{name}imum` compares two things place by place."
    return ""


def mutable_default(node: ast.AST) -> str:
    if isinstance(node, ast.FunctionDef):
        defaults = [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]
        if any(isinstance(one, ast.List | ast.Dict | ast.Set) for one in defaults):
            return "a list or dictionary as default is made once and shared by all calls: use None, and make it inside."
    return ""


def identity(node: ast.AST) -> str:
    if isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
        for side in [node.left, *node.comparators]:
            if (
                isinstance(side, ast.Constant)
                and isinstance(side.value, int | float | str)
                and not isinstance(side.value, bool)
            ):
                return f"`{ast.unparse(node)}` asks whether they are the same object: numbers and strings are compared with == and !=."
    return ""


def global_chance(node: ast.AST) -> str:
    match node:
        case ast.Call(ast.Attribute(ast.Attribute(ast.Name("np" | "numpy"), "random"), name)) if name != "Generator":
            return f"`np.random.{name}` is not the generator that you were given: use `rng`."
        case ast.Call(ast.Attribute(ast.Name("random"), name)):
            return f"`random.{name}` is not the generator that you were given: use `rng`."
    return ""


def compared_with_the_first_only(node: ast.AST) -> str:
    match node:
        case ast.BoolOp(ast.Or(), [ast.Compare(left, [ast.Eq()], [first]), second, *_]) if _is_a_number(second):
            asked, other = ast.unparse(left), ast.unparse(second)
            return f"in `{ast.unparse(ast.BoolOp(node.op, node.values[:2]))}` nothing is compared with {other}, which counts as true: write `{asked} in ({ast.unparse(first)}, {other})`."
    return ""


def _is_a_number(node: ast.AST) -> bool:
    """Or a string, typed: 1, -1, "X"."""
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


TREE_OF_MANY_GAMES = {
    "N",
    "W",
    "P",
    "legal",
    "children",
    "parent",
    "parent_action",
    "states",
    "is_terminal",
    "terminal_value",
}


def nodes_of_every_game(node: ast.AST) -> str:
    match node:
        case ast.Subscript(ast.Attribute(attr=attr), ast.Tuple([ast.Slice(None, None), ast.Name(nodes), *_])) if (
            attr in TREE_OF_MANY_GAMES and nodes.islower()
        ):
            return f"`{ast.unparse(node)}` takes all of these nodes in every game: a node of each game is `[games, {nodes}]`, with an array of the games' numbers."
    return ""


def compared_not_assigned(node: ast.AST) -> str:
    match node:
        case ast.Expr(ast.Compare(ops=[ast.Eq()])):
            return f"`{ast.unparse(node)}` compares and forgets the answer: one = assigns."
    return ""


SLIPS: tuple[Callable[[ast.AST], str], ...] = (
    power_of_one,
    divided_too_early,
    kept_nothing,
    compared_not_assigned,
    compared_with_the_first_only,
    nodes_of_every_game,
    tuple_of_where,
    whole_numbers,
    upper_limit,
    axis_of_two,
    mutable_default,
    identity,
    global_chance,
)


# --- where it happened, and what differs -------------------------------------------------------------------------------


def learners_line(error: BaseException | None) -> str:
    """ "line 7: `x = a[9]`": the last line of the answer's own that an exception came through; "" if there is none."""
    return getattr(error, "learners_line", "")


def difference(expected: object, got: object, tolerance: Tolerance = 1e-6) -> str:
    """For arrays and lists of numbers: shapes if they differ, else the first entry that does, and how many do; "" otherwise. Of dictionaries: the first such entry."""
    if isinstance(expected, dict) and isinstance(got, dict):
        pairs = ((name, value, got[name]) for name, value in expected.items() if got.get(name) is not None)
        told = ((name, _shapes(value, other) or difference(value, other, tolerance)) for name, value, other in pairs)
        return next((f"{name}: {text}" for name, text in told if text), "")
    one, other = _numbers(expected), _numbers(got)
    if one is None or other is None or max(one.size, other.size) < 4:
        return ""
    if text := _shapes(one, other):
        return text
    off = ~np.isclose(other, one, *errors(tolerance))
    if not off.any():
        return ""
    place = tuple(int(i[0]) for i in np.nonzero(off))
    where = ", ".join(map(str, place))
    return f"first at [{where}]: {one[place]:.6g} expected, {other[place]:.6g} got; {int(off.sum())} of {off.size} entries differ"


def _shapes(expected: object, got: object) -> str:
    try:
        one, other = list(np.shape(expected)), list(np.shape(got))  # type: ignore[call-overload]  # of anything
    except ValueError:  # lists of different lengths
        return ""
    return f"shape {one} expected, {other} got" if one != other else ""


def _numbers(value: object) -> np.ndarray | None:
    try:
        array = np.asarray(value.detach().numpy() if hasattr(value, "detach") else value, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        return None
    return array if array.ndim else None
