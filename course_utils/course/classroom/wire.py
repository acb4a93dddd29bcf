"""Calls between the process that judges an answer and the one that it runs in, which shares nothing else with it.

Arguments go over as copies, and come back as copies with the result; what the answer has changed in them is changed in the originals, too.
A function of the check, or an object that only the check knows (a game or a network made up), stays where it is: the answer's process
gets a `Remote`, whose calls come back here. What comes from the answer is data of few kinds, and never code.
"""

import collections
import functools
import inspect
import io
import json
import pickle
import random
import sys
import types
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

MOST = 256 << 20  # bytes of a message
CHANGEABLE = (list, dict, set, np.ndarray, np.random.Generator)
BUILTINS = {"set", "frozenset", "complex", "bytearray", "range", "slice", "Ellipsis", "object"}
MAY_GO_ON = ("builtins", "numpy", "math", "random", "torch", "operator", "functools", "itertools")


class Gone(Exception):
    """The other end has ended, or says what nobody would say."""


class Foreign:
    """Stands for an object of the answer's that is no plain data."""

    def __init__(self, kind: str = ""):
        self.kind = kind

    def __repr__(self) -> str:
        return f"<an object of the class {self.kind}>"


class RemoteFunction:
    """A function of the answer's, which the check's objects may be given: a call runs there."""

    def __init__(self, wire: "Wire", number: int):
        self._wire, self._number = wire, number

    def __call__(self, *args, **kwargs) -> Any:
        return self._wire.ask("call", self._number, args, kwargs)


