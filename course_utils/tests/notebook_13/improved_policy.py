"""improved_policy: logits, values, and a softmax over both."""

import math

import numpy as np

from course_utils.tests.case import Case, Such, calls
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_13.batches import Draw, arguments_of, draws_of, game_by_game
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

KINDS = [
    "searched",
    "searched",
    "searched",
    "close",
    "not searched",
    "one legal",
    "large logits",
    "long searched",
]


def one_game(actions: int, kind: str, rng: np.random.Generator):
    legal = rng.random(actions) < 0.7
    legal[rng.integers(actions)] = True
    if kind == "one legal":
        legal = np.arange(actions) == rng.integers(actions)
    N = np.where(legal, rng.integers(0, 5, actions), 0).astype(float)
    q, logits = rng.uniform(-1, 1, actions), rng.normal(size=actions) * 2
    match kind:
        case "close":  # values that leave something to the logits
            q = rng.uniform(-1, 1) * 0.9 + rng.uniform(-0.05, 0.05, actions)
        case "not searched":
            N[:], q[:] = 0, rng.uniform(-1, 1)
        case "large logits":
            logits += 1e4
        case "long searched":  # values make up for priors that exp would round down to 0
            N *= 1000
            logits -= (50 + N.max()) * q / 2
    logits[~legal] = [-math.inf, 50.0][rng.integers(2)]
    return logits, q, N, legal


def arguments(draw: Draw) -> dict:
    return arguments_of(draw, KINDS, ("logits", "q", "N", "legal"), one_game)


def improved(logits, q, N, legal) -> list[float]:
    """By how much each legal action is behind the best one, and exp of that."""
    scale = (50 + max(N)) / 2  # of a value from -1 to 1
    score = {a: logits[a] + scale * (1 + q[a]) for a in range(len(N)) if legal[a]}
    best = max(score.values())
    weights = {a: math.exp(one - best) for a, one in score.items()}
    return [weights.get(a, 0.0) / math.fsum(weights.values()) for a in range(len(N))]


def oracle(draw: Draw):
    return game_by_game(draw, arguments(draw), improved)


def better(count: int, seed: int):
    """A run: by how much the mean value rises from the prior to the improved policy, at worst, if the values are the truth."""

    def run(improved_policy):
        rng, gains = np.random.default_rng(seed), []
        for _ in range(count):
            prior, q = rng.dirichlet(np.ones(7)), rng.uniform(-1, 1, 7)
            policy = improved_policy(np.log(prior), q, rng.integers(0, 9, 7).astype(float), np.ones(7, dtype=bool))
            gains.append(policy @ q - prior @ q)
        return min(gains)

    return run


def by_hand(rng):
    yes, even = [True] * 3, math.log(1 / 3)
    e = math.e

    def case(name, logits, q, N, legal, expected, question, points=1):
        arrays = np.array(logits, float), np.array(q, float), np.array(N, float), np.array(legal)
        return calls("improved_policy", *arrays, name=name, expected=np.array(expected), question=question, points=points)  # fmt: skip

    yield case("equal values change nothing", np.log([0.5, 0.3, 0.2]), [0.1] * 3, [2, 1, 0], yes, [0.5, 0.3, 0.2],
               "Adding the same number to all logits: what does softmax make of it?")  # fmt: skip
    yield case("0.04 of value are one unit of logit, before any visit", [even] * 3, [0.04, 0, 0], [0, 0, 0], yes,
               [e / (e + 2), 1 / (e + 2), 1 / (e + 2)],
               "A value of 0.04 becomes 0.52 on the scale from 0 to 1, one of 0 becomes 0.5. What is 50 times the difference?", points=2)  # fmt: skip
    yield case("the more visits, the more the values count", [even] * 3, [0.02, 0, 0], [50, 3, 0], yes,
               [e / (e + 2), 1 / (e + 2), 1 / (e + 2)],
               "50 visits and c_visit 50: what is the scale now, and for which actions?")  # fmt: skip
    yield case("the prior still has a say", [math.log(e), 0, 0], [0, 0.04, 0], [1, 1, 1], yes,
               improved([1, 0, 0], [0, 0.04, 0], [1, 1, 1], yes),
               "What is added to the values before the softmax?")  # fmt: skip
    yield case("illegal actions get nothing, and the others all", [0, 99, 0], [0.3, 0.9, 0.3], [1, 0, 1], [True, False, True], [0.5, 0, 0.5],
               "When is an action taken out: before or after the division by the sum?")  # fmt: skip
    yield case("large logits do not overflow", [10000, 10000, 9000], [0, 0, 0], [1, 0, 0], yes, [0.5, 0.5, 0],
               "What is exp(10000)? Which number can you take from all scores, so that none is above 0?")  # fmt: skip
    yield case("in a batch each game by itself", [[0, 0], [0, 0]], [[0.04, 0], [0.02, 0]], [[0, 0], [50, 0]], [[True, True]] * 2,
               [[e / (e + 1), 1 / (e + 1)]] * 2, "The largest number of visits, of which game?", points=2)  # fmt: skip
    yield Case(
        "if the values are true, it is never worse than the prior",
        better(40, int(rng.integers(2**31))),
        Such("a gain of 0 or more", lambda gain: bool(gain >= -1e-9)),
        "prior, q = rng.dirichlet(np.ones(7)), rng.uniform(-1, 1, 7)\n"
        "policy = improved_policy(np.log(prior), q, N, legal)\n"
        "policy @ q - prior @ q   # the worst of 40",
        "A better action gets a higher factor. Which sign has the value's influence in yours?",
    )


