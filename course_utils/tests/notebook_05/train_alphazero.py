"""Check train_alphazero: self-play and learning, over and over.

The parts of the loop are stand-ins: games that are not played, steps that add 1 to every weight.
A diary records in plain words how they are called; the first right answer gives the expected diary.
"""

import copy
import inspect
import time
from contextlib import ExitStack
from itertools import groupby

import numpy as np
import torch
from hypothesis import strategies as st

from course_utils.exercise import EXERCISES, watching, wrapping
from course_utils.games import TicTacToe
from course_utils.learning.config import EngineConfig, TrainingConfig
from course_utils.learning.examples import Examples
from course_utils.learning.run import Run
from course_utils.learning.self_play import self_play_game
from course_utils.learning.training import train_step
from course_utils.networks.policy_value import TorchNetwork
from course_utils.tests.case import show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import nothing
from course_utils.tests.scene import Scenes
from course_utils.tests.world import first_optimizer  # noqa: F401 (a scene uses one)

BY_HAND = """
    one iteration (2 points)
    >>> run = Run.start(TicTacToe(), TrainingConfig(iterations=1, games=2, steps=3, batch=100), seed=0)
    >>> with Diary(run) as diary:
    ...     train_alphazero(run, diary.callback)
    >>> diary.text
    '''self-play by the first network: 2
    steps of run.network at rate 0.01 on 100 examples from a buffer of 32: 3, \\
    with 3 different batches, from the games 1 to 2
    history, entry 1: 2 games, losses 2 and 0.2
    callback(run), the history has 1 entry'''
    ? Go through an iteration in the order of the docstring: which network plays, what is stored, what is trained,
    ? what is called?

    the network that has learned plays the next games, and the buffer keeps the earlier ones (2 points)
    >>> run = Run.start(TicTacToe(), TrainingConfig(iterations=3, games=2, steps=2, batch=100), seed=0)
    >>> with Diary(run) as diary:
    ...     train_alphazero(run)
    >>> diary.text
    ? Which network plays in the second iteration, and how many games are in the buffer by then?

    a callback that returns True stops the run, and the next call goes on from there (2 points)
    >>> config = TrainingConfig(iterations=3, games=1, steps=1, batch=100)
    >>> run = Run.start(TicTacToe(), config, seed=0)
    >>> with Diary(run, answers=[None, True]) as diary:
    ...     train_alphazero(run, diary.callback)
    ...     stopped_after = len(run.history)
    ...     train_alphazero(run)
    >>> stopped_after, len(run.history)
    2, 3
    ? How many iterations are left for a run of three that was stopped after two?

    another state of `run.rng` gives another run
    >>> batches = set()
    >>> for seed in [1, 2]:
    ...     run = Run.start(TicTacToe(), TrainingConfig(iterations=2, games=1, steps=1, batch=100), seed=0)
    ...     run.rng = np.random.default_rng(seed)
    ...     with Diary(run) as diary:
    ...         train_alphazero(run)
    ...     batches.update(diary.batches)
    >>> len(batches)
    4
    ? Which generator do your batches come from?

    each iteration is logged with its own seconds
    >>> run = Run.start(TicTacToe(), TrainingConfig(iterations=3, games=1, steps=1, batch=100), seed=0)
    >>> with Diary(run, seconds_a_game=0.03) as diary:
    ...     train_alphazero(run, diary.callback)
    >>> diary.seconds()
    ["right", "right", "right"]
    ? `run.begin_iteration()` starts the clock. How often do you call it, and what comes before it?
"""


