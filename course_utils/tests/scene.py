"""A check made of scenes: short programs, shown line by line as they ran. The value of the last line is judged.

What is expected is what the same lines give with the first right answer of the check. From the draws come the cases that every exercise
has, without a line in its file: agreement on many scenes, of which the smallest that fails is shown; nothing kept between two calls;
the names and defaults of the docstring.
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

SHRINK_SECONDS = 1.0  # of processor time, in which a failing draw is made smaller
SHRINKING = ContextVar("shrinking", default=True)  # whether the time is spent on that
REPLAYED = 5  # scenes that are played again, to see whether anything was kept
HELPERS = "course_utils.tests."  # the modules of what only checks use
BATCH = 10  # draws in a row that hypothesis makes anew; after that most are earlier ones with a part repeated


@dataclass(kw_only=True, eq=False)
class Scenes(Calls):
    """What must be true of an answer. A file of an exercise holds one, called CHECK; what the file says by a name of its own, `of_file` adds.

    Attributes:
        draws: hypothesis' strategy for *draws*: plain descriptions of a scene (numbers, tuples, a seed).
        board: draw -> the position, drawn.
        question: points at the idea when a draw fails.
        asks: what the scenes of the draws ask, as the name of their case; another one where they ask less than the definition.
        examples: how many draws.
        edges: draws that are tried in any case, after the others.
        tolerance: how far a number may be off, see `case.same`.
        points: for agreement on the draws.
        seconds: of the processor, for the same; several times what a slow right answer takes.
        returns, changes, fresh: see `Calls`.
        scene: `scene` of the file: draw -> the lines of its scene. They may use all names of the file, numpy as `np`, and the exercise; the
            last one is an expression.
        by_hand: BY_HAND: three to eight cases that teach, the easiest first, in the notation of `by_hand_cases`.
        wrong: WRONG: the catalogue of plausible wrong answers.
        right: the functions `right_...`: answers that are right and written differently; the first says what is expected.
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
        """Those by hand first, then those that come of the draws."""
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
        """From blocks of lines, parted by an empty line:

        the name of the case (2 points)
        a picture, if it helps
        >>> lines as in a notebook, with SEED for a number that is drawn anew each time
        what must come of the last one; left out, the first right answer says it. It may be a `Such` or `Raises`
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
        """The lines of all scenes that `cases` plays with this seed, but for draws that are made smaller."""
        rng = np.random.default_rng(seed)
        with using({}):
            by_hand = [case.lines for case in self.by_hand_cases(rng)]
        drawn = [draw for _, _, draw in self.drawn(int(rng.integers(2**31)))]
        yield from [*by_hand, *map(self.scene, [*drawn, *self.edges])]

    # --- a scene ------------------------------------------------------------------------------------------------------

    def expected(self, lines: str) -> Any:
        """What comes of the last line, with the first right answer; `Raises` where that raises. It is remembered."""
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
        """The lines, after the imports that a notebook needs to run them. Behind a helper of the checks stands what it is."""
        used = {node.id: node for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Name)}
        homes: dict[str, list[str]] = {}
        for name in sorted(used.keys() & self.names.keys() - vars(builtins).keys() - {"np", self.exercise}):
            homes.setdefault(home_of(name, self.names[name], self.names["__name__"]), []).append(name)
        imports: list[str] = []
        for home, found in sorted(homes.items(), key=lambda one: (one[0].startswith(HELPERS), one[0])):
            if inspect.ismodule(self.names[found[0]]):
                imports.append(f"import {home}")
            elif home.startswith(HELPERS):
                imports += [f"from {home} import {name}  # {_first_line(self.names[name])}" for name in found]
            else:
                imports.append(f"from {home} import {', '.join(found)}")
        return "\n".join([*imports, lines])

    # --- what comes of the draws --------------------------------------------------------------------------------------

    def agreement(self, stage: Stage, seed: int) -> None:
        """Raises Disagrees with the smallest failing draw that could be found within `SHRINK_SECONDS`."""
        trying: Any = None

        def failing(draw: Any) -> Disagrees | None:
            nonlocal trying
            trying = draw
            return self.verdict(stage, draw)

        drawn = self.drawn(seed)  # some once more at the end: by then an answer that remembers them may be wrong
        try:
            for place in [*drawn, *((None, 0, draw) for draw in self.edges), *drawn[:REPLAYED]]:
                first = failing(copy.deepcopy(place[2]))
                if first is not None:
                    break
            else:
                return
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # time is up, or the answer asks to leave
            if trying is None:
                raise
            lines = self.scene(trying)
            raise Disagrees(self.shown(lines), self.board(trying), self.expected(lines), error=error) from None
        batch, number, _ = place
        smallest, called, ends = first, count(), processor_time() + SHRINK_SECONDS

        def shrunk(draw: Any) -> None:
            nonlocal smallest
            if next(called) < number:
                return  # it was right
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
        """None if the answer does with this draw what the first right one does. `chance`: as global generators begin."""
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
        said = "" if complaint in ("not the same", "an exception") else complaint
        return Disagrees(self.shown(lines), self.board(draw), expected, copy.copy(got), error, said)

    def on_all(self, stage: Stage, seed: int) -> Iterator[Disagrees | None]:
        """`verdict` on every draw that `agreement` tries with this seed, each once; an answer that draws from global generators draws alike."""
        for draw in [*(draw for _, _, draw in self.drawn(seed)), *self.edges]:
            yield self.verdict(stage, copy.deepcopy(draw), chance=0)

    def some_scenes(self, seed: int) -> list[str]:
        """Those of a few draws, in which nothing is raised."""
        scenes = [self.scene(draw) for _, _, draw in self.drawn(seed)[: min(REPLAYED, self.examples // 2)]]
        return [lines for lines in scenes if not isinstance(self.expected(lines), Raises)]

    def memory(self, stage: Stage, seed: int) -> str:
        """ "" or a sentence about what outlived a call."""
        sentence, lines = stage.memory(self.some_scenes(seed))
        return f"{sentence}\n{self.shown(lines)}" if lines else sentence

    def signature(self, stage: Stage, seed: int) -> str:
        """ "" or a sentence about a name or a default that differs."""
        return stage.signature(self.some_scenes(seed))

    def drawn(self, seed: int) -> list[tuple[int, int, Any]]:
        """(the seed of its batch, its number there, draw), all different, `examples` at most. They are remembered."""
        if seed not in self._drawn:
            different: dict[str, tuple[int, int, Any]] = {}
            for batch in range(seed, seed + self.examples, BATCH):
                found: list[Any] = []
                _each_of(self.draws, found.append, batch, seed + self.examples - batch, shrink=False)
                for number, draw in enumerate(found):
                    different.setdefault(repr(draw), (batch, number, draw))
            self._drawn[seed] = list(different.values())
        return self._drawn[seed]


def of_file(exercise: str, names: dict[str, Any]) -> Scenes:
    """The check of the file that has these names."""
    check = names["CHECK"]
    check.exercise, check.names, check.scene = exercise, names, names["scene"]
    check.by_hand, check.wrong = names["BY_HAND"], names["WRONG"]
    check.right = [value for name, value in names.items() if name.startswith("right_")]
    for entry in check.wrong:
        entry.exercise = exercise
    return check


def pasted(value: Any) -> str:
    """A value as a line of a scene can hold it."""
    if isinstance(value, np.ndarray):
        dtype = "" if value.dtype in (np.float64, np.int64, bool) else f", dtype=np.{value.dtype}"
        text = np.array2string(value, threshold=sys.maxsize, floatmode="unique", separator=", ", prefix="np.array(")
        return f"np.array({text}{dtype})"
    return repr(value)


class _Failed(Exception):
    """A draw on which the answer is wrong: hypothesis looks for a smaller one."""


class _Enough(BaseException):
    """No time left for a smaller draw."""


def home_of(name: str, value: Any, here: str) -> str:
    """The module from which one imports it: a class or function from its own, or the package around it; else the check's file."""
    if inspect.ismodule(value):
        return value.__name__ if value.__name__ == name else f"{value.__name__} as {name}"
    home = getattr(value, "__module__", None) or _imported(here).get(name, here)
    found = [one for one in (home.rpartition(".")[0], home) if getattr(sys.modules.get(one), name, None) is value]
    return found[0] if found else here


