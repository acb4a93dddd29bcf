"""train_alphazero: self-play, learning and the gate, over and over.

The parts of the loop are made up: games that are not played, steps that add 1 to every weight, a gate whose verdicts are known beforehand.
A diary notes in plain words how they are called; the first right answer says what must stand there.
"""

import copy
import inspect
import time
from contextlib import ExitStack
from itertools import groupby

import numpy as np
import torch
from hypothesis import strategies as st

from course_utils.agents import SearchAgent
from course_utils.exercise import EXERCISES, watching, wrapping
from course_utils.games import TicTacToe
from course_utils.learning.arena import Score, gate, random_openings
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
    one iteration, and its candidate passes the gate (2 points)
    >>> config = TrainingConfig(iterations=1, games=2, steps=3, batch=100, gate_openings=4)
    >>> run = Run.start(TicTacToe(), config, seed=0)
    >>> with Diary(run, gate=[True]) as diary:
    ...     train_alphazero(run, diary.callback)
    >>> diary.text
    '''self-play by the first network: 2
    steps of the candidate at rate 0.01 on 100 examples from a buffer of 32: 3, with 3 different batches, from the games 1 to 2
    gate: the candidate after 3 steps against the first network, 4 openings of 2 moves, 0 simulations, threshold 0.5: passed
    history, entry 1: 2 games, losses 2 and 0.2, accepted, gate [4, 0, 0]
    callback(run), the history has 1 entry'''
    ? Go through an iteration in the order of the docstring: who plays, what is kept, what is learned, who meets whom, who is told.

    a candidate that fails: the champion plays on, and the candidate learns on (2 points)
    >>> config = TrainingConfig(iterations=2, games=2, steps=2, batch=100)
    >>> run = Run.start(TicTacToe(), config, seed=0)
    >>> with Diary(run, gate=[False, True]) as diary:
    ...     train_alphazero(run)
    >>> diary.text
    ? Whose games does the candidate learn from, before it has passed the gate? And what has it learned when it fails?

    a candidate that passes: the champion has its weights, and is still a network of its own (2 points)
    >>> config = TrainingConfig(iterations=2, games=2, steps=2, batch=100)
    >>> run = Run.start(TicTacToe(), config, seed=0)
    >>> with Diary(run, gate=[True, False]) as diary:
    ...     train_alphazero(run)
    >>> diary.text
    ? After `a = b`, how many networks are there?

    a callback that returns True stops the run; the next call goes on where it stands (2 points)
    >>> config = TrainingConfig(iterations=3, games=1, steps=1, batch=100)
    >>> run = Run.start(TicTacToe(), config, seed=0)
    >>> with Diary(run, answers=[None, True]) as diary:
    ...     train_alphazero(run, diary.callback)
    ...     stopped_after = len(run.history)
    ...     train_alphazero(run)
    >>> stopped_after, len(run.history)
    2, 3
    ? How many iterations are left for a run of three that was stopped after two?

    another state of `run.rng`, another run
    >>> batches, openings = set(), set()
    >>> for seed in [1, 2]:
    ...     run = Run.start(TicTacToe(), TrainingConfig(iterations=2, games=1, steps=1, batch=100), seed=0)
    ...     run.rng = np.random.default_rng(seed)
    ...     with Diary(run) as diary:
    ...         train_alphazero(run)
    ...     batches.update(diary.batches)
    ...     openings.update(diary.openings)
    >>> len(batches), len(openings)
    4, 4
    ? Where does the chance of the batches come from in yours, and where that of the openings?

    each iteration is logged with its own seconds
    >>> run = Run.start(TicTacToe(), TrainingConfig(iterations=3, games=1, steps=1, batch=100), seed=0)
    >>> with Diary(run, seconds_a_game=0.03) as diary:
    ...     train_alphazero(run, diary.callback)
    >>> diary.seconds()
    ["right", "right", "right"]
    ? When does the clock of an iteration start, and what is subtracted from what?
