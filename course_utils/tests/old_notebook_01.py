"""Checks of notebook 01: bandits."""

import math

import numpy as np

from course_utils.tests.framework import Case, Such, calls, check, leaves_alone, wrong

# --- incremental_mean ------------------------------------------------------------------------------------------------


def _one_by_one(rewards: list[float], start: float = 0.0):
    """The mean that updating with one reward after another ends at."""

    def run(incremental_mean):
        mean = start
        for count, reward in enumerate(rewards, 1):
            mean = incremental_mean(mean, count, reward)
        return mean

    return run


@check
def incremental_mean(rng):
    yield calls(
        "incremental_mean",
        *(0.0, 1, 4.0),
        name="the mean of one reward is that reward",
        expected=4.0,
        question="How many rewards does `count` count when the first one has just come in?",
    )
    yield calls(
        "incremental_mean",
        *(4.0, 2, 1.0),
        name="the second reward pulls it halfway",
        expected=2.5,
        question="The mean of 4 and 1: how far did it move, as a share of the distance to the new reward?",
    )
    yield calls(
        "incremental_mean",
        *(7.5, 1, -2.0),
        name="a start value has no weight",
        expected=-2.0,
        question="At the first reward, how many earlier ones does the old mean stand for?",
    )
    yield calls(
        "incremental_mean",
        *(3.0, 10, 3.0),
        name="a reward equal to the mean moves nothing",
        expected=3.0,
        question="Is it the reward that moves the mean, or the surprise in it?",
    )
    rewards = rng.normal(2, 3, size=6).round(1).tolist()
    listed = ", ".join(map(str, rewards))
    yield Case(
        "one by one, six rewards give the same mean as all at once",
        _one_by_one(rewards),
        math.fsum(rewards) / len(rewards),
        f"mean = 0.0\nfor count, reward in enumerate([{listed}], 1):\n    mean = incremental_mean(mean, count, reward)\nmean",
        "Has every reward so far the same weight in the mean?",
        points=2,
    )
    yield Case(
        "a thousand rewards, too: early and late ones weigh the same",
        _one_by_one([1.0] * 500 + [0.0] * 500),
        0.5,
        "mean = 0.0\nfor count, reward in enumerate([1.0] * 500 + [0.0] * 500, 1):\n    mean = incremental_mean(mean, count, reward)\nmean",
        "Should the step towards a new reward stay the same size, however many have come before?",
    )


for _name, _sentence, _question, _replace in (
    (
        "count of the earlier ones",
        "the step is 1 / (count + 1), as if the new reward were not in `count` yet",
        "Which rewards does `count` count?",
        ("/ count", "/ (count + 1)"),
    ),
    (
        "constant step",
        "each reward moves the mean by the same share: that is a running average that forgets early rewards",
        "After 99 rewards, how much should the hundredth move the mean?",
        ("/ count", "* 0.1"),
    ),
    (
        "halfway each time",
        "the new mean is halfway between the old mean and the reward, however many rewards there were",
        "After 99 rewards, how much should the hundredth move the mean?",
        ("mean + (reward - mean) / count", "(mean + reward) / 2"),
    ),
    (
        "reward added whole",
        "reward / count is added, without taking off the share that the old mean loses",
        "What must happen to the weight of the old rewards when a new one joins them?",
        ("(reward - mean) / count", "reward / count"),
    ),
    (
        "wrong direction",
        "the mean moves away from the new reward",
        "If the reward is above the mean, where should the mean go?",
        ("(reward - mean)", "(mean - reward)"),
    ),
    (
        "sum, not mean",
        "the rewards are summed up and never divided",
        "Would ten pulls of a poor arm look better than one pull of a good one?",
        ("mean + (reward - mean) / count", "mean + reward"),
    ),
    (
        "only the correction",
        "the correction to the mean comes back, without the mean that it corrects",
        "Is what you return the new mean, or the change?",
        ("mean + (reward - mean) / count", "(reward - mean) / count"),
    ),
    (
        "divided down to a whole number",
        "// drops everything after the point",
        "What does // do to 2.5?",
        ("/ count", "// count"),
    ),
):
    wrong("incremental_mean", _name, _sentence, _question, _replace)


# --- epsilon_greedy --------------------------------------------------------------------------------------------------

DRAWS = 3000


def _often(Q: list[float], epsilon: float, seed: int, **options):
    """How often each arm is chosen, of DRAWS times with one generator: a list of shares."""

    def run(epsilon_greedy):
        rng = np.random.default_rng(seed)
        counts = [0] * len(Q)
        for _ in range(DRAWS):
            arm = int(epsilon_greedy(np.array(Q), epsilon, rng, **options))
            if not 0 <= arm < len(Q):
                raise IndexError(f"it chose arm {arm}; there are arms 0 to {len(Q) - 1}")
            counts[arm] += 1
        return [count / DRAWS for count in counts]

    return run


