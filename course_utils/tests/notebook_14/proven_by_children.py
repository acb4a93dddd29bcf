"""Check proven_by_children: what a node's proven children prove about it."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import TicTacToe, after
from course_utils.search.puct import Node, expand
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_14.proof_trees import family, mark
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes

CHILD = st.sampled_from([1, 0, -1, 0, 1, "open", None, "closed"])
EVERY = "Which moves must be proven before you can say that none of them is better?"
WHOSE = "A child's value is for the player to move there. What is it worth to the player who chooses the move?"


def scene(draw) -> str:
    return f"proven_by_children(family({draw}))"


def a_value_or_none(result) -> str:
    return "" if result is None else number(result)


BY_HAND = f"""
    one winning move is enough (2 points)
    X . O
    O O .   X to move; 7 wins
    X . X
    >>> game = TicTacToe()
    >>> node = Node(game, after(game, [0, 4, 8, 2, 6, 3]))
    >>> child = expand(node, 7, game)
    >>> proven_by_children(node)
    1
    ? {WHOSE}

    both legal moves lose
    >>> node = family({{1: 1, 5: 1}})  # after 1 and after 5 the opponent, who is to move, wins
    >>> proven_by_children(node)
    -1
    ? {WHOSE}

    the best of a loss and a draw is the draw (2 points)
    >>> node = family({{1: 1, 5: 0}})
    >>> proven_by_children(node)
    0
    ? Which of these moves will the player choose?

    a move that was never tried may still win (2 points)
    >>> node = family({{1: 1, 5: 0, 7: None}})
    >>> proven_by_children(node) is None
    True
    ? {EVERY}

    a move that was tried but is not proven may still win
    >>> node = family({{1: 1, 5: 0, 7: "open"}})
    >>> proven_by_children(node) is None
    True
    ? {EVERY}

    nothing was tried yet
    >>> node = family({{1: None, 5: None}})
    >>> proven_by_children(node) is None
    True
    ? What is proven about a node without children?

    the same node, after the open move has turned out to win
    >>> node = family({{1: 0, 7: "open"}})
    >>> before = proven_by_children(node)
    >>> child = mark(node, [7], -1)
    >>> before is None, proven_by_children(node)
    (True, 1)
    ? The same node may have more proven children at the next call. When does your code read them?

    every move is closed, so each of them is lost
    >>> node = family({{1: "closed", 5: "closed"}})
    >>> node.legal.any(), proven_by_children(node)
    (False, -1)
    ? A closed move is lost. What is a node worth where every move is closed?
"""

WIN = "    if 1.0 in values:\n        return 1.0\n"
EVERY_OPEN = "all(action in node.children and node.children[action].is_terminal for action in open_moves)"
# fmt: off
WRONG = [
    Wrong("sign forgotten", "a child's value is used as it is, although it is for the opponent, who is to move there",
          WHOSE, ("[-child.terminal_value", "[child.terminal_value")),
    Wrong("a win has to wait", "a win counts only when every other move is proven, too",
          "What can the other moves change if one move wins?", (WIN, "")),
    Wrong("untried moves forgotten",
          "moves that were never tried are ignored, but one of them may be better than all the others",
          EVERY, (EVERY_OPEN, "values and all(child.is_terminal for child in node.children.values())")),
    Wrong("open children forgotten",
          "the best of the proven children decides, whatever the other children may turn out to be worth",
          EVERY, (f"    if {EVERY_OPEN}:\n", "    if values:\n")),
    Wrong("a tried move counts as proven", "a move counts as soon as it has a child, proven or not",
          "For which children is the result of the game proven?",
          (EVERY_OPEN, "values and all(action in node.children for action in open_moves)")),
    Wrong("a draw is enough", "a draw is taken as proven as soon as one move draws, although another might win",
          "One move draws. Can another move be better?", (WIN, WIN + "    if 0.0 in values:\n        return 0.0\n")),
    Wrong("a loss is enough", "one losing move makes the position lost, as if the player had to choose it",
          "Who chooses the move: the player, or the opponent?",
          (WIN, WIN + "    if -1.0 in values:\n        return -1.0\n")),
    Wrong("the worst counts", "the worst of the moves decides instead of the best",
          "Which of these moves will the player choose?", ("return max(values)", "return min(values)")),
    Wrong("the mean counts", "the mean of the children's values is returned instead of the best one",
          "One move draws and one loses. What is the position worth to a player who knows that?",
          ("return max(values)", "return sum(values) / len(values)")),
    Wrong("a draw where nothing is known", "0 is returned where nothing is proven, but 0 means a draw",
          "How can the caller tell a draw from a node that is not proven yet?", ("    return None", "    return 0.0")),
    Wrong("closed moves forgotten",
          "closed moves are left out, so nothing is left to choose from where all moves are closed",
          "A closed move is lost. What is a node worth where every move is closed?",
          ("for child in node.children.values() if child.is_terminal]",
           "for action, child in node.children.items() if child.is_terminal and node.legal[action]]")),
    Wrong("nothing proven where all is closed",
          "None is returned where every move is closed, although each of them is proven lost",
          "A closed move is lost. What is a node worth where every move is closed?",
          (f"    if {EVERY_OPEN}:\n", f"    if open_moves and {EVERY_OPEN}:\n")),
    Wrong("only wins and losses", "None is returned instead of a proven draw",
          "What is proven where every move is proven and the best one draws?",
          ("        return max(values)", "        return max(values) or None")),
]
# fmt: on


def right_by_cases(node):
    every_move_is_proven, draw = True, False
    for action in range(len(node.legal)):
        child = node.children.get(action)
        if child is None or not child.is_terminal:
            if node.legal[action]:
                every_move_is_proven = False
        elif child.terminal_value == -1:
            return 1
        elif child.terminal_value == 0:
            draw = True
    if not every_move_is_proven:
        return None
    return 0 if draw else -1


def right_by_the_worst_for_the_opponent(node):
    proven = {action: child.terminal_value for action, child in node.children.items() if child.is_terminal}
    worst = min(proven.values(), default=2)
    if worst == -1 or set(np.flatnonzero(node.legal)) <= proven.keys():
        return -worst
    return None


def right_with_a_best_so_far(node):
    best, unknown = -1.0, 0
    for action in [a for a, open_ in enumerate(node.legal) if open_]:
        if action not in node.children or not node.children[action].is_terminal:
            unknown += 1
        else:
            best = max(best, -node.children[action].terminal_value)
    if best == 1.0 or unknown == 0:
        return best


CHECK = Scenes(
    draws=st.dictionaries(st.integers(0, 8), CHILD, min_size=1, max_size=4),
    returns=a_value_or_none,
    examples=60,
    question="Which moves are proven, which are not, and which one will the player choose?",
)