"""


class Diary:
    """Stands in for self-play, steps and gate, and notes how your loop calls them.

    Games are not played, and a step adds 1 to each weight.

    Attributes:
        notes: (what is done, the batch or None), one for each call.
        openings: those of each gate.
        ends: what the clock said when the callback was called, and when it returned.
    """

    def __init__(self, run: Run, gate=(), answers=(), seconds_a_game: float = 0.0):
        """`gate` and `answers`: the verdicts and what the callback returns, in their order; False and None when they are used up."""
        self.run, self.verdicts, self.answers, self.seconds_a_game = run, [*gate], [*answers], seconds_a_game
        self.notes: list[tuple] = []
        self.games = self.steps = self.logged = 0
        self.openings: list[tuple] = []
        self.ends = [(0.0, time.perf_counter())]
        self.known = {weights(run.champion): "the first network"}

    def __enter__(self) -> "Diary":
        parts = {"self_play_game": self.self_play_game, "train_step": self.train_step, "gate": self.gate}
        wrappers = {name: lambda _, part=part: part for name, part in parts.items()}
        self.stack = ExitStack()
        self.stack.enter_context(watching(wrappers))  # of an answer that is graded
        self.stack.enter_context(wrapping(wrappers))  # of one that is called in a notebook
        return self

    def __exit__(self, *error) -> None:
        self.note()
        self.stack.close()

    # --- the parts of the loop

    def self_play_game(self, *args, **kwargs) -> Examples:
        """Two positions, whose planes hold the number of the game."""
        asked = arguments("self_play_game", args, kwargs)
        asked["network"](np.zeros((1, 2, 3, 3)))
        time.sleep(self.seconds_a_game)
        wanted = self.run.settings()
        other = [f"{name}={asked[name]}" for name in wanted if asked[name] != wanted[name]]
        other += ["another generator"] * (asked["rng"] is not self.run.rng)
        self.note(f"self-play by {self.who(asked['network'].net)}{' with ' * bool(other)}{', '.join(other)}")
        self.games += 1
        planes = np.zeros((2, 2, 3, 3))
        planes[0, 0, 0, 1] = planes[1, 1, 0, 1] = self.games
        return Examples.of_game(planes, np.full((2, 9), 1 / 9), [1, -1])

    def train_step(self, *args, **kwargs) -> dict[str, float]:
        """Adds 1 to all numbers of the candidate."""
        net, optimizer, planes, policy, value = arguments("train_step", args, kwargs).values()
        run, rows = self.run, len(planes)
        who = (
            " and ".join(name for name in ("champion", "candidate") if getattr(run, name) is net) or "copy of a network"
        )
        other = " by another optimizer" * (optimizer is not run.optimizer)
        other += " with the targets in a wrong place" * (np.shape(policy) != (rows, 9) or np.shape(value) != (rows,))
        rate = f"{optimizer.param_groups[0]['lr']:.4g}"
        taken = f"steps of the {who}{other} at rate {rate} on {rows} examples from a buffer of {len(run.buffer)}"
        self.note(taken, planes)
        self.steps += 1
        if net is run.candidate:
            for numbers in net.state_dict().values():
                numbers += 1
            self.known.setdefault(weights(net), f"the candidate after {self.steps} steps")
        return {"value": float(self.steps), "policy": self.steps / 10}

    def gate(self, *args, **kwargs) -> tuple[bool, Score]:
        game, candidate, champion, openings, threshold = arguments("gate", args, kwargs).values()
        plies = sorted({sum(map(abs, opening.cells)) for opening in openings})
        simulations = sorted({candidate.simulations, champion.simulations})
        verdict = bool(self.verdicts.pop(0)) if self.verdicts else False
        self.note(
            f"gate: {self.who(candidate.network.net)} against {self.who(champion.network.net)}, {len(openings)} openings of {listed(plies)} moves, "
            f"{listed(simulations)} simulations, threshold {threshold}: {'passed' if verdict else 'failed'}"
        )
        self.openings.append(tuple(openings))
        return verdict, Score(4, 0, 0) if verdict else Score(0, 0, 4)

    def callback(self, run: Run) -> bool | None:
        began = time.perf_counter()
        entries = len(self.run.history)
        given = "run" if run is self.run else show(run)
        self.note(f"callback({given}), the history has {entries} entr{'y' if entries == 1 else 'ies'}")
        answer = self.answers.pop(0) if self.answers else None
        self.ends.append((began, time.perf_counter()))
        return answer

    # --- what is noted

    def note(self, done: str = "", planes: np.ndarray | None = None) -> None:
        """What has been logged in the meantime comes first."""
        for entry in self.run.history[self.logged :]:
            losses = f"{show(entry['value_loss'])} and {show(entry['policy_loss'])}"
            verdict = f"{'accepted' if entry['accepted'] else 'rejected'}, gate {entry['gate']}"
            logged = f"history, entry {entry['iteration']}: {entry['games']} games, losses {losses}, {verdict}"
            self.notes.append((logged, None))
        self.logged = len(self.run.history)
        if done:
            self.notes.append((done, planes))
        if len(self.notes) > 300:
            raise RuntimeError("does the loop end after config.iterations?")

    def who(self, net: torch.nn.Module) -> str:
        return self.known.get(weights(net), "a network of other weights")

    @property
    def batches(self) -> list[bytes]:
        return [planes.tobytes() for _, planes in self.notes if planes is not None]

    @property
    def text(self) -> str:
        """A line for each note; calls that differ in nothing but the batch share one."""
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
        """Of each iteration, whether what is logged is at least as long as its game, and no longer than it took."""
        logged = np.diff([0.0, *(entry["seconds"] for entry in self.run.history)])
        took = [after - before for (_, before), (after, _) in zip(self.ends, self.ends[1:], strict=False)]
        return [
            "too few" if one < 0.9 * self.seconds_a_game else "right" if one < most + 0.01 else "too many"
            for one, most in zip(logged, took, strict=True)
        ]


def arguments(exercise: str, args: tuple, kwargs: dict) -> dict:
    """By name, defaults included."""
    try:
        bound = inspect.signature(EXERCISES[exercise].reference).bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{exercise}() {error}") from None
    bound.apply_defaults()
    return bound.arguments


def weights(net: torch.nn.Module) -> bytes:
    """All its numbers, batch norm's averages included."""
    return b"".join(one.numpy().tobytes() for one in net.state_dict().values())


