"""completed_q: a value for every action, tried or not."""

import math

import numpy as np

from course_utils.tests.case import calls
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_13.batches import Draw, arguments_of, draws_of, game_by_game
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

KINDS = [
    "some tried",
    "some tried",
    "some tried",
    "one tried",
    "all tried",
    "none tried",
    "often tried",
    "ends",
    "some priors 0",
]


def one_game(actions: int, kind: str, rng: np.random.Generator):
    N = rng.integers(0, 4, actions).astype(float)
    match kind:
        case "one tried":
            N[:] = 0
            N[rng.integers(actions)] = rng.integers(1, 9)
        case "all tried":
            N += 1
        case "none tried":
            N[:] = 0
        case "often tried":
            N *= 1000
    prior = rng.dirichlet(np.ones(actions))
    if kind == "some priors 0":  # of illegal actions, and of legal ones of which the network thinks nothing
        prior = np.where((N > 0) | (prior == prior.max()), prior, 0)
        prior /= prior.sum()
    found = rng.integers(-1, 2, actions) if kind == "ends" else rng.uniform(-1, 1, actions)  # lost, drawn and won
    Q = np.where(N > 0, found, [0.0, math.nan][rng.integers(2)])
    return Q, N, prior, float(rng.uniform(-1, 1))


def arguments(draw: Draw) -> dict:
    return arguments_of(draw, KINDS, ("Q", "N", "prior", "value"), one_game)


def completed(Q, N, prior, value) -> list[float]:
    tried = [action for action, visits in enumerate(N) if visits > 0]
    if not tried:
        return [value] * len(N)
    mean = math.fsum(prior[a] * Q[a] for a in tried) / math.fsum(prior[a] for a in tried)
    n = math.fsum(N)
    mixed = value / (n + 1) + mean * n / (n + 1)
    return [Q[action] if action in tried else mixed for action in range(len(N))]


def oracle(draw: Draw):
    return game_by_game(draw, arguments(draw), completed)


def by_hand(rng):
    def case(name, Q, N, prior, value, expected, question, points=1):
        arrays = [np.array(part, dtype=float) for part in (Q, N, prior)]
        value = np.array(value) if isinstance(value, list) else value
        return calls("completed_q", *arrays, value, name=name, expected=np.array(expected), question=question, points=points)  # fmt: skip

    yield case("nothing was tried: the network's value for all", [0, 0, 0], [0, 0, 0], [0.5, 0.3, 0.2], 0.4, [0.4] * 3,
               "With no visits at all, what is left of the formula?")  # fmt: skip
    yield case("all were tried: every Q stays", [0.5, -0.2], [1, 4], [0.9, 0.1], 0.3, [0.5, -0.2],
               "Whose value is known by the search already?")  # fmt: skip
    yield case("one was tried: half of it, half of the network's value", [0.8, 0, 0], [1, 0, 0], [0.2, 0.5, 0.3], 0.2, [0.8, 0.5, 0.5],
               "n is 1: what do the network's value and the mean count, each?")  # fmt: skip
    yield case("the mean is weighted by the prior, not by visits", [0.6, -0.6, 0], [3, 1, 0], [0.5, 0.25, 0.25], -0.3, [0.6, -0.6, 0.1],
               "Weights 0.5 and 0.25: what is the weighted mean of 0.6 and -0.6? (0.2.) Then mix it with -0.3, four to one.", points=2)  # fmt: skip
    yield case("the weights are divided by their sum", [0.4, 0.4, 0, 0], [2, 2, 0, 0], [0.1, 0.1, 0.4, 0.4], 0.4, [0.4] * 4,
               "All that is known here is 0.4. By what must weights of 0.1 and 0.1 be divided, so that their mean is 0.4, too?")  # fmt: skip
    yield case("an untried action's Q is not looked at", [0.8, math.nan, 5], [1, 0, 0], [0.2, 0.5, 0.3], 0.2, [0.8, 0.5, 0.5],
               "What is 0 times NaN?")  # fmt: skip
    yield case("in a batch each game by itself", [[0.8, 0, 0], [0, 0, -0.5]], [[1, 0, 0], [0, 0, 3]], [[0.2, 0.5, 0.3]] * 2, [0.2, 0.7],
               [[0.8, 0.5, 0.5], [-0.2, -0.2, -0.5]], "Over which axis do you sum, and what shape has `value` beside Q?", points=2)  # fmt: skip


_MIXED = "mixed = (value + n * mean) / (1 + n)"
_RETURN = "return np.where(tried, Q, mixed[..., None])"

