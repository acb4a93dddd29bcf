"""Check q_update: one entry of the table moves towards what its action has led to."""

from collections import defaultdict  # noqa: F401

from hypothesis import strategies as st

from course_utils.games import ConnectN, TicTacToe, after  # noqa: F401
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import nothing
from course_utils.tests.scene import Scenes

SIGN = "The entries of the next position belong to the opponent. If the best of them is +1, is that good for you?"
UNTRIED = "What is a legal reply worth that was never tried, and may the opponent choose it?"


def table(game, moves: list[int], worths: dict[int, float], replies: dict[int, dict[int, float]]) -> defaultdict:
    """Make a table with these entries of the position after `moves`, and of each position one action later."""
    Q: defaultdict = defaultdict(float)
    state = after(game, moves)
    Q.update({(state, action): worth for action, worth in worths.items()})
    for action, worth in replies.items():
        Q.update({(game.play(state, action), reply): entry for reply, entry in worth.items()})
    return Q


def seen(Q, game, moves: list[int]) -> tuple[dict, int]:
    """List the table's entries for the position after `moves` by action, and count its entries that are not 0."""
    state = after(game, moves)
    entries = {action: round(float(Q[state, action]), 6) for action in game.legal_actions(state)}
    return entries, sum(1 for value in Q.values() if value)


BY_HAND = """
    a move that wins: half of the way from 0 to +1 (2 points)
    X O .
    X O .
    . . .
    >>> game, Q = TicTacToe(), defaultdict(float)
    >>> state = after(game, [0, 1, 3, 4])
    >>> q_update(Q, game, state, 6, 0.5)
    >>> Q[state, 6]
    0.5
    ? The game is over. How did it end for the player who made the move?

    O wins, too, and it is good for O (2 points)
    X O X
    . O .
    X . .
    >>> game, Q = TicTacToe(), defaultdict(float)
    >>> state = after(game, [0, 1, 2, 4, 6])
    >>> q_update(Q, game, state, 7, 0.5)
    >>> Q[state, 7]
    0.5
    ? `game.winner` says -1 for O. Whose entry is this?

    what is best for the opponent is worst for you (2 points)
    X . .
    . . .
    . . .
    >>> game = TicTacToe()
    >>> Q = table(game, [0], {1: 0.2}, {1: {4: 0.6, 8: 0.1}})
    >>> q_update(Q, game, after(game, [0]), 1, 0.5)
    >>> Q[after(game, [0]), 1]
    -0.2
    ? The target is -0.6, and the entry goes half of the way from 0.2. Which reply does the opponent choose,
    ? and is it good for you?

    replies that were never tried are worth 0, and may be chosen
    >>> game = TicTacToe()
    >>> Q = table(game, [0], {4: 0.5}, {4: {8: -0.8, 2: -0.4}})
    >>> q_update(Q, game, after(game, [0]), 4, 0.5)
    >>> Q[after(game, [0]), 4]
    0.25
    ? What is a legal reply worth that was never tried, and may the opponent choose it?

    only legal replies: all that are left lose for the opponent
    X O X
    O X .
    O . .
    >>> game = TicTacToe()
    >>> Q = table(game, [0, 1, 2, 3, 4, 6], {5: 0.0}, {5: {7: -0.5, 8: -1.0}})
    >>> q_update(Q, game, after(game, [0, 1, 2, 3, 4, 6]), 5, 1.0)
    >>> Q[after(game, [0, 1, 2, 3, 4, 6]), 5]
    0.5
    ? Which cells are still free in the next position? May a taken one be chosen?

    alpha 0.1: a tenth of the way, from where the entry was
    >>> game = TicTacToe()
    >>> Q = table(game, [4], {0: -0.5}, {0: {8: -0.5, **dict.fromkeys([1, 2, 3, 5, 6, 7], -1.0)}})
    >>> q_update(Q, game, after(game, [4]), 0, 0.1)
    >>> Q[after(game, [4]), 0]
    -0.4
    ? How far is it from the entry to its target, and which share of that does the entry move?

    one entry moves, and all others stay
    >>> game = TicTacToe()
    >>> Q = table(game, [4], {0: -0.5, 1: 0.25}, {0: {8: 0.5}})
    >>> q_update(Q, game, after(game, [4]), 0, 0.5)
    >>> seen(Q, game, [4])
    ({0: -0.5, 1: 0.25, 2: 0, 3: 0, 5: 0, 6: 0, 7: 0, 8: 0}, 3)
    ? Which entry belongs to the action that was played?

    a draw: the entry goes towards 0
    X O X
    X O O
    O X .
    >>> game = TicTacToe()
    >>> Q = table(game, [0, 1, 2, 4, 3, 5, 7, 6], {8: 0.8}, {})
    >>> q_update(Q, game, after(game, [0, 1, 2, 4, 3, 5, 7, 6]), 8, 0.25)
    >>> Q[after(game, [0, 1, 2, 4, 3, 5, 7, 6]), 8]
    0.6
    ? What is a draw worth, and how far does the entry move?
"""