def _about(shares: list[float]) -> Such:
    """Six standard errors: a right answer misses it once in a hundred million."""
    margins = [6 * math.sqrt(share * (1 - share) / DRAWS) for share in shares]
    text = ", ".join(f"{share:.1%}" for share in shares)

    def holds(got):
        for arm, (one, share, margin) in enumerate(zip(got, shares, margins, strict=True)):
            if abs(one - share) > margin + 1e-12:
                return f"arm {arm} was chosen {one:.1%} of the time, not about {share:.1%}"
        return True

    return Such(f"shares of about {text}", holds)


@check
def epsilon_greedy(rng):
    seed = int(rng.integers(1 << 30))
    Q = [1.0, 4.0, -2.0, 3.0, 0.5]

    def line(Q, epsilon, rest=""):
        return f"[epsilon_greedy(np.array({Q}), {epsilon}, rng{rest}) for _ in range({DRAWS})]  # how often each arm?"

    yield Case(
        "returns an arm as a plain int",
        lambda epsilon_greedy: [
            type(epsilon_greedy(np.array(Q), epsilon, np.random.default_rng(seed), others_only=others)).__name__
            for epsilon in (0.0, 1.0)
            for others in (False, True)
        ],
        ["int"] * 4,
        "type(epsilon_greedy(Q, 0.0, rng)), type(epsilon_greedy(Q, 1.0, rng)), and both again with others_only=True",
        "What do np.argmax and rng.integers return?",
    )
    yield Case(
        "epsilon 0 never explores",
        _often(Q, 0.0, seed),
        [0, 1, 0, 0, 0],
        line(Q, 0.0),
        "With no exploration at all, which arm is chosen every time?",
    )
    yield Case(
        "the best arm may have a negative mean",
        _often([-3.0, -2.5, -1.0], 0.0, seed),
        [0, 0, 1],
        line([-3.0, -2.5, -1.0], 0.0),
        "Which is the best of the three, and does anything about it depend on its sign?",
    )
    yield Case(
        "epsilon 1 explores always, all arms alike",
        _often(Q, 1.0, seed),
        _about([0.2] * 5),
        line(Q, 1.0),
        "Every arm should get its even share, the first, the last and the best one, too. Which doesn't?",
        points=2,
    )
    yield Case(
        "epsilon 0.4: the rest of the time the best arm",
        _often(Q, 0.4, seed),
        _about([0.08, 0.68, 0.08, 0.08, 0.08]),
        line(Q, 0.4),
        "In what share of the steps do you explore? And may a random pick land on the best arm?",
        points=2,
    )
    yield Case(
        "others_only: epsilon 1 spares the best arm, the others alike",
        _often(Q, 1.0, seed, others_only=True),
        _about([0.25, 0, 0.25, 0.25, 0.25]),
        line(Q, 1.0, ", others_only=True"),
        "Four arms share the exploration. Can your random pick be the best arm, or miss the last one?",
        points=2,
    )
    yield Case(
        "others_only: epsilon 0.4 leaves 0.6 to the best arm",
        _often(Q, 0.4, seed, others_only=True),
        _about([0.1, 0.6, 0.1, 0.1, 0.1]),
        line(Q, 0.4, ", others_only=True"),
        "What is the probability of the best arm if exploring never picks it?",
    )
    yield Case(
        "others_only with two arms, the best one first",
        _often([2.0, 1.0], 0.5, seed, others_only=True),
        _about([0.5, 0.5]),
        line([2.0, 1.0], 0.5, ", others_only=True"),
        "Which arm is left to explore?",
    )

    def twice(epsilon_greedy):
        runs = []
        for _ in range(2):
            generator = np.random.default_rng(seed)
            runs.append([int(epsilon_greedy(np.arange(9.0), 0.5, generator)) for _ in range(60)])
        return runs[0] == runs[1]

    yield Case(
        "the same seed gives the same choices",
        twice,
        True,
        "two generators made with the same seed: 60 choices with each, at epsilon 0.5; are they equal?",
        "Where does your randomness come from: the generator you were given, or another one?",
    )
    yield _keeps_Q(Q, seed)


def _keeps_Q(Q, seed) -> Case:
    def run(epsilon_greedy):
        given = np.array(Q)
        for others in (False, True):
            epsilon_greedy(given, 1.0, np.random.default_rng(seed), others_only=others)
        return given

    return Case(
        "leaves Q as it was",
        run,
        Q,
        "epsilon_greedy(Q, 1.0, rng), then looking at Q",
        "Who else holds the array that you were given?",
    )


