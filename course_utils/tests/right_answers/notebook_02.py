"""Right answers to notebook 02 that are written differently from the reference."""

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np

from course_utils.games.connect_n import ConnectState, completes_line, connect_legal_actions
from course_utils.games.tictactoe import State, is_terminal, legal_actions, play, winner


def winner_sums(state):
    board = np.array(state.cells).reshape(3, 3)
    sums = [*board.sum(axis=0), *board.sum(axis=1), board.trace(), np.fliplr(board).trace()]
    return 1 if 3 in sums else -1 if -3 in sums else 0


def winner_slices(state):
    c = state.cells
    for line in (c[0:3], c[3:6], c[6:9], c[0::3], c[1::3], c[2::3], c[0::4], c[2:7:2]):
        if set(line) in ({1}, {-1}):
            return line[0]
    return 0


def winner_magic_square(state):
    magic = (2, 7, 6, 9, 5, 1, 4, 3, 8)
    for player in (1, -1):
        mine = [magic[i] for i, mark in enumerate(state.cells) if mark == player]
        if any(sum(three) == 15 for three in itertools.combinations(mine, 3)):
            return player
    return 0


def winner_last_mover(state):
    """Only the player who moved last can have a line."""
    last = -state.to_play
    rows = [state.cells[i : i + 3] for i in range(0, 9, 3)]
    columns = list(zip(*rows, strict=True))
    diagonals = [[rows[i][i] for i in range(3)], [rows[i][2 - i] for i in range(3)]]
    return last if any(all(mark == last for mark in line) for line in rows + columns + diagonals) else 0


def is_terminal_count(state):
    return state.cells.count(0) == 0 or winner(state) in (1, -1)


def is_terminal_steps(state):
    if winner(state):
        return True
    free = 0
    for cell in state.cells:
        if cell == 0:
            free += 1
    return free == 0


def is_terminal_numpy(state):
    return np.all(np.array(state.cells) != 0) | (abs(winner(state)) == 1)  # np.bool_


def legal_actions_numpy(state):
    if is_terminal(state):
        return []
    return np.flatnonzero(np.array(state.cells) == 0).tolist()


def legal_actions_loop(state):
    found = []
    for action, cell in enumerate(state.cells):
        if winner(state) == 0 and not cell:
            found.append(action)
    return found


def play_slices(state, action):
    if action not in (possible := legal_actions(state)):
        raise ValueError("You can't do that. You could have chosen: " + ", ".join(map(str, possible)))
    return State(state.cells[:action] + (state.to_play,) + state.cells[action + 1 :], state.to_play * -1)


def play_checks_in_turn(state, action):
    """Each reason by itself, and a board with the free cells numbered as the message."""
    marks = {1: "X", -1: "O"}
    board = "".join(marks.get(cell, str(i)) for i, cell in enumerate(state.cells))
    if is_terminal(state):
        raise ValueError("the game is over")
    if action < 0 or action > 8:
        raise ValueError(f"no such cell; pick a number from {board}")
    if state.cells[action]:
        raise ValueError(f"cell taken; pick a number from {board}")
    return state._replace(
        cells=tuple(state.to_play if i == action else cell for i, cell in enumerate(state.cells)),
        to_play=1 if state.to_play == -1 else -1,
    )


def play_numpy(state, action):
    class IllegalMove(ValueError):
        pass

    legal = np.array(legal_actions(state))
    if not np.any(legal == action):
        raise IllegalMove(f"legal are {[*legal]}")
    cells = np.array(state.cells)
    cells[action] = state.to_play
    return State(to_play=-state.to_play, cells=tuple(cells.tolist()))


class NotebookState(NamedTuple):
    """What a notebook's own cell defines: another class with the same fields."""

    cells: tuple[int, ...] = (0,) * 9
    to_play: int = 1


def play_own_state(state, action):
    legal = legal_actions(state)
    if action not in legal:
        raise ValueError(f"legal: {legal}")
    cells = [*state.cells]
    cells[action] = state.to_play
    return NotebookState(tuple(cells), -state.to_play)


