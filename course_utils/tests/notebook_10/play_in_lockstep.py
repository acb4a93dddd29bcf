"""play_in_lockstep: what `begin` and `think` were asked, and what was written down, against one game after the other."""

from functools import cache, lru_cache
from random import Random
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from course_utils.learning.batched_self_play import Thoughts, Turn, first_player
from course_utils.tests.case import Case, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.notebook_09 import forests
from course_utils.tests.notebook_09.batched_search import Opinions
from course_utils.tests.notebook_09.forests import BATCHED, BOARDS, TTT, Path, as_stored, legal_actions
from course_utils.tests.returns import array
from course_utils.tests.specification import Specification

# --- what it is given ------------------------------------------------------------------------------------------------------


class Openings:
    """`begin`: the games begin after these moves, over and over. It writes down how many were asked for.

    `set_up`: these stones (but for an odd one) stand there from the beginning, and are no plies.
    """

    def __init__(self, board: str, openings: tuple[Path, ...], set_up: bool = False):
        self.board, self.openings, self.set_up, self.begun = board, openings, set_up, 0

    def __call__(self, count):
        if count < 1:
            raise ValueError(f"begin({count}): count must be at least 1")
        many = [self.openings[number % len(self.openings)] for number in range(self.begun, self.begun + count)]
        self.begun += count
        plies = np.array([len(moves) - stands(moves, self.set_up) for moves in many], dtype=np.int64)
        return as_stored(self.board, many), plies


def stands(opening: Path, set_up: bool) -> int:
    """How many of its stones are no plies."""
    return 2 * (len(opening) // 2) if set_up else 0


class Opinionated:
    """`think`: the same about a position whatever is beside it. It writes down what it was asked, and how many games had begun."""

    def __init__(self, board: str, seed: int, begin: Openings | None = None):
        self.board, self.opinions, self.begin, self.asked = board, Opinions(BOARDS[board].num_actions, seed), begin, []

    def __call__(self, states, plies):
        game = BATCHED[self.board]
        planes = game.encode(states)
        self.asked.append([self.begin.begun if self.begin else 0, *mixed(plies, planes)])
        return self.about(planes, game.legal(states))

    def about(self, planes: np.ndarray, legal: np.ndarray) -> Thoughts:
        value, logits = self.opinions(planes)
        weights = np.where(legal, 0.01 + logits, 0)
        not_the_favorite = np.where(legal, weights, np.inf).argmin(axis=1)
        return Thoughts(not_the_favorite, weights, value, value < -0.3)


class LowestFree(Opinionated):
    """A `think` for cases by hand: it plays the lowest legal action."""

    def about(self, planes, legal):
        policy = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)
        return Thoughts(legal.argmax(axis=1), policy, np.zeros(len(legal)), np.zeros(len(legal), dtype=bool))


class Draw(NamedTuple):
    board: str
    openings: tuple[tuple[int, int], ...]  # (plies, seed) of random moves before the games begin, over and over
    games: int
    places: int
    seed: int = 0  # of what is thought
    set_up: bool = False  # see Openings

    @property
    def begins(self) -> tuple[Path, ...]:
        return tuple(opening(self.board, plies, seed) for plies, seed in self.openings)


@lru_cache(maxsize=10_000)
def opening(board: str, plies: int, seed: int) -> Path:
    moves = forests.play_on(board, (), plies, Random(seed))
    while not legal_actions(board, moves):  # it is over: one move less
        moves = moves[:-1]
    return moves


SIZES = st.integers(1, 9)
SMALL = [TTT, "Misere()", "ConnectN(3, 4, 3)", "ConnectN(1, 9, 3)"]
LARGE = [board for board in BOARDS if board not in (*SMALL, forests.IN_CELLS)]


