"""Training runs that are watched from outside: a tiny game whose positions tell from which game they are, networks that write down
what they are asked and with which weights, a generator that counts what is drawn. Nothing in an answer is replaced."""

import math
from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from course_utils.learning.examples import Examples, ReplayBuffer
from course_utils.learning.training import Run, TrainingConfig
from course_utils.networks.policy_value import TorchNetwork
from course_utils.tests.world.puct import puct_visits

PLIES = 4
SURE = 1e-9  # what is less likely than this does not happen


def log_p(logits: np.ndarray) -> np.ndarray:
    shifted = logits.astype(np.float64) - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def losses_by_definition(value, logits, target_value, target_policy) -> list[float]:
    """The definition, example by example."""
    squares = [(float(z) - float(v)) ** 2 for v, z in zip(value, target_value, strict=True)]
    entropies = [-float(pi.astype(np.float64) @ one) for pi, one in zip(target_policy, log_p(logits), strict=True)]
    return [sum(squares) / len(squares), sum(entropies) / len(entropies)]


class Sums(NamedTuple):
    """The numbers chosen so far, first and second player in turn; and which game it is."""

    chosen: tuple = ()
    serial: int = 0


class SumGame:
    """Each player chooses 0, 1 or 2, twice; the higher sum wins, two sums of 2 are a draw, and other equal ones the second player's win.

    Each game that begins has a number of its own, and its planes show it. They look different from behind, so that the second form
    (a made-up one) is never the first.
    """

    name, rows, columns, num_actions, planes = "sums", 1, 3, 3, 3

    def __init__(self):
        self.begun = 0

    def initial_state(self) -> Sums:
        self.begun += 1
        return Sums((), self.begun)

    def legal_actions(self, state) -> list[int]:
        return [] if self.is_terminal(state) else [0, 1, 2]

    def play(self, state, action) -> Sums:
        if action not in self.legal_actions(state):
            raise ValueError(f"{action} is not legal here")
        return Sums((*state.chosen, int(action)), state.serial)

    def to_play(self, state) -> int:
        return 1 if len(state.chosen) % 2 == 0 else -1

    def is_terminal(self, state) -> bool:
        return len(state.chosen) == PLIES

    def winner(self, state) -> int:
        if not self.is_terminal(state):
            return 0
        first, second = sum(state.chosen[::2]), sum(state.chosen[1::2])
        return 0 if first == second == 2 else 1 if first > second else -1

    def encode(self, state) -> np.ndarray:
        mine = len(state.chosen) % 2
        counts = [[state.chosen[side::2].count(number) for number in range(3)] for side in (mine, 1 - mine)]
        return np.array([*counts, state.serial + np.array([0, 0.25, 0.5])], dtype=np.float32).reshape(3, 1, 3)

    def symmetries(self, planes, policy) -> list:
        return [(planes, policy), (planes[:, :, ::-1], policy[::-1])]


def serial_of(planes: np.ndarray) -> int:
    return math.floor(planes[2].min())


def best(game: SumGame, state: Sums) -> int:
    """Who wins if both play well: +1 or -1, or 0."""
    if game.is_terminal(state):
        return game.winner(state)
    return (max if game.to_play(state) == 1 else min)(best(game, game.play(state, action)) for action in range(3))


def critical(game: SumGame, state: Sums = Sums()) -> list[Sums]:
    """The positions in which one choice wins and another one loses. 18."""
    if game.is_terminal(state):
        return []
    after = [game.play(state, action) for action in range(3)]
    return [state] * ({best(game, one) for one in after} >= {1, -1}) + [
        found for one in after for found in critical(game, one)
    ]


def state_of(planes: np.ndarray) -> Sums:
    """A position with these planes: the order in which a player chose makes no difference."""
    mine, others = (np.repeat(range(3), counts.ravel().astype(int)).tolist() for counts in planes[:2])
    first, second = (mine, others) if len(mine) == len(others) else (others, mine)
    chosen = [one for pair in zip(first, second, strict=False) for one in pair] + first[len(second) :]
    return Sums(tuple(chosen), serial_of(planes))


