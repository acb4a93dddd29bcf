"""leaf_value: a judge's value in place of the rollout, or a mix of the two."""

import numpy as np
from hypothesis import strategies as st

from course_utils.search.uct import rollout
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import TreeGame

ENDS = st.sampled_from([1, 0, -1])
SHARES = st.sampled_from([0, 0.1, 0.25, 0.5, 0.75, 1])
MIX = "How much does the judge count, and how much the rollout?"


def scene(draw) -> str:
    """After some forced moves the winner is certain, so that every rollout ends alike."""
    winner, forced, first, begun, opinion, share = draw
    tree = winner
    for _ in range(forced):
        tree = [tree, tree]
    return f"""game, asked = TreeGame({tree}, first={first}), []
def judge(game, state):
    asked.append(state)
    return {opinion}
value = leaf_value(game, {(0, 1, 0)[: min(begun, forced)]}, np.random.default_rng(0), judge, {share})
value, asked"""


BY_HAND = """
    the judge alone
    >>> game = TreeGame([-1, -1])  # X to move loses, whatever happens
    >>> leaf_value(game, (), np.random.default_rng(0), lambda game, state: 0.6, 0)
    0.6
    ? Does a rollout that counts nothing change the value?

    the rollout alone
    >>> game = TreeGame([-1, -1])  # X to move loses, whatever happens
    >>> leaf_value(game, (), np.random.default_rng(0), lambda game, state: 0.6, 1)
    -1
    ? Does a judge that counts nothing change the value?

    the rollout counts a quarter (2 points)
    >>> game = TreeGame([-1, -1])  # X to move loses, whatever happens
    >>> leaf_value(game, (), np.random.default_rng(0), lambda game, state: 0.6, 0.25)
    0.75 * 0.6 - 0.25
    ? How much does the judge count, and how much the rollout?

    O is to move and wins: both speak for O
    >>> game = TreeGame([[-1, -1], 1])
    >>> leaf_value(game, (0,), np.random.default_rng(0), lambda game, state: 0.6, 0.5)
    0.8
    ? For whom does the judge speak, and for whom the rollout?

    a finished game is worth its result, whatever the judge would say (2 points)
    >>> game = TreeGame([[1, 0], -1])  # after 0 and 0 X has won and would be to move; after 1 O has won and would be to move
    >>> [leaf_value(game, state, np.random.default_rng(0), lambda game, state: 0.25, 0.5) for state in [(0, 0), (0, 1), (1,)]]
    [1, 0, 1]
    ? Is there anything to guess when the game is over?

    what counts nothing is not asked
    >>> game, asked = TreeGame([-1, -1]), []
    >>> for share in [0, 0.5, 1]:
    ...     _ = leaf_value(game, (), np.random.default_rng(0), lambda game, state: asked.append(share) or 0.6, share)
    >>> asked
    [0, 0.5]
    ? What does it cost to ask a judge whose answer counts nothing?

    with share 0 no random game is played
    >>> game, rng = TreeGame([-1, -1]), np.random.default_rng(7)
    >>> _ = leaf_value(game, (), rng, lambda game, state: 0.6, 0)
    >>> rng.random() == np.random.default_rng(7).random()
    True
    ? What does it cost to play a random game whose end counts nothing?

    the same generator plays the same games
    >>> game, first, second = TreeGame([1, 0, -1]), np.random.default_rng(SEED), np.random.default_rng(SEED)
    >>> one, other = [[leaf_value(game, (), rng, lambda game, state: 0.6, 0.5) for _ in range(40)] for rng in (first, second)]
    >>> sorted(set(one)), one == other
    ([-0.2, 0.3, 0.8], True)
    ? Where does your chance come from?
"""

