"""train_alphazero: self-play, learning and the gate, over and over. The loop is watched from outside, and must learn."""

import copy
import time
from typing import NamedTuple

import numpy as np
import torch
from hypothesis import strategies as st

from course_utils.agents import SearchAgent
from course_utils.learning.arena import gate, match, random_openings
from course_utils.learning.examples import Examples
from course_utils.learning.self_play import self_play_game
from course_utils.learning.training import train_step
from course_utils.networks.policy_value import TorchNetwork
from course_utils.tests.case import Case, Such
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_08.runs import PLIES, WatchedRun, complaints, critical, numbers, of, rows_of
from course_utils.tests.specification import Specification

CALL = "train_alphazero(run, callback)"


class Draw(NamedTuple):
    """A run of a few iterations, from where it stands."""

    favorites: tuple[int, int]  # of candidate and champion
    done: int
    answers: tuple  # of the callback
    games: int
    simulations: int
    c_puct: float
    exploratory_plies: int
    noise_fraction: float
    games_kept: int
    steps: int
    batch: int
    gate_openings: int
    gate_plies: int
    gate_simulations: int
    gate_threshold: float
    seed: int
    iterations: int = 3


DRAWS = st.builds(
    Draw,
    st.sampled_from([(2, 0), (0, 2), (1, 1)]),
    st.sampled_from([1, 2, 0]),  # of three
    st.sampled_from([(), (None, None), (False, False), (True,), (False, True)]),
    st.integers(1, 3),
    st.integers(1, 5),
    st.sampled_from([1.5, 0.3, 4.0]),
    st.integers(0, PLIES),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([100, 2, 3]),
    st.integers(1, 3),
    st.sampled_from([16, 33, 256]),
    st.integers(1, 3),
    st.integers(0, 2),
    st.sampled_from([0, 0, 2]),
    st.sampled_from([0.55, 0.5, 0.9]),
    st.integers(0, 99),
    st.just(3),
)


def run_of(draw: Draw) -> WatchedRun:
    names = ("games", "simulations", "c_puct", "exploratory_plies", "noise_fraction", "steps", "batch",
             "gate_openings", "gate_plies", "gate_simulations", "gate_threshold", "iterations")  # fmt: skip
    config = {name: getattr(draw, name) for name in names}
    return WatchedRun.begin(*draw.favorites, draw.done, draw.seed, buffer=2 * PLIES * draw.games_kept, **config)


def arguments(draw: Draw) -> dict:
    run = run_of(draw)
    return {"run": run, "callback": run.callback(draw.answers)}


def calls_of(draw: Draw) -> list[int]:
    """How long the history is whenever the callback is called: after each iteration, until it returns True."""
    left = list(range(draw.done + 1, draw.iterations + 1))
    return left[: draw.answers.index(True) + 1] if True in draw.answers else left


def watched(train_alphazero, draw: Draw) -> list[str]:
    run = arguments(draw)["run"]
    train_alphazero(run, run.callback(draw.answers))
    seen, expected = [length for _, length in run.verdicts], calls_of(draw)
    if seen != expected or len(run.history) != draw.done + len(expected) or not all(ours for ours, _ in run.verdicts):
        return [
            f"the callback is to be called with the run when its history has the lengths {expected}, not {seen}; at the end its length is {len(run.history)}"
        ]
    return complaints(run)


PLAIN = Draw((2, 0), 0, (), 3, 4, 1.5, 4, 0.5, 100, 3, 64, 3, 1, 0, 0.5, 0)