@functools.cache
def _imported(module: str) -> dict[str, str]:
    """What a module imports by name -> from where."""
    statements = ast.parse(inspect.getsource(sys.modules[module])).body
    imports = [one for one in statements if isinstance(one, ast.ImportFrom) and one.module]
    return {alias.name: str(one.module) for one in imports for alias in one.names}


def _first_line(value: Any) -> str:
    """Of its docstring, without the full stop."""
    return (inspect.getdoc(value) or "").partition("\n")[0].removesuffix(".")


def _each_of(draws: SearchStrategy, one: Callable[[Any], object], seed: int, examples: int, shrink: bool) -> None:
    """Call `one` with a batch of draws, `examples` at most; the same seed gives the same."""

    def test(draw):
        one(draw)

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
    """Within the block hypothesis knows of no other test that runs: a time-out may have left one behind. (The name is not public: where a
    version has none, nothing is done, and only what comes after a time-out may suffer.)"""
    context = getattr(control, "_current_build_context", None)
    return contextlib.nullcontext() if context is None else context.with_value(None)


@contextlib.contextmanager
def _no_constants_of_modules() -> Iterator[None]:
    """Within the block hypothesis draws no constants from the source of loaded modules, so a notebook, a terminal and the grader draw the
    same. (These names are not public: a version that lacks them has no such constants.)"""
    providers: Any = SimpleNamespace()
    with contextlib.suppress(ImportError):
        providers = importlib.import_module("hypothesis.internal.conjecture.providers")
    if getattr(providers, "_get_local_constants", None) is None:
        yield
        return
    replaced = {"_get_local_constants": providers.Constants, "CONSTANTS_CACHE": {}}
    kept = {name: getattr(providers, name) for name in replaced}
    vars(providers).update(replaced)
    try:
        yield
    finally:
        vars(providers).update(kept)


@contextlib.contextmanager
def _unseeded() -> Iterator[None]:
    """Within the block hypothesis leaves the global generators alone. To keep, seed and put them back at each draw takes it a third of
    its time, and where no answer is called nobody draws from them."""
    kept = getattr(core, "deterministic_PRNG", None)
    core.deterministic_PRNG = lambda seed=0: contextlib.nullcontext()  # type: ignore[assignment, return-value]  # a context, too
    try:
        yield
    finally:
        if kept is not None:
            core.deterministic_PRNG = kept
