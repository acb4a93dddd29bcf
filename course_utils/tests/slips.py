"""Find Python slips in a failed answer, the same for every exercise, with a sentence for each."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from course_utils.exercise import EXERCISES
from course_utils.tests.case import Outcome, Raises, Tolerance, errors, plain, same

OF_MEMORY = ("writing into one changes the other", "is there again at the next call")
OF_A_GAME = "num_actions|initial_state|legal_actions|is_terminal|play|symmetries"
IN_PLACE = {"append", "extend", "insert", "remove", "reverse", "sort", "clear", "update", "fill", "shuffle"}


def slips_in(source: str, failures: list[Outcome], exercise: str) -> list[str]:
    """List a sentence for each slip that the failures may come from, the likeliest first."""
    tree = _parsed(source)
    if sentences := certain(source, exercise):
        return sentences
    sentences = [*_by_results(failures, tree, exercise)]
    sentences += _written(tree, exercise, SLIPS if failures and all(map(_cut_off, failures)) else SLIPS[1:])
    return list(dict.fromkeys(sentences)) or _is_none(failures)


def certain(source: str, exercise: str) -> list[str]:
    """List slips of the source that are always wrong, whatever the diagnosis."""
    return list(dict.fromkeys(_written(_parsed(source), exercise, CERTAIN)))


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.Module([], [])


def _written(tree: ast.Module, exercise: str, slips: tuple) -> Iterator[str]:
    """Yield a sentence for each slip in the source, with its line number."""
    for node in ast.walk(tree):
        for slip in slips:
            if sentence := slip(node, tree, exercise):
                place = node.target if isinstance(node, ast.comprehension) else node
                yield f"Line {place.lineno}: {sentence}"  # type: ignore[attr-defined]  # expressions or statements


# --- slips seen in the results ----------------------------------------------------------------------------------------


def _by_results(failures: list[Outcome], tree: ast.Module, exercise: str) -> Iterator[str]:
    if not failures:
        return
    got_none = all(_returned_none(outcome, exercise) for outcome in failures)
    got_none = got_none or any("got None" in outcome.complaint for outcome in failures)
    if got_none and (sentence := _returns_none(failures, tree, exercise)):
        yield sentence
        return
    wanted = failures[0].case.expected
    if isinstance(wanted, Raises) and not refused(failures[0]) and _line(failures[0].error).startswith("raise "):
        yield f"It is right to refuse this call, but callers expect a {wanted.kind.__name__}."
    if all(refused(outcome) and outcome.complaint.startswith("the message") for outcome in failures):
        yield f"{type(failures[0].error).__name__} is right, but {failures[0].complaint}."
    if len(failures) > 1 and all(_only_the_sign(outcome) for outcome in failures):
        yield "In every case that fails, only the sign is wrong: from whose point of view is the number?"
    if all(isinstance(outcome.value, str | list | tuple | dict | set) and _is_number(outcome) for outcome in failures):
        yield f"Expected a number, got {failures[0].got} of type {type(failures[0].value).__name__}."
    complaints = [outcome.complaint for outcome in failures]
    shared = next((complaint for complaint in complaints if complaint.startswith("what it returns shares")), "")
    if shared and all(any(words in complaint for words in OF_MEMORY) for complaint in complaints):
        yield f"W{shared[1:]}. Return a copy."
    changed = next(filter(None, map(re.compile(r"its argument `\w+` was changed").match, complaints)), None)
    if changed:
        yield f"I{changed[0][1:]}, which the caller still needs: leave it as it is, or work on a copy."
    kind = next((complaint for complaint in complaints if complaint.startswith("expected ")), "")
    if kind:  # a result of another type
        yield f"E{' '.join(kind.split())[1:]}."
    numbers = [outcome for outcome in failures if _numbers(outcome.case.expected) is not None]
    shapes = [_shapes(outcome.case.expected, outcome.value) for outcome in numbers if hasattr(outcome.value, "shape")]
    if not kind and all(shapes):
        yield from (f"It returns an array of another shape: {shape}." for shape in shapes[:1])
    yield from by_error(failures, tree)
    if any(_nan(outcome.value) and not _may_be_nan(outcome.case.expected) for outcome in failures):
        yield (
            "It returns NaN, which comes from 0 / 0, infinity * 0, infinity - infinity, or the root or logarithm of a "
            "number below 0: which of these do your lines compute?"
        )


def _returned_none(outcome: Outcome, exercise: str) -> bool:
    """Check whether a case whose last line is the call itself got None."""
    *_, last = outcome.case.call.splitlines() or [f"{exercise}("]
    return outcome.error is None and outcome.value is None and last.startswith(f"{exercise}(")


def _returns_none(failures: list[Outcome], tree: ast.Module, exercise: str) -> str:
    """Say why the function returns None, as far as the source shows; "" if it may do so on purpose."""
    function = next((n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == exercise), None)
    if function is None:
        return "It returns None: is a `return` missing?"
    inside = [*ast.walk(function)]
    returned = [node.value for node in inside if isinstance(node, ast.Return)]
    if not any(returned) and any(outcome.printed for outcome in failures):
        return "It prints its result and returns None: `print` shows a value, `return` hands it to the caller."
    if not any(returned):
        return "It returns None: is a `return` missing?"
    if any(value is None or _is(value, None) for value in returned):
        return ""
    if isinstance(function.body[-1], ast.Return) and len(returned) == 1:
        return f"Where it fails, `{ast.unparse(function.body[-1])}` returns None."
    if any(_is(node, None) for node in inside) or isinstance(function.body[-1], ast.Return):
        return "Where it fails, it returns None."
    return "Where it fails, it returns None: it ends without a `return`."


def _may_be_nan(expected: object) -> bool:
    """Check whether NaN is no fault of the answer: it is expected, or was given where an error is expected."""
    return isinstance(expected, Raises) or _nan(expected)


def _nan(value: object) -> bool:
    try:
        numbers = np.asarray(plain(value))
    except (TypeError, ValueError, RuntimeError):
        return False
    return numbers.dtype.kind == "f" and bool(np.isnan(numbers).any())


def _cut_off(outcome: Outcome) -> bool:
    """Check whether the answer returned ints or bools where a float was expected."""
    got, wanted = _numbers(outcome.value), _numbers(outcome.case.expected)
    if got is None or wanted is None:
        return "array of float" in outcome.complaint
    return bool(np.all(got == np.floor(got))) and not np.all(wanted == np.floor(wanted))


def _is_none(failures: list[Outcome]) -> list[str]:
    """Say that a value is None, if every failed case raised the same error about None."""
    texts = [str(outcome.error or "") for outcome in failures]
    matches = [match for match in map(re.compile(OF_NONE).match, texts) if match]
    if len(matches) < len(texts) or len({match[0] for match in matches}) != 1:
        return []
    problem = f"has no `.{matches[0][1]}`" if matches[0][1] else matches[0][2]
    return [
        f"None {problem}: was an argument left out, was a variable never set, or does a function lack its `return`?"
    ]


OF_NONE = r"'NoneType' object (?:has no attribute '(\w+)'|(.*))"


def refused(outcome: Outcome) -> bool:
    """Check whether an error was expected, and one of its type was raised."""
    wanted = outcome.case.expected if outcome.case is not None else None
    return isinstance(wanted, Raises) and isinstance(outcome.error, wanted.kind)


def _is_number(outcome: Outcome) -> bool:
    """Check whether a single number was expected."""
    wanted = outcome.case.expected
    return isinstance(wanted, int | float | np.number) and not isinstance(wanted, bool)


def _only_the_sign(outcome: Outcome) -> bool:
    try:
        got, wanted = np.asarray(outcome.value), np.asarray(outcome.case.expected)
        signed = got.dtype.kind in "if" and wanted.dtype.kind in "if" and bool(got.any())
        return signed and outcome.complaint == "not the same" and same(-got, wanted, outcome.case.tolerance)
    except Exception:  # the value may be any object
        return False


@dataclass(frozen=True)
class Says:
    """Recognize a mistake by the error that it raises.

    Attributes:
        text: a pattern in the error's message.
        line: a pattern in the answer's line that raised it, too; "" if the message is enough.
        sentence: the message to the learner; its braces are filled with the groups of `text`.
        kind: the error's type.
        unless: a pattern that must not be in the line.
        also: source -> whether it confirms the sentence.
    """

    text: str
    line: str
    sentence: str
    kind: type[BaseException] = Exception
    unless: str = "(?!)"
    also: Callable[[ast.Module], bool] = lambda tree: True

    def of(self, error: BaseException, tree: ast.Module) -> str:
        """Return the sentence if the error fits; else ""."""
        line, match = _line(error), re.search(self.text, str(error))
        if match is None or not isinstance(error, self.kind) or not re.search(self.line, line):
            return ""
        if re.search(self.unless, line) or not self.also(tree):
            return ""
        return self.sentence.format(*match.groups()) if match.re.groups else self.sentence


class InTorch(Says):
    """Recognize a mistake by an error that torch raised."""

    def of(self, error: BaseException, tree: ast.Module) -> str:
        return super().of(error, tree) if getattr(error, "in_torch", False) else ""


def by_error(failures: list[Outcome], tree: ast.Module | None = None) -> Iterator[str]:
    """Yield a sentence for each error that has only one cause. `tree` is the parsed source, if known."""
    source = tree or ast.Module([], [])
    for outcome in failures:
        if outcome.error is not None:
            # a call that must raise needs no advice on how to make it work
            must_fail = outcome.case is not None and isinstance(outcome.case.expected, Raises)
            sentences = [says.of(outcome.error, source) for says in IN_ANY_CASE + (() if must_fail else OTHERWISE)]
            yield from list(filter(None, sentences))[:1]


def _line(error: BaseException | None) -> str:
    """Return the answer's line that raised, without its number."""
    return learners_line(error).partition(": `")[2].removesuffix("`")