WORTHS = st.sampled_from([-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0])


@st.composite
def drawn(draw):
    """Draw (game, moves, action, alpha, entries of this position, entries of the next)."""
    name, game = draw(st.sampled_from([("TicTacToe()", TicTacToe()), ("ConnectN(3, 4, 3)", ConnectN(3, 4, 3))]))
    moves: list[int] = []
    for _ in range(draw(st.integers(0, 8))):
        state = after(game, moves)
        going = [action for action in game.legal_actions(state) if not game.is_terminal(game.play(state, action))]
        if not going:
            break
        moves.append(draw(st.sampled_from(going)))
    state = after(game, moves)
    action = draw(st.sampled_from(game.legal_actions(state)))
    replies = game.legal_actions(game.play(state, action))
    tried = draw(st.lists(st.sampled_from(replies), unique=True)) if replies else []
    entries = {reply: draw(WORTHS) for reply in tried or replies}
    return name, moves, action, draw(st.sampled_from([0.5, 0.1, 0.25, 1.0])), {action: draw(WORTHS)}, {action: entries}


def scene(draw) -> str:
    game, moves, action, alpha, worths, replies = draw
    return (
        f"game = {game}\nQ = table(game, {moves}, {worths}, {replies})\n"
        f"q_update(Q, game, after(game, {moves}), {action}, {alpha})\nseen(Q, game, {moves})"
    )


BEST = "-max(Q[child, reply] for reply in game.legal_actions(child))"
STEP = "Q[state, action] += alpha * (target - Q[state, action])"
ENDED = """    if game.is_terminal(child):
        target = game.winner(child) * game.to_play(state)
    else:
        target = """