class Remote:
    """An object of the other end: what is asked of it is asked there."""

    def __init__(self, wire: "Wire", number: int):
        self.__dict__.update(_wire=wire, _number=number)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = self._wire.ask("get", self._number, name)
        if isinstance(value, Remote):  # a method: it stays the same
            self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} can't be set: this object is the course's")

    def __call__(self, *args, **kwargs) -> Any:
        return self._wire.ask("call", self._number, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._wire.ask("item", self._number, key)

    def __len__(self) -> int:
        return self._wire.ask("len", self._number)

    def __bool__(self) -> bool:
        return self._wire.ask("bool", self._number)


class Wire:
    """One end.

    Args:
        here: whether the check's objects are at this end; what comes from the other one is then read with care.
        there: whether the other end can import the module of this name.
    """

    def __init__(self, connection: Connection, here: bool, there: Callable[[str], bool] = lambda name: False):
        self.connection, self.here, self.there = connection, here, there
        self.answer: Callable | None = None  # at the other end
        self.forms: dict[type, str] = {}
        self.forget()

    def forget(self) -> None:
        """Between two calls of the answer: they share no object."""
        self.objects: list[Any] = []  # known to both, by number
        self.numbers: dict[int, int] = {}
        self.last: dict[int, Any] = {}  # what each was like when the other end last heard of it
        self.stays: set[int] = set()  # those that are at one end only
        self.live: list[int] = []  # the others, of which both hold a copy
        self.before = 0  # how many there were before the last message

    def know(self, one: Any, stays: bool = False) -> int:
        number = len(self.objects)
        self.objects.append(one)
        self.numbers[id(one)] = number
        if stays:
            self.stays.add(number)
        else:
            self.live.append(number)
        return number

    def part_with(self, mark: int) -> None:
        """Lists and arrays that went over since then, with a question and its answer, belong from now on to the end where they are.

        Not so where a node was among them, which may be part of a tree by now.
        """
        if any(number >= mark and _has_fields(self.objects[number]) for number in self.live):
            return
        while self.live and self.live[-1] >= mark:
            number = self.live.pop()
            self.numbers.pop(id(self.objects[number]))
            self.objects[number] = None
            self.last.pop(number, None)

    def form_of(self, one: Any) -> str:
        """How objects of its class go over: "plain", "changes" (a call may change it), "function", or "stays"."""
        kind = type(one)
        if inspect.isroutine(one):
            form = "function"
        elif isinstance(one, str | bytes | int | float | np.generic | type | types.NoneType) or kind in (
            tuple,
            Foreign,
        ):
            form = "plain"
        elif (self.here and _stays(one, self.there)) or (not self.here and isinstance(one, functools.partial)):
            form = "stays"
        else:
            form = "changes" if _changes(one) or isinstance(one, Remote | RemoteFunction) else "plain"
        self.forms[kind] = form
        return form

    # --- messages -------------------------------------------------------------------------------------------------------

    def send(self, *message: Any) -> None:
        pieces = [self._pack(message)]
        for number in self.live:  # which grows: a changed one may bring new ones along
            seen = _look(self.objects[number])
            if number in self.last and _differ(self.last[number], seen):
                pieces.append(pickle.dumps(number) + self._pack(_state(self.objects[number])))
            self.last[number] = seen
        try:
            self.connection.send_bytes(pickle.dumps(pieces))
        except (OSError, ValueError) as error:
            raise Gone(str(error)) from None

    def receive(self) -> Any:
        try:
            pieces = _Plain(io.BytesIO(self.connection.recv_bytes(MOST))).load()
            self.before, news = len(self.objects), []
            message = self._unpack(io.BytesIO(pieces[0]))
            for piece in pieces[1:]:
                file = io.BytesIO(piece)
                news.append(_Plain(file).load())
                if news[-1] in self.stays:
                    raise ValueError("an object that stays where it is")
                _put(self.objects[news[-1]], self._unpack(file))
            for number in {*news, *range(self.before, len(self.objects))} - self.stays:
                self.last[number] = _look(self.objects[number])
        except Exception as error:
            raise Gone(f"{type(error).__name__}: {error}") from None
        return message

    def _pack(self, value: Any) -> bytes:
        file = io.BytesIO()
        pickler = _Pickler(self, file)
        pickler.dump(value)
        pickler.dump(tuple(pickler.new.values()))
        for one in pickler.new.values():
            self.know(one)
        return file.getvalue()

    def _unpack(self, file: io.BytesIO) -> Any:
        unpickler = _Unpickler(self, file)
        value = unpickler.load()
        for one in unpickler.load():
            self.know(one)
        return value

    # --- asking and answering -----------------------------------------------------------------------------------------------

    def ask(self, *request: Any) -> Any:
        """What comes of it at the other end, which may ask back before it answers."""
        mark = len(self.objects)
        self.send("ask", *request)
        while True:
            kind, *rest = self.receive()
            if kind == "ask":
                asked = self.before
                self.reply(*rest)
                self.part_with(asked)
                continue
            self.part_with(mark)
            if kind == "value":
                return rest[0]
            elif kind == "raised" and isinstance(rest[0], BaseException):
                raise rest[0]
            else:
                raise Gone("no answer")

    def reply(self, what: str, *rest: Any) -> None:
        try:
            value = self._do(what, *rest)
        except Gone:
            raise
        except (Exception, SystemExit, GeneratorExit) as error:
            self.send("raised", error)
        else:
            self.send("value", value)

    def _do(self, what: str, *rest: Any) -> Any:
        if what in ("answer", "begin") and not self.here and self.answer is not None:
            return self.answer(*rest) if what == "answer" else begin()
        number, rest = rest[0], rest[1:]
        one = self.objects[number]
        if number not in self.stays or isinstance(one, Remote | RemoteFunction):
            raise Gone("nothing of this end's")
        if what == "call":
            return one(*rest[0], **rest[1])
        if what == "item":
            return one[rest[0]]
        if what in ("len", "bool"):
            return len(one) if what == "len" else bool(one)
        if not isinstance(rest[0], str) or rest[0].startswith("_") or inspect.isroutine(one):
            raise Gone("nothing for an answer")
        return getattr(one, rest[0])


def begin() -> None:
    """A case begins with the global generators in the same state."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - for answers that use it
    if torch := _torch():
        torch.manual_seed(0)


# --- what goes over, and in which form ----------------------------------------------------------------------------------------


def _stays(one: Any, there: Callable[[str], bool]) -> bool:
    """Whether an object of the check's stays where it is."""
    if isinstance(one, type):
        return False
    kind = type(one)
    return not (
        kind in (types.SimpleNamespace, *CHANGEABLE) or _is_known(kind, there) or _is_named_tuple(kind)
    ) and not isinstance(one, BaseException)


def _importable(one: Any, there: Callable[[str], bool]) -> bool:
    home, name = getattr(one, "__module__", None) or "builtins", getattr(one, "__qualname__", "")
    if home == __name__:
        return True
    return _is_there(home, there) and getattr(sys.modules.get(home), name, None) is one


def _is_there(home: str, there: Callable[[str], bool]) -> bool:
    return home.partition(".")[0] in MAY_GO_ON or home in ("collections", "types", "copyreg", __name__) or there(home)


def _is_known(kind: type, there: Callable[[str], bool]) -> bool:
    return _is_there(kind.__module__, there)


def _is_named_tuple(kind: type) -> bool:
    """Whether it is one, and no more: without methods of its own."""
    if not (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return False
    return not any(inspect.isfunction(one) for name, one in vars(kind).items() if not name.startswith("_"))


def _torch() -> Any:
    return sys.modules.get("torch")


def _changes(one: Any) -> bool:
    """Whether it is an object that a call may change."""
    torch = _torch()
    if isinstance(one, CHANGEABLE) or (torch is not None and isinstance(one, torch.Tensor)):
        return True
    return _has_fields(one)


def _has_fields(one: Any) -> bool:
    kind = type(one)
    if isinstance(one, type | types.ModuleType | BaseException | tuple | Remote | RemoteFunction | Foreign):
        return False
    ours = kind.__module__.startswith("course_utils") or kind is types.SimpleNamespace
    torch = _torch()
    ours = ours or (torch is not None and isinstance(one, torch.nn.Module | torch.optim.Optimizer))
    return ours and hasattr(one, "__dict__") and not inspect.isroutine(one)


def _look(one: Any) -> Any:
    """What it is like now: its bytes, or what it holds."""
    if isinstance(one, list):
        return tuple(one)
    if isinstance(one, dict):
        return (*one.keys(), *one.values())
    if isinstance(one, np.ndarray):
        return one.tobytes()
    if isinstance(one, set | np.random.Generator) or (_torch() is not None and isinstance(one, _torch().Tensor)):
        return (frozenset(one),) if isinstance(one, set) else _state(one)
    return (*vars(one), *vars(one).values())


def _differ(before: Any, now: Any) -> bool:
    if not isinstance(now, tuple):
        return before != now
    return len(before) != len(now) or any(
        a is not b and not (type(a) is type(b) and isinstance(a, str | int | float | bytes | frozenset) and a == b)
        for a, b in zip(before, now, strict=True)
    )


def _state(one: Any) -> Any:
    torch = _torch()
    if isinstance(one, list | set):
        return tuple(one)
    if isinstance(one, dict):
        return tuple(one.items())
    if isinstance(one, np.ndarray):
        return tuple(one.ravel().tolist()) if one.dtype.kind == "O" else _array(one)
    if isinstance(one, np.random.Generator):
        return _generator_state(one)
    if torch is not None and isinstance(one, torch.Tensor):
        return _tensor(one)
    return tuple(vars(one).items())


def _put(one: Any, state: Any) -> None:
    torch = _torch()
    if isinstance(one, list):
        one[:] = state
    elif isinstance(one, set | dict):
        one.clear()
        one.update(state)
    elif isinstance(one, np.ndarray):
        new = objects(one.shape, list(state)) if one.dtype.kind == "O" else array(*state)
        if one.shape == new.shape and one.dtype == new.dtype:
            one[...] = new
        else:
            raise ValueError("an array changed its shape")
    elif isinstance(one, np.random.Generator):
        one.bit_generator.state = json.loads(state)
    elif torch is not None and isinstance(one, torch.Tensor):
        _fill_tensor(one, state)
    else:
        vars(one).clear()
        vars(one).update(state)


def _array(one: np.ndarray) -> tuple:
    return one.dtype.str, one.shape, one.tobytes()


def array(kind: str, shape: tuple, content: bytes) -> np.ndarray:
    dtype = np.dtype(str(kind))
    if dtype.kind not in "biufcSU":
        raise ValueError(f"an array of {kind}")
    return np.frombuffer(bytearray(content), dtype=dtype).reshape(shape)


def objects(shape: tuple, items: list) -> np.ndarray:
    """An array of fractions, or of whatever else is no number of numpy's."""
    made = np.empty(len(items), dtype=object)
    made[:] = items
    return made.reshape(shape)


def number(kind: str, content: bytes) -> np.generic:
    return array(kind, (1,), content)[0]


def _generator_state(one: np.random.Generator) -> str:
    return json.dumps(one.bit_generator.state, default=lambda array: array.tolist())


def generator(state: str) -> np.random.Generator:
    known = {
        kind.__name__: kind
        for kind in (np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64)
    }
    bits = known[json.loads(state)["bit_generator"]]()
    bits.state = json.loads(state)
    return np.random.Generator(bits)


def _tensor(one: Any) -> tuple:
    grad = None if not one.is_leaf or one.grad is None else _array(one.grad.numpy())
    return _array(one.detach().numpy()), grad, one.requires_grad


def tensor(parameter: bool) -> Any:
    torch = _torch()
    return torch.nn.Parameter(torch.empty(0)) if parameter else torch.empty(0)


def _fill_tensor(one: Any, state: tuple) -> None:
    import torch

    data, grad, wants = state
    new = torch.from_numpy(array(*data))
    if one.shape == new.shape and one.dtype == new.dtype and one.numel():
        with torch.no_grad():
            one.copy_(new) if not torch.equal(one, new) else None
    else:
        one.data = new
    if one.is_leaf and one.dtype.is_floating_point:
        one.requires_grad_(bool(wants))
        one.grad = None if grad is None else torch.from_numpy(array(*grad))


def blank(kind: type) -> Any:
    return object.__new__(kind)


def named(home: str, name: str, fields: tuple, values: tuple) -> Any:
    """A named tuple; of a class of the same form where there is none of that name."""
    kind = getattr(sys.modules.get(home), name, None)
    if not (isinstance(kind, type) and _is_named_tuple(kind)):
        kind = _FORMS.setdefault((home, name), collections.namedtuple(name, fields, module=home))
    return kind(*values)


_FORMS: dict[tuple[str, str], type] = {}


def failure(home: str, name: str, message: str) -> BaseException:
    """An exception by its name: Python's own, a stub's, or one that says which it was."""
    kind = (
        getattr(sys.modules.get(home), name, None) if home == "builtins" or home.startswith("course_utils.") else None
    )
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        kind = type(name, (Exception,), {})
    try:
        return kind(message)
    except TypeError:
        return RuntimeError(f"{name}: {message}")


class _Pickler(pickle.Pickler):
    def __init__(self, wire: Wire, file: io.BytesIO):
        super().__init__(file, protocol=5)
        self.wire = wire
        self.new: dict[int, Any] = {}

    def persistent_id(self, one: Any) -> Any:
        wire = self.wire
        form = wire.forms.get(type(one)) or wire.form_of(one)
        if form == "plain":
            return None
        known = wire.numbers.get(id(one))
        if known is not None and wire.objects[known] is one:
            return known
        if form == "stays" or (form == "function" and not _importable(one, wire.there)):
            return (wire.know(one, stays=True),)
        if form == "changes":
            self.new[id(one)] = one
        return None

    def reducer_override(self, one: Any) -> Any:
        torch = _torch()
        kind = type(one)
        if isinstance(one, np.ndarray) and one.dtype.kind in "biufcSU":
            return array, _array(one)
        if kind is np.ndarray and one.dtype.kind == "O":
            return objects, (one.shape, one.ravel().tolist())
        if isinstance(one, np.generic):
            return number, (one.dtype.str, one.tobytes())
        if isinstance(one, np.random.Generator):
            return generator, (_generator_state(one),)
        if isinstance(one, BaseException):
            return failure, (kind.__module__, kind.__qualname__, str(one)[:2000])
        if torch is not None and isinstance(one, torch.Tensor):
            return tensor, (isinstance(one, torch.nn.Parameter),), _tensor(one), None, None, _fill_tensor
        if _is_named_tuple(kind) and kind.__module__.startswith("course_utils"):
            return named, (kind.__module__, kind.__qualname__, one._fields, tuple(one))
        if isinstance(one, type):
            return NotImplemented
        if inspect.isroutine(one):
            return NotImplemented
        if _has_fields(one):
            return blank, (kind,), _state(one), None, None, _put
        if not self.wire.here and kind.__module__.partition(".")[0] not in (*MAY_GO_ON, "collections"):
            return Foreign, (kind.__name__,)
        return NotImplemented


class _Plain(pickle.Unpickler):
    def find_class(self, home: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{home}.{name}")


class _Unpickler(pickle.Unpickler):
    def __init__(self, wire: Wire, file: io.BytesIO):
        super().__init__(file)
        self.wire = wire

    def persistent_load(self, known: Any) -> Any:
        if isinstance(known, int):
            return self.wire.objects[known]
        [number] = known
        remote = (RemoteFunction if self.wire.here else Remote)(self.wire, number)
        assert self.wire.know(remote, stays=True) == number
        return remote

    def find_class(self, home: str, name: str) -> Any:
        if home == __name__ and name in (
            "array",
            "objects",
            "number",
            "generator",
            "failure",
            "tensor",
            "_fill_tensor",
            "named",
            "blank",
            "_put",
            "Foreign",
        ):
            return self._careful(globals()[name]) if name in ("_put", "_fill_tensor") else globals()[name]
        if not self.wire.here:
            return super().find_class(home, name)
        if (home, name) in (
            ("collections", "OrderedDict"),
            ("collections", "defaultdict"),
            ("collections", "deque"),
            ("types", "SimpleNamespace"),
            ("fractions", "Fraction"),
        ):
            return super().find_class(home, name)
        if home == "builtins" and name in BUILTINS | {"dict", "list", "int", "float"}:
            return super().find_class(home, name)
        if self.wire.there(home) or home.startswith(("torch.nn.modules", "torch.optim")):
            kind = super().find_class(home, name)
            if isinstance(kind, type) and kind.__module__ == home:
                return kind
        raise pickle.UnpicklingError(f"{home}.{name} is no data")

    def _careful(self, put: Callable) -> Callable:
        """It fills what has just been made, and nothing that stays where it is."""

        def careful(one: Any, state: Any) -> None:
            if self.wire.numbers.get(id(one)) in self.wire.stays:
                raise pickle.UnpicklingError("an object that stays where it is")
            put(one, state)

        return careful