@st.composite
def draws(draw) -> Draw:
    board = draw(st.sampled_from(SMALL + LARGE))
    plies = st.sampled_from([25, 38, 50]) if board in LARGE else st.one_of(st.just(0), st.integers(0, 8))
    openings = draw(st.lists(st.tuples(plies, st.integers(0, 19)), min_size=1, max_size=7))
    games, places = draw(SIZES), draw(st.one_of(st.none(), SIZES))
    return Draw(board, tuple(openings), games, places or games, draw(st.integers(0, 9)), draw(st.booleans()))


EDGES = [
    Draw(TTT, ((0, 0),), 1, 1),
    Draw(TTT, ((0, 0),), 7, 4),
    Draw(TTT, ((8, 2), (0, 0), (5, 3), (7, 1), (2, 0)), 23, 4),
    Draw("Misere()", ((5, 3), (6, 0), (3, 2)), 12, 5, 0, True),
    Draw("ConnectN(6, 7, 4)", ((30, 0), (30, 1), (38, 0), (38, 1)), 8, 3),  # won and lost, late
    Draw(TTT, ((8, 2), (8, 3)), 20, 1),
    Draw("ConnectN(6, 7, 4)", ((0, 0), (7, 1)), 2, 2),
    Draw(TTT, ((8, 2), (7, 1), (5, 0)), 40, 30),
]


# --- one game after the other ----------------------------------------------------------------------------------------------


def rows(number, ply, planes, thoughts: Thoughts) -> np.ndarray:
    """A row for each game: its number, its ply, its cells (+1 for whoever moves), the move, root value, whether something was given away, policy."""
    cells = (planes[:, 0] - planes[:, 1]).reshape(len(planes), -1)
    policy = np.asarray(thoughts.policy).reshape(len(planes), -1)
    return np.column_stack([number, ply, cells, thoughts.moves, thoughts.root_value, thoughts.gave_away, policy])


def mixed(plies, planes: np.ndarray) -> list[int]:
    """A number for each position and its ply, in ascending order."""
    cells = (planes[:, 0] - planes[:, 1]).reshape(len(planes), -1)
    return sorted((cells @ weights_of(cells.shape[1]) + plies).tolist())


@cache
def weights_of(cells: int) -> np.ndarray:
    return 100.0 * np.random.default_rng(0).integers(10**6, size=cells)


@lru_cache(maxsize=2000)
def alone(
    board: str, moves: Path, seed: int, set_up: bool, think: type = Opinionated
) -> tuple[list[np.ndarray], list[int], int]:
    """(its rows without a number, one a move; what `think` is asked; who won) of the one game that begins after `moves`."""
    game, mind, found, asked, no_plies = BOARDS[board], think(board, seed), [], [], stands(moves, set_up)
    while legal := legal_actions(board, moves):
        planes = game.encode(forests.position(board, moves))[None]
        thoughts = mind.about(planes, np.isin(np.arange(game.num_actions), legal)[None])
        plies = np.array([len(moves) - no_plies])
        found.append(rows([0], plies, planes, thoughts)[0])
        asked += mixed(plies, planes)
        moves = (*moves, int(thoughts.moves[0]))
    return found, asked, game.winner(forests.position(board, moves))


def scheduled(found: list[tuple], places: int) -> dict:
    """What must come of these games, each known from its beginning to its end."""
    turns, asked, here, begun = [], [], [], 0  # here: (number, how many moves were played in this run)
    while True:
        more = min(places - len(here), len(found) - begun)
        here, begun = here + [(begun + k, 0) for k in range(more)], begun + more
        if not here:
            break
        here.sort()
        turn = np.stack([found[number][0][t] for number, t in here])
        turn[:, 0] = [number for number, _ in here]
        turns.append(turn)
        asked.append([begun, *sorted(found[number][1][t] for number, t in here)])
        here = [(number, t + 1) for number, t in here if t + 1 < len(found[number][0])]
    return {"turns": turns, "outcomes": np.array([float(winner) for _, _, winner in found]), "asked": asked}