class Counting(np.random.Generator):
    """Counts the numbers that are drawn."""

    drawn, inside = 0, False


def _counted(name: str):
    def method(self, *args, **kwargs):
        outermost, self.inside = not self.inside, True
        try:
            result = getattr(np.random.Generator, name)(self, *args, **kwargs)
        finally:
            self.inside = not outermost
        self.drawn += np.size(result) if outermost else 0
        return result

    return method


for _name in ("integers", "random", "choice", "dirichlet", "gamma", "standard_gamma", "normal", "standard_normal", "uniform",
              "multinomial", "permutation", "permuted", "beta", "exponential", "standard_exponential"):  # fmt: skip
    setattr(Counting, _name, _counted(_name))


def numbers(net: nn.Module) -> bytes:
    """What tells one state of a network from another: its weights, and batch norm's statistics."""
    held = (net.weight, net.bias, *net.norm._buffers.values()) if type(net) is Watched else net.state_dict().values()
    return b"".join(one.detach().numpy().tobytes() for one in held)


class Watched(nn.Module):
    """A network that prefers one number, and writes each question into a diary."""

    def __init__(self, favorite: int | None, diary: list | None, strength: float = 2.0):
        super().__init__()
        self.norm = nn.BatchNorm1d(6, eps=1.0, affine=False)
        self.weight, self.bias = nn.Parameter(torch.zeros(4, 6)), nn.Parameter(torch.zeros(4))
        generator = torch.Generator().manual_seed(7)
        with torch.no_grad():
            for weights in self.parameters():
                nn.init.normal_(weights, std=0.05, generator=generator)
            if favorite is not None:
                self.bias[favorite] += strength
        self.diary = diary

    def __deepcopy__(self, memo):
        return self.copy(self.diary)  # a copy writes into the same diary

    def copy(self, diary: list | None = None) -> "Watched":
        twin = Watched(None, diary).train(self.training)
        twin.load_state_dict(self.state_dict())
        return twin

    def forward(self, planes):
        learns = torch.is_grad_enabled() and self.training
        before = numbers(self) if self.diary is not None else b""
        outputs = F.linear(self.norm(planes[:, :2].flatten(1)), self.weight, self.bias)
        value, logits = torch.tanh(outputs[:, -1]), outputs[:, :-1]
        if self.diary is not None and learns:
            self.diary.append(SimpleNamespace(kind="lesson", net=self, before=before, planes=planes.numpy().copy(),
                                              value=value.detach().numpy(), logits=logits.detach().numpy()))  # fmt: skip
        elif self.diary is not None:
            asked = planes.numpy()
            serials = [serial_of(one) for one in asked]
            self.diary.append(SimpleNamespace(kind="question", before=before, serials=serials, planes=asked[0].copy()))
        return value, logits


class WatchedOptimizer(torch.optim.SGD):
    def step(self, closure=None):
        result = super().step(closure)
        run, state = self.run, self.state[self.param_groups[0]["params"][0]]
        state["steps"] = state.get("steps", 0) + 1  # forgotten with the rest of what an optimizer remembers
        run.diary.append(
            SimpleNamespace(
                kind="step", rate=self.param_groups[0]["lr"], after=numbers(run.candidate), number=state["steps"]
            )
        )
        if sum(one.kind == "step" for one in run.diary) > run.config.steps * run.config.iterations:
            raise RuntimeError("more steps than the whole run has: does the loop end after config.iterations?")
        return result


SMALL = dict(iterations=3, games=3, simulations=4, exploratory_plies=4, buffer=1000, steps=3, batch=16, learning_rate=0.02,
             gate_openings=3, gate_plies=1, gate_simulations=0)  # fmt: skip


