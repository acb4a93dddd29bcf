"""Check leaf_value: the value of an evaluator in place of the rollout, or a mix of the two."""

import numpy as np
from hypothesis import strategies as st

from course_utils.search.uct import rollout
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes
from course_utils.tests.world.games import TreeGame

ENDS = st.sampled_from([1, 0, -1])
SHARES = st.sampled_from([0, 0.1, 0.25, 0.5, 0.75, 1])
MIX = "How much weight does the judge get, and how much does the rollout get?"


def scene(draw) -> str:
    """Make the winner certain after some forced moves, so that every rollout ends alike."""
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
    ? Does a rollout with weight 0 change the value?

    the rollout alone
    >>> game = TreeGame([-1, -1])  # X to move loses, whatever happens
    >>> leaf_value(game, (), np.random.default_rng(0), lambda game, state: 0.6, 1)
    -1
    ? Does a judge with weight 0 change the value?

    the rollout counts a quarter (2 points)
    >>> game = TreeGame([-1, -1])  # X to move loses, whatever happens
    >>> leaf_value(game, (), np.random.default_rng(0), lambda game, state: 0.6, 0.25)
    0.75 * 0.6 - 0.25
    ? How much weight does the judge get, and how much does the rollout get?

    O is to move and wins: both values are for O
    >>> game = TreeGame([[-1, -1], 1])
    >>> leaf_value(game, (0,), np.random.default_rng(0), lambda game, state: 0.6, 0.5)
    0.8
    ? For which player is the judge's value, and for which player is the rollout's?

    a finished game is worth its result, whatever value the judge would give (2 points)
    >>> # after 0 and 0 X has won and would be to move; after 1 O has won and would be to move
    >>> game = TreeGame([[1, 0], -1])
    >>> ends = [(0, 0), (0, 1), (1,)]
    >>> [leaf_value(game, state, np.random.default_rng(0), lambda game, state: 0.25, 0.5) for state in ends]
    [1, 0, 1]
    ? Is there anything left to guess when the game is over?

    the judge is not called when its weight is 0
    >>> game, asked = TreeGame([-1, -1]), []
    >>> for share in [0, 0.5, 1]:
    ...     _ = leaf_value(game, (), np.random.default_rng(0), lambda game, state: asked.append(share) or 0.6, share)
    >>> asked
    [0, 0.5]
    ? What does it cost to call a judge whose value has weight 0?

    with share 0 no random game is played
    >>> game, rng = TreeGame([-1, -1]), np.random.default_rng(7)
    >>> _ = leaf_value(game, (), rng, lambda game, state: 0.6, 0)
    >>> rng.random() == np.random.default_rng(7).random()
    True
    ? What does it cost to play a random game whose result has weight 0?

    the same generator plays the same games
    >>> game, first, second = TreeGame([1, 0, -1]), np.random.default_rng(SEED), np.random.default_rng(SEED)
    >>> guess = lambda game, state: 0.6
    >>> runs = [[leaf_value(game, (), rng, guess, 0.5) for _ in range(40)] for rng in (first, second)]
    >>> sorted(set(runs[0])), runs[0] == runs[1]
    ([-0.2, 0.3, 0.8], True)
    ? Which generator do your random numbers come from?
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
    Wrong("shares exchanged", "the shares of the judge and the rollout are exchanged",
          MIX, (MIXING, "    if rollout_share == 0:\n        return rollout(game, state, rng)\n"
                        "    if rollout_share == 1:\n        return judge(game, state)\n"
                        "    return rollout_share * judge(game, state) + (1 - rollout_share) "
                        "* rollout(game, state, rng)")),
    Wrong("always half and half", "the mean of the two is taken, whatever the share is",
          "Which argument sets the weight of the rollout?",
          (MIXING, "    return (judge(game, state) + rollout(game, state, rng)) / 2")),
    Wrong("added up", "the judge's value keeps its full weight, and the rollout is added to it",
          "What should the mix be if both values are 1?", ("(1 - rollout_share) * judge", "judge")),
    Wrong("one of the two by chance", "the judge or the rollout is picked at random instead of mixing the two",
          "Which varies less: one of two numbers at random, or their mean?",
          (MIXING, "    if rng.random() < rollout_share:\n        return rollout(game, state, rng)\n"
                   "    return judge(game, state)")),
    Wrong("either, or", "the judge is left out as soon as the rollout has any weight",
          MIX, (MIXING, "    return rollout(game, state, rng) if rollout_share else judge(game, state)")),
    Wrong("the judge is asked about finished games",
          "the judge is called for finished games, too, where nothing is left to guess",
          "Is there anything left to guess when the game is over?", (OVER, "")),
    Wrong("a finished game for X", "the result of a finished game is given for X, whoever would be to move",
          "For which player is the value of a leaf?", (RESULT, "return float(game.winner(state))")),
    Wrong("a finished game for the winner's side",
          "the result of a finished game is given for the player who made the last move, so its sign is wrong",
          "For which player is the value of a leaf: the one to move there, or the one who moved into it?",
          (RESULT, "return -float(game.winner(state) * game.to_play(state))")),
    Wrong("a finished game worth 0", "a finished game is worth 0, even if a player has won",
          "Which function of the game gives the result of a finished game?", (RESULT, "return 0.0")),
    Wrong("the judge's sign flipped", "the judge's value gets the other sign, although it is for the player to move",
          "For which player is the judge's value, and for which player is the leaf's value?",
          ("* judge(", "* -judge(")),
    Wrong("the rollout's sign flipped",
          "the rollout's result gets the other sign, although it is for the player to move where the rollout began",
          "For which player is a rollout's result, and for which player is the leaf's value?",
          ("* rollout(", "* -rollout(")),
    Wrong("rollout always played", "a random game is played even where it has weight 0",
          "What does it cost to play a random game whose result has weight 0?",
          ("    if rollout_share > 0:\n        value", "    value")),
    Wrong("judge always asked", "the judge is called even where its value has weight 0",
          "What does it cost to call a judge whose value has weight 0?",
          ("    if rollout_share < 1:\n        value", "    value")),
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
    asks="agrees with the definition on many trees in which every rollout ends in the same way",
    examples=40,
    edges=[(0, 2, 1, 0, 0.5, 0.5)],
    question=MIX,
)