def oracle(draw: Draw) -> dict:
    begins = draw.begins
    games = [alone(draw.board, begins[k % len(begins)], draw.seed, draw.set_up) for k in range(draw.games)]
    return scheduled(games, draw.places)


def arguments(draw: Draw) -> dict:
    begin = Openings(draw.board, draw.begins, draw.set_up)
    think = Opinionated(draw.board, draw.seed, begin)
    return {"game": BATCHED[draw.board], "begin": begin, "think": think, "games": draw.games, "places": draw.places}


def in_rows(turn: Turn) -> np.ndarray | str:
    """A turn's rows, ordered by their games."""
    sizes = [len(part) for part in (*turn[:3], *turn.thoughts)]
    if len(set(sizes)) > 1:
        return f"{sizes[0]} numbers, {sizes[1]} plies, {sizes[2]} boards, thoughts about {sizes[3]} positions"
    return rows(*turn)[np.argsort(turn.number)]


def judged(result, arguments: dict) -> dict:
    turns, outcomes = result
    return {"turns": [in_rows(turn) for turn in turns], "outcomes": outcomes, "asked": arguments["think"].asked}


NAMES = (*Turn._fields[:3], *Thoughts._fields)
DTYPES = ("int64", "int64", "float32", "int64", "float64", "float64", "bool")


def returns(result) -> str:
    if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[0], list):
        return f"expected a pair of a list of turns and an array of outcomes, got {type(result).__name__}"
    for turn in result[0]:
        if getattr(turn, "_fields", ()) != Turn._fields or not isinstance(turn.thoughts, Thoughts):
            return f"expected a `Turn` of numbers, plies, planes and thoughts, got {show(turn)}"
        for name, part, dtype in zip(NAMES, (*turn[:3], *turn.thoughts), DTYPES, strict=True):
            if complaint := array(dtype)(part):
                return f"`{name}` of a turn: {complaint}"
    return array("float64")(result[1])


def shown(draw: Draw) -> str:
    return (
        "from course_utils.tests.notebook_10.play_in_lockstep import Opinionated, Openings, in_rows\n\n"
        f"begin = Openings({draw.board!r}, {draw.begins}{', set_up=True' * draw.set_up})  # the moves before the games begin, over and over\n"
        f"think = Opinionated({draw.board!r}, {draw.seed}, begin)\n"
        f"turns, outcomes = play_in_lockstep(make_batched({draw.board}), begin, think, {draw.games}, {draw.places})\n"
        "[in_rows(turn) for turn in turns]  # of each game its number, ply, cells, move, root value, whether it gave something away, policy\n"
        "think.asked  # call by call: how many games had begun, and a number for each position with its ply"
    )


# --- by hand -------------------------------------------------------------------------------------------------------------

WIN, LOSS, TIE = (
    (0, 3, 1, 4),
    (0, 3, 1, 4, 8),
    (4,),
)  # what the lowest free cell makes of them for X: over at ply 5, 8, 9