for _name, _sentence, _question, _replaces in (
    (
        "epsilon the wrong way round",
        "epsilon is taken as the probability of being greedy",
        "With epsilon = 0.1, how often should it explore?",
        [("rng.random() >= epsilon", "rng.random() < epsilon")],
    ),
    (
        "others_only ignored",
        "the random pick is among all arms even where others_only asks for the others",
        "Which arms may be explored if others_only is True?",
        [("if not others_only:", "if True:")],
    ),
    (
        "others_only always on",
        "the random pick always spares the best arm",
        "Which arms may be explored if others_only is False?",
        [("if not others_only:", "if False:")],
    ),
    (
        "switch the wrong way round",
        "others_only is read the wrong way round",
        "Which arms may be explored if others_only is True?",
        [("if not others_only:", "if others_only:")],
    ),
    (
        "last arm never explored",
        "the random pick stops one short: the last arm never comes up",
        "rng.integers(n) gives numbers below n: what is the highest of them?",
        [("rng.integers(len(Q)))", "rng.integers(len(Q) - 1))")],
    ),
    (
        "best arm not skipped over",
        "of the others, one is drawn from 0 to arms - 2 and not moved past the best arm: the best can be drawn, the last cannot",
        "If arm 1 is the best of five, which arms should your four numbers 0, 1, 2, 3 mean?",
        [("return arm if arm < best else arm + 1", "return arm")],
    ),
    (
        "moved past the best arm one too late",
        "the number drawn is moved past the best arm only if it is above it, so the best arm can still be drawn",
        "If arm 1 is the best of five, which arms should your four numbers 0, 1, 2, 3 mean?",
        [("arm if arm < best", "arm if arm <= best")],
    ),
    (
        "worst arm",
        "the greedy pick is the arm that looks worst",
        "Which end of Q is greedy?",
        [("np.argmax(Q)", "np.argmin(Q)")],
    ),
    (
        "biggest by size",
        "the arms are compared by size without their sign, so that a very bad arm looks good",
        "Which is the better reward, -3 or 1?",
        [("np.argmax(Q)", "np.argmax(np.abs(Q))")],
    ),
    (
        "its own randomness",
        "chance comes from elsewhere than the generator it was given, so that a run can't be repeated",
        "Which generator should the randomness come from?",
        [("best = int", "rng = np.random.default_rng()\n    best = int")],
    ),
    (
        "explores the second best only",
        "exploring means the second best arm, always",
        "What could you never find out about the arms that look bad?",
        [("return int(rng.integers(len(Q)))", "return int(np.argsort(Q)[-2])")],
    ),
    (
        "numpy integer",
        "np.argmax's own kind of integer comes back instead of a plain int",
        "What does type(...) say about what you return?",
        [("int(np.argmax(Q))", "np.argmax(Q)"), ("int(rng.integers(len(Q)))", "rng.integers(len(Q))")],
    ),
    (
        "the value, not the arm",
        "the best mean comes back instead of the arm that has it",
        "Which arm has that mean?",
        [("best = int(np.argmax(Q))", "best = float(np.max(Q))")],
    ),
    (
        "never explores",
        "it is greedy whatever epsilon says",
        "What happens in the share epsilon of the steps?",
        [("if rng.random() >= epsilon:", "if True:")],
    ),
):
    wrong("epsilon_greedy", _name, _sentence, _question, *_replaces)


# --- ucb_action ------------------------------------------------------------------------------------------------------


def _best_by_hand(Q, N, t, C) -> tuple[int, float]:
    """The best arm by the formula, and how far it is ahead of the next."""
    scores = [q + C * math.sqrt(math.log(t) / n) for q, n in zip(Q, N, strict=True)]
    first, second = sorted(scores, reverse=True)[:2]
    return scores.index(first), first - second


def _scores(Q, N, t, C) -> str:
    rows = [f"arm {arm}: Q = {q:g}, pulled {n} times" for arm, (q, n) in enumerate(zip(Q, N, strict=True))]
    return "\n".join([*rows, f"step t = {t}, C = {C:g}"])