def by_hand(rng):
    seed = int(rng.integers(1000))
    plain = PLAIN._replace(seed=seed)  # the candidate is the better one
    setting = "run = ...   # 3 iterations of 3 games of 4 positions, 3 steps on batches of 64\n"
    runs: dict[Draw, WatchedRun] = {}  # several cases look at the same one

    def case(name, part, expected, shown, question, points=1, draw=plain, setup=""):
        def trained(answer):
            if draw not in runs:
                given = arguments(draw)
                answer(**given)
                runs[draw] = given["run"]
            return part(runs[draw])

        return Case(name, trained, expected, f"{setting}{setup}{CALL}\n{shown}", question, points=points)

    yield case("three iterations, each logged and then shown to the callback", lambda run: [length for _, length in run.verdicts], [1, 2, 3],
               "len(run.history)   # at each call of the callback", "When does an iteration end, and who is told?", 2)  # fmt: skip
    yield case("goes on where the run stands", lambda run: len(run.logged), 1, "how many iterations are done   # two were done before",
               "A run that was saved after two iterations: how many should still be done?", 2, plain._replace(done=2))  # fmt: skip

    def without_callback(answer):
        run = run_of(plain._replace(done=2))
        answer(run)
        return len(run.history)

    yield Case(
        "needs no callback",
        without_callback,
        3,
        f"{setting}train_alphazero(run)\nlen(run.history)",
        "What is `callback` if nobody gives one?",
    )

    def who_plays(run):
        """With which weights the networks are asked before the first step of an iteration."""
        found = []
        for logged, before in zip(run.logged, run.shots, strict=False):
            first = next((at for at, one in enumerate(logged.diary) if one.kind == "lesson"), 0)
            who = {numbers(before.champion): "champion", numbers(before.candidate): "candidate"}
            found.append(sorted({who.get(one.before, "another") for one in logged.diary[:first]}))
        return found

    yield case("the champion plays the games of self-play", who_plays, [["champion"]] * 3,
               "which network is asked before the first step of each iteration   # in a run that accepts no candidate",
               "Whose games should the candidate learn from, before it has passed the gate?", 2, plain._replace(favorites=(0, 2)))  # fmt: skip
    yield case("each step learns from a batch of its own",
               lambda run: [len({one.planes.tobytes() for logged in run.logged[: k + 1] for one in of(logged, "lesson")}) for k in range(len(run.logged))],
               [3, 6, 9], "how many different batches the candidate has learned from, after each iteration",
               "When is a batch drawn: once, once an iteration, or once a step?", 3)  # fmt: skip

    def learned_from(run):
        games = [rows_of(run.game, game) for logged in run.logged for game in logged.games]
        return [
            sum(any(row.tobytes() in game for one in of(logged, "lesson") for row in one.planes) for game in games)
            for logged in run.logged
        ]

    yield case("the steps of an iteration learn from the games of all iterations so far", learned_from, [3, 6, 9],
               "from how many games the batches of each iteration come",
               "Games of earlier iterations stay in the buffer: what would the network forget without them?", 3)  # fmt: skip
    yield case("a candidate that wins every game is accepted: the champion has its weights, and is still a network of its own",
               lambda run: [run.logged[0].accepted, numbers(run.shots[1].champion) == numbers(run.shots[1].candidate), run.shots[1].two], [True] * 3,
               "accepted, champion's weights == candidate's weights, champion is not candidate   # after the first iteration",
               "After `a = b`, how many networks are there?", 2)  # fmt: skip

    def settings(answer):
        """Settings that show: c_puct so large that only the prior counts, and the prior all noise, which is even."""
        run = WatchedRun.begin(iterations=1, games=2, steps=1, simulations=30, exploratory_plies=0, c_puct=1000.0, noise_alpha=1e6, noise_fraction=1.0, seed=seed)  # fmt: skip
        answer(run, None)
        return [float(np.abs(game.policy - 1 / 3).max()) < 0.05 for game in run.logged[0].games]

    yield Case("self-play with all settings of the config", settings, [True, True],
               f"{CALL}\nwhether all visits are even   # with c_puct=1000, noise_fraction=1, noise_alpha=1e6",
               "How many settings stand in the given dictionary, and where should they arrive?")  # fmt: skip

    def seconds(answer):
        """The second iteration's: until it is logged, and without those of the first."""
        run, ends = WatchedRun.begin(iterations=2, games=1, steps=1, gate_openings=1, seed=seed), []
        begin = run.game.initial_state
        run.game.initial_state = lambda: time.sleep(0.03) or begin()

        def callback(_):
            time.sleep(0.1 if not ends else 0)
            ends.append(time.perf_counter())

        answer(run, callback)
        took = [one.seconds for one in run.logged]
        return [min(took) > 0.055, took[1] < ends[1] - ends[0] + 0.05]

    yield Case("each iteration is logged with its own seconds", seconds, [True, True],
               f"{CALL}\nwhether each iteration took 0.06 s or more, and the second no longer than it did   # game.initial_state() waits for 0.03 s, the callback for 0.1 s",
               "When does the clock of an iteration start, and what is subtracted from what?")  # fmt: skip
    yield Case("it learns: the champion wins against the one that it was", lambda answer: learn(answer, seed),
               Such(f"at least {ENOUGH} of 28 games won; without learning it is 14", lambda won: won >= ENOUGH),
               "run = ...   # 3 iterations of 4 games and 12 steps, from a network that always plays the worst move\n"
               f"{CALL}\nmatch(game, champion, champion at the start, every critical position).wins",
               "Follow one example: who plays it, where is it kept, when is it drawn, which network learns from it, which one plays next?", points=3)  # fmt: skip


ENOUGH = 17  # right answers win 19 to 28