def by_hand(rng):
    seed = int(rng.integers(100))

    def case(name: str, openings, places: int, look, call: str, question: str, points: int = 2, games: int = 0) -> Case:
        games = games or len(openings)

        def run(play_in_lockstep):
            begin = Openings(TTT, openings)
            think = LowestFree(TTT, seed, begin)
            result = play_in_lockstep(BATCHED[TTT], begin, think, games, places)
            if complaint := returns(result):
                raise TypeError(complaint)
            return look(judged(result, {"think": think}))

        found = [alone(TTT, openings[k % len(openings)], seed, False, LowestFree) for k in range(games)]
        lines = (
            "from course_utils.tests.notebook_10.play_in_lockstep import LowestFree, Openings  # tic-tac-toe, in the lowest free cell\n\n"
            f"begin = Openings('TicTacToe()', {openings})\nthink = LowestFree('TicTacToe()', {seed}, begin)\n"
            f"turns, outcomes = play_in_lockstep(make_batched(TicTacToe()), begin, think, {games}, {places})\n{call}"
        )
        return Case(name, run, look(scheduled(found, places)), lines, question, points=points)

    def column(*which: int):
        return lambda result: [
            turn if isinstance(turn, str) else turn[:, which].astype(int) for turn in result["turns"]
        ]

    plies, boards = "[turn.ply for turn in turns]", "[turn.planes for turn in turns]"
    numbers = "[sorted(turn.number) for turn in turns]"
    yield case("one game alone: a turn for each move, and none when it is over", ((),), 1, column(1), plies,
               "Does what you wrote down in one turn stay as it was while you count on?")  # fmt: skip
    yield case("the positions before the moves", (TIE, LOSS), 2, column(*range(2, 11)), boards,
               "Which position was thought about: the one before the move, or the one after it?")  # fmt: skip
    yield case("games of different lengths: who is over leaves", (LOSS, WIN, TIE, WIN), 4, column(0), numbers,
               "After game 1 has left, which row is game 2 in? Which arrays must know?")  # fmt: skip
    yield case("how each game ended, for its first player", (LOSS, WIN, TIE, (4, 0)), 4, lambda result: result["outcomes"], "outcomes",
               "Whose is the value of `game.outcome`? And who is to move after so many plies?", 3)  # fmt: skip
    yield case("two places, five games: a new one as soon as one is over", (TIE, WIN, LOSS), 2, column(0), numbers,
               "When a game leaves, how many may begin, and which numbers do they get?", 2, 5)  # fmt: skip
    yield case("`think` is asked about all games under way at once", (TIE, WIN, WIN, LOSS), 4,
               lambda result: [len(call) - 1 for call in result["asked"]], "# how many positions think was asked about, call by call",
               "What is lock step for: how many calls of the network does one move of 256 games cost?", 2)  # fmt: skip


# --- wrong and right -------------------------------------------------------------------------------------------------------

_MOVE = "states, plies = game.play(states, thoughts.moves), plies + 1"
_TURN = "turns.append(Turn(number, plies, game.encode(states), thoughts))"
_RESULT = "outcomes[number[over]] = first_player(plies[over]) * value[over]"
_LEAVE = "states, plies, number = states[~over], plies[~over], number[~over]"
_MORE = "more = min(places - len(states), games - begun)"

