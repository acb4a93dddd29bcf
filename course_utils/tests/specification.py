"""A check as a specification: how inputs are drawn, what an independent oracle says of them, a few cases that teach.

From the draws and the oracle come the cases that every exercise has, without a line in its file: agreement on many draws, of which the
smallest that fails is shown; no memory between calls; arguments, generators and settings left alone; calls by position and by name.
"""

import contextlib
import copy
import functools
import inspect
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, product
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from course_utils.exercise import EXERCISES
from course_utils.tests import scene
from course_utils.tests.case import Case, Disagrees, Raises, Such, Tolerance, same, show, unchanged
from course_utils.tests.catalogue import Wrong
from course_utils.tests.deadline import TookTooLong
from course_utils.tests.scene import MAKES_SMALLER, UNALIKE, _each_of, _Enough, _Failed
from course_utils.tests.settings import changed_by
from course_utils.tests.watch import arrays as _arrays
from course_utils.tests.watch import global_seeds
from course_utils.tests.watch import leaves as _leaves
from course_utils.tests.watch import snapshot as _snapshot
from course_utils.tests.watch import spoil_freed_memory as _spoil_freed_memory
from course_utils.tests.watch import torch as _torch

KEPT = 5  # draws on which memory is looked for
MANY_CALLS, MANY_SECONDS = 500, 0.005  # of the processor's time: as many calls may a careless count need to show


def nothing_by_hand(rng: np.random.Generator) -> Iterator[Case]:
    yield from ()