class Diary:
    """Stand in for self-play and training steps, and record how your loop calls them.

    Games are not played, and a step adds 1 to each weight.

    Attributes:
        notes: (a call in words, its batch or None), one for each call.
        ends: the times at which the callback was called, and at which it returned.
    """

    def __init__(self, run: Run, answers=(), seconds_a_game: float = 0.0):
        """Set what the callback returns: `answers` in this order, then None."""
        self.run, self.answers, self.seconds_a_game = run, [*answers], seconds_a_game
        self.notes: list[tuple] = []
        self.games = self.steps = self.logged = 0
        self.ends = [(0.0, time.perf_counter())]
        self.names = {weights(run.network): "the first network"}

    def __enter__(self) -> "Diary":
        stand_ins = {"self_play_game": self.self_play_game, "train_step": self.train_step}
        wrappers = {name: lambda _, stand_in=stand_in: stand_in for name, stand_in in stand_ins.items()}
        self.stack = ExitStack()
        self.stack.enter_context(watching(wrappers))  # for an answer that is graded
        self.stack.enter_context(wrapping(wrappers))  # for one that is called in a notebook
        return self

    def __exit__(self, *error) -> None:
        self.note()
        self.stack.close()

    # --- stand-ins for the parts of the loop

    def self_play_game(self, *args, **kwargs) -> Examples:
        """Return two positions whose planes hold the number of the game."""
        asked = arguments("self_play_game", args, kwargs)
        asked["network"](np.zeros((1, 2, 3, 3)))
        time.sleep(self.seconds_a_game)
        wanted = self.run.settings()
        changes = [f"{name}={asked[name]}" for name in wanted if asked[name] != wanted[name]]
        changes += ["another generator"] * (asked["rng"] is not self.run.rng)
        self.note(f"self-play by {self.name_of(asked['network'].net)}{' with ' * bool(changes)}{', '.join(changes)}")
        self.games += 1
        planes = np.zeros((2, 2, 3, 3))
        planes[0, 0, 0, 1] = planes[1, 1, 0, 1] = self.games
        return Examples.of_game(planes, np.full((2, 9), 1 / 9), [1, -1])

    def train_step(self, *args, **kwargs) -> dict[str, float]:
        """Add 1 to all numbers of the network."""
        net, optimizer, planes, policy, value = arguments("train_step", args, kwargs).values()
        run, rows = self.run, len(planes)
        trained = "run.network" if net in (run.network, run.latest) else "another network"
        faults = " by another optimizer" * (optimizer is not run.optimizer)
        faults += " with the targets in a wrong place" * (np.shape(policy) != (rows, 9) or np.shape(value) != (rows,))
        rate = f"{optimizer.param_groups[0]['lr']:.4g}"
        taken = f"steps of {trained}{faults} at rate {rate} on {rows} examples from a buffer of {len(run.buffer)}"
        self.note(taken, planes)
        self.steps += 1
        if trained == "run.network":
            for numbers in net.state_dict().values():
                numbers += 1
            self.names.setdefault(weights(net), f"the network after {self.steps} steps")
        return {"value": float(self.steps), "policy": self.steps / 10}

    def callback(self, run: Run) -> bool | None:
        began = time.perf_counter()
        entries = len(self.run.history)
        given = "run" if run is self.run else show(run)
        self.note(f"callback({given}), the history has {entries} entr{'y' if entries == 1 else 'ies'}")
        answer = self.answers.pop(0) if self.answers else None
        self.ends.append((began, time.perf_counter()))
        return answer

    # --- the notes

    def note(self, done: str = "", planes: np.ndarray | None = None) -> None:
        """Record a call, after the entries logged since the last one."""
        for entry in self.run.history[self.logged :]:
            losses = f"{show(entry['value_loss'])} and {show(entry['policy_loss'])}"
            logged = f"history, entry {entry['iteration']}: {entry['games']} games, losses {losses}"
            self.notes.append((logged, None))
        self.logged = len(self.run.history)
        if done:
            self.notes.append((done, planes))
        if len(self.notes) > 300:
            raise RuntimeError("does the loop end after config.iterations?")

    def name_of(self, net: torch.nn.Module) -> str:
        return self.names.get(weights(net), "a network of other weights")

    @property
    def batches(self) -> list[bytes]:
        return [planes.tobytes() for _, planes in self.notes if planes is not None]

    @property
    def text(self) -> str:
        """Write a line for each note; calls that differ only in their batch share one."""
        lines = []
        for done, calls in groupby(self.notes, key=lambda note: note[0]):
            batches = [planes for _, planes in calls]
            if done.startswith(("self-play", "steps")):
                done += f": {len(batches)}"
            if batches[0] is not None:
                different = len({planes.tobytes() for planes in batches})
                games = {int(planes.max()) for batch in batches for planes in batch}
                done += f", with {different} different batches, from the games {listed(games)}"
            lines.append(done)
        return "\n".join(lines)

    def seconds(self) -> list[str]:
        """Check the logged time of each iteration: at least that of its games, and no more than the iteration took."""
        logged = np.diff([0.0, *(entry["seconds"] for entry in self.run.history)])
        took = [after - before for (_, before), (after, _) in zip(self.ends, self.ends[1:], strict=False)]
        return [
            "too few" if seconds < 0.9 * self.seconds_a_game else "right" if seconds < most + 0.01 else "too many"
            for seconds, most in zip(logged, took, strict=True)
        ]