WRONG = [
    Wrong("the row taken for the game", "outcomes are written to the row that a game is in now instead of to its number",
          "Game 1 has left. Which row is game 2 in?", ("outcomes[number[over]]", "outcomes[np.flatnonzero(over)]")),
    Wrong("numbers left behind", "the numbers are not thinned out with the states: after the first game has left they name others",
          "Which arrays have a row for each game under way?", (_LEAVE, "states, plies, number = states[~over], plies[~over], number[: (~over).sum()]")),
    Wrong("for the player to move", "the outcomes are for whoever is to move when the game is over, not for the first player",
          "Whose is the value of `game.outcome`?", ("first_player(plies[over]) * value[over]", "value[over]")),
    Wrong("for the player who moved", "the sign is that of the player who has just moved, and the value is for the next",
          "The game is over, and the plies are counted. Who would be to move?", ("first_player(plies[over])", "first_player(plies[over] - 1)")),
    Wrong("plies counted from 0", "who is first is told from the turns that were played here: games that begin with some moves are turned round",
          "How many moves had been played when the game began?", ("first_player(plies[over])", "first_player(np.full(over.sum(), len(turns)))")),
    Wrong("who moved last has won", "a finished game counts as won by whoever moved last, draws, too",
          "How does a full board end?", (_RESULT, "outcomes[number[over]] = -first_player(plies[over])")),
    Wrong("position after the move", "the position after the move is written down, beside what was thought about the one before",
          "Which position was searched?", (_TURN, "pass"),
          (_MOVE, "before, plies_before = states, plies\n        states, plies = game.play(states, thoughts.moves), plies + 1\n"
                  "        turns.append(Turn(number, plies_before, game.encode(states), thoughts))")),
    Wrong("counted on in place", "the plies are counted on in the array that was written down: each turn says one move too many",
          "`plies += 1` changes an array. Who else holds it?",
          (_MOVE, "states = game.play(states, thoughts.moves)\n        plies += 1")),
    Wrong("the favorite is played", "the move that the policy likes best is played instead of the one that was chosen: nothing new is tried",
          "Which part of the thoughts says what is played?", ("game.play(states, thoughts.moves)", "game.play(states, thoughts.policy.argmax(axis=1))")),
    Wrong("waits for the slowest", "new games begin only when all others are over: places stand empty",
          "What happens in the place of a short game while the long ones go on?", ("if more > 0:", "if more > 0 and len(states) == 0:")),
    Wrong("only the first games", "no new games begin in the places of those that are over",
          "How many games have begun in the end?", ("if more > 0:", "if False:")),
    Wrong("more games than asked for", "every free place is filled as long as any game is to begin: in the end there are too many",
          "How many are still to begin, if there are fewer of them than free places?", (_MORE, "more = (places - len(states)) * (begun < games)")),
    Wrong("a number twice", "a new game gets the number of the one whose place it takes: the outcome of that is overwritten",
          "Which numbers are still free?", ("np.arange(begun, begun + more)", "np.flatnonzero(over)[:more]")),
    Wrong("new games at ply 0", "games that begin later are counted from ply 0, whatever `begin` says",
          "`begin` gives two arrays. What is the second for?", ("np.concatenate([plies, new_plies])", "np.concatenate([plies, 0 * new_plies])")),
    Wrong("one call a game", "`think` is asked about one game after the other: right, and as slow as that",
          "How many positions does one call of the network take?",
          ("thoughts = think(states, plies)",
           "thoughts = Thoughts(*map(np.concatenate, zip(*(think(states[i : i + 1], plies[i : i + 1]) for i in range(len(states))))))")),
]  # fmt: skip


def lockstep_in_place(game, begin, think, games, places):
    """New games take the rows of those that are over."""
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


def lockstep_by_masks(game, begin, think, games, places):
    """Fills the places at the beginning of each turn; every game has its row in arrays of all games."""
    states, plies = begin(min(places, games))
    number = list(range(len(states)))
    ended, turns = {}, []
    while True:
        fresh = min(places - len(number), games - len(ended) - len(number))
        if fresh:
            more, ply = begin(fresh)
            number += range(len(ended) + len(number), len(ended) + len(number) + fresh)
            states, plies = np.concatenate((more, states)), np.concatenate((ply, plies))
            number = number[-fresh:] + number[:-fresh]
        if not number:
            return turns, np.array([float(ended[k]) for k in range(games)])
        turns.append(Turn(np.array(number), plies, game.encode(states), think(states, plies)))
        states = game.play(states, turns[-1].thoughts.moves)
        plies = plies + 1
        over, value = game.outcome(states)
        ended |= {number[row]: first_player(plies[row]) * value[row] for row in np.flatnonzero(over)}
        going = np.flatnonzero(over == False)  # noqa: E712
        states, plies, number = states[going], plies[going], [number[row] for row in going]


CHECK = Specification(
    draws=draws(),
    edges=EDGES,
    arguments=arguments,
    oracle=oracle,
    judged=judged,
    returns=returns,
    changes={"begin", "think"},
    fresh=lambda result: result[1],
    examples=12,
    tolerance=1e-9,
    shown=shown,
    question="Find the first turn that is wrong. Which games are under way in it, and what does each array hold for them?",
    by_hand=by_hand,
    wrong=WRONG,
    right=[lockstep_in_place, lockstep_by_masks],
)