@dataclass
class Specification:
    """What must be true of an answer. A file of an exercise holds one, called CHECK.

    A *draw* is a plain description of a call (numbers, lists, a seed): immutable, made by hypothesis, small when it can be.
    `arguments` makes the arguments from it, new at each call.

    Attributes:
        draws: how draws are drawn, over the whole contract of the docstring.
        arguments: draw -> {parameter: argument}, in the order of the signature. A parameter with a default may be left out.
        oracle: draw -> what must come of the call: plain data, `Raises`, or `Such`. Written another way than the reference.
        judged: (result, arguments) -> the plain data that is compared with the oracle's: the result itself, or what an argument became.
        run: (answer, draw) -> the plain data that is compared, for draws that are more than one call; `arguments` then give one of them.
        shown: draw -> the call, as lines to paste; "" if the arguments show themselves.
        board: draw -> the position, drawn.
        question: points at the idea when a draw fails.
        by_hand: rng -> three to eight cases that teach, the easiest first.
        returns: result -> "" or a sentence that says what is wrong with its type, or with what can be seen without the oracle, asked at every call, those of `run` included;
            see `plain_int`, `array` and others.
        changes: the arguments that a call may change.
        fresh: whether arrays that are returned must be new ones, which nobody else holds; or result -> those parts of it that must.
        related: (draw, number from 0 to 9) -> another draw, for which a careless memory takes this one: the same stones, but the
            other player to move. Some are tried right after a draw.
        examples: how many draws.
        edges: draws that are tried in any case, after the others.
        tolerance: how far a number may be off, see `case.same`.
        points: for agreement on the draws.
        seconds: of the processor, for the same; several times what a slow right answer takes.
        wrong: the catalogue of plausible wrong answers.
        right: answers that are right and written differently.
    """

    draws: SearchStrategy
    arguments: Callable[[Any], dict[str, Any]]
    oracle: Callable[[Any], Any]
    judged: Callable[[Any, dict[str, Any]], Any] = lambda result, arguments: result
    run: Callable[[Callable, Any], Any] | None = None
    shown: Callable[[Any], str] | None = None
    board: Callable[[Any], str] | None = None
    question: str = ""
    by_hand: Callable[[np.random.Generator], Iterator[Case]] = nothing_by_hand
    returns: Callable[[Any], str] | None = None
    changes: frozenset[str] | set[str] = frozenset()
    fresh: bool | Callable[[Any], Any] = True
    related: Callable[[Any, int], Any] | None = None
    examples: int = 30
    edges: Sequence[Any] = ()
    tolerance: Tolerance = 1e-6
    points: int = 3
    seconds: float = 8
    wrong: list[Wrong] = field(default_factory=list)
    right: list[Callable] = field(default_factory=list)
    exercise: str = ""  # set where it is loaded
    _drawn: dict[int, list] = field(default_factory=dict, repr=False)

    # --- the cases ---------------------------------------------------------------------------------------------------

    def cases(self, rng: np.random.Generator) -> Iterator[Case]:
        """Those by hand first, then those that come of the draws."""
        yield from self.by_hand(rng)
        seed = int(rng.integers(2**31))
        name = self.exercise
        yield Case(
            "agrees with the definition on many random inputs",
            functools.partial(self.agreement, seed=seed),
            Such("the same on every input", lambda verdict: verdict is None),
            question=self.question,
            points=self.points,
            seconds=self.seconds,
        )
        yield Case(
            "keeps nothing between two calls, and leaves alone what it is given",
            functools.partial(self.memory, seed=seed),
            Such("each call as if it were the first and only one", lambda verdict: verdict or True),
            question="What outlives a call of yours: an array that is handed out twice, an argument, a setting, a generator?",
            seconds=8,
        )
        yield Case(
            "can be called by position and by name, with the defaults of the docstring",
            functools.partial(self.signature, seed=seed),
            Such(f"{name}{_bare(self.reference_signature)}", lambda verdict: verdict or True),
            question="The notebooks call it by these names. Which one is different in yours?",
        )

    @functools.cached_property
    def reference_signature(self) -> inspect.Signature:
        return inspect.signature(EXERCISES[self.exercise].reference)

    def call(self, answer: Callable, arguments: dict[str, Any]) -> Any:
        """By position where the reference allows it, else by name."""
        kinds = self.reference_signature.parameters
        by_name = {
            name: value
            for name, value in arguments.items()
            if kinds[name].kind is inspect.Parameter.KEYWORD_ONLY or _skips(kinds, arguments, name)
        }
        return answer(*[value for name, value in arguments.items() if name not in by_name], **by_name)

    def show_call(self, draw: Any) -> str:
        """The call as a line or lines to paste."""
        if self.shown is not None:
            return self.shown(draw)
        kinds = self.reference_signature.parameters
        parts = [
            f"{name}={pasted(value)}" if kinds[name].kind is inspect.Parameter.KEYWORD_ONLY else pasted(value)
            for name, value in self.arguments(draw).items()
        ]
        return f"{self.exercise}({', '.join(parts)})"

    def on_all(self, answer: Callable, seed: int) -> Iterator[Disagrees | None]:
        """`verdict` on every draw that `agreement` tries with this seed, each once."""
        for _, _, draws in [*self.drawn(seed), *self.edges_in_turn()]:
            for draw in copy.deepcopy(draws):
                yield self.verdict(answer, draw)

    # --- what comes of the draws ---------------------------------------------------------------------------------------

    def agreement(self, answer: Callable, seed: int) -> None:
        """Raises Disagrees with the smallest failing draw that could be found within `scene.SHRINK_SECONDS`."""
        trying: Any = None

        def failing(draws) -> Disagrees | None:
            nonlocal trying
            for number, draw in enumerate(draws):
                trying = draw
                verdict = self.verdict(answer, draw)
                if verdict is not None:
                    verdict.call = "\n".join([self.show_call(earlier) for earlier in draws[:number]] + [verdict.call])
                    return verdict
            return None

        drawn = self.drawn(seed)  # some once more at the end: by then an answer that remembers them may be wrong
        again = self.kept * (2 if self.changes else 1)  # it may have nothing to do with some of them
        try:
            for place in [*drawn, *self.edges_in_turn(), *drawn[:again]]:
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
            raise Disagrees(self.show_call(trying), self._board(trying), self.oracle(trying), error=error) from None
        batch, number, _ = place
        smallest, called, ends = first, count(), time.thread_time() + scene.SHRINK_SECONDS

        def shrunk(draws) -> None:
            nonlocal smallest
            if next(called) < number:
                return  # it was right
            if time.thread_time() > ends:
                raise _Enough
            if (verdict := failing(draws)) is not None:
                smallest = verdict
                raise _Failed

        if batch is not None and MAKES_SMALLER.get():
            with contextlib.suppress(Exception, BaseExceptionGroup, _Enough, TookTooLong, SystemExit, GeneratorExit):
                _each_of(self._in_turn(), shrunk, batch, seed + self.examples - batch, shrink=True)
        smallest.first, first.on_all = first, functools.partial(self.on_all, seed=seed)
        raise smallest

    def verdict(self, answer: Callable, draw: Any) -> Disagrees | None:
        """None if the answer does with this draw what the oracle says."""
        expected, got, error, complaint = self.oracle(draw), None, None, ""
        arguments = self.arguments(draw) if self.run is None else {}
        before = self.as_given(arguments)
        _spoil_freed_memory(arguments)
        try:
            if self.run is not None:
                got = self.run(self._typed(answer), draw)
            else:
                got = result = self.call(answer, arguments)
                complaint = self.returns(result) if self.returns else ""
                complaint = complaint or self.left_alone(before, arguments, result)
                got = result if complaint else self.judged(result, arguments)
        except _WrongType as wrong:
            got, complaint = wrong.args
        except Exception as raised:
            error = raised
        if isinstance(expected, Raises):
            complaint = "nothing was raised" if error is None else expected.complaint(error)
            if not complaint and (left := self.left_alone(before, arguments, ())):
                complaint = f"it raises, and {left}"
            good = not complaint
        elif isinstance(expected, Such):
            held = expected.holds(got) if error is None and not complaint else ""
            good, complaint = held is True, complaint or (held if isinstance(held, str) else "")
        else:
            good = error is None and not complaint and same(got, expected, self.tolerance)
        if good:
            return None
        return Disagrees(self.show_call(draw), self._board(draw), expected, copy.copy(got), error, complaint)

    def as_given(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
        """(copies of the arguments that no call may change, which two arguments hold the same memory)."""
        return {name: _snapshot(one) for name, one in arguments.items() if name not in self.changes}, _tied(arguments)

    def left_alone(self, before: tuple[dict[str, Any], str], arguments: dict[str, Any], result: Any) -> str:
        """ "" or a sentence about an argument that was changed, tied to another, or handed back."""
        for name, value in before[0].items():
            if not unchanged(_snapshot(arguments[name]), value):
                return f"its argument `{name}` was changed"
        if (tied := _tied(arguments)) != before[1]:
            return f"its arguments {tied} hold the same memory now: writing into one changes the other"
        if held := _shared(self.new(result), arguments):
            return f"what it returns is (a view of) {held}: writing into one changes the other"
        if not all(one.flags.writeable for one in _arrays(self.new(result))):
            return "nobody can write into the array that it returns: it shows one number many times, or others' memory"
        return ""

    def _typed(self, answer: Callable) -> Callable:
        """The answer for a `run`: what it returns must be of the right type there, too."""
        returns = self.returns
        if returns is None:
            return answer

        @functools.wraps(answer)
        def typed(*args, **kwargs):
            result = answer(*args, **kwargs)
            if complaint := returns(result):
                raise _WrongType(result, complaint)
            return result

        return typed

    def memory(self, answer: Callable, seed: int) -> str:
        """ "" or a sentence about what outlived a call."""
        draws = [draw for draw in self.some_draws(seed) if not isinstance(self.oracle(draw), Raises)]
        earlier: list[tuple] = []
        seconds: list[float] = []
        for draw in draws:
            arguments = self.arguments(draw)
            before, began = self.as_given(arguments), time.thread_time()
            result, changed = changed_by(functools.partial(self.call, answer, arguments))
            seconds.append(time.thread_time() - began)
            if changed:
                return f"a call changes {changed} for everybody"
            if complaint := self.left_alone(before, arguments, result):
                return f"{complaint}, in {self.show_call(draw)}"
            earlier.append((draw, arguments, result, _snapshot(self.judged(result, arguments))))
        overwritten = [
            self.show_call(draw)
            for draw, arguments, result, was in earlier
            if not unchanged(_snapshot(self.judged(result, arguments)), was)
        ]
        if overwritten:
            return f"what {min(overwritten, key=len)} had returned was changed by a later call"
        for draw, _, result, was in reversed(earlier):
            _scribble(self.new(result))
            for global_seed in (1, 2):
                with global_seeds(global_seed):
                    arguments = self.arguments(draw)
                    second = self.call(answer, arguments)
                    again = _snapshot(self.judged(second, arguments))
                if not unchanged(again, was):
                    chance = any(isinstance(one, np.random.Generator) for one in arguments.values())
                    if chance and any(self.wanders(answer, draw) for draw in draws):
                        return "the same call, with a generator made anew from the same seed, gives another result each time"
                    return f"the second call gives {show(again)}, the first gave {show(was)}: {self.show_call(draw)}"
                if global_seed == 1 and self._repeatable(arguments):
                    _scribble(self.new(second))
                    third = self.call(answer, arguments)
                    if _common(self.new(second), self.new(third)) or not unchanged(
                        _snapshot(self.judged(third, arguments)), was
                    ):
                        return f"what a caller writes into the result is there again at the next call: {self.show_call(draw)}"
                if _common(self.new(result), self.new(second)):
                    return f"two calls of {self.show_call(draw)} return the same object: writing into one changes the other"
        known = [(draw, was) for draw, _, _, was in earlier]
        quickest = sorted(range(len(known)), key=seconds.__getitem__)[:2]
        if complaint := self.elsewhere(answer, known) or self.after_many(answer, [known[i] for i in quickest]):
            return complaint
        if self.changes:
            return ""
        if not _torch() or not any(_is_of_torch(one) for draw in draws[:1] for one in self.arguments(draw).values()):
            return self.stale(answer, draws[:4])
        if complaint := self.stale(answer, draws[:2]):
            return complaint
        with _torch().no_grad():
            complaint = self.stale(answer, draws[:2])
        return f"without gradients (torch.no_grad): {complaint}" if complaint else ""

    def elsewhere(self, answer: Callable, known: list[tuple[Any, Any]]) -> str:
        """ "" or a sentence about a call that is given the same numbers, but in arrays that lie otherwise in memory or can't be written into.

        Args:
            known: (draw, snapshot of what is judged) of earlier calls.
        """
        for (draw, was), lie in product(known[:5], (_every_other, _read_only)):
            given = self.arguments(draw)
            if not any(isinstance(one, np.ndarray) and one.ndim for one in _leaves(given)):
                continue
            for name in given.keys() - self.changes:
                given[name] = _laid_out(given[name], lie)
            held = ""
            try:
                result = self.call(answer, given)
                held = _shared(self.new(result), given) if self.run is None else ""
                got: Any = _snapshot(self.judged(result, given))
            except Exception as error:
                got = error
            if held:
                return f"given arrays that {lie.__doc__}, it returns (a view of) {held}: {self.show_call(draw)}"
            if isinstance(got, Exception) or not (unchanged(got, was) or same(got, was, 1e-5, equal_nan=True)):
                outcome = (
                    f"it raises {type(got).__name__}: {got}" if isinstance(got, Exception) else f"it gives {show(got)}"
                )
                return f"with the same numbers in arrays that {lie.__doc__} {outcome}, otherwise {show(was)}: {self.show_call(draw)}"
        return ""

    def after_many(self, answer: Callable, known: list[tuple[Any, Any]]) -> str:
        """ "" or a sentence about a call that comes out otherwise after many."""
        ends = time.thread_time() + MANY_SECONDS
        for number in range(MANY_CALLS):
            if not known or time.thread_time() > ends:
                break
            draw, was = known[number % len(known)]
            arguments = self.arguments(draw)
            got = _snapshot(self.judged(self.call(answer, arguments), arguments))
            if not unchanged(got, was):
                return f"after many calls {self.show_call(draw)} gives {show(got)}, the first gave {show(was)}"
        return ""

    def stale(self, answer: Callable, draws: list[Any]) -> str:
        """ "" or a sentence about a call that is given the same objects again, with other contents, and answers by the old ones."""
        for draw in draws:
            for name in self.arguments(draw):
                known, new = self.arguments(draw), self.arguments(draw)
                if not _halve(new[name]):
                    continue
                try:
                    wanted = _snapshot(self.judged(self.call(answer, new), new))
                except Exception:
                    continue  # halved, it is no argument any more
                _again_as_given(new, self.arguments(draw))
                self.call(answer, known)
                _halve(known[name])
                _again_as_given(known, new)
                got = _snapshot(self.judged(self.call(answer, known), known))
                if not unchanged(got, wanted):
                    return (
                        f"after {self.show_call(draw)}, the numbers in `{name}` were halved, and it was called again with the "
                        f"same objects: it gives {show(got)}, and {show(wanted)} if these objects are new to it"
                    )
        return ""

    def _repeatable(self, arguments: dict[str, Any]) -> bool:
        """Whether a call with these very objects, which were given before, must give the same again."""
        return not self.changes and not any(isinstance(one, np.random.Generator) for one in arguments.values())

    def wanders(self, answer: Callable, draw: Any) -> bool:
        """Whether the same call gives different results."""
        results = []
        for _ in range(20):
            arguments = self.arguments(draw)
            results.append(_snapshot(self.judged(self.call(answer, arguments), arguments)))
            if not unchanged(results[0], results[-1]):
                return True
        return False

    def new(self, result: Any) -> Any:
        """The parts of what was returned that must be new."""
        return self.fresh(result) if callable(self.fresh) else result if self.fresh else ()

    def signature(self, answer: Callable, seed: int) -> str:
        """ "" or a sentence about a name or a default that differs."""
        wanted = self.reference_signature.parameters
        try:
            theirs = inspect.signature(answer)
        except (TypeError, ValueError):
            theirs = None
        if theirs is not None:
            for name, parameter in wanted.items():
                try:
                    theirs.bind_partial(**{name: None})
                except TypeError:
                    return f"it has no parameter called `{name}`"
                mine = theirs.parameters.get(name)
                if parameter.default is not parameter.empty and mine is not None:
                    if mine.default is mine.empty:
                        return f"`{name}` must be optional: its default is {show(parameter.default)}"
                    if not same(mine.default, parameter.default) and mine.default is not parameter.default:
                        return f"the default of `{name}` is {show(parameter.default)}, yours is {show(mine.default)}"
        for draw in self.some_draws(seed)[:3]:
            if isinstance(self.oracle(draw), Raises):
                continue
            by_position, by_name = self.arguments(draw), self.arguments(draw)
            with global_seeds(1):  # chance that comes from elsewhere is no matter of names
                wanted_value = _snapshot(self.judged(self.call(answer, by_position), by_position))
            with global_seeds(1):
                got = _snapshot(self.judged(answer(**by_name), by_name))
            if not unchanged(got, wanted_value) and not self.wanders(answer, draw):  # that is for `memory` to say
                return f"called by name, {self.show_call(draw)} gives {show(got)} instead of {show(wanted_value)}"
        return ""

    def _in_turn(self) -> SearchStrategy[list]:
        """A draw, and after it some that are related to it."""
        numbers = st.lists(st.integers(0, 9), max_size=2) if self.related else st.just([])
        return st.builds(lambda draw, numbers: [draw, *(self.related(draw, n) for n in numbers)], self.draws, numbers)

    def drawn(self, seed: int) -> list[tuple[int, int, list]]:
        """(the seed of its batch, its number there, draw and related ones), all different, `examples` at most. They are remembered."""
        if seed not in self._drawn:
            found: list[list] = []
            for batch in range(seed, seed + self.examples, UNALIKE):
                found.append([])
                _each_of(self._in_turn(), found[-1].append, batch, seed + self.examples - batch, shrink=False)
            batches = zip(range(seed, seed + self.examples, UNALIKE), found, strict=True)
            different: dict[str, tuple[int, int, list]] = {}
            for batch, many in batches:
                for number, draws in enumerate(many):
                    different.setdefault(repr(draws), (batch, number, draws))
            self._drawn[seed] = list(different.values())
        return self._drawn[seed]

    def edges_in_turn(self) -> Iterator[tuple[None, int, list]]:
        """As `drawn`, but of no batch."""
        for n, draw in enumerate(self.edges):
            yield None, 0, [draw, self.related(draw, n % 10)] if self.related else [draw]

    @property
    def kept(self) -> int:
        """On so many draws an answer is asked again."""
        return min(KEPT, self.examples // 2)

    def some_draws(self, seed: int) -> list[Any]:
        return [copy.deepcopy(draws[0]) for _, _, draws in self.drawn(seed)[: self.kept]]

    def _board(self, draw: Any) -> str:
        return self.board(draw) if self.board else ""


class _WrongType(Exception):
    """(what was returned, what is wrong with it)."""


def copies(make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Decorator: what is made from a draw is made once, and copied at each call; to copy nodes takes a fifth of the time."""
    made = functools.lru_cache(maxsize=1000)(lambda draw: pickle.dumps(make(draw)))
    return functools.wraps(make)(lambda draw: pickle.loads(made(draw)))


def pasted(value: Any) -> str:
    """An argument as it can be pasted."""
    if type(value) is dict:
        return f"{{{', '.join(f'{show(key)}: {pasted(one)}' for key, one in value.items())}}}"
    if not isinstance(value, np.ndarray):
        return show(value)
    dtype = "" if value.dtype in (np.float64, np.int64, bool) else f", dtype=np.{value.dtype}"
    text = np.array2string(value, threshold=60, floatmode="unique", separator=", ", prefix="np.array(")
    return f"np.array({text}{dtype})"


def _skips(kinds, arguments: dict, name: str) -> bool:
    """Whether a parameter before this one was left to its default."""
    return any(other not in arguments for other in list(kinds)[: list(kinds).index(name)])


def _bare(signature: inspect.Signature) -> str:
    """The parameters' names and defaults, without annotations."""
    bare = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    return str(inspect.Signature(bare))


# --- what outlives a call ----------------------------------------------------------------------------------------------


def _is_of_torch(value: Any) -> bool:
    return isinstance(value, _torch().nn.Module | _torch().Tensor)


def _shared(result: Any, arguments: dict[str, Any]) -> str:
    """The name of an argument that shares memory with the result, or "another part of the result"; "" if none does."""
    mine = [array for array in _arrays(result) if array.size]
    for name, value in arguments.items():
        if any(np.shares_memory(one, other) for one in mine for other in _arrays(value) if other.size):
            return f"its argument `{name}`"
    if any(
        np.may_share_memory(one, other) and np.shares_memory(one, other)
        for i, one in enumerate(mine)
        for other in mine[:i]
    ):
        return "another part of the result"
    return ""


def _tied(arguments: dict[str, Any]) -> str:
    """Two arguments that hold the same memory; "" if none do."""
    held = {name: _addresses(value) for name, value in arguments.items()}
    names = list(held)
    pairs = ((a, b) for i, a in enumerate(names) for b in names[:i] if held[a] & held[b])
    return next((f"`{b}` and `{a}`" for a, b in pairs), "")


def _addresses(value: Any) -> set[int]:
    """Where its arrays begin, those of a network included."""
    torch = _torch()
    if torch is not None and isinstance(value, torch.nn.Module):
        return {one.data_ptr() for one in (*value.parameters(), *value.buffers()) if one.numel()}
    return {one.__array_interface__["data"][0] for one in _arrays(value) if one.size}


def _every_other(array: np.ndarray) -> np.ndarray:
    """are every other number of a larger one"""
    larger = np.full((*array.shape[:-1], 2 * array.shape[-1]), 7, array.dtype)
    larger[..., ::2] = array
    return larger[..., ::2]


def _read_only(array: np.ndarray) -> np.ndarray:
    """can't be written into, and lie column by column"""
    array = array.copy(order="F")
    array.flags.writeable = False
    return array


def _laid_out(value: Any, lie: Callable[[np.ndarray], np.ndarray]) -> Any:
    """The same, its arrays replaced."""
    if isinstance(value, np.ndarray) and value.ndim:
        return lie(value)
    if type(value) is dict:
        return {key: _laid_out(one, lie) for key, one in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_laid_out(one, lie) for one in value))
    if type(value) in (list, tuple):
        return type(value)(_laid_out(one, lie) for one in value)
    return value


def _common(one: Any, other: Any) -> bool:
    """Whether two results share an array or a list."""
    if isinstance(one, list) and one is other:
        return True
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return any(_common(a, b) for a, b in zip(one, other, strict=False))
    if isinstance(one, dict) and isinstance(other, dict):
        return one is other or any(_common(one[key], other[key]) for key in one.keys() & other.keys())
    return any(np.shares_memory(a, b) for a in _arrays(one) for b in _arrays(other) if a.size and b.size)


def _halve(value: Any) -> bool:
    """Halve every floating-point number in it, in place; False if it holds none."""
    torch = _torch()
    if isinstance(value, list | tuple | dict):
        return sum(map(_halve, value.values() if isinstance(value, dict) else value)) > 0  # all of them
    if torch is not None and isinstance(value, torch.nn.Module):
        return _halve(list(value.parameters()))
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach()
        if value.is_floating_point():
            value.mul_(0.5)
        return value.is_floating_point()
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        value *= 0.5
        return True
    return False


def _again_as_given(arguments: dict[str, Any], given: dict[str, Any]) -> None:
    """Generators are put back to where those that were given stand."""
    for name, value in arguments.items():
        if isinstance(value, np.random.Generator):
            value.bit_generator.state = given[name].bit_generator.state


def _scribble(result: Any) -> None:
    """Write into what was returned, as a caller may."""
    for array in _arrays(result):
        if array.flags.writeable and array.dtype.kind in "iufb":
            array.fill(7)
    if isinstance(result, list):
        result.append("scribbled")