class WatchedRun(Run):
    """A tiny run with a diary. `log` keeps what it was given, and how things stand."""

    @classmethod
    def begin(
        cls, candidate: int | None = 2, champion: int | None = 0, done: int = 0, seed: int = 0, **config
    ) -> "WatchedRun":
        """Favorites 2 against 0: the candidate wins every game at the gate; 0 against 2: none."""
        config, diary = TrainingConfig(**{**SMALL, **config}), []
        nets = Watched(champion, diary), Watched(candidate, diary)
        optimizer = WatchedOptimizer(nets[1].parameters(), 3 * config.learning_rate)  # not yet what the schedule says
        rng = Counting(np.random.PCG64(seed))
        run = cls(SumGame(), config, *nets, optimizer, ReplayBuffer(config.buffer), rng)
        run.history = [{}] * done
        optimizer.run, run.diary, run.logged, run.verdicts = run, diary, [], []
        run.given = (run.candidate, optimizer, run.buffer, rng)
        run.shots = [run.shot()]
        return run

    def shot(self) -> SimpleNamespace:
        """How things stand."""
        held = self.buffer.examples if len(self.buffer) else None
        rows = (
            Counter(one.tobytes() for one in np.ascontiguousarray(held.planes, dtype=np.float32))
            if held is not None
            else Counter()
        )
        nets = dict(champion=self.champion.copy(), candidate=self.candidate.copy())
        return SimpleNamespace(**nets, held=rows, drawn=self.rng.drawn, begun=self.game.begun, two=self.champion is not self.candidate)  # fmt: skip

    def log(self, games, losses, accepted, score, seconds):
        self.history.append({"iteration": len(self.history) + 1})
        self.shots.append(self.shot())
        self.logged.append(SimpleNamespace(games=list(games), losses=list(losses), accepted=bool(accepted), score=tuple(score),
                                           seconds=seconds, diary=list(self.diary)))  # fmt: skip
        self.diary.clear()
        if len(self.logged) > 20:
            raise RuntimeError("the loop goes on after config.iterations")

    def callback(self, answers: tuple = ()):
        """A callback that returns these, one after the other, then None; it writes down when it was called, and with what."""

        def callback(run):
            self.verdicts.append((run is self, len(run.history)))
            return answers[len(self.verdicts) - 1] if len(self.verdicts) <= len(answers) else None

        return callback


def of(logged, kind: str) -> list:
    return [one for one in logged.diary if one.kind == kind]


# --- what must be true of a run ----------------------------------------------------------------------------------------


class Asked:
    """A network for an oracle; counts."""

    def __init__(self, net: Watched):
        self.net, self.count = TorchNetwork(net), 0

    def __call__(self, planes):
        self.count += 1
        return self.net(planes)


class Player:
    """What an agent at the gate must do: the network's first choice, or the most visited action of a search."""

    def __init__(self, game: SumGame, net: Watched, config: TrainingConfig):
        self.game, self.network, self.config = game, Asked(net), config

    def act(self, state) -> int:
        if self.config.gate_simulations == 0:
            return int(np.argmax(self.network(self.game.encode(state)[None])[1][0]))
        visits = puct_visits(self.game, state, self.network, self.config.gate_simulations, self.config.c_puct)
        return int(np.argmax(visits))


def rows_of(game: SumGame, examples: Examples) -> dict[bytes, tuple]:
    """Planes -> (policy, value, number of the game), for all forms of one game."""
    return {
        np.ascontiguousarray(planes).tobytes(): (np.array(policy), float(example.value), serial_of(example.planes))
        for example in examples
        for planes, policy in game.symmetries(example.planes, example.policy)
    }


def complaints(run: WatchedRun) -> list[str]:
    """What is not as the docstring has it: the first thing that is found, without numbers, so that mistakes can be told apart by it."""
    batches = [one.planes.tobytes() for logged in run.logged for one in of(logged, "lesson")]
    kept: list[Examples] = []
    for number, logged in enumerate(run.logged):
        for found in (*_of_games(run, number), *_of_lessons(run, number, kept), *_of_gate(run, number)):
            return [found]
        kept += logged.games
    end, last = run.shot(), run.shots[-1]
    if [numbers(end.champion), numbers(end.candidate), end.held] != [
        numbers(last.champion),
        numbers(last.candidate),
        last.held,
    ]:
        return ["after the last run.log a network or the buffer is changed"]
    if len(set(batches)) != len(batches):
        return ["two steps learn from the same batch"]
    if (run.candidate, run.optimizer, run.buffer, run.rng) != run.given:
        return ["candidate, optimizer, buffer or generator of the run have been replaced by others"]
    return []