def arguments(exercise: str, args: tuple, kwargs: dict) -> dict:
    """Bind the arguments to their names, defaults included."""
    try:
        bound = inspect.signature(EXERCISES[exercise].reference).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{exercise}() {error}") from None
    bound.apply_defaults()
    return bound.arguments


def weights(net: torch.nn.Module) -> bytes:
    """Collect all numbers of a network as bytes, batch norm's averages included."""
    return b"".join(tensor.numpy().tobytes() for tensor in net.state_dict().values())


def listed(numbers) -> str:
    """Format numbers as "3", "1 to 3", or "1, 3"."""
    first, *others = sorted(numbers) or ["no"]
    together = others and others == list(range(first + 1, first + len(others) + 1))
    return f"{first} to {others[-1]}" if together else ", ".join(map(str, [first, *others]))


def scene(draw) -> str:
    """Run the loop, and run it again if its callback stopped it."""
    kind, (iterations, games, steps, buffer), settings, answers, seed = draw
    on = "\n    train_alphazero(run)" * (True in answers)
    return f"""\
config = {kind}{iterations=}, {games=}, {steps=}, {buffer=}, {settings})
run = Run.start(TicTacToe(), config, {seed=})
with Diary(run, {answers=}) as diary:
    train_alphazero(run, diary.callback){on}
diary.text"""


def right_loop_with_for(run, callback=None):
    game, config, rng, buffer = run.game, run.config, run.rng, run.buffer
    names = ("simulations", "c_puct", "exploratory_plies", "noise_alpha", "noise_fraction")
    for _ in range(len(run.history), config.iterations):
        run.begin_iteration()
        games = []
        for _ in range(config.games):
            network = TorchNetwork(run.network)
            games.append(self_play_game(game, network, rng, **{name: getattr(config, name) for name in names}))
            buffer.add(games[-1], game)
        losses = []
        for _ in range(config.steps):
            planes, policy, value = buffer.sample(config.batch, rng)
            losses.append(train_step(run.network, run.optimizer, planes, policy, value))
        run.log(games, losses)
        if callback and callback(run):
            break


def right_loop_with_its_own_clock(run, callback=None):
    config = run.config
    while True:
        if len(run.history) >= config.iterations:
            return
        began = time.perf_counter()
        frozen = copy.deepcopy(run.network)
        games = [self_play_game(run.game, TorchNetwork(frozen), run.rng, **run.settings()) for _ in range(config.games)]
        for game in games:
            for example in game:
                planes, policies = zip(*run.game.symmetries(example.planes, example.policy), strict=True)
                run.buffer.add(Examples.of_game(planes, policies, [example.value] * len(planes)))
        run.set_learning_rate()
        # all at once: they are as fresh
        batches = [run.buffer.sample(config.batch, run.rng) for _ in range(config.steps)]
        losses = [train_step(run.network, run.optimizer, *batch) for batch in batches]
        run.log(games, losses, seconds=time.perf_counter() - began)
        if callback is not None and callback(run) is True:
            return


