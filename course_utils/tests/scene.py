"""Build a check from scenes: short programs that call the answer. The value of a scene's last line is judged.

The expected value is the one that the same lines give with the first right answer of the check. Every exercise gets
three cases from its draws: agreement on many scenes, of which the smallest failing one is shown; no state kept between
two calls; the names and defaults of the docstring.
"""

import ast
import builtins
import contextlib
import copy
import functools
import importlib
import inspect
import operator
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

import hypothesis
import numpy as np
from hypothesis import HealthCheck, Phase, control, core
from hypothesis.strategies import SearchStrategy

from course_utils.deadline import TookTooLong
from course_utils.exercise import using
from course_utils.platform import processor_time
from course_utils.tests.case import Case, Disagrees, Raises, Such, Tolerance, complaint_about
from course_utils.tests.catalogue import Wrong
from course_utils.tests.stage import Calls, Stage, bare
from course_utils.tests.watch import Complaint

SHRINK_SECONDS = 1.0  # of processor time, for shrinking a failing draw
SHRINKING = ContextVar("shrinking", default=True)  # whether failing draws are shrunk
REPLAYED = 5  # scenes that run again, to see whether the answer keeps state between calls
HELPERS = "course_utils.tests."  # prefix of the modules that only checks use
BATCH = 10  # draws from one hypothesis run; after about ten, most repeat parts of earlier ones


