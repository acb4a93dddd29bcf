"""What every game has to keep, as checks that any game can be put through: `check_game(Othello())`.

They play at random and compare what a game's methods say with one another. They can't know its rules: whether a stone
turns the right stones over needs an oracle of its own, such as the number of positions after so many moves
(`count_lines`).
"""

import pickle
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from course_utils.exercise import exercise
from course_utils.games.protocol import Game


@exercise("33")
def broken_promise(game: Game, rng: np.random.Generator) -> str:
    """Play 50 games at random to their ends, and look for a broken promise.

    "end": the game is over if no action is legal, and only then.
    "turns": after a move it is the other player's turn.
    "changed": a move leaves the state that it was played from as it was.
    rng: chooses the moves.
    Returns the promise that was seen broken, or "". (`before = state` makes no copy.)
    """
    for _ in range(50):
        state = game.initial_state()
        while True:
            legal = game.legal_actions(state)
            if game.is_terminal(state) != (len(legal) == 0):
                return "end"
            if not legal:
                break
            before = str(state)
            after = game.play(state, int(rng.choice(legal)))
            if str(state) != before:
                return "changed"
            if game.to_play(after) != -game.to_play(state):
                return "turns"
            state = after
    return ""


class Broken(AssertionError):
    """The game breaks the protocol; the message says where."""


def check_game(
    game: Game, rng: np.random.Generator | None = None, games: int = 10, seconds: float = float("inf")
) -> None:
    """Every check of `CHECKS`. Raises `Broken` (an AssertionError) at the first that fails.

    Args:
        rng: draws the moves; None: always the same ones.
        games: how many each check plays, to the end.
        seconds: no further game is begun after so long; one game has to end in that time.
    """
    rng, began = np.random.default_rng(0) if rng is None else rng, time.monotonic()
    check_description(game)
    for plies, (state, _) in enumerate(random_game(game, rng)):
        claim(time.monotonic() - began < seconds, f"a game has not ended after {plies} moves and {seconds:g} s", state)
    for check in CHECKS:
        for _ in range(games):
            if time.monotonic() - began < seconds:
                check(game, rng)


def claim(holds: bool, sentence: str, state: Any = None) -> None:
    if not holds:
        raise Broken(sentence if state is None else f"{sentence}, at\n{state}")


def played(game: Game, state: Any, action: int) -> Any:
    """The state after a legal action."""
    try:
        return game.play(state, action)
    except ValueError as error:
        raise Broken(f"{action} is legal but refused ({error}), at\n{state}") from None


def random_game(game: Game, rng: np.random.Generator) -> Iterator[tuple[Any, int | None]]:
    """(state, the action that is played there) from the start to the end, where the action is None."""
    state, plies = game.initial_state(), 0
    while not game.is_terminal(state):
        legal = game.legal_actions(state)
        claim(len(legal) > 0, "the game is not over, but there is no legal action (a pass would be one)", state)
        action = int(rng.choice(legal))
        yield state, action
        state, plies = played(game, state, action), plies + 1
        claim(plies <= 100 * game.rows * game.columns, f"the game has not ended after {plies} moves", state)
    yield state, None


def count_lines(game: Game, state: Any, plies: int) -> int:
    """How many sequences of `plies` moves can be played from `state`; one that ends the game sooner counts, too.

    Called perft elsewhere: known numbers, or those of another program, are an oracle for the rules.
    """
    if plies == 0 or game.is_terminal(state):
        return 1
    return sum(count_lines(game, game.play(state, action), plies - 1) for action in game.legal_actions(state))


# --- the checks ------------------------------------------------------------------------------------------------------