def _of_games(run: WatchedRun, number: int):
    """Self-play: how many games, by which network, with which settings."""
    config, logged, champion = run.config, run.logged[number], run.shots[number].champion
    games = logged.games
    if len(games) != config.games or any(len(game) != PLIES for game in games):
        yield "not config.games whole games are logged"
        return
    serials = {serial_of(game.planes[0]) for game in games}
    if len(serials) != len(games):
        yield "one game is logged twice"
    asked = [one for one in of(logged, "question") if set(one.serials) & serials]
    if any(serial <= run.shots[number].begun for one in of(logged, "question") for serial in one.serials):
        yield "games or openings of an iteration before are played again"
        return
    if any(one.before != numbers(champion) for one in asked):
        yield "it is not the champion, as it was after the iteration before, who plays all games of self-play"
        return
    for game in games:
        counts = config.simulations * game.policy
        if not np.allclose(counts, counts.round(), atol=1e-4) or not np.allclose(game.policy.sum(axis=1), 1, atol=1e-4):
            yield "the policies do not come from config.simulations simulations"
            return
        for ply, (now, after) in enumerate(pairwise(game)):
            chosen = int(np.argmax(after.planes[1] - now.planes[0]))
            if ply >= config.exploratory_plies and chosen != np.argmax(now.policy):
                yield "after config.exploratory_plies a move is not the most visited one"
                return
    if config.noise_fraction == 0:
        network = Asked(champion)
        expected = [
            puct_visits(run.game, state_of(one.planes), network, config.simulations, config.c_puct)
            for game in games
            for one in game
        ]
        if not np.allclose(config.simulations * np.concatenate([game.policy for game in games]), expected, atol=1e-3):
            yield "the visits are not those of a search with the config's settings"
        elif len(asked) != network.count:
            yield "self-play asks the network more often, or less often, than its searches need"