OVER = "    if game.is_terminal(state):\n        return float(game.winner(state) * game.to_play(state))\n"
RESULT = "return float(game.winner(state) * game.to_play(state))"
JUDGE, ROLLOUT = (
    "value += (1 - rollout_share) * judge(game, state)",
    "value += rollout_share * rollout(game, state, rng)",
)
MIXING = (
    "    value = 0.0\n    if rollout_share < 1:\n        "
    + JUDGE
    + "\n    if rollout_share > 0:\n        "
    + ROLLOUT
    + "\n    return value"
)
# fmt: off
WRONG = [
    Wrong("shares exchanged", "the judge and the rollout have exchanged their shares",
          MIX, (MIXING, "    if rollout_share == 0:\n        return rollout(game, state, rng)\n    if rollout_share == 1:\n        return judge(game, state)\n    return rollout_share * judge(game, state) + (1 - rollout_share) * rollout(game, state, rng)")),
    Wrong("always half and half", "the mean of both is taken, whatever the share is",
          "Which argument says how much the rollout counts?", (MIXING, "    return (judge(game, state) + rollout(game, state, rng)) / 2")),
    Wrong("added up", "the judge counts in full, and the rollout is added to it",
          "If both say 1, what should the mix be?", ("(1 - rollout_share) * judge", "judge")),
    Wrong("one of the two by chance", "chance decides whether the judge or the rollout is believed, instead of mixing the two",
          "Which is calmer: one of two numbers by chance, or their mean?",
          (MIXING, "    if rng.random() < rollout_share:\n        return rollout(game, state, rng)\n    return judge(game, state)")),
    Wrong("either, or", "as soon as the rollout counts at all, the judge is left out",
          MIX, (MIXING, "    return rollout(game, state, rng) if rollout_share else judge(game, state)")),
    Wrong("the judge is asked about finished games", "the judge is asked about finished games, too, where nothing is left to guess",
          "Is there anything to guess when the game is over?", (OVER, "")),
    Wrong("a finished game for X", "the result of a finished game is told from X's side, whoever would be to move",
          "For whom is the value of a leaf?", (RESULT, "return float(game.winner(state))")),
    Wrong("a finished game for the winner's side", "the result of a finished game is told for the player who made the last move: the sign is the other one",
          "For whom is the value of a leaf: the player to move there, or the one who moved into it?", (RESULT, "return -float(game.winner(state) * game.to_play(state))")),
    Wrong("a finished game worth 0", "a finished game is worth 0, who has won or not",
          "What is surer news than a finished game?", (RESULT, "return 0.0")),
    Wrong("the judge's sign flipped", "the judge's value is taken with the other sign, although it speaks for the player to move",
          "For whom does the judge speak, and for whom is the leaf's value?", ("* judge(", "* -judge(")),
    Wrong("the rollout's sign flipped", "the rollout's result is taken with the other sign, although it is for the player to move where it began",
          "For whom does a rollout speak, and for whom is the leaf's value?", ("* rollout(", "* -rollout(")),
    Wrong("rollout always played", "a random game is played even where it counts nothing",
          "What does it cost to play a random game whose end counts nothing?", ("    if rollout_share > 0:\n        value", "    value")),
    Wrong("judge always asked", "the judge is asked even where it counts nothing",
          "What does it cost to ask a judge whose answer counts nothing?", ("    if rollout_share < 1:\n        value", "    value")),
]
# fmt: on


def right_leaf_by_cases(game, state, rng, judge, rollout_share):
    if game.is_terminal(state):
        return game.to_play(state) * game.winner(state)
    if rollout_share == 0:
        return judge(game, state)
    if rollout_share == 1:
        return rollout(game, state, rng)
    return judge(game, state) * (1 - rollout_share) + rollout(game, state, rng) * rollout_share


def right_leaf_from_the_judge_on(game, state, rng, judge, rollout_share):
    if not game.legal_actions(state):
        return rollout(game, state, rng)  # a rollout from a finished game is its result
    value = judge(game, state) if rollout_share != 1 else 0
    if rollout_share:
        value += rollout_share * (rollout(game, state, rng) - value)
    return value


def right_leaf_by_lists(game, state, rng, judge, rollout_share):
    if game.is_terminal(state):
        return float(game.winner(state)) * game.to_play(state)
    voters = [(1 - rollout_share, lambda: judge(game, state)), (rollout_share, lambda: rollout(game, state, rng))]
    return sum(share * vote() for share, vote in voters if share)


CHECK = Scenes(
    draws=st.tuples(
        ENDS, st.integers(0, 3), st.sampled_from([1, -1]), st.integers(0, 3), st.sampled_from([0.5, -0.25, 0.9]), SHARES
    ),
    returns=number,
    asks="agrees with the definition on many trees in which every rollout ends alike",
    examples=40,
    edges=[(0, 2, 1, 0, 0.5, 0.5)],
    question=MIX,
)