def listed(numbers) -> str:
    """ "3", "1 to 3", or "1, 3"."""
    first, *others = sorted(numbers) or ["no"]
    together = others and others == list(range(first + 1, first + len(others) + 1))
    return f"{first} to {others[-1]}" if together else ", ".join(map(str, [first, *others]))


def scene(draw) -> str:
    """A run, stopped by its callback perhaps, and gone on with."""
    kind, (iterations, games, steps, buffer), settings, gate, answers, seed = draw
    on = "\n    train_alphazero(run)" * (True in answers)
    return f"""\
config = {kind}{iterations=}, {games=}, {steps=}, {buffer=}, {settings})
run = Run.start(TicTacToe(), config, {seed=})
with Diary(run, {gate=}, {answers=}) as diary:
    train_alphazero(run, diary.callback){on}
diary.text"""


def right_loop_with_for(run, callback=None):
    game, config, rng, buffer = run.game, run.config, run.rng, run.buffer
    names = ("simulations", "c_puct", "exploratory_plies", "noise_alpha", "noise_fraction")
    for _ in range(len(run.history), config.iterations):
        start = time.time()
        games = []
        for _ in range(config.games):
            network = TorchNetwork(run.champion)
            games.append(self_play_game(game, network, rng, **{name: getattr(config, name) for name in names}))
            buffer.add(games[-1], game)
        run.set_learning_rate()
        losses = []
        for _ in range(config.steps):
            planes, policy, value = buffer.sample(config.batch, rng)
            losses.append(train_step(run.candidate, run.optimizer, planes, policy, value))
        accepted, score = gate(
            game,
            run.agent(run.candidate, config.gate_simulations),
            run.agent(run.champion, config.gate_simulations),
            random_openings(game, config.gate_openings, config.gate_plies, rng),
            threshold=config.gate_threshold,
        )
        if accepted:
            run.champion = copy.deepcopy(run.candidate)
        run.log(games, losses, accepted, score, time.time() - start)
        if callback and callback(run):
            break