_SCORE = "np.where(legal, logits + sigma(q, N), -np.inf)"
_EXP = "np.exp(score - score.max(axis=-1, keepdims=True))"

WRONG = [
    Wrong("values alone", "the prior has no say any more", "What else speaks for an action, beside its value?",
          ("logits + sigma(q, N)", "sigma(q, N)")),
    Wrong("prior alone", "the values have no say: it is the network's policy again", "What did the search find?",
          ("logits + sigma(q, N)", "logits")),
    Wrong("values not scaled", "the values are added as they are: beside logits they hardly count",
          "By how much do the logits of a good move and a bad one differ, and by how much their values?",
          ("sigma(q, N)", "q")),
    Wrong("c_visit forgotten", "the scale is the largest number of visits alone: with few simulations the values hardly count",
          "What is the scale after four visits?", ("sigma(q, N)", "sigma(q, N, c_visit=0)")),
    Wrong("the sum of the visits", "the scale has the sum of all visits instead of the largest number",
          "Which number of visits is in the formula?", ("sigma(q, N)", "sigma(q, N.sum(axis=-1, keepdims=True))[..., :]"),
          ("N.sum(axis=-1, keepdims=True)", "np.broadcast_to(N.sum(axis=-1, keepdims=True), N.shape)")),
    Wrong("each action's own visits", "each action's value is scaled by its own visits: what was tried more looks better for that alone",
          "Two actions of equal value, one of them tried more often: should the values tell them apart?",
          ("sigma(q, N)", "(50 + N) * (1 + q) / 2")),
    Wrong("not brought to 0..1", "values from -1 to 1 are multiplied as they are: they count twice as much",
          "How large is the difference of a win and a loss on the scale from 0 to 1?", ("sigma(q, N)", "2 * sigma(q, N)")),
    Wrong("the opponent's point of view", "a high value counts against an action", "Whose value is q?",
          ("sigma(q, N)", "sigma(-q, N)")),
    Wrong("illegal actions not masked", "illegal actions take part", "What may the player to move play here?",
          (_SCORE, "logits + sigma(q, N)")),
    Wrong("masked too late", "illegal actions are taken out after the division: what is left sums to less than 1",
          "When is an action taken out: before or after the division by the sum?",
          (_SCORE, "np.nan_to_num(logits) + sigma(q, N)"),
          ("return weights / weights.sum(axis=-1, keepdims=True)", "return legal * weights / weights.sum(axis=-1, keepdims=True)")),
    Wrong("masked with 0", "an illegal action scores 0 instead of minus infinity", "What is exp(0)?", ("-np.inf", "0.0")),
    Wrong("overflow", "nothing is taken from the scores before exp: large ones become infinite",
          "What is exp(10000)?", (_EXP, "np.exp(score)")),
    Wrong("one sum for the batch", "a batch is divided by one sum: its rows do not sum to 1",
          "What must each row sum to?", ("weights.sum(axis=-1, keepdims=True)", "weights.sum()")),
    Wrong("one scale for the batch", "the largest number of visits is that of the whole batch",
          "Whose search was it that made these visits?", ("sigma(q, N)", "(50 + N.max()) * (1 + q) / 2")),
    Wrong("one maximum for the batch", "one maximum is taken from all rows: a row far below it vanishes in 0 / 0",
          "Which number must the best action of each row have, so that its exp is 1?",
          ("score.max(axis=-1, keepdims=True)", "score.max()")),
    Wrong("the best action alone", "everything goes to the best action", "How sure can a search of sixteen simulations be?",
          (_EXP, "(score == score.max(axis=-1, keepdims=True)) * 1.0")),
    Wrong("prior times value", "the prior is multiplied by the value instead of by exp of it",
          "What happens to an action of value 0?",
          (_EXP, "np.where(legal, np.exp(np.where(legal, logits, -np.inf) - np.where(legal, logits, -np.inf).max(axis=-1, keepdims=True)) * (1 + q) / 2, 0)")),
]  # fmt: skip


def improved_row_by_row(logits, q, N, legal):
    if logits.ndim == 2:
        return np.array([improved_row_by_row(*game) for game in zip(logits, q, N, legal)])
    actions = np.flatnonzero(legal)
    score = logits[actions] + (50 + N.max()) * (q[actions] / 2)  # a constant less: no difference
    weights = np.exp(score - score.max())
    policy = np.zeros(len(legal))
    policy[actions] = weights / weights.sum()
    return policy


def improved_by_logarithms(logits, q, N, legal):
    score = np.where(legal, logits, 0) + (50 + N.max(-1)[..., None]) * (0.5 * q + 0.5) + np.where(legal, 0, -np.inf)
    return np.exp(score - np.logaddexp.reduce(score, axis=-1, keepdims=True))


CHECK = Specification(
    draws=draws_of(KINDS),
    arguments=arguments,
    oracle=oracle,
    returns=array("float"),
    tolerance=1e-5,
    examples=40,
    edges=[Draw(games, 7, kind, 3) for kind in ("close", "large logits", "long searched") for games in (None, 7)],
    question="Score, mask, exp, sum: work out one row by hand. Which of the four differs?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[improved_row_by_row, improved_by_logarithms],
)