_CALL = "callback is not None and callback(run)"
_WHILE = "while len(run.history) < config.iterations:"
_ADD = "buffer.add(examples, game)"
_BEGIN = "        run.begin_iteration()\n"
_TRAIN = "train_step(run.network,"
_BATCHES = "batches = (buffer.sample(config.batch, rng) for _ in range(config.steps))"
_LOG = "        run.log(games, losses)\n"
_GIVEN = "    # end given\n"
_COPY = ('"""\n    # begin given', '"""\n    import copy\n\n    # begin given')
# fmt: off
WRONG = [
    Wrong("one batch an iteration", "one batch is drawn before the steps of an iteration, and all steps learn from it",
          "How many different examples of the buffer does one of your iterations learn from?",
          (_BATCHES, "batches = [buffer.sample(config.batch, rng)] * config.steps")),
    Wrong("one batch an iteration, and symmetries forgotten",
          "two things are wrong at once: one batch is drawn for all steps of an iteration, and the buffer gets no "
          "symmetric copies of a position",
          "How many batches does an iteration of your loop draw, and which second argument does `buffer.add` take?",
          (_BATCHES, "batches = [buffer.sample(config.batch, rng)] * config.steps"), (_ADD, "buffer.add(examples)")),
    Wrong("one batch for the whole run",
          "one batch is drawn in the first iteration, and the whole run learns from nothing else",
          "What happens to the games of later iterations?",
          (_GIVEN, _GIVEN + "    batch = None\n"),
          (_BATCHES, "batch = batch or buffer.sample(config.batch, rng)\n        batches = [batch] * config.steps")),
    Wrong("newest games only",
          "the steps learn only from the games of this iteration, and the earlier games in the buffer are never used",
          "Why does the buffer keep old games?",
          (_BATCHES,
           "newest = type(buffer)(buffer.capacity)\n        for examples in games:\n"
           "            newest.add(examples, game)\n"
                     "        batches = (newest.sample(config.batch, rng) for _ in range(config.steps))")),
    Wrong("a generator for each iteration",
          "each iteration makes a new generator, so the random numbers don't come from run.rng "
          "and repeat in every iteration",
          "How many generators does a run have, and which one is saved with it?",
          ("        run.begin_iteration()\n",
           "        run.begin_iteration()\n        rng = np.random.default_rng(run.seed)\n")),
    Wrong("chance of its own", "games are played with a generator of their own instead of run.rng",
          "Which generator makes a run repeatable?",
          ("self_play_game(game, network, rng,",
           "self_play_game(game, network, np.random.default_rng(len(run.history)),")),
    Wrong("what self-play asks is trained",
          "the step is taken on `network`, which a search uses to evaluate positions and which can't be trained",
          "Which weights does `run.optimizer` change: those of `network`, or those of `run.network`?",
          (_TRAIN, "train_step(network,")),
    Wrong("a copy is trained", "the steps are taken on a copy, so the network that plays learns nothing",
          "How many networks are there after `copy.deepcopy(a)`, and which one plays?", _COPY,
          (_TRAIN, "train_step(copy.deepcopy(run.network),")),
    Wrong("an untrained copy plays",
          "a copy of the network that was made before the loop plays all the games, "
          "so nothing that is learned is ever played",
          "When is the copy made, and do later steps change it?", _COPY,
          ("TorchNetwork(run.network)", "TorchNetwork(copy.deepcopy(run.network))")),
    Wrong("symmetries forgotten",
          "only the position as it was played goes into the buffer, without its symmetric copies",
          "Which second argument does `buffer.add` take?", (_ADD, "buffer.add(examples)")),
    Wrong("buffer emptied", "the buffer is emptied at each iteration, so earlier games are lost",
          "Why does the buffer have a capacity instead of being emptied?",
          ("        run.begin_iteration()\n", "        run.begin_iteration()\n        buffer.parts.clear()\n")),
    Wrong("latest game only", "only the last game of each iteration reaches the buffer",
          "For how many of the games is `buffer.add` called?",
          (f"            {_ADD}", f"            pass\n        {_ADD}")),
    Wrong("the list of games in the buffer", "the buffer is given the list of games, but it takes one game at a time",
          "What does the loop `for examples in games` go through?", (_ADD, "buffer.add(games, game)")),
    Wrong("one game an iteration", "one game is played in each iteration, whatever the config says",
          "Which number of the config says how many games there are?",
          (" for _ in range(config.games)]", "]")),
    Wrong("one game, and no list",
          "the result of one call of self_play_game is taken for all the games of the "
          "iteration, but it is a single game",
          "What should the list `games` hold, and how many entries should it have?",
          ("[self_play_game(game, network, rng, **settings) for _ in range(config.games)]",
           "self_play_game(game, network, rng, **settings)")),
    Wrong("one iteration only", "one iteration is done, and there is no second one",
          "What must be repeated until the history is long enough?",
          (_WHILE, "if len(run.history) < config.iterations:")),
    Wrong("the batch in one piece",
          "a batch is passed as one argument, but train_step takes its three arrays as three arguments",
          "What does the star do in f(*batch)?", ("*batch)", "batch)")),
    Wrong("callback's True ignored", "the callback is called, but its result is ignored",
          "How should a callback stop a run that is good enough?",
          (f"        if {_CALL}:\n            return", "        if callback is not None:\n            callback(run)")),
    Wrong("callback never called", "the callback is never called",
          "Which function should be called when an iteration is done?",
          (f"        if {_CALL}:\n            return", "")),
    Wrong("a callback is needed", "the callback is called even where there is none",
          "What is `callback` if the caller gives none?", (_CALL, "callback(run)")),
    Wrong("callback before the log", "the callback is called before the iteration is in the history",
          "Which entry of the history would the dashboard draw then?", (_LOG, ""),
          (f"        if {_CALL}:\n            return",
           f"        stop = {_CALL}\n{_LOG}        if stop:\n            return")),
    Wrong("learning rate never set", "the learning rate stays what it was at the start",
          "Which method of `run` lowers it?", (_BEGIN, "")),
    Wrong("begun once",
          "`run.begin_iteration()` is called only once, before the loop, so the learning rate never falls and the "
          "iterations are not timed one by one",
          "How often should the learning rate be set in a run of 20 iterations?",
          (f"    {_WHILE}\n{_BEGIN}", f"{_BEGIN[4:]}    {_WHILE}\n")),
    Wrong("never logged", "iterations are not logged, so the history stays empty and the loop never ends",
          "What does the loop's condition count?", (_LOG, "")),
    Wrong("begins anew", "the loop always does config.iterations iterations, even if some were done before",
          "How many are left for a run that was saved after two of three?",
          (_WHILE, "for _ in range(config.iterations):")),
    Wrong("settings forgotten", "self-play uses its defaults instead of the config's settings",
          "What is the given dictionary `settings` for?", (", **settings", "")),
    *(
        Wrong(f"settings in one piece, {how}",
              "the dictionary of settings is passed as one argument, "
              "but self_play_game takes each setting as a keyword argument",
              "What do the two stars do in f(**settings)?", (", **settings", handed))
        for how, handed in (("by position", ", settings"), ("by name", ", settings=settings"))
    ),
    Wrong("last loss only", "only the last step's losses are logged", "Which losses should the dashboard average?",
          ("run.log(games, losses)", "run.log(games, losses[-1:])")),
]
# fmt: on


CHECK = Scenes(
    draws=st.tuples(
        st.sampled_from(["TrainingConfig(", "EngineConfig(network='wide', widths=(4,), "]),
        st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.sampled_from([1000, 32, 40])),
        st.sampled_from(
            [
                "batch=256",
                "batch=300, learning_rate=0.1, noise_alpha=0.5, noise_fraction=0.5",
                "batch=256, simulations=10, c_puct=3.0, exploratory_plies=4",
            ]
        ),
        st.sampled_from([[], [True], [False, None, True], [None, True]]),
        st.integers(0, 99),
    ),
    edges=[("TrainingConfig(", (10, 10, 10, 16), "batch=256", [], 0)],
    returns=nothing,
    changes={"run", "callback"},
    fresh=False,
    asks="calls self-play, train_step and callback as the docstring says, with many settings",
    examples=12,
    question="Go through an iteration in the order of the docstring: which network plays, what is stored, what is "
    "trained, what is called? If all of that is right and your agent still doesn't learn, \"When it doesn't learn\" on "
    "The shelf has the tests.",
)
