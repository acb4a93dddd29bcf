"""Check play_in_lockstep: which games run in each turn, what is recorded, and how each game ends."""

import numpy as np
from hypothesis import strategies as st

from course_utils.games import ConnectFour, ConnectN, Game, TicTacToe, after
from course_utils.games.batched import make_batched
from course_utils.learning.batched_self_play import Thoughts, Turn, first_player
from course_utils.tests.case import show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes
from course_utils.tests.world.networks import ConstantNetwork, HashNetwork
from course_utils.tests.world.positions import random_line

GAMES: dict[str, Game] = {
    "TicTacToe()": TicTacToe(),
    "ConnectN(3, 4, 3)": ConnectN(3, 4, 3),
    "ConnectFour()": ConnectFour(),
}
LOOKS = ["[told(turn) for turn in turns]", "outcomes", "think.asked"]
SIZES = st.integers(1, 9)
DRAWS = st.tuples(
    st.sampled_from(list(GAMES)),
    st.lists(st.tuples(st.one_of(st.just(0), st.integers(0, 38)), st.integers(0, 19)), min_size=1, max_size=6),
    SIZES,  # games
    SIZES,  # places
    st.integers(0, 9),  # of what is thought
    st.sampled_from(LOOKS),
)
EDGES = [
    ("TicTacToe()", [(0, 0)], 1, 1, 0),
    ("TicTacToe()", [(8, 2), (0, 0), (5, 3), (7, 1), (2, 0)], 23, 4, 0),
    ("TicTacToe()", [(8, 2), (8, 3)], 20, 1, 0),
    ("ConnectFour()", [(30, 0), (30, 1), (38, 0), (38, 1)], 8, 3, 0),
]
DRAW = ("TicTacToe()", [(8, 4)], 1, 1, 0, "outcomes")


def scene(draw) -> str:
    name, openings, games, places, seed, look = draw
    return (
        f"game = make_batched({name})\n"
        f"begin = Openings({name}, {[opening(name, *plies_and_seed) for plies_and_seed in openings]})\n"
        f"think = Thinker(game, HashNetwork({GAMES[name].num_actions}, {seed}))\n"
        f"turns, outcomes = play_in_lockstep(game, begin, think, {games}, {places})\n{look}"
    )


def opening(name: str, plies: int, seed: int) -> list[int]:
    """List random moves that do not end the game."""
    line = random_line(GAMES[name], plies, seed)
    return line[:-1] if GAMES[name].is_terminal(after(GAMES[name], line)) else line


class Openings:
    """A `begin` that starts the games after these moves, over and over."""

    def __init__(self, game, openings: list[list[int]]):
        self.game, self.openings, self.begun = game, openings, 0

    def __call__(self, count):
        many = [self.openings[number % len(self.openings)] for number in range(self.begun, self.begun + count)]
        self.begun += count
        return self.game.batched().from_states([after(self.game, moves) for moves in many]), np.array([*map(len, many)])


class Thinker:
    """A `think` that plays the legal action with the network's lowest prior, the first of equals.

    Attributes:
        asked: about how many positions, call by call.
    """

    def __init__(self, game, network):
        self.game, self.network, self.asked = game, network, []

    def __call__(self, states, plies):
        self.asked.append(len(plies))
        value, logits = self.network(self.game.encode(states))
        policy = np.where(self.game.legal(states), np.exp(logits), 0.0)
        return Thoughts(np.where(policy > 0, policy, np.inf).argmin(axis=1), policy, value, value < -0.3)


def lowest_free(game) -> Thinker:
    """A `think` that plays the lowest legal action."""
    return Thinker(game, ConstantNetwork(0.0, np.zeros(game.num_actions)))


def told(turn: Turn) -> list[list]:
    """Format a row for each game: its number, its ply, its board (X is to move), the move and the root value."""
    rows = zip(turn.number, turn.ply, boards(turn), turn.thoughts.moves, turn.thoughts.root_value, strict=True)
    return sorted([int(number), int(ply), board, int(move), float(value)] for number, ply, board, move, value in rows)


def boards(turn: Turn) -> list[str]:
    """Draw the board of each game, row by row; X is the player to move."""
    cells = (turn.planes[:, 0] - turn.planes[:, 1]).astype(int)
    return ["/".join("".join(".XO"[cell] for cell in row) for row in board) for board in cells]


def turns_and_outcomes(result) -> str:
    if not isinstance(result, tuple | list) or len(result) != 2 or not isinstance(result[0], list):
        return f"expected a pair of a list of turns and an array of outcomes, got {type(result).__name__}"
    for turn in result[0]:
        if getattr(turn, "_fields", ()) != Turn._fields or not isinstance(turn.thoughts, Thoughts):
            return f"expected a `Turn` of numbers, plies, planes and thoughts, got {show(turn)}"
    return array("float")(result[1])


