"""Check sequential_halving: which action gets the next simulation."""

import math

from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import whole_numbers
from course_utils.tests.scene import Scenes


def scene(draw) -> str:
    return "sequential_halving(simulations={}, considered={})".format(*draw)


BY_HAND = """
    two actions take turns
    >>> sequential_halving(6, considered=2)
    [0, 0, 1, 1, 2, 2]
    ? Two actions make one round. How many of them are left after it?

    eight simulations for four actions
    >>> sequential_halving(8, considered=4)
    [0, 0, 0, 0, 1, 1, 2, 2]
    ? There are two rounds of four simulations: one visit for each of four actions, then two for each of two.
    ? Which round differs in yours?

    sixteen simulations for four actions: two rounds of eight
    >>> sequential_halving(16, considered=4)
    [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    ? log2(4) is 2. How many simulations does each round have, and how many visits does each of four actions get?

    each action gets at least one visit, even if a round's share is too small
    >>> sequential_halving(8, considered=8)
    [0, 0, 0, 0, 0, 0, 0, 0]
    ? A third of 8 simulations is not enough for 8 actions. What does the docstring say then?

    seven actions make three rounds, and the last two get what is left (2 points)
    >>> sequential_halving(16, considered=7)
    [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4]
    ? The rounds are over after 14 simulations here. Which actions get the others?

    the list ends in the middle of a pass
    >>> sequential_halving(5, considered=4)
    [0, 0, 0, 0, 1]
    ? How long must the list be?

    a single action gets all simulations
    >>> sequential_halving(4, considered=1)
    [0, 1, 2, 3]
    ? The logarithm of 1 is 0. By what does your code divide then?
"""

_ROUNDS = "rounds = max(1, (considered - 1).bit_length())"
_PASSES = "max(1, simulations // (rounds * still_in))"
_HALVE = "still_in = max(2, still_in // 2)"
_RETURN = "return plan[:simulations]"

WRONG = [
    Wrong("rounds rounded down", "log2 is rounded down, so 7 actions get two rounds instead of three",
          "There is a round for all 7, one for the best 3 and one for the last 2. How many rounds is that?",
          (_ROUNDS, "rounds = max(1, considered.bit_length() - 1)")),
    Wrong("rounds not rounded", "log2 is not rounded, so the shares of 7 actions are too large",
          "log2(7) is 2.8. How many rounds do 7 actions need?",
          (_ROUNDS, "import math\n    rounds = max(1.0, math.log2(considered))"),
          (_PASSES, "max(1, int(simulations / (rounds * still_in)))")),
    Wrong("the whole budget in each round", "each round may use all simulations, and the first one does",
          "How many rounds share the simulations?", (_PASSES, "max(1, simulations // still_in)")),
    Wrong("one pass a round", "each remaining action gets one visit per round, however many simulations there are",
          "What is a round's share of the simulations?", (_PASSES, "1")),
    Wrong("no action drops out", "all actions stay until the end", "Which actions are left after the first round?",
          (_HALVE, "pass")),
    Wrong("half, rounded up", "the larger half of an odd number stays",
          "How many of 7 actions stay according to the docstring?", (_HALVE, "still_in = max(2, (still_in + 1) // 2)")),
    Wrong("down to one", "in the end a single action gets everything, without another action to compare it with",
          "How many actions stay at least?", (_HALVE, "still_in = max(1, still_in // 2)")),
    Wrong("the rest of the budget unused", "the list ends with the last round, although simulations are left",
          "How long must the list be, and how long is yours?",
          ("while len(plan) < simulations:", "for _ in range(rounds):")),
    Wrong("not cut short", "the last pass is always finished, so there are more entries than simulations",
          "How long must the list be?", (_RETURN, "return plan")),
    Wrong("visits begin anew", "each round counts visits from 0 again",
          "An action that stays keeps its visits. How many does it have when the second round begins?",
          ("while len(plan) < simulations:", "while len(plan) < simulations:\n        visits = 0")),
    Wrong("visits not counted within a round", "the number goes up once per round instead of once per pass",
          "An action was visited twice in a round. How many visits does it have then?",
          ("            visits += 1\n", ""), (_HALVE, "visits += 1\n        " + _HALVE)),
    Wrong("visits after the pass", "the number counts the visits after the simulation instead of before it",
          "How many visits does an action have that was never tried?",
          ("visits, still_in = 0", "visits, still_in = 1")),
    Wrong("an array", "it returns an array", "Which type does the docstring ask for?",
          (_RETURN, "return np.array(plan[:simulations])")),
]  # fmt: skip


def right_halving_with_counts(simulations, considered):
    """Count the visits of each action. Those still in get visits in turn; then the later ones leave."""
    rounds = math.ceil(math.log2(considered)) or 1
    still_in, count, plan = list(range(considered)), [0] * considered, []
    while len(plan) < simulations:
        for action in (simulations // rounds // len(still_in) or 1) * still_in:
            plan.append(count[action])
            count[action] += 1
        if len(still_in) > 2:
            still_in = still_in[: max(2, len(still_in) // 2)]
    return plan[:simulations]


def right_halving_by_recursion(simulations, considered):
    rounds, half = 1, 2
    while half < considered:
        rounds, half = rounds + 1, 2 * half

    def rest(visits, still_in, left):
        if left <= 0:
            return []
        passes = max(simulations // rounds // still_in, 1)
        now = [visits + number for number in range(passes) for _ in range(still_in)]
        fewer = still_in // 2 if still_in >= 4 else min(still_in, 2)
        return now[:left] + rest(visits + passes, fewer, left - len(now))

    return rest(0, considered, simulations)


CHECK = Scenes(
    draws=st.tuples(
        st.one_of(st.sampled_from([1, 2, 16, 32, 50]), st.integers(1, 200)),
        st.one_of(st.sampled_from([1, 2, 3, 4, 7, 8, 9, 16]), st.integers(1, 32)),
    ),
    returns=whole_numbers,
    examples=50,
    edges=[(simulations, considered) for simulations in (16, 50, 200) for considered in (1, 3, 5, 7, 9, 16)],
    question="For each round, write down which actions are left, how many passes its share allows, and how many visits "
    "they have. Which round differs?",
)