def check_description(game: Game) -> None:
    """What a game says about itself, and how it begins."""
    claim(isinstance(game.name, str) and game.name.isidentifier(), f"the name {game.name!r} can't be a file's name")
    for name in ("rows", "columns", "num_actions", "planes"):
        value = getattr(game, name)
        claim(isinstance(value, int) and value > 0, f"{name} is {value!r} and not a number above 0")
    names = [game.action_name(action) for action in range(game.num_actions)]
    claim(len(set(names)) == len(names), f"two actions have the same name: {names}")
    for row, column in product(range(game.rows), range(game.columns)):
        action = game.action_at(row, column)
        claim(type(action) is int and 0 <= action < game.num_actions, f"row {row}, column {column} means {action!r}")
    start = game.initial_state()
    claim(game.to_play(start) == 1, "the first player (+1) does not begin", start)
    claim(not game.is_terminal(start), "the game is over before it begins", start)
    try:
        copy = pickle.loads(pickle.dumps(game))
    except Exception as error:
        raise Broken(f"the game can't be pickled, so other processes can't play it: {error}") from None
    claim(copy.initial_state() == start, "a pickled copy begins elsewhere", start)


def check_moves(game: Game, rng: np.random.Generator) -> None:
    """Legal actions can be played, and no others; players take turns; a game ends where there is nothing to play."""
    for state, _ in random_game(game, rng):
        legal, over, player = game.legal_actions(state), game.is_terminal(state), game.to_play(state)
        claim(
            all(isinstance(action, int | np.integer) for action in legal), f"legal actions are not ints: {legal}", state
        )
        claim(legal == sorted(set(legal)), f"legal actions are not ascending: {legal}", state)
        claim(set(legal) <= set(range(game.num_actions)), f"legal actions are out of range: {legal}", state)
        claim(over == (legal == []), f"is the game over? is_terminal says {over}; legal actions: {legal}", state)
        claim(player in (1, -1), f"to_play is {player!r}", state)
        claim(game.winner(state) in ((1, 0, -1) if over else (0,)), f"winner is {game.winner(state)!r}", state)
        for action in legal:
            claim(
                game.to_play(played(game, state, action)) == -player,
                f"after {action} it is the same player's turn",
                state,
            )
        for action in {-1, *range(game.num_actions + 1)} - set(legal):
            try:
                game.play(state, action)
            except ValueError:
                continue
            raise Broken(f"{action} is not legal but can be played, at\n{state}")


def check_states(game: Game, rng: np.random.Generator) -> None:
    """A state never changes; the same moves lead to the same state, which has the same hash."""
    state = game.initial_state()
    for before, action in random_game(game, rng):
        claim(before == state, "the same moves led to another state", before)
        claim(hash(before) == hash(state), "equal states have different hashes", before)
        text, cells = str(before), game.cells(before).copy()
        claim(text != "", "str(state) is empty")
        game.legal_actions(before).clear()
        for array in (game.encode(before), game.cells(before)):
            if array.flags.writeable:
                array[...] = 0  # what is handed out must not be a part of the state
        for legal_action in game.legal_actions(before):
            played(game, before, legal_action)
        claim(str(before) == text and np.array_equal(game.cells(before), cells), "the state has changed", before)
        if action is not None:
            state = game.play(state, action)
            claim(state != before, f"after {action} the state is equal to the one before", before)


def check_encoding(game: Game, rng: np.random.Generator) -> None:
    """Planes of zeros and ones; the first two are the stones of the player to move and those of the opponent."""
    for state, _ in random_game(game, rng):
        planes, cells, player = game.encode(state), game.cells(state), game.to_play(state)
        shape = (game.planes, game.rows, game.columns)
        claim(planes.shape == shape, f"encode gives {planes.shape} and not {shape}", state)
        claim(planes.dtype == np.float32, f"encode gives {planes.dtype} and not float32", state)
        claim(bool(np.isin(planes, (0, 1)).all()), "encode gives other numbers than 0 and 1", state)
        claim(np.array_equal(planes[0], cells == player), "plane 0 is not the stones of the player to move", state)
        claim(np.array_equal(planes[1], cells == -player), "plane 1 is not the stones of the opponent", state)