BY_HAND = """
    one game alone: a turn for each move, and none when it is over (2 points)
    >>> game = make_batched(TicTacToe())
    >>> begin, think = Openings(TicTacToe(), [[]]), lowest_free(game)
    >>> turns, outcomes = play_in_lockstep(game, begin, think, 1, 1)
    >>> [turn.ply.tolist() for turn in turns]
    [[0], [1], [2], [3], [4], [5], [6]]
    ? Do the arrays that you stored in one turn stay the same in the next turns?

    the positions before the moves (2 points)
    >>> game = make_batched(TicTacToe())
    >>> begin, think = Openings(TicTacToe(), [[0, 3, 1, 4], [4]]), lowest_free(game)
    >>> turns, outcomes = play_in_lockstep(game, begin, think, 2, 2)
    >>> sorted(boards(turns[0])), boards(turns[1])
    [".../.O./...", "XX./OO./..."], ["O../.X./..."]
    ? For which position was `think` called: the one before the move, or the one after it?

    games of different lengths leave when they are over (2 points)
    >>> game = make_batched(TicTacToe())
    >>> begin, think = Openings(TicTacToe(), [[0, 3, 1, 4, 8], [0, 3, 1, 4], [4], [0, 3, 1, 4]]), lowest_free(game)
    >>> turns, outcomes = play_in_lockstep(game, begin, think, 4, 4)
    >>> [sorted(turn.number.tolist()) for turn in turns]
    [[0, 1, 2, 3], [0, 2], [0, 2], [2], [2], [2], [2], [2]]
    ? Game 1 has left. In which row is game 2 now, and which arrays have to follow?

    how each game ended, for its first player (3 points)
    >>> game = make_batched(TicTacToe())
    >>> begin, think = Openings(TicTacToe(), [[0, 3, 1, 4, 8], [0, 3, 1, 4], [4], []]), lowest_free(game)
    >>> turns, outcomes = play_in_lockstep(game, begin, think, 4, 4)
    >>> outcomes  # O wins game 0, X wins games 1 and 3
    [-1, 1, 0, 1]
    ? For which player is the value of `game.outcome`, and who is to move after that many plies?

    two places and five games: a new game begins as soon as another is over (2 points)
    >>> game = make_batched(TicTacToe())
    >>> begin, think = Openings(TicTacToe(), [[4], [0, 3, 1, 4], [0, 3, 1, 4, 8]]), lowest_free(game)
    >>> turns, outcomes = play_in_lockstep(game, begin, think, 5, 2)
    >>> [sorted(turn.number.tolist()) for turn in turns]
    [[0, 1], [0, 2], [0, 2], [0, 2], [0, 3], [0, 3], [0, 3], [0, 3], [3, 4], [3], [3], [3]]
    ? How many games may begin when one leaves, and which numbers do they get?

    `think` is called once for all games under way (2 points)
    >>> game = make_batched(TicTacToe())
    >>> begin, think = Openings(TicTacToe(), [[4], [0, 3, 1, 4], [0, 3, 1, 4], [0, 3, 1, 4, 8]]), lowest_free(game)
    >>> turns, outcomes = play_in_lockstep(game, begin, think, 4, 4)
    >>> think.asked  # about how many positions, call by call
    [4, 2, 2, 1, 1, 1, 1, 1]
    ? How many calls of the network should one move of 256 games take?
"""