def _of_lessons(run: WatchedRun, number: int, kept: list[Examples]):
    """The steps, what the buffer holds, which examples the steps learn from, and where chance comes from."""
    config, logged, shots, game = run.config, run.logged[number], run.shots, run.game
    most = config.buffer // (2 * PLIES)  # games that the buffer holds
    games = (kept + logged.games)[-most:]
    rows = {row: entry for one in games for row, entry in rows_of(game, one).items()}
    if shots[number + 1].held != Counter(dict.fromkeys(rows, 1)):
        yield "the buffer does not hold the positions of all games so far in all their forms (the latest ones, where it has no room for more)"
    lessons, steps = of(logged, "lesson"), of(logged, "step")
    if [one.number for one in steps] != [number * config.steps + k + 1 for k in range(len(steps))]:
        yield "the optimizer has forgotten what it knew of the steps before"
    if [len(one.planes) for one in lessons] != [config.batch] * config.steps or len(steps) != config.steps:
        yield "not config.steps steps are taken, each on config.batch examples"
        return
    done = len(run.history) - len(run.logged) + number
    rate = config.learning_rate * (1 - 0.9 * done / config.iterations)
    if any(abs(one.rate - rate) > 1e-9 for one in steps):
        yield "the learning rate is not the one that run.set_learning_rate() sets in this iteration"
    if any(one.net is not run.given[0] for one in lessons):
        yield "it is not run.candidate that learns"
        return
    before = [numbers(shots[number].candidate), *(one.after for one in steps)]
    if [one.before for one in lessons] != before[:-1]:
        yield "a step does not begin with the weights that the one before has left"
    if numbers(shots[number + 1].candidate) != before[-1] or len(set(before)) != len(before):
        yield "after its steps the candidate is not what it has learned to be"
    learned = [[one.tobytes() for one in lesson.planes] for lesson in lessons]
    if any(row not in rows for batch in learned for row in batch):
        yield "it learns from examples that the buffer does not hold"
        return
    if len({tuple(batch) for batch in learned}) < len(learned):
        yield "two steps learn from the same batch"
    seen = Counter(row for batch in learned for row in batch)
    size = sum(seen.values())
    if len(rows) * (1 - 1 / len(rows)) ** size < SURE and len(seen) < len(rows):
        yield "some of the examples in the buffer are never drawn: do batches come from all of it?"
    from_games = {rows[row][2] for row in seen}
    if len(games) * (1 - 1 / len(games)) ** size < SURE and len(from_games) < len(games):
        yield "some of the games in the buffer are never drawn from: do batches come from all of it?"
    expected = []
    for lesson, batch in zip(lessons, learned, strict=True):
        value, policy = np.array([rows[row][1] for row in batch]), np.stack([rows[row][0] for row in batch])
        expected.append(losses_by_definition(lesson.value, lesson.logits, value, policy))
    if not np.allclose(
        [[one["value"], one["policy"]] for one in logged.losses] if len(logged.losses) == len(expected) else 0,
        expected,
        atol=1e-4,
    ):
        yield "the losses that are logged are not those of the steps, one after the other"
    needed = (
        config.steps * config.batch
        + sum(len(one) for one in logged.games) * 3
        + config.gate_openings * config.gate_plies
    )
    needed += config.games * min(PLIES, config.exploratory_plies)
    if shots[number + 1].drawn - shots[number].drawn < needed:
        yield "fewer numbers are drawn from run.rng than games, batches and openings need: is there another generator?"


def _of_gate(run: WatchedRun, number: int):
    """Who meets whom, from where, how strong; the verdict, and what comes of it."""
    config, logged, game = run.config, run.logged[number], run.game
    champion, candidate = run.shots[number].champion, run.shots[number + 1].candidate
    played = {serial_of(one.planes[0]) for one in logged.games}
    asked = [one for one in of(logged, "question") if not set(one.serials) & played]
    who = {numbers(champion): "champion", numbers(candidate): "candidate"}
    if any(one.before not in who for one in asked):
        yield "at the gate a network is asked that is neither the champion nor the candidate after its steps"
        return
    first = {one.serials[0]: one.planes for one in reversed(asked)}  # where a game begins
    openings = {serial: state_of(first[serial]) for serial in sorted(first)}
    if len(openings) != config.gate_openings or {len(state.chosen) for state in openings.values()} != {
        config.gate_plies
    }:
        yield "the gate does not play from config.gate_openings openings of config.gate_plies moves"
        return
    players = Player(game, candidate, config), Player(game, champion, config)
    results = Counter()
    for state in openings.values():
        for side in (1, -1):
            at = state
            while not game.is_terminal(at):
                at = game.play(at, players[0 if game.to_play(at) == side else 1].act(at))
            results[side * game.winner(at)] += 1
    wins, draws, losses = logged.score
    if (wins, draws, losses) != (results[1], results[0], results[-1]):
        yield "the score that is logged is not what the candidate achieves against the champion"
    times, expected = (
        Counter(who[one.before] for one in asked),
        {"candidate": players[0].network.count, "champion": players[1].network.count},
    )
    if times != expected:
        yield "at the gate the networks are asked more often, or less often, than config.gate_simulations say"
    passes = wins + losses > 0 and wins / max(1, wins + losses) >= config.gate_threshold
    if logged.accepted != passes:
        yield "accepted is not what the score and config.gate_threshold say"
    after = run.shots[number + 1]
    if not after.two:
        yield "champion and candidate are one network now, and learn together"
    wanted = candidate if passes else champion
    if numbers(after.champion) != numbers(wanted):
        yield f"the candidate {'passes' if passes else 'fails'}, and the champion is not {'what it is' if passes else 'what it was'}, number by number"