@check
def ucb_action(rng):
    yield calls(
        "ucb_action",
        *(np.array([1.0, 2.0, 0.5]), np.array([5, 5, 5]), 16, 1.0),
        name="all pulled equally often: the best mean",
        expected=1,
        question="If all bonuses are equal, what decides?",
    )
    yield Case(
        "returns a plain int",
        lambda ucb_action: [
            type(ucb_action(np.array([1.0, 2.0]), np.array(N), 16, 1.0)).__name__ for N in ([8, 7], [15, 0])
        ],
        ["int", "int"],
        "type(ucb_action(np.array([1.0, 2.0]), np.array([8, 7]), 16, 1.0)), and the same with N = [15, 0]",
        "What do np.argmax and np.flatnonzero return?",
    )
    # a ladder of positions where one ingredient each decides
    ladder = [
        ("the seldom pulled arm gets the benefit of the doubt", [1.0, 1.2], [2, 50], 53, 2.0, "Which of the two do you know less about?"),
        ("but a good arm stays ahead of a poor, well-known one", [3.0, -1.0], [60, 12], 73, 2.0, "How much bonus does the second arm get, and is it enough?"),
        ("C 0 is greedy", [1.0, 1.1, 0.0], [1, 40, 1], 43, 0.0, "What is left of the score if C is 0?"),
        ("a larger C explores more", [1.0, 1.8], [5, 25], 31, 3.0, "Where does C stand: does it multiply the whole bonus?"),
        ("the same arms with a smaller C", [1.0, 1.8], [5, 25], 31, 0.5, "Where does C stand: does it multiply the whole bonus?"),
        ("the square root tames the bonus", [0.0, 2.6], [1, 30], 32, 1.0, "What stands under the square root?"),
        ("the logarithm grows slowly with t", [0.0, 3.2], [3, 997], 1001, 2.0, "ln t or t, and ln to which base?"),
        ("the natural logarithm, not that to base 10", [1.0, 2.4], [4, 96], 101, 2.0, "ln t: which base is that?"),
        ("the natural logarithm, not that to base 2", [1.0, 1.66], [16, 84], 101, 2.0, "ln t: which base is that?"),
        ("N, not N + 1", [1.0, 1.7], [1, 9], 11, 1.0, "How often was the first arm pulled, and what do you divide by?"),
        ("t, not the pulls before it", [0.0, 0.65], [1, 2], 4, 2.0, "Three pulls lie behind, and this is step 4: which of the two stands under the ln?"),
        ("means below zero", [-4.0, -1.0, -2.5], [10, 20, 2], 33, 1.0, "Is the score a sum, or does Q multiply something?"),
    ]  # fmt: skip
    for name, Q, N, t, C, question in ladder:
        best, _ = _best_by_hand(Q, N, t, C)
        yield calls(
            "ucb_action", np.array(Q), np.array(N), t, C, name=name, expected=best, question=question, board=_scores(Q, N, t, C)
        )  # fmt: skip

    def first(name, Q, N, t, C=2.0, **rest):
        untried = [arm for arm, n in enumerate(N) if n == 0]
        return calls(
            "ucb_action",
            *(np.array(Q), np.array(N), t, C),
            name=name,
            expected=Such(f"arm {' or '.join(map(str, untried))}", lambda arm: arm in untried),
            question="What is the bonus of an arm that was pulled 0 times?",
            board=_scores(Q, N, t, C),
            **rest,
        )

    yield first("an arm never pulled comes first", [5.0, 9.0, 0.0, 7.0], [3, 4, 0, 2], 10, points=2)
    yield first("one never pulled against one that is well known and better", [0.5, 0.0], [20, 0], 21)
    yield first("even one whose estimate stands far below the others", [50.0, -90.0, 60.0], [3, 0, 4], 8)
    yield first("with C 0, too: greedy begins when every arm was tried", [2.0, 5.0, 0.0], [3, 4, 0], 8, C=0.0)
    yield first("the very first step, when nothing was pulled", [0.0, 0.0, 0.0], [0, 0, 0], 1)
    yield first("the second step: the arm that was pulled has to wait", [0.0, 99.0, 0.0], [0, 1, 0], 2)

    positions = []
    while len(positions) < 100:
        arms = int(rng.integers(2, 11))
        N = rng.integers(1, 60, size=arms)
        Q, C = rng.normal(0, 0.4, size=arms).round(2), float(rng.choice([0.3, 1.0, 2.0]))
        position = (Q.tolist(), N.tolist(), int(N.sum()) + 1, C)
        if _best_by_hand(*position)[1] > 1e-4:  # no near ties: rounding is free
            positions.append(position)
    yield Case(
        "100 random situations",
        lambda ucb_action: [ucb_action(np.array(Q), np.array(N), t, C) for Q, N, t, C in positions],
        [_best_by_hand(*position)[0] for position in positions],
        "[ucb_action(Q, N, t, C) for Q, N, t, C in situations]  # random, every arm pulled at least once",
        "Work one of the cases above out by hand: where does your score differ?",
        points=2,
    )
    yield leaves_alone("ucb_action", np.array([1.0, 2.0, 0.5]), np.array([0, 5, 3]), 9, 2.0)