@dataclass(kw_only=True, eq=False)
class Scenes(Calls):
    """Define the check of an exercise. Its file holds one, called CHECK; `of_file` adds the file's other definitions.

    Attributes:
        draws: the hypothesis strategy for *draws*: plain descriptions of a scene (numbers, tuples, a seed).
        board: draw -> the position as text.
        question: points at the idea when a draw fails.
        asks: the name of the case of the draws; set it if they check less than the whole definition.
        examples: the number of draws.
        edges: draws that are always tried, after the others.
        tolerance: how far a number may be off, see `case.same`.
        points: for agreement on the draws.
        seconds: the timeout of the draws in processor time; several times what a slow right answer takes.
        returns, changes, fresh: see `Calls`.
        scene: the file's `scene`: draw -> the lines of its scene. They may use all names of the file, numpy as `np`,
            and the exercise; the last line is an expression.
        by_hand: the file's BY_HAND: three to eight cases that teach, the easiest first, see `by_hand_cases`.
        wrong: the file's WRONG: the catalogue of plausible wrong answers.
        right: the file's functions `right_...`: right answers, written differently. The first one computes the
            expected values.
    """

    draws: SearchStrategy
    scene: Callable[[Any], str] = str
    by_hand: str = ""
    wrong: list[Wrong] = field(default_factory=list)
    right: list[Callable] = field(default_factory=list)
    board: Callable[[Any], str] = lambda draw: ""
    question: str = ""
    asks: str = "agrees with the definition on many random inputs"
    examples: int = 30
    edges: Sequence[Any] = ()
    tolerance: Tolerance = 1e-6
    points: int = 3
    seconds: float = 8
    _expected: dict[str, Any] = field(default_factory=dict, repr=False)
    _drawn: dict[int, list] = field(default_factory=dict, repr=False)

    # --- the cases ----------------------------------------------------------------------------------------------------

    def cases(self, rng: np.random.Generator) -> Iterator[Case]:
        """Yield the cases by hand, then those from the draws."""
        yield from self.by_hand_cases(rng)
        seed = int(rng.integers(2**31))
        yield Case(
            self.asks,
            functools.partial(self.agreement, seed=seed),
            Such("the same on every input", lambda verdict: verdict is None),
            question=self.question,
            points=self.points,
            tolerance=self.tolerance,
            seconds=self.seconds,
        )
        yield Case(
            "keeps nothing between two calls, and changes only what it should",
            functools.partial(self.memory, seed=seed),
            Such("each call gives what it would give as the first and only one", lambda verdict: verdict or True),
            question="What is left over from an earlier call: an array that is returned twice, "
            "an argument, a setting, a generator?",
            seconds=8,
        )
        yield Case(
            "can be called by position and by name, with the defaults of the docstring",
            functools.partial(self.signature, seed=seed),
            Such(f"{self.exercise}{bare(self.parameters)}", lambda verdict: verdict or True),
            question="The notebooks call the function with these names. Which one is different in yours?",
        )

    def by_hand_cases(self, rng: np.random.Generator) -> Iterator[Case]:
        """Parse BY_HAND, whose blocks are separated by empty lines:

        the name of the case (2 points)
        a picture, if it helps
        >>> lines as in a notebook, with SEED for a random number
        the expected value of the last line, or a `Such` or `Raises`; without it, the first right answer's value
        ? a question that points at the idea; each of its lines begins like this
        """
        for block in filter(None, dedent(self.by_hand).strip().split("\n\n")):
            name, *rest = block.replace("SEED", str(int(rng.integers(2**31)))).splitlines()
            picture: list[str] = []
            lines: list[str] = []
            expected: list[str] = []
            asked: list[str] = []
            for line in rest:
                if line[:3] in (">>>", "..."):
                    lines.append(line[4:])
                elif line.startswith("? "):
                    asked.append(line[2:])
                else:
                    (expected if lines else picture).append(line)
            points = re.search(r" \((\d) points\)$", name)
            scene = "\n".join(lines)
            yield Case(
                name[: points.start()] if points else name,
                operator.methodcaller("play", scene),
                self.play("\n".join(expected), None) if expected else self.expected(scene),
                self.shown(scene),
                " ".join(asked) or self.question,
                "\n".join(picture),
                points=int(points[1]) if points else 1,
                tolerance=self.tolerance,
                lines=scene,
            )

    def scenes(self, seed: int) -> Iterator[str]:
        """Yield the lines of all scenes that `cases` runs with this seed, except those of shrunk draws."""
        rng = np.random.default_rng(seed)
        with using({}):
            by_hand = [case.lines for case in self.by_hand_cases(rng)]
        drawn = [draw for _, _, draw in self.drawn(int(rng.integers(2**31)))]
        yield from [*by_hand, *map(self.scene, [*drawn, *self.edges])]

    # --- a scene ------------------------------------------------------------------------------------------------------

    def expected(self, lines: str) -> Any:
        """Return the value of the last line with the first right answer, or `Raises` if that raises; cached."""
        if lines not in self._expected:
            raised: list[Exception] = []

            def right(*args, **kwargs):
                try:
                    return self.right[0](*args, **kwargs)
                except Exception as error:
                    raised.append(error)
                    raise

            with using({}), np.errstate(all="ignore"):
                try:
                    self._expected[lines] = self.play(lines, right)
                except Exception as error:
                    if error not in raised:
                        raise
                    self._expected[lines] = Raises(type(error))
        return self._expected[lines]

    def shown(self, lines: str) -> str:
        """Put the imports that a notebook needs before the lines. A comment says what a helper of the checks does."""
        used = {node.id: node for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Name)}
        homes: dict[str, list[str]] = {}
        for name in sorted(used.keys() & self.names.keys() - vars(builtins).keys() - {"np", self.exercise}):
            homes.setdefault(home_of(name, self.names[name], self.names["__name__"]), []).append(name)
        imports: list[str] = []
        for home in sorted(homes, key=lambda module: (module.startswith(HELPERS), module)):
            names = homes[home]
            if inspect.ismodule(self.names[names[0]]):
                imports.append(f"import {home}")
            elif home.startswith(HELPERS):
                imports += [f"from {home} import {name}  # {_first_line(self.names[name])}" for name in names]
            else:
                imports.append(f"from {home} import {', '.join(names)}")
        return "\n".join([*imports, lines])

    # --- the draws ----------------------------------------------------------------------------------------------------

    def agreement(self, stage: Stage, seed: int) -> None:
        """Try all draws. Raises Disagrees with the smallest failing draw that shrinking finds in `SHRINK_SECONDS`."""
        trying: Any = None

        def failing(draw: Any) -> Disagrees | None:
            nonlocal trying
            trying = draw
            return self.verdict(stage, draw)

        drawn = self.drawn(seed)
        try:  # the first draws run again at the end: an answer that caches results may be wrong by then
            for place in [*drawn, *((None, 0, draw) for draw in self.edges), *drawn[:REPLAYED]]:
                first = failing(copy.deepcopy(place[2]))
                if first is not None:
                    break
            else:
                return
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a timeout, or SystemExit
            if trying is None:
                raise
            lines = self.scene(trying)
            raise Disagrees(self.shown(lines), self.board(trying), self.expected(lines), error=error) from None
        batch, number, _ = place
        smallest, called, ends = first, count(), processor_time() + SHRINK_SECONDS

        def shrunk(draw: Any) -> None:
            nonlocal smallest
            if next(called) < number:
                return  # this draw passed
            if processor_time() > ends:
                raise _Enough
            if (verdict := failing(draw)) is not None:
                smallest = verdict
                raise _Failed

        if batch is not None and SHRINKING.get():
            with contextlib.suppress(Exception, BaseExceptionGroup, _Enough, TookTooLong, SystemExit, GeneratorExit):
                _each_of(self.draws, shrunk, batch, seed + self.examples - batch, shrink=True)
        smallest.first, first.on_all = first, functools.partial(self.on_all, seed=seed)
        raise smallest

    def verdict(self, stage: Stage, draw: Any, chance: int | None = None) -> Disagrees | None:
        """Compare the answer with the first right one on a draw; None if they agree. `chance`: a global seed."""
        lines = self.scene(draw)
        expected, got, error = self.expected(lines), None, None
        try:
            got = stage.watched(lines, chance)
            complaint = complaint_about(got, expected, self.tolerance)
        except Complaint as wrong:
            got, complaint = wrong.args
        except Exception as raised:
            error = raised
            complaint = expected.complaint(raised) if isinstance(expected, Raises) else "an exception"
        if not complaint:
            return None
        complaint = "" if complaint in ("not the same", "an exception") else complaint
        return Disagrees(self.shown(lines), self.board(draw), expected, copy.copy(got), error, complaint)

    def on_all(self, stage: Stage, seed: int) -> Iterator[Disagrees | None]:
        """Yield the verdict on each draw that `agreement` tries with this seed, with the global generators seeded."""
        for draw in [*(draw for _, _, draw in self.drawn(seed)), *self.edges]:
            yield self.verdict(stage, copy.deepcopy(draw), chance=0)

    def some_scenes(self, seed: int) -> list[str]:
        """List the scenes of a few draws that raise nothing."""
        scenes = [self.scene(draw) for _, _, draw in self.drawn(seed)[: min(REPLAYED, self.examples // 2)]]
        return [lines for lines in scenes if not isinstance(self.expected(lines), Raises)]

    def memory(self, stage: Stage, seed: int) -> str:
        """Say which state the answer keeps between calls; "" if none."""
        sentence, lines = stage.memory(self.some_scenes(seed))
        return f"{sentence}\n{self.shown(lines)}" if lines else sentence

    def signature(self, stage: Stage, seed: int) -> str:
        """Say which parameter's name or default differs; "" if none does."""
        return stage.signature(self.some_scenes(seed))

    def drawn(self, seed: int) -> list[tuple[int, int, Any]]:
        """List different draws, at most `examples`: (the seed of its batch, its number there, draw); cached."""
        if seed not in self._drawn:
            different: dict[str, tuple[int, int, Any]] = {}
            for batch in range(seed, seed + self.examples, BATCH):
                draws: list[Any] = []
                _each_of(self.draws, draws.append, batch, seed + self.examples - batch, shrink=False)
                for number, draw in enumerate(draws):
                    different.setdefault(repr(draw), (batch, number, draw))
            self._drawn[seed] = list(different.values())
        return self._drawn[seed]


def of_file(exercise: str, names: dict[str, Any]) -> Scenes:
    """Complete the CHECK of an exercise's file with the other names of the file."""
    check = names["CHECK"]
    check.exercise, check.names, check.scene = exercise, names, names["scene"]
    check.by_hand, check.wrong = names["BY_HAND"], names["WRONG"]
    check.right = [value for name, value in names.items() if name.startswith("right_")]
    for entry in check.wrong:
        entry.exercise = exercise
    return check


def pasted(value: Any) -> str:
    """Format a value as code for a line of a scene."""
    if isinstance(value, np.ndarray):
        dtype = "" if value.dtype in (np.float64, np.int64, bool) else f", dtype=np.{value.dtype}"
        text = np.array2string(value, threshold=sys.maxsize, floatmode="unique", separator=", ", prefix="np.array(")
        text = text.replace("nan", "np.nan")
        return f"np.array({text}{dtype})"
    return repr(value)


class _Failed(Exception):
    """Tell hypothesis that the answer fails on a draw, so that it looks for a smaller one."""


class _Enough(BaseException):
    """Stop hypothesis when the time for shrinking is up."""


def home_of(name: str, value: Any, file: str) -> str:
    """Return the module to import a name from: that of the class or function, or its package; else the check's file."""
    if inspect.ismodule(value):
        return value.__name__ if value.__name__ == name else f"{value.__name__} as {name}"
    home = getattr(value, "__module__", None) or _imported(file).get(name, file)
    modules = (home.rpartition(".")[0], home)
    return next((module for module in modules if getattr(sys.modules.get(module), name, None) is value), file)


@functools.cache
def _imported(module: str) -> dict[str, str]:
    """Map each name in a module's `from ... import` lines to the module that it comes from."""
    statements = ast.parse(inspect.getsource(sys.modules[module])).body
    imports = [statement for statement in statements if isinstance(statement, ast.ImportFrom) and statement.module]
    return {alias.name: str(statement.module) for statement in imports for alias in statement.names}


def _first_line(value: Any) -> str:
    """Return the first line of a docstring, without the full stop."""
    return (inspect.getdoc(value) or "").partition("\n")[0].removesuffix(".")


def _each_of(draws: SearchStrategy, call: Callable[[Any], object], seed: int, examples: int, shrink: bool) -> None:
    """Call `call` with a batch of draws, at most `examples`. The same seed gives the same draws."""

    def test(draw):
        call(draw)

    settings = hypothesis.settings(
        max_examples=min(BATCH, examples),
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=hypothesis.Verbosity.quiet,
    )
    with _nothing_left_behind(), _no_constants_of_modules(), contextlib.nullcontext() if shrink else _unseeded():
        hypothesis.seed(seed)(settings(hypothesis.given(draws)(test)))()


def _nothing_left_behind() -> contextlib.AbstractContextManager:
    """Hide from hypothesis any test that a timeout has left running.

    The name is not public: for a version without it nothing is done, and only draws after a timeout may suffer.
    """
    context = getattr(control, "_current_build_context", None)
    return contextlib.nullcontext() if context is None else context.with_value(None)


@contextlib.contextmanager
def _no_constants_of_modules() -> Iterator[None]:
    """Keep hypothesis from drawing constants in the source of loaded modules.

    So a notebook, a terminal and the grader get the same draws. These names are not public: a version without them has
    no such constants.
    """
    providers: Any = SimpleNamespace()
    with contextlib.suppress(ImportError):
        providers = importlib.import_module("hypothesis.internal.conjecture.providers")
    if getattr(providers, "_get_local_constants", None) is None:
        yield
        return
    replaced = {"_get_local_constants": providers.Constants, "CONSTANTS_CACHE": {}}
    originals = {name: getattr(providers, name) for name in replaced}
    vars(providers).update(replaced)
    try:
        yield
    finally:
        vars(providers).update(originals)


@contextlib.contextmanager
def _unseeded() -> Iterator[None]:
    """Keep hypothesis from seeding the global generators.

    Saving, seeding and restoring them at each draw takes a third of its time, and only an answer draws from them.
    """
    original = getattr(core, "deterministic_PRNG", None)
    core.deterministic_PRNG = lambda seed=0: contextlib.nullcontext()  # type: ignore[assignment, return-value]
    try:
        yield
    finally:
        if original is not None:
            core.deterministic_PRNG = original