MOVE = "states, plies = game.play(states, thoughts.moves), plies + 1"
TURN = "turns.append(Turn(number, plies, game.encode(states), thoughts))"
RESULT = "outcomes[number[over]] = first_player(plies[over]) * value[over]"
LEAVE = "states, plies, number = states[~over], plies[~over], number[~over]"
MORE = "more = min(places - len(states), games - begun)"
# fmt: off
WRONG = [
    Wrong("the row taken for the game", "outcomes are written to a game's current row instead of to its number",
          "Game 1 has left. In which row is game 2 now?", ("outcomes[number[over]]", "outcomes[np.flatnonzero(over)]")),
    Wrong("numbers left behind",
          "the numbers are not filtered together with the states, so they are wrong once the first game has left",
          "Which arrays have a row for each game under way?",
          (LEAVE, "states, plies, number = states[~over], plies[~over], number[: (~over).sum()]")),
    Wrong("for the player to move",
          "the outcomes are for the player to move when the game is over instead of for the first player",
          "For which player is the value of `game.outcome`?",
          ("first_player(plies[over]) * value[over]", "value[over]")),
    Wrong("for the player who moved",
          "the sign is that of the player who has just moved, but the value is for the next player",
          "Who would be to move when the game is over?",
          ("first_player(plies[over])", "first_player(plies[over] - 1)")),
    Wrong("plies counted from 0",
          "the number of turns in this run decides who is to move, "
          "so games that begin after some moves get the wrong sign",
          "How many moves had been played when the game began?",
          ("first_player(plies[over])", "first_player(np.full(over.sum(), len(turns)))")),
    Wrong("who moved last has won", "a finished game counts as won by the player who moved last, even if it was drawn",
          "What is the outcome of a full board without a line?",
          (RESULT, "outcomes[number[over]] = -first_player(plies[over])")),
    Wrong("position after the move",
          "the position after the move is stored together with the thoughts about the position before it",
          "Which position was searched?", (TURN, "pass"),
          (MOVE, "before, plies_before = states, plies\n        states, plies = game.play(states, "
                 "thoughts.moves), plies + 1\n"
                  "        turns.append(Turn(number, plies_before, game.encode(states), thoughts))")),
    Wrong("counted on in place",
          "the plies are changed in the array that was already stored, so each turn has one move too many",
          "`plies += 1` changes an array. Where else is that array stored?",
          (MOVE, "states = game.play(states, thoughts.moves)\n        plies += 1")),
    Wrong("the favorite is played",
          "the move with the highest policy is played instead of the chosen one, so nothing new is tried",
          "Which field of the thoughts holds the move to play?",
          ("game.play(states, thoughts.moves)", "game.play(states, thoughts.policy.argmax(axis=1))")),
    Wrong("waits for the slowest", "new games begin only when all others are over, so places stay empty",
          "What happens in the place of a short game while the long ones go on?",
          ("if more > 0:", "if more > 0 and len(states) == 0:")),
    Wrong("only the first games", "no new games begin in the places of those that are over",
          "How many games should have begun in the end?", ("if more > 0:", "if False:")),
    Wrong("more games than asked for",
          "every free place is filled as long as any game is left to begin, so there are too many games in the end",
          "How many games may begin when fewer are left than there are free places?",
          (MORE, "more = (places - len(states)) * (begun < games)")),
    Wrong("a number twice",
          "a new game gets the number of the game whose place it takes, so that game's outcome is overwritten",
          "Which numbers have not been used yet?", ("np.arange(begun, begun + more)", "np.flatnonzero(over)[:more]")),
    Wrong("new games at ply 0", "games that begin later are counted from ply 0, whatever `begin` says",
          "`begin` returns two arrays. What is the second one for?",
          ("np.concatenate([plies, new_plies])", "np.concatenate([plies, 0 * new_plies])")),
    Wrong("one call a game", "`think` is called for one game after the other, which is right but slow",
          "How many positions can one call of the network take?",
          ("thoughts = think(states, plies)",
           "thoughts = Thoughts(*map(np.concatenate, zip(*(think(states[i : i + 1], plies[i : i + 1]) "
           "for i in range(len(states))))))")),
]
# fmt: on


def right_lockstep_with_a_list(game, begin, think, games, places):
    """Keep a list of the running games, each with its number, its plies and its state."""
    under_way, begun, turns, outcomes = [], 0, [], np.zeros(games)
    while True:
        while begun < games and len(under_way) < places:
            states, plies = begin(1)
            under_way.append((begun, plies[0], states[0]))
            begun += 1
        if not under_way:
            return turns, outcomes
        number, plies, states = map(np.array, zip(*under_way, strict=True))
        thoughts = think(states, plies)
        turns.append(Turn(number, plies, game.encode(states), thoughts))
        states, under_way = game.play(states, thoughts.moves), []
        for row, (over, value) in enumerate(zip(*game.outcome(states), strict=True)):
            if over:  # one move more than `plies` was played: the first player is to move after an odd number
                outcomes[number[row]] = value if plies[row] % 2 == 1 else -value
            else:
                under_way.append((number[row], plies[row] + 1, states[row]))


def right_lockstep_in_place(game, begin, think, games, places):
    """Put new games into the rows of finished ones."""
    begun = min(places, games)
    states, plies = begin(begun)
    number, turns, outcomes = np.arange(begun), [], np.zeros(games)
    while len(states):
        thoughts = think(states, plies)
        turns.append(Turn(number.copy(), plies.copy(), game.encode(states), thoughts))
        states = game.play(states, thoughts.moves)
        plies += 1
        over, value = game.outcome(states)
        for row in np.flatnonzero(over):
            outcomes[number[row]] = value[row] if plies[row] % 2 == 0 else -value[row]
            if begun < games:
                new, ply = begin(1)
                states[row], plies[row], number[row] = new[0], ply[0], begun
                over[row] = False
                begun += 1
        states, plies, number = states[~over], plies[~over], number[~over]
    return turns, outcomes


CHECK = Scenes(
    draws=DRAWS,
    edges=[*((*setting, look) for setting in EDGES for look in LOOKS), DRAW],
    examples=20,
    returns=turns_and_outcomes,
    changes={"begin", "think"},
    fresh=lambda result: result[1],
    tolerance=1e-9,
    question="Find the first turn that is wrong. Which games are under way in that turn, "
    "and what does each array hold for them?",
)