def encode_loop(state):
    planes = np.zeros((2, 3, 3), dtype=np.float32)
    for cell, mark in enumerate(state.cells):
        if mark:
            planes[0 if mark == state.to_play else 1, cell // 3, cell % 3] = 1
    return planes


def encode_product(state):
    seen = np.array(state.cells, dtype=np.float32).reshape(3, 3) * state.to_play
    return np.maximum([seen, -seen], np.float32(0))


def encode_where(state):
    board = np.asarray(state.cells)
    mine, theirs = (np.where(board == player, 1.0, 0.0) for player in (state.to_play, -state.to_play))
    return np.concatenate([mine, theirs]).astype("float32").reshape(2, 3, 3)


def symmetries_flips(planes, policy):
    together = np.concatenate([planes, policy.reshape(1, 3, 3)])
    pairs = []
    for axes in ((0, 1, 2), (0, 2, 1)):
        for step_down in (1, -1):
            for step_right in (1, -1):
                turned = together.transpose(axes)[:, ::step_down, ::step_right].copy()
                pairs.append((turned[:2], turned[2].reshape(-1)))
    return pairs


def symmetries_indices(planes, policy):
    """Turn the cell numbers once, then look everything up."""
    cells = np.arange(9).reshape(3, 3)
    orders = [np.rot90(view, turns).ravel() for view in (cells, np.flipud(cells)) for turns in (1, 2, 3, 4)]
    return [(planes.reshape(2, 9)[:, order].reshape(2, 3, 3), policy[order]) for order in orders]


def symmetries_loops(planes, policy):
    def turned(board):
        return np.array([[board[2 - column][row] for column in range(3)] for row in range(3)])

    def mirrored(board):
        return np.array([list(row)[::-1] for row in board])

    boards = [planes[0], planes[1], policy.reshape(3, 3)]
    pairs = []
    for _ in range(2):
        for _ in range(4):
            pairs.append([np.array([boards[0], boards[1]]), np.array(boards[2]).flatten()])
            boards = [turned(board) for board in boards]
        boards = [mirrored(board) for board in boards]
    return tuple(pairs)


def count_games_memory(state):
    @functools.cache
    def count(position):
        return 1 if is_terminal(position) else sum(count(play(position, a)) for a in legal_actions(position))

    return count(state)


def count_games_stack(state):
    finished, waiting = 0, [state]
    while waiting:
        position = waiting.pop()
        following = [play(position, action) for action in legal_actions(position)]
        finished += not following
        waiting.extend(following)
    return finished


def count_games_own_rules(state):
    """Orders of filling all free cells, each weighed by how many share the same shortened game."""
    free = [i for i, cell in enumerate(state.cells) if cell == 0]
    if is_terminal(state):
        return 1
    total = 0.0
    for order in itertools.permutations(free) if len(free) < 7 else ():
        position, left = state, len(free)
        for action in order:
            position, left = play(position, action), left - 1
            if is_terminal(position):
                break
        total += 1 / math.factorial(left)
    return round(total) if len(free) < 7 else sum(count_games_own_rules(play(state, action)) for action in free)


# --- Connect N -------------------------------------------------------------------------------------------------------


def completes_line_windows(state, column):
    """Every window of n cells through the stone."""
    y = len(state.columns[column]) - 1
    last = state.columns[column][y]
    stones = {(x, h): stone for x, pile in enumerate(state.columns) for h, stone in enumerate(pile)}
    for dx, dy in itertools.product((-1, 0, 1), repeat=2):
        for start in range(state.n if dx or dy else 0):
            cells = [(column + (k - start) * dx, y + (k - start) * dy) for k in range(state.n)]
            if all(stones.get(cell) == last for cell in cells):
                return True
    return False


def completes_line_strings(state, column):
    """Four strings through the stone, and a search for XXXX in each."""
    height, rows = len(state.columns[column]) - 1, state.rows
    grid = [["." if h >= len(pile) else "XO"[pile[h] < 0] for h in range(rows)] for pile in state.columns]
    wide = range(len(grid))
    wanted = grid[column][height] * state.n
    lines = [
        "".join(grid[column]),
        "".join(grid[x][height] for x in wide),
        "".join(grid[x][height + x - column] for x in wide if 0 <= height + x - column < rows),
        "".join(grid[x][height - x + column] for x in wide if 0 <= height - x + column < rows),
    ]
    return any(wanted in line for line in lines)


def completes_line_whole_board(state, column):
    """Looks at the whole board; the mover's stones only, who is not the player to move any more."""
    padded = np.zeros((len(state.columns) + 2 * state.n, state.rows + 2 * state.n), dtype=bool)
    for x, pile in enumerate(state.columns):
        for y, stone in enumerate(pile):
            padded[x + state.n, y + state.n] = stone == -state.to_play
    for step in ((1, 0), (0, 1), (1, 1), (1, -1)):
        run = padded
        for k in range(1, state.n):
            run = run & np.roll(padded, (k * step[0], k * step[1]), axis=(0, 1))
        if run.any():
            return np.True_
    return np.False_


def completes_line_recursive(state, column):
    def count(x, y, dx, dy):
        if x in range(len(state.columns)) and y in range(len(state.columns[x])) and state.columns[x][y] == player:
            return 1 + count(x + dx, y + dy, dx, dy)
        return 0

    y = len(state.columns[column]) - 1
    player = state.columns[column][-1]
    best = max(
        count(column, y, dx, dy) + count(column, y, -dx, -dy) - 1 for dx, dy in ((0, 1), (1, 1), (1, 0), (-1, 1))
    )
    return best > state.n - 1


def connect_legal_actions_numpy(state):
    heights = np.array([len(stones) for stones in state.columns])
    return [] if state.winner else np.flatnonzero(heights != state.rows).tolist()


def connect_legal_actions_loop(state):
    found = []
    for column in range(len(state.columns)):
        if not abs(state.winner) and state.rows - len(state.columns[column]) > 0:
            found += [column]
    return found


def connect_play_new_state(state, action):
    if action not in (possible := connect_legal_actions(state)):
        raise ValueError("You can't do that. You could have chosen: " + " ".join(map(str, possible)))
    columns = tuple(pile + (state.to_play,) if x == action else pile for x, pile in enumerate(state.columns))
    child = ConnectState(columns, -state.to_play, 0, state.rows, state.n)
    return ConnectState(columns, -state.to_play, state.to_play * completes_line(child, action), state.rows, state.n)


def connect_play_lists(state, action):
    """Each reason by itself; the line is looked for before the turn passes."""
    free = [x for x in range(len(state.columns)) if len(state.columns[x]) < state.rows]
    if state.winner:
        raise ValueError("the game is over: nothing is legal")
    if not 0 <= action < len(state.columns):
        raise ValueError(f"no such column; legal are {free}")
    if action not in free:
        raise ValueError(f"this column is full; legal are {free}")
    piles = [list(pile) for pile in state.columns]
    piles[action].append(state.to_play)
    child = state._replace(columns=tuple(tuple(pile) for pile in piles))
    if completes_line(child, action):
        child = child._replace(winner=child.to_play)
    return child._replace(to_play=-child.to_play)


class NotebookConnectState(NamedTuple):
    """What a notebook's own cell defines: another class with the same fields."""

    columns: tuple[tuple[int, ...], ...] = ((),) * 7
    to_play: int = 1
    winner: int = 0
    rows: int = 6
    n: int = 4


def connect_play_own_state(state, action):
    legal = connect_legal_actions(state)
    if legal.count(action) == 0:
        raise ValueError(f"legal: {legal}")
    stones = {**dict(enumerate(state.columns)), action: (*state.columns[action], state.to_play)}
    child = NotebookConnectState(tuple(stones.values()), -state.to_play, rows=state.rows, n=state.n)
    return child._replace(winner=-child.to_play if completes_line(child, action) else 0)


def connect_encode_from_the_top(state):
    piles = [[*stones, *[0] * (state.rows - len(stones))][::-1] for stones in state.columns]
    board = np.transpose(piles)
    return np.array([board == state.to_play, board == -state.to_play], dtype=np.float32)


def connect_encode_flipped(state):
    planes = np.zeros((2, len(state.columns), state.rows), "f4")
    for mine, plane in zip((True, False), planes, strict=True):
        for x, stones in enumerate(state.columns):
            plane[x, : len(stones)] = [(stone == state.to_play) == mine for stone in stones]
    return planes.transpose(0, 2, 1)[:, ::-1]


def connect_encode_drawing(state):
    """Reads the drawing, which is the right way up."""
    lines = [line.split() for line in str(state).splitlines()[: state.rows]]
    marks = "XO" if state.to_play == 1 else "OX"
    return np.float32([[[cell == mark for cell in line] for line in lines] for mark in marks])


RIGHT = {
    "winner": [winner_sums, winner_slices, winner_magic_square, winner_last_mover],
    "is_terminal": [is_terminal_count, is_terminal_steps, is_terminal_numpy],
    "legal_actions": [legal_actions_numpy, legal_actions_loop],
    "play": [play_slices, play_checks_in_turn, play_numpy, play_own_state],
    "encode": [encode_loop, encode_product, encode_where],
    "symmetries": [symmetries_flips, symmetries_indices, symmetries_loops],
    "count_games": [count_games_memory, count_games_stack, count_games_own_rules],
    "completes_line": [
        completes_line_windows,
        completes_line_strings,
        completes_line_whole_board,
        completes_line_recursive,
    ],
    "connect_legal_actions": [connect_legal_actions_numpy, connect_legal_actions_loop],
    "connect_play": [connect_play_new_state, connect_play_lists, connect_play_own_state],
    "connect_encode": [connect_encode_from_the_top, connect_encode_flipped, connect_encode_drawing],
}