def right_loop_with_its_own_agents(run, callback=None):
    config = run.config
    while True:
        if len(run.history) >= config.iterations:
            return
        began = time.perf_counter()
        frozen = copy.deepcopy(run.champion)
        games = [self_play_game(run.game, TorchNetwork(frozen), run.rng, **run.settings()) for _ in range(config.games)]
        for game in games:
            for example in game:
                planes, policies = zip(*run.game.symmetries(example.planes, example.policy), strict=True)
                run.buffer.add(Examples.of_game(planes, policies, [example.value] * len(planes)))
        run.set_learning_rate()
        batches = [
            run.buffer.sample(config.batch, run.rng) for _ in range(config.steps)
        ]  # all at once: they are as fresh
        losses = [train_step(run.candidate, run.optimizer, *batch) for batch in batches]
        players = [
            SearchAgent(run.game, TorchNetwork(net), config.gate_simulations, config.c_puct)
            for net in (run.candidate, frozen)
        ]
        openings = random_openings(run.game, config.gate_openings, config.gate_plies, run.rng)
        accepted, score = gate(run.game, *players, openings, config.gate_threshold)
        if accepted:
            with torch.no_grad():
                for name, tensor in run.champion.state_dict().items():
                    tensor.copy_(run.candidate.state_dict()[name])
        run.log(games, losses, accepted, score, time.perf_counter() - began)
        if callback is not None and callback(run) is True:
            return