def learn(train_alphazero, seed: int) -> int:
    """Games that the champion wins against the one that it was, from every position in which one choice wins and another loses."""
    config = dict(
        iterations=3,
        games=4,
        simulations=24,
        c_puct=1.0,
        noise_alpha=10.0,
        noise_fraction=0.75,
        steps=12,
        batch=64,
        learning_rate=1.0,
    )
    run = WatchedRun.begin(0, 0, seed=seed, gate_threshold=0.5, **config)
    start = run.champion.copy()
    train_alphazero(run, None)
    agents = [SearchAgent(run.game, TorchNetwork(net.copy()), 0) for net in (run.champion, start)]
    return match(run.game, *agents, critical(run.game)).wins


def loop_with_for(run, callback=None):
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


def loop_with_its_own_agents(run, callback=None):
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

CHECK = Specification(
    draws=DRAWS,
    arguments=arguments,
    oracle=lambda draw: Such("a run as the docstring has it", lambda found: not found),
    judged=lambda result, arguments: [numbers(arguments["run"].champion), numbers(arguments["run"].candidate), len(arguments["run"].logged)],
    run=watched,
    changes={"run", "callback"},
    fresh=False,
    examples=8,
    edges=[PLAIN._replace(games=2, games_kept=kept, favorites=favorites, batch=256, noise_fraction=0.0, gate_simulations=2, answers=(False, None, True))
           for kept, favorites in ((100, (0, 2)), (3, (2, 0)))]
    + [PLAIN._replace(simulations=1, steps=1, gate_openings=1, **more) for more in ({"games": 11, "iterations": 1}, {"games": 1, "iterations": 11})]
    + [PLAIN._replace(games=1, simulations=1, steps=12, iterations=2, gate_threshold=0.0, favorites=(0, 2)), PLAIN._replace(done=3)],
    shown=lambda draw: f"run = ...   # {draw}\n{CALL}\nwhat is not as it should be",
    question="Go through an iteration in the order of the docstring: who plays, what is kept, what is learned, who meets whom, who is told.",
    by_hand=by_hand,
    wrong=[
        Wrong("one batch an iteration", "one batch is drawn before the steps of an iteration, and all of them learn from it",
              "How many of the examples in the buffer does an iteration of yours look at?", (_BATCHES, "batches = [buffer.sample(config.batch, rng)] * config.steps")),
        Wrong("one batch for the whole run", "one batch is drawn in the first iteration, and the run learns from nothing else",
              "What becomes of the games of later iterations?",
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
              "an accepted candidate *becomes* the champion instead of being copied: from then on both learn",
              "After `a = b`, how many networks are there?", (_COPY, "run.champion = run.candidate")),
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
        Wrong("callback's True ignored", "the callback is called, but its answer changes nothing",
              "How would you stop a run that is good enough?",
              (f"        if {_CALL}:\n            return", "        if callback is not None:\n            callback(run)")),
        Wrong("a callback is needed", "None is called", "What is `callback` if nobody gives one?", (_CALL, "callback(run)")),
        Wrong("callback before the log", "the callback is called before the iteration stands in the history",
              "Which entry would the dashboard draw?", (_LOG, ""),
              (f"        if {_CALL}:\n            return", f"        stop = {_CALL}\n{_LOG}        if stop:\n            return")),
        Wrong("learning rate never set", "the learning rate stays what it was at the start",
              "Which method of `run` lowers it?", ("        run.set_learning_rate()\n", "")),
        Wrong("never logged", "iterations are not logged: the history stays empty, and the loop never ends",
              "What does the loop's condition count?", (_LOG, "")),
        Wrong("begins anew", "config.iterations iterations are done, whatever was done before",
              "How many are left for a run that was saved after two of three?", (_WHILE, "for _ in range(config.iterations):")),
        Wrong("gate the wrong way round", "candidate and champion have changed places at the gate",
              "Who asks to be let in?", (_GATE, "gate(game, champion, candidate, openings, config.gate_threshold)")),
        Wrong("threshold forgotten", "the gate uses its default threshold instead of the config's",
              "Which arguments does `gate` take?", (_GATE, "gate(game, candidate, champion, openings)")),
        Wrong("settings forgotten", "self-play uses its defaults instead of the config's settings",
              "What is the given dictionary for?", (", **settings", "")),
        Wrong("self-play's simulations at the gate",
              "the agents search as much at the gate as in self-play: the config has a number of its own for the gate",
              "Which numbers of the config begin with gate_, and why would much search hide a difference?",
              ("config.gate_simulations", "config.simulations")),
        Wrong("last loss only", "only the last step's losses are logged", "What will the dashboard average?",
              ("run.log(games, losses,", "run.log(games, losses[-1:],")),
    ],
    right=[loop_with_for, loop_with_its_own_agents],
)  # fmt: skip