def _calls(name: str, tree: ast.Module) -> int:
    """Count the calls of a method; a call in a loop counts twice."""
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For | ast.While)]
    calls = [node for root in (tree, *loops) for node in ast.walk(root) if isinstance(node, ast.Call)]
    return sum(getattr(call.func, "attr", "") == name for call in calls)


_TENSORS = (
    "Torch was given a numpy array, but it takes tensors (`torch.from_numpy`); "
    "a search takes `TorchNetwork(net)` instead of `net`."
)
POWER = "`^` is not a power, because it combines bits: write `**`."
UNEQUAL = "Entries of different shapes don't fit into one array: which shape does each entry of the list have?"
FLAT_TURNED = (
    "`np.rot90` and `np.fliplr` turn boards, not rows of nine: use `reshape(3, 3)` first, and flatten afterwards."
)
AN_INDEX = "A float is used as an index or a count: `int(...)` turns it into a whole number."
IN_ANY_CASE = (
    Says("not implemented for '(?:Long|Int|Short|Byte|Char)'", "",
         "torch can't do this with integers: which of the tensors should hold floats, and which hold integers?"),
    Says("", r"^raise NotImplementedError\b",
         "The stub's line `raise NotImplementedError(...)` is still there: delete it.", NotImplementedError),
    Says("truth value of an array|Boolean value of Tensor", r"\b(if|while|and|or|not|assert|any|all)\b",
         "`if`, `and`, `or` and `not` need a single truth value, not an array of them: use `.any()` or `.all()`, or "
         "combine arrays with `&`, `|` and `~`."),
    Says("could not be broadcast|must match the size of tensor", "",
         "Two shapes don't fit together: are two arguments exchanged, or does a column lack an axis of length 1 "
         "(`x[..., None]`, `keepdims=True`)?"),
    Says("inhomogeneous shape|all input arrays must have the same shape|stack expects each tensor to be equal size", "",
         UNEQUAL),
    Says(r"must be Tensor, not numpy\.ndarray", "", _TENSORS),
    Says("order must be str, not int|flatten\\(\\) takes", "", _TENSORS, unless="flatten"),
)  # fmt: skip
OTHERWISE = (
    Says("ufunc 'bitwise_xor' not supported|unsupported operand type.* for \\^: .*'float'", r"\^", POWER,
         unless=r"uint64|<<|>>"),
    Says("ufunc '(?:bitwise|left|right)_.*' not supported", r"<<|>>|uint64",
         "NumPy combines the bits of integers of one type only, not of `uint64` and `int64` (`1 << actions` is int64): "
         "convert them all to `np.uint64` with `np.uint64(1)` and `.astype(np.uint64)`."),
    Says("(?:list|tuple) indices must be integers or slices, not (?:tuple|list)", "",
         "A list or tuple takes a single index: to use several at once, turn it into an array (`np.array`)."),
    Says("only integer scalar arrays", "",
         "An array is used as an index, a count or an axis, where a single whole number is needed."),
    Says(r"indices must be integers or slices, not (?:numpy\.)?float|'(?:numpy\.)?float\d*' object cannot be "
         r"interpreted as an integer", "", AN_INDEX),
    Says("index -100 is out of bounds", "",
         "-100 is `NO_ACTION`: the root has it as its `parent_action`, since no action leads there, and `select` "
         "returns it at the end of a game."),
    Says(r"index (\d+) is out of bounds for axis \d+ with size \1$", "",
         "There are {0} entries, counted from 0, so {0} is one too far: "
         "`len(...)` of the array says how many there are, in any game."),
    Says("'int' object is not iterable", r"\bfor\b.*\bin\b",
         "A loop can't go through a number: `range(number)` counts up to it."),
    Says("boolean array indexing assignment", "",
         "There are more values than places for them, or fewer: how many entries of the mask are True?"),
    Says("mat1 and mat2 shapes", "", "A layer gets rows of the wrong length: which tensor did you pass to it?",
         unless=r"@|\bmm\b|matmul"),
    Says(r"^(?:Axes must be different|Input must be >= 2-d)\.$", "rot90|fliplr", FLAT_TURNED,
         unless=r"axes=\((\d), ?\1\)"),
    Says("Probabilities do not sum to 1|probabilities do not sum to 1", "",
         "Probabilities must sum to 1: divide them by their sum, after everything else that you do to them."),
    Says("'float' has no len", "", "A single number is used where a list of numbers is needed."),
    InTorch("'(?:int|tuple)' object is not callable", "", _TENSORS),
    Says("backward through the graph a second time", "",
         "`backward` frees the graph that it goes through, and both losses go through the same network: "
         "add them, and call it once.",
         also=lambda tree: _calls("backward", tree) > 1),
    Says(rf"'(?!NoneType')(\w+)' object has no attribute '({OF_A_GAME})'", "",
         "`{1}` belongs to the game, but here it is looked up on a `{0}`."),
    Says("property '(\\w+)' of '(\\w+)' object has no setter", "",
         "`{0}` of a {1} is computed each time that it is read: change what it is made of."),
    Says("name '(float32|float64|int64|uint64|inf|newaxis)' is not defined", "",
         "The name belongs to numpy: write `np.{0}`.", NameError),
    Says("read-only", "", "It writes into an array that must not change: make a copy first.", ValueError),
    Says("'tuple' object does not support item assignment", "",
         "A tuple can't be changed: turn it into a list, change the list, and turn it into a tuple again."),
)  # fmt: skip