_COPY = "run.champion.load_state_dict(run.candidate.state_dict())"
_CALL = "callback is not None and callback(run)"
_WHILE = "while len(run.history) < config.iterations:"
_ADD = "buffer.add(examples, game)"
_BATCHES = "batches = (buffer.sample(config.batch, rng) for _ in range(config.steps))"
_GATE = "gate(game, candidate, champion, openings, config.gate_threshold)"
_LOG = "        run.log(games, losses, accepted, score, time.perf_counter() - began)\n"
_GIVEN = "    # end given\n"
# fmt: off
WRONG = [
    Wrong("one batch an iteration", "one batch is drawn before the steps of an iteration, and all of them learn from it",
          "How many of the examples in the buffer does an iteration of yours look at?", (_BATCHES, "batches = [buffer.sample(config.batch, rng)] * config.steps")),
    Wrong("one batch an iteration, and symmetries forgotten",
          "two things are wrong at once: one batch is drawn for all steps of an iteration, and only the position as it was played goes into the buffer",
          "For how many of the steps does your loop draw a batch, and what second argument does `buffer.add` take?",
          (_BATCHES, "batches = [buffer.sample(config.batch, rng)] * config.steps"), (_ADD, "buffer.add(examples)")),
    Wrong("one batch for the whole run", "one batch is drawn in the first iteration, and the run learns from nothing else",
          "What happens to the games of later iterations?",
          (_GIVEN, _GIVEN + "    batch = None\n"), (_BATCHES, "batch = batch or buffer.sample(config.batch, rng)\n        batches = [batch] * config.steps")),
    Wrong("newest games only", "the steps learn from this iteration's games only: those of earlier ones stay in the buffer unread",
          "Why does the buffer keep old games?",
          (_BATCHES, "newest = type(buffer)(buffer.capacity)\n        for examples in games:\n            newest.add(examples, game)\n"
                     "        batches = (newest.sample(config.batch, rng) for _ in range(config.steps))")),
    Wrong("a generator for each iteration", "each iteration makes a generator anew: chance does not come from run.rng, and every iteration begins with the same",
          "How many generators does a run have, and which one is saved with it?",
          ("        run.set_learning_rate()\n", "        run.set_learning_rate()\n        rng = np.random.default_rng(run.seed)\n")),
    Wrong("chance of its own", "games are played with a generator of their own: run.rng has no part in them",
          "Which generator makes a run repeatable?", ("self_play_game(game, network, rng,", "self_play_game(game, network, np.random.default_rng(len(run.history)),")),
    Wrong("the champion is trained", "the champion's losses are computed: the candidate learns nothing",
          "Which network does run.optimizer step, and which one must compute the loss?", ("train_step(run.candidate,", "train_step(run.champion,")),
    Wrong("one network with two names",
          "an accepted candidate becomes the champion instead of being copied: from then on both learn",
          "After `a = b`, how many networks are there?", (_COPY, "run.champion = run.candidate")),
    Wrong("weights asked of players", "the players that meet at the gate are asked for weights: these belong to the run's two networks",
          "`run.agent` makes a player of a network. Which of the two has a `state_dict`?",
          (_COPY, "champion.load_state_dict(candidate.state_dict())")),
    Wrong("copied the wrong way", "the champion's weights go into the candidate that has just beaten it: what was learned is lost",
          "Which of the two has learned something, and which plays the next games?",
          (_COPY, "run.candidate.load_state_dict(run.champion.state_dict())")),
    Wrong("averages left behind", "only the parameters are copied into the champion: the averages of batch norm stay the old ones",
          "What does a state_dict hold that `parameters()` does not?",
          (_COPY, "for old, new in zip(run.champion.parameters(), run.candidate.parameters(), strict=True):\n                old.data.copy_(new)")),
    Wrong("symmetries forgotten", "only the position as it was played goes into the buffer",
          "What second argument does `buffer.add` take?", (_ADD, "buffer.add(examples)")),
    Wrong("buffer emptied", "the buffer is emptied at each iteration: the network forgets what it knew",
          "Why does the buffer have a capacity, instead of being emptied?",
          ("        run.set_learning_rate()\n", "        run.set_learning_rate()\n        buffer.parts.clear()\n")),
    Wrong("latest game only", "only the last game of each iteration reaches the buffer",
          "For how many of the games is `buffer.add` called?", (f"            {_ADD}", f"            pass\n        {_ADD}")),
    Wrong("everybody is accepted", "the gate is asked, but the candidate takes the champion's place anyway",
          "What depends on `accepted`?", ("        if accepted:\n            " + _COPY, "        " + _COPY)),
    Wrong("the candidate plays", "the candidate plays the games of self-play",
          "Who has proved to be the better player so far?", ("TorchNetwork(run.champion)", "TorchNetwork(run.candidate)")),
    Wrong("candidate reset on rejection", "a rejected candidate is set back to the champion's weights",
          "What would the run have learned in an iteration whose candidate is rejected?",
          (_COPY, _COPY + "\n        else:\n            run.candidate.load_state_dict(run.champion.state_dict())")),
    Wrong("one game an iteration", "one game is played in each iteration, whatever the config says", "Which number of the config says how many games there are?",
          (" for _ in range(config.games)]", "]")),
    Wrong("one game, and no list", "what one call of self_play_game returns is taken for all the games of the iteration: it is a single one",
          "What is `games` made of, and how many of them are there?",
          ("[self_play_game(game, network, rng, **settings) for _ in range(config.games)]", "self_play_game(game, network, rng, **settings)")),
    Wrong("one iteration only", "one iteration is done, and no second", "What must be repeated until the history is long enough?",
          (_WHILE, "if len(run.history) < config.iterations:")),
    Wrong("the gate's pair not taken apart", "what the gate returns is kept as a pair, and a pair counts as true: everybody is accepted",
          "Which two things does `gate` return?", (_GATE.join(["accepted, score = ", ""]), _GATE.join(["accepted = score = ", ""]))),
    Wrong("bare networks at the gate", "the gate is handed networks, which cannot choose a move", "What does `run.agent` make of a network?",
          ("run.agent(run.candidate, config.gate_simulations)", "run.candidate"), ("run.agent(run.champion, config.gate_simulations)", "run.champion")),
    Wrong("the batch in one piece", "a batch is handed over in one piece, where train_step takes its three arrays one by one",
          "What does the star do in f(*batch)?", ("*batch)", "batch)")),
    Wrong("callback's True ignored", "the callback is called, but its answer changes nothing",
          "How would you stop a run that is good enough?",
          (f"        if {_CALL}:\n            return", "        if callback is not None:\n            callback(run)")),
    Wrong("callback never called", "the callback is never called", "Who wants to hear that an iteration is done?",
          (f"        if {_CALL}:\n            return", "")),
    Wrong("a callback is needed", "the callback is called even where there is none", "What is `callback` if nobody gives one?", (_CALL, "callback(run)")),
    Wrong("callback before the log", "the callback is called before the iteration is in the history",
          "Which entry would the dashboard draw?", (_LOG, ""),
          (f"        if {_CALL}:\n            return", f"        stop = {_CALL}\n{_LOG}        if stop:\n            return")),
    Wrong("learning rate never set", "the learning rate stays what it was at the start",
          "Which method of `run` lowers it?", ("        run.set_learning_rate()\n", "")),
    Wrong("never logged", "iterations are not logged: the history stays empty, and the loop never ends",
          "What does the loop's condition count?", (_LOG, "")),
    Wrong("begins anew", "config.iterations iterations are done, whatever was done before",
          "How many are left for a run that was saved after two of three?", (_WHILE, "for _ in range(config.iterations):")),
    Wrong("gate the wrong way round", "candidate and champion have changed places at the gate",
          "Which of the two wants to become champion?", (_GATE, "gate(game, champion, candidate, openings, config.gate_threshold)")),
    Wrong("threshold forgotten", "the gate uses its default threshold instead of the config's",
          "Which arguments does `gate` take?", (_GATE, "gate(game, candidate, champion, openings)")),
    Wrong("settings forgotten", "self-play uses its defaults instead of the config's settings",
          "What is the given dictionary for?", (", **settings", "")),
    *(
        Wrong(f"settings in one piece, {how}", "the dictionary of settings is handed over in one piece, where self_play_game takes its settings one by one, by their names",
              "What do the two stars do in f(**settings)?", (", **settings", handed))
        for how, handed in (("by position", ", settings"), ("by name", ", settings=settings"))
    ),
    Wrong("self-play's simulations at the gate",
          "the agents search as much at the gate as in self-play: the config has a number of its own for the gate",
          "Which numbers of the config begin with gate_, and why would much search hide a difference?",
          ("config.gate_simulations", "config.simulations")),
    Wrong("one clock for all", "the clock starts once, before the loop: each iteration is logged with the seconds of all before it, too",
          "When does the clock of an iteration start?",
          (f"    {_WHILE}\n        began = time.perf_counter()\n", f"    began = time.perf_counter()\n    {_WHILE}\n")),
    Wrong("last loss only", "only the last step's losses are logged", "What will the dashboard average?",
          ("run.log(games, losses,", "run.log(games, losses[-1:],")),
]
# fmt: on


CHECK = Scenes(
    draws=st.tuples(
        st.sampled_from(["TrainingConfig(", "EngineConfig(network='wide', widths=(4,), "]),
        st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.sampled_from([1000, 32, 40])),
        st.sampled_from(
            [
                "batch=256, gate_openings=2",
                "batch=300, gate_openings=3, gate_plies=1, gate_simulations=5, gate_threshold=0.6",
                "batch=256, gate_openings=1, gate_plies=0, learning_rate=0.1, noise_alpha=0.5, noise_fraction=0.5",
                "batch=256, gate_openings=2, simulations=10, c_puct=3.0, exploratory_plies=4",
            ]
        ),
        st.lists(st.booleans(), min_size=3, max_size=3),
        st.sampled_from([[], [True], [False, None, True], [None, True]]),
        st.integers(0, 99),
    ),
    edges=[("TrainingConfig(", (10, 10, 10, 16), "batch=256, gate_openings=2", [True, False], [], 0)],
    returns=nothing,
    changes={"run", "callback"},
    fresh=False,
    asks="calls self-play, steps, gate and callback as the docstring says, with many settings",
    examples=12,
    question="Go through an iteration in the order of the docstring: who plays, what is kept, what is learned, who meets whom, who is told.",
)