# fmt: off
WRONG = [
    Wrong("no sign flip", "a value that is good for the opponent is taken as good for you", SIGN, (BEST, BEST[1:])),
    Wrong("the worst reply",
          "the opponent is expected to choose the reply with the lowest entry, as if all entries were for one player",
          "For which player are the entries of the next position, and does that player want them high or low?",
          (BEST, BEST.replace("-max", "min"))),
    Wrong("the worst reply, sign changed", "the opponent is expected to choose its own worst reply",
          "Which reply would you choose in the opponent's place?",
          (BEST, BEST.replace("-max", "-min"))),
    Wrong("the mean of the replies", "the opponent is expected to play every reply equally often",
          "Does the opponent choose at random, or take the best reply?",
          (BEST, "-sum(Q[child, reply] for reply in game.legal_actions(child)) / len(game.legal_actions(child))")),
    Wrong("illegal replies, too", "the best entry is taken over all actions of the game, and the illegal ones have 0",
          "Which replies may the opponent choose from?", ("game.legal_actions(child)", "range(game.num_actions)")),
    Wrong("only what was tried", "replies that were never tried are left out, so the opponent can't choose them",
          UNTRIED,
          (BEST, "-max([Q[child, reply] for reply in game.legal_actions(child) if (child, reply) in Q], default=0.0)")),
    Wrong("beyond the end", "the best reply is looked up even when the game is over and there is no reply",
          "Which replies does a finished game have?", (ENDED + BEST, "    target = " + BEST)),
    Wrong("the outcome forgotten", "a finished game is worth 0, whichever player has won",
          "Which line of your code uses the winner?",
          (ENDED + BEST, "    target = -max([Q[child, reply] for reply in game.legal_actions(child)], default=0.0)")),
    Wrong("the outcome for X", "the outcome is X's, even where O made the move",
          "`game.winner` says -1 for O. Whose entry is this?",
          (" * game.to_play(state)", "")),
    Wrong("the outcome for the player to move", "the outcome is that of the player who would be to move after the end",
          "The move has ended the game. Who made it?", ("game.to_play(state)", "game.to_play(child)")),
    Wrong("the outcome only at once", "a move that ends the game gets all of the outcome, whatever alpha says",
          "By which share of the way does an entry move, whatever its target?",
          (ENDED + BEST,
           "    if game.is_terminal(child):\n        Q[state, action] = game.winner(child) * game.to_play(state)\n"
           "        return\n    target = " + BEST)),
    Wrong("the best of the same position", "the target comes from the position before the move",
          "Where does the action lead, and who is to move there?",
          (BEST, "max(Q[state, reply] for reply in game.legal_actions(state))")),
    Wrong("all of the way", "the target replaces the entry, so alpha changes nothing",
          "By which share of the way does the entry move?",
          (STEP, "Q[state, action] = target")),
    Wrong("the old entry forgotten", "the entry becomes alpha times its target, whatever it was before",
          "From which number should the entry move?",
          (STEP, "Q[state, action] = alpha * target")),
    Wrong("the target added",
          "alpha times the target is added, so after many games the entry leaves the range from -1 to 1",
          "How far is it from the entry to its target?",
          (STEP, "Q[state, action] += alpha * target")),
    Wrong("away from the target", "the entry moves away from its target",
          "Is the difference target minus entry, or the other way round?",
          (STEP, "Q[state, action] -= alpha * (target - Q[state, action])")),
    Wrong("alpha the wrong way round", "alpha is the share of the old entry that is kept",
          "With alpha = 0.1, how far should the entry move?",
          (STEP, "Q[state, action] += (1 - alpha) * (target - Q[state, action])")),
    Wrong("the entry of the next position",
          "the entry of the next position moves instead of the entry of the action that led there",
          "Which entry belongs to the action that was played?",
          (STEP, "Q[child, action] += alpha * (target - Q[child, action])")),
    Wrong("returned, not changed", "the new number is returned, and `Q` stays as it was",
          "Where does the next game look up its numbers?",
          (STEP, "return Q[state, action] + alpha * (target - Q[state, action])")),
    Wrong("the gain at each step", "1 is added to the target of every move that does not end the game",
          "Which reward is there before the end of a game?",
          (BEST, "1 " + BEST.replace("-max", "- max"))),
]
# fmt: on


def right_as_on_the_shelf(Q, game, state, action, alpha):
    after_it = game.play(state, action)
    reward = game.winner(after_it) * game.to_play(state)
    best = max([Q[after_it, reply] for reply in game.legal_actions(after_it)], default=0)
    Q[state, action] += alpha * (reward - best - Q[state, action])


def right_q_by_old_and_new(Q, game, state, action, alpha):
    child = game.play(state, action)
    if not game.is_terminal(child):
        target = min(-Q.get((child, a), 0.0) for a in game.legal_actions(child))
    elif game.winner(child) == 0:
        target = 0.0
    else:
        target = 1.0 if game.winner(child) == game.to_play(state) else -1.0
    old = Q.get((state, action), 0.0)
    Q[(state, action)] = (1 - alpha) * old + alpha * target


def right_q_with_a_loop(Q, game, state, action, alpha):
    child = game.play(state, action)
    best = None
    for reply in game.legal_actions(child):
        if best is None or Q[child, reply] > best:
            best = Q[child, reply]
    if best is None:
        opponent = -game.winner(child) * game.to_play(state)
    else:
        opponent = best
    error = -opponent - Q[state, action]
    Q[state, action] = Q[state, action] + alpha * error


CHECK = Scenes(
    draws=drawn(),
    returns=nothing,
    changes={"Q"},
    question="What does the move lead to: the end of the game, or a position in which the opponent chooses? "
    "What is that worth to you?",
    edges=[
        ("TicTacToe()", [0, 1, 3, 4], 6, 0.5, {6: -0.5}, {6: {}}),
        ("TicTacToe()", [0, 1, 2, 4, 6], 7, 0.25, {7: 0.5}, {7: {}}),
    ],
)