_FORMULA = "C * np.sqrt(np.log(t) / N)"
for _name, _sentence, _question, _replaces in (
    (
        "logarithm to base 10",
        "the logarithm is to base 10",
        "ln t: which base is that?",
        [("np.log(t)", "np.log10(t)")],
    ),
    ("logarithm to base 2", "the logarithm is to base 2", "ln t: which base is that?", [("np.log(t)", "np.log2(t)")]),
    (
        "square root forgotten",
        "the bonus is C ln t / N, without the square root",
        "What stands under the square root?",
        [(_FORMULA, "C * np.log(t) / N")],
    ),
    (
        "root over the logarithm only",
        "only ln t is under the square root, N is not",
        "How far does the root reach?",
        [(_FORMULA, "C * np.sqrt(np.log(t)) / N")],
    ),
    (
        "logarithm forgotten",
        "the bonus has t where ln t belongs",
        "How fast should curiosity grow while an arm waits?",
        [("np.log(t)", "t")],
    ),
    (
        "turned upside down",
        "N stands over ln t: the arm pulled most often gets the largest bonus",
        "Which arm needs another look: one pulled once, or one pulled fifty times?",
        [("np.log(t) / N", "N / np.log(max(t, 2))")],
    ),
    (
        "C under the root",
        "C stands under the square root",
        "Where does C stand?",
        [(_FORMULA, "np.sqrt(C * np.log(t) / N)")],
    ),
    ("C forgotten", "C is not used", "What should a larger C do?", [("C * ", "")]),
    (
        "lower bound",
        "the bonus is taken off: pessimism about what is not known well, so it never comes back to an arm that began badly",
        "Should doubt count for an arm, or against it?",
        [("Q + C", "Q - C")],
    ),
    (
        "bonus only",
        "the mean is left out: the arm pulled least is chosen, however bad",
        "Which part of the score makes it exploit?",
        [("Q + C", "C")],
    ),
    (
        "greedy",
        "the bonus is left out",
        "Which part of the score makes it explore?",
        [(f"Q + {_FORMULA}", "Q")],
    ),
    (
        "N + 1",
        "the bonus divides by N + 1",
        "How often was the arm pulled?",
        [("np.log(t) / N", "np.log(t) / (N + 1)")],
    ),
    (
        "untried arms not first",
        "1 is put in place of N = 0, so an arm that was never tried has a finite bonus",
        "What can be said about an arm that was never pulled?",
        [("if len(untried):", "if False:"), ("np.log(t) / N", "np.log(t) / np.maximum(N, 1)")],
    ),
    (
        "untried arms wait",
        "the bonus of an arm with N = 0 is set to 0",
        "What can be said about an arm that was never pulled?",
        [
            ("if len(untried):", "if False:"),
            (f"Q + {_FORMULA}", "Q + np.where(np.asarray(N) == 0, 0, C * np.sqrt(np.log(t) / np.maximum(N, 1)))"),
        ],
    ),
    (
        "all tried before the first choice",
        "it goes through the arms in turn for the first steps, whatever was pulled",
        "How do you tell that an arm was never pulled?",
        [("untried = np.flatnonzero(np.asarray(N) == 0)", "untried = [t - 1] if t <= len(N) else []")],
    ),
    (
        "pulls before this one",
        "ln of the pulls so far stands where ln t belongs: t counts this step, too",
        "What is t at the very first step, before anything was pulled?",
        [("np.log(t)", "np.log(np.sum(N))")],
    ),
    (
        "almost zero for zero",
        "a tiny number is added to N, so that with C = 0 an arm that was never pulled gets no bonus at all",
        "What is C times the bonus, if C is 0, and should that arm wait?",
        [("if len(untried):", "if False:"), ("np.log(t) / N", "np.log(t) / (N + 1e-9)")],
    ),
    (
        "numpy integer",
        "np.argmax's own kind of integer comes back instead of a plain int",
        "What does type(...) say about what you return?",
        [("int(untried[0])", "untried[0]"), (f"int(np.argmax(Q + {_FORMULA}))", f"np.argmax(Q + {_FORMULA})")],
    ),
    (
        "the score, not the arm",
        "the best score comes back instead of the arm that has it",
        "Which arm has that score?",
        [("int(np.argmax(Q + C * np.sqrt(np.log(t) / N)))", "float(np.max(Q + C * np.sqrt(np.log(t) / N)))")],
    ),
):
    wrong("ucb_action", _name, _sentence, _question, *_replaces)