def check_board(game: Game, rng: np.random.Generator) -> None:
    """What the board draws, and what a click means: the stone lands in a free cell that means the action."""
    places = {cell: game.action_at(*cell) for cell in product(range(game.rows), range(game.columns))}
    for state, action in random_game(game, rng):
        cells = game.cells(state)
        claim(cells.shape == (game.rows, game.columns), f"cells are {cells.shape}", state)
        claim(set(np.unique(cells)) <= {1, 0, -1}, "cells are not all +1, -1 or 0", state)
        if action is None:
            continue
        after, player = game.cells(game.play(state, action)), game.to_play(state)
        landed = [cell for cell in places if cells[cell] == 0 and after[cell] == player]
        expected = [action] if action in places.values() else []
        stones = f"action {action} put stones at {landed}, but may put a stone only at its own cell"
        claim([places[cell] for cell in landed] == expected, stones, state)
        for illegal in set(range(game.num_actions)) - set(game.legal_actions(state)):
            sentence = game.why_illegal(state, illegal)
            claim(isinstance(sentence, str) and sentence != "", f"there are no words on why not {illegal}", state)


def check_symmetries(game: Game, rng: np.random.Generator) -> None:
    """Forms move cells and actions alike: where the start looks the same, the game can be played in each of them."""
    start = game.encode(game.initial_state())
    actions, cells = np.arange(game.num_actions), np.arange(game.rows * game.columns)
    board = cells.reshape(1, game.rows, game.columns)
    forms = game.symmetries(board, actions)
    for places, policy in forms:
        claim(sorted(places.reshape(-1).tolist()) == cells.tolist(), "a symmetry loses cells")
        claim(sorted(policy.tolist()) == actions.tolist(), "a symmetry loses actions")
    claim(any(np.array_equal(p, board) and np.array_equal(q, actions) for p, q in forms), "the given form is missing")
    played = list(random_game(game, rng))
    for places, policy in forms:
        source = places.reshape(-1)  # of each cell, the cell it comes from

        def turned(planes: np.ndarray, source=source) -> np.ndarray:
            return planes.reshape(len(planes), -1)[:, source].reshape(planes.shape)

        if not np.array_equal(turned(start), start):
            continue
        state = game.initial_state()
        for before, action in played:
            same = np.array_equal(game.encode(state), turned(game.encode(before)))
            pair = f"one of the two forms of a position that `symmetries` makes of each other\n{before}\n\n{state}"
            claim(same, f"the planes are not turned along with the moves, in {pair}")
            over = game.is_terminal(state) == game.is_terminal(before)
            claim(over, f"the game is over in only {pair}")
            legal = np.flatnonzero(np.isin(policy, game.legal_actions(before))).tolist()
            claim(game.legal_actions(state) == legal, f"the legal actions are not turned along, in {pair}")
            claim(game.winner(state) == game.winner(before), f"there is another winner in {pair}")
            if action is not None:
                state = game.play(state, int(np.flatnonzero(policy == action)[0]))


def check_batched(game: Game, rng: np.random.Generator, batch: int = 8) -> None:
    """Games in lock step are the same games."""
    batched = game.batched()
    states, arrays = [game.initial_state()] * batch, batched.initial(batch)
    while True:
        over, value = batched.outcome(arrays)
        legal = batched.legal(arrays)
        claim(batched.to_states(arrays) == states, "to_states gives other states")
        claim(np.array_equal(batched.from_states(states), arrays), "from_states gives other arrays")
        planes = batched.encode(arrays)
        claim(planes.dtype == np.float32, f"encode gives {planes.dtype} and not float32")
        for i, state in enumerate(states):
            claim(np.array_equal(planes[i], game.encode(state)), "the batch is encoded in another way", state)
            claim(np.flatnonzero(legal[i]).tolist() == game.legal_actions(state), "other actions are legal", state)
            claim(bool(over[i]) == game.is_terminal(state), "the batch disagrees on whether the game is over", state)
            worth = game.winner(state) * game.to_play(state)
            claim(value[i] == worth, f"the batch says {value[i]} for the player to move, and not {worth}", state)
        going = np.flatnonzero(~over)
        if len(going) == 0:
            return
        states, arrays = [states[i] for i in going], arrays[going]
        actions = np.array([rng.choice(game.legal_actions(state)) for state in states])
        before = arrays.copy()
        arrays = batched.play(arrays, actions)
        claim(batched.to_states(before) == states, "playing changed the array it was given")
        states = [game.play(state, int(action)) for state, action in zip(states, actions, strict=True)]


CHECKS = (check_states, check_moves, check_encoding, check_board, check_symmetries, check_batched)