# --- slips seen in the source -----------------------------------------------------------------------------------------


def _is(node: ast.AST, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value == value and type(node.value) is type(value)


def _of_numpy(node: ast.AST) -> bool:
    """Check for `np.something` or `torch.something`."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in LIBRARIES


LIBRARIES = {"np", "numpy", "torch", "F"}


def power_of_one(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find `x ** 1 / t`, which divides the power instead of the exponent."""
    match node:
        case ast.BinOp(ast.BinOp(_, ast.Pow(), exponent), ast.Div(), divisor) if _is(exponent, 1):
            below = ast.unparse(divisor)
            return (
                f"`** 1 / {below}` takes the power first and divides the result by {below}: the exponent needs "
                f"brackets, `** (1 / {below})`."
            )
    return ""


def no_power(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find `^` between floats."""
    match node:
        case ast.BinOp(_, ast.BitXor(), right) if any(map(_no_bits, ast.walk(right))):
            return POWER
    return ""


def _no_bits(node: ast.AST) -> bool:
    return isinstance(node, ast.Div) or (isinstance(node, ast.Constant) and isinstance(node.value, float))


def through_the_mask(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find a loop over a boolean array whose entries are used as indices."""
    match node:
        case ast.For(ast.Name(entry), mask) | ast.comprehension(ast.Name(entry), mask) if _is_mask(mask, tree):
            inside = tree if isinstance(node, ast.comprehension) else node
            if any(map(_indexed_by(entry), ast.walk(inside))):
                array = ast.unparse(mask)
                return (
                    f"a loop over `{array}` gives True and False instead of actions: "
                    f"`np.flatnonzero({array})` gives the legal actions."
                )
    return ""


def _is_mask(node: ast.AST, tree: ast.Module) -> bool:
    """Check for a node's `legal`, or a parameter of that name that is never assigned to."""
    if not isinstance(node, ast.Name) or node.id != "legal":
        return isinstance(node, ast.Attribute) and node.attr == "legal"
    is_parameter = any(isinstance(below, ast.arg) and below.arg == "legal" for below in ast.walk(tree))
    return is_parameter and not _assigned("legal", tree)


def _indexed_by(name: str) -> Callable[[ast.AST], bool]:
    return lambda node: isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and node.slice.id == name


def only_the_last(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find a loop that assigns the result of a step or a game to a name and never reads it."""
    if not isinstance(node, ast.Assign):
        return ""
    match node:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Name("train_step" | "self_play_game" as called))):
            loops = [loop for loop in ast.walk(tree) if isinstance(loop, ast.For) and node in loop.body]
            if loops and not any(_reads(name, loop) for loop in loops):
                return (
                    f"`{name} = {called}(...)` in a loop keeps only the last call's result: collect the results in a "
                    f"list, with `{name}.append(...)`."
                )
    return ""


def _reads(name: str, tree: ast.AST) -> bool:
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load) for node in ast.walk(tree)
    )


def once_for_all(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find `[draw(rng)] * n`, which draws once and repeats the result."""
    match node:
        case ast.BinOp(ast.List([ast.Call(args=args) as call]), ast.Mult(), count) if any(
            _reads("rng", a) for a in args
        ):
            called, times = ast.unparse(call.func), ast.unparse(count)
            return (
                f"`[{called}(...)] * {times}` calls it once and repeats the result: `[{called}(...) for _ in "
                f"range({times})]` calls it each time."
            )
    return ""


def divided_too_early(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find `a / 1 + b` without brackets around the sum."""
    match node:
        case ast.BinOp(ast.BinOp(_, ast.Div(), divisor), ast.Add(), _) if _is(divisor, 1):
            return f"`{ast.unparse(node)}` divides by 1 and then adds: write / (1 + ...)."
    return ""


def kept_nothing(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find a result of a method that works in place and returns None."""
    match node:
        case ast.Assign([ast.Name()], ast.Call(ast.Attribute(attr=attr) as method, keywords=[])) | ast.Return(
            ast.Call(ast.Attribute(attr=attr) as method, keywords=[])
        ) if attr in IN_PLACE and not _of_numpy(method):
            return f"`.{attr}(...)` works in place and returns None: call it on a line of its own."
    return ""


def tuple_of_where(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find a result of `np.where` that is used as an array, although it is a tuple: returned, listed or looped over."""
    match node:
        case (
            ast.Return(call)
            | ast.For(iter=call)
            | ast.comprehension(iter=call)
            | ast.Call(ast.Name("list" | "len" | "sorted"), [call])
        ) if _is_where(call):
            return TUPLE_OF_WHERE
        case ast.Assign([ast.Name(name)], call) if _is_where(call) and not _taken_apart(name, tree):
            return TUPLE_OF_WHERE
    return ""


TUPLE_OF_WHERE = (
    "`np.where(condition)` returns a tuple of arrays, one for each axis: take its [0], or use np.flatnonzero."
)


def _is_where(node: ast.AST | None) -> bool:
    match node:
        case ast.Call(ast.Attribute(ast.Name("np" | "numpy"), "where" | "nonzero"), [_], []):
            return True
    return False


def _taken_apart(name: str, tree: ast.Module) -> bool:
    """Check whether a name is indexed or used as an index, as a tuple of arrays may be."""
    subscripts = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
    operands = [operand for node in subscripts for operand in (node.value, node.slice)]
    return any(isinstance(operand, ast.Name) and operand.id == name for operand in operands)


def whole_numbers(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find `zeros_like` and its kin without a dtype."""
    match node:
        case ast.Call(ast.Attribute(attr="zeros_like" | "empty_like" | "ones_like" | "full_like" as name), keywords=[]):
            return (
                f"`{name}` also copies the type: an array of integers or bools cuts off the decimals of what you write "
                f"into it. Pass dtype=float."
            )
    return ""


def upper_limit(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find `rng.integers(0, n - 1)`, which never draws n - 1."""
    match node:
        case ast.Call(ast.Attribute(attr="integers"), [low, ast.BinOp(n, ast.Sub(), less)], []) if _is(low, 0) and _is(
            less, 1
        ):
            return f"`{ast.unparse(node)}` gives {ast.unparse(n)} - 2 at most, because the limit itself is never drawn."
    return ""


def axis_of_two(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find `np.max(0, x)` in place of `np.maximum(0, x)`."""
    match node:
        case ast.Call(
            ast.Attribute(ast.Name("np" | "numpy"), "max" | "min" as name), [ast.Constant(int() | float()), second]
        ):
            return (
                f"`{ast.unparse(node)}` takes `{ast.unparse(second)}` for an axis: "
                f"`np.{name}imum` compares two arrays entry by entry."
            )
    return ""


def mutable_default(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find a mutable default that the function writes into or returns."""
    if not isinstance(node, ast.FunctionDef):
        return ""
    given = [*node.args.posonlyargs, *node.args.args]
    pairs = [*zip(given[::-1], node.args.defaults[::-1], strict=False),
             *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]  # fmt: skip
    names = {parameter.arg for parameter, value in pairs if isinstance(value, ast.List | ast.Dict | ast.Set)}
    if any(_written_into(inside) in names for inside in ast.walk(node)):
        return (
            "a list or dictionary as a default is made once and shared by all calls: use None, "
            "and create it inside the function."
        )
    return ""


def _written_into(node: ast.AST) -> str:
    """Return the name that a statement changes in place or returns; "" for other statements."""
    match node:
        case ast.Call(ast.Attribute(ast.Name(name), attr)) if attr in IN_PLACE | {"add", "setdefault", "pop"}:
            return name
        case (
            ast.Subscript(ast.Name(name), ctx=ast.Store()) | ast.AugAssign(ast.Name(name)) | ast.Return(ast.Name(name))
        ):
            return name
    return ""


def identity(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find numbers or strings compared with `is`."""
    if isinstance(node, ast.Compare) and any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops):
        for side in [node.left, *node.comparators]:
            if (
                isinstance(side, ast.Constant)
                and isinstance(side.value, int | float | str)
                and not isinstance(side.value, bool)
            ):
                return (
                    f"`{ast.unparse(node)}` checks whether they are the same object: "
                    f"compare numbers and strings with == and !=."
                )
    return ""


def global_chance(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find global random generators in place of `rng`."""
    if not _reads("rng", _parsed(EXERCISES[exercise].source)):
        return ""
    match node:
        case ast.Call(ast.Attribute(ast.Attribute(ast.Name("np" | "numpy"), "random"), name)) if name != "Generator":
            return f"`np.random.{name}` is not the generator that you were given: use `rng`."
        case ast.Call(ast.Attribute(ast.Name("random"), name)):
            return f"`random.{name}` is not the generator that you were given: use `rng`."
    return ""


def compared_with_the_first_only(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find `x == a or b`."""
    match node:
        case ast.BoolOp(ast.Or(), [ast.Compare(left, [ast.Eq()], [first]), second, *_]) if _is_a_number(second):
            compared, value = ast.unparse(left), ast.unparse(second)
            return (
                f"in `{ast.unparse(ast.BoolOp(node.op, node.values[:2]))}` nothing is compared with {value}, which "
                f"counts as true: write `{compared} in ({ast.unparse(first)}, {value})`."
            )
    return ""


def _is_a_number(node: ast.AST) -> bool:
    """Check for a literal that counts as true: 1, -1, "X"; not 0 or ""."""
    constant = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(constant, ast.Constant) and bool(constant.value)


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


def nodes_of_every_game(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find `array[:, nodes]` in a tree of many games."""
    match node:
        case ast.Subscript(ast.Attribute(attr=attr), ast.Tuple([ast.Slice(None, None), ast.Name(nodes), *_])) if (
            exercise.startswith("batched") and attr in TREE_OF_MANY_GAMES and nodes.islower()
        ):
            return (
                f"`{ast.unparse(node)}` takes all of these nodes in every game: to take one node of each game, write "
                f"`[games, {nodes}]` with an array of the games' numbers."
            )
    return ""


def compared_not_assigned(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find a comparison as a statement."""
    match node:
        case ast.Expr(ast.Compare(ops=[ast.Eq()])):
            return f"`{ast.unparse(node)}` compares and drops the result: a single = assigns."
    return ""


def list_compared(node: ast.AST, tree: ast.Module, exercise: str) -> str:
    """Find a list compared with a number."""
    match node:
        case ast.Compare(ast.Name("players"), [ast.Eq()], [_]) if not _assigned("players", tree):
            return (
                f"`{ast.unparse(node)}` compares the list as a whole, which gives a single False: "
                f"compare an array, `np.array(players)`."
            )
    return ""


def _assigned(name: str, tree: ast.Module) -> bool:
    """Check whether the name is assigned to."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return any(node.id == name and isinstance(node.ctx, ast.Store) for node in names)


Slip = Callable[[ast.AST, ast.Module, str], str]
CERTAIN: tuple[Slip, ...] = (power_of_one, no_power, through_the_mask, only_the_last, once_for_all)
SLIPS: tuple[Slip, ...] = (
    whole_numbers,  # first: used only where decimals were cut off
    divided_too_early,
    kept_nothing,
    compared_not_assigned,
    compared_with_the_first_only,
    nodes_of_every_game,
    tuple_of_where,
    upper_limit,
    axis_of_two,
    mutable_default,
    identity,
    global_chance,
    list_compared,
)


# --- where it raised, and what differs --------------------------------------------------------------------------------


def learners_line(error: BaseException | None) -> str:
    """Return the last of the answer's own lines in a traceback, as "line 7: `x = a[9]`"; "" if there is none."""
    return getattr(error, "learners_line", "")


def difference(expected: object, got: object, tolerance: Tolerance = 1e-6) -> str:
    """Say how two arrays or lists of numbers differ: by their shapes, or at which first entry, and at how many.

    For dictionaries, it describes the first entry that differs. Other values give "".
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        pairs = ((name, value, got[name]) for name, value in expected.items() if got.get(name) is not None)
        texts = ((name, _shapes(value, entry) or difference(value, entry, tolerance)) for name, value, entry in pairs)
        return next((f"{name}: {text}" for name, text in texts if text), "")
    wanted, given = _numbers(expected), _numbers(got)
    if wanted is None or given is None or max(wanted.size, given.size) < 4:
        return ""
    if text := _shapes(wanted, given):
        return text
    off = ~np.isclose(given, wanted, *errors(tolerance))
    if not off.any():
        return ""
    place = tuple(int(i[0]) for i in np.nonzero(off))
    where = ", ".join(map(str, place))
    first, second = _entry(expected, wanted[place]), _entry(got, given[place])
    return f"first at [{where}]: {first} expected, {second} got; {int(off.sum())} of {off.size} entries differ"


def _entry(value: object, number: float) -> str:
    """Format an entry of a value, as True or False for bools."""
    return str(bool(number)) if np.asarray(plain(value)).dtype == bool else f"{number:.6g}"


def _shapes(expected: object, got: object) -> str:
    try:
        wanted, given = list(np.shape(expected)), list(np.shape(got))  # type: ignore[call-overload]  # any object
    except ValueError:  # lists of different lengths
        return ""
    return f"shape {wanted} expected, {given} got" if wanted != given else ""


def _numbers(value: object) -> np.ndarray | None:
    try:
        array = np.asarray(value.detach().numpy() if hasattr(value, "detach") else value, dtype=np.float64)
    except (TypeError, ValueError, RuntimeError):
        return None
    return array if array.ndim else None