WRONG = [
    Wrong("0 for the untried", "an action that was not tried counts as 0, a draw, however the game stands",
          "In a won position, is an untried move as good as a draw?", (_RETURN, "return np.where(tried, Q, 0.0)")),
    Wrong("the network's value alone", "untried actions get the network's value, and what the search found is not mixed in",
          "When all tried moves turned out to lose, is the network's first opinion still the best guess?",
          (_MIXED, "mixed = value + 0 * n")),
    Wrong("the mean alone", "untried actions get the mean of the tried ones, and the network's value is not mixed in",
          "After one simulation, how much do you trust that one move?", (_MIXED, "mixed = np.where(n > 0, mean, value)")),
    Wrong("half and half", "the network's value and the mean count the same, however many simulations there were",
          "How much should the network's value count after a hundred simulations?",
          (_MIXED, "mixed = np.where(n > 0, (value + mean) / 2, value)")),
    Wrong("actions counted instead of visits", "n is the number of tried actions instead of their visits",
          "What is n?", ("n = N.sum(axis=-1)", "n = tried.sum(axis=-1)")),
    Wrong("divided by n", "the sum is divided by n instead of 1 + n", "How many opinions are mixed: n, or one more?",
          (_MIXED, "mixed = (value + n * mean) / np.maximum(n, 1)")),
    Wrong("weighted by visits", "the mean is weighted by visits, as the root's value in AlphaZero is",
          "Sequential halving tries bad moves on purpose. Should its visits say what the position is worth?",
          ("np.where(tried, prior, 0)", "np.where(tried, N, 0)")),
    Wrong("not weighted", "all tried actions count the same in the mean",
          "A move that the policy would hardly ever play: how much does it say about the position?",
          ("np.where(tried, prior, 0)", "np.where(tried, 1.0, 0)")),
    Wrong("weights not divided by their sum", "the weights sum to less than 1, so that the mean is too close to 0",
          "What do the tried actions' priors sum to?", ("np.where(n > 0, weights.sum(axis=-1), 1)", "1")),
    Wrong("0 / 0 where nothing was tried", "where nothing was tried it divides by 0, and gives NaN",
          "What do the weights of no actions sum to?", ("np.where(n > 0, weights.sum(axis=-1), 1)", "weights.sum(axis=-1)")),
    Wrong("all replaced", "tried actions get the mixed value, too", "Whose value is known already?",
          (_RETURN, "return np.where(tried, 0, 0) + mixed[..., None]")),
    Wrong("NaN goes through", "an untried action's Q is multiplied by a weight of 0: NaN stays NaN",
          "What is 0 times NaN?", ("np.where(tried, Q, 0)).sum", "Q).sum")),
    Wrong("summed over the batch", "it sums over all games of a batch together", "Over which axis does each sum run?",
          ("N.sum(axis=-1)", "N.sum()"), ("weights.sum(axis=-1)", "weights.sum()"), (".sum(axis=-1) / total", ".sum() / total")),
    Wrong("the opponent's value", "the network's value enters with a minus", "Whose point of view is `value` in?",
          ("(value + n", "(-value + n")),
    Wrong("Q overwritten", "the values are written into the Q that was handed over", "Who else holds this array?",
          (_RETURN, "Q[~tried] = np.broadcast_to(mixed[..., None], Q.shape)[~tried]\n    return Q")),
]  # fmt: skip


def completed_by_averages(Q, N, prior, value):
    if Q.ndim == 2:
        return np.stack([completed_by_averages(*game) for game in zip(Q, N, prior, value)])
    tried = N > 0
    mixed = value
    if tried.any():
        mean = np.average(Q[tried], weights=prior[tried])
        mixed = np.average([value, mean], weights=[1, N.sum()])
    result = Q.copy()
    result[~tried] = mixed
    return result


def completed_with_keepdims(Q, N, prior, value):
    n = N.sum(-1, keepdims=True)
    known = np.nan_to_num(np.where(N == 0, 0.0, Q))
    p = prior * (N != 0)
    average = (p * known).sum(-1, keepdims=True) / np.maximum(p.sum(-1, keepdims=True), 1e-300)
    v = np.asarray(value, dtype=float).reshape(n.shape)
    return known + (N == 0) * (v + n * average) / (n + 1)


CHECK = Specification(
    draws=draws_of(KINDS),
    arguments=arguments,
    oracle=oracle,
    returns=array("float"),
    examples=40,
    edges=[
        Draw(games, 7, kind, 5) for kind in ("none tried", "some tried", "ends", "some priors 0") for games in (None, 7)
    ],
    question="Weights, their sum, the mean, the mix: which of the four differs from the formula's, in which game?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[completed_by_averages, completed_with_keepdims],
)
