"""Right answers to notebook 03's exercises, written differently from the reference."""

import math

import numpy as np


def negamax_with_a_loop(game, state):
    if game.is_terminal(state):
        if game.winner(state) == 0:
            return 0
        return 1 if game.winner(state) == game.to_play(state) else -1
    best = -2
    for action in game.legal_actions(state):
        value = -negamax_with_a_loop(game, game.play(state, action))
        if value > best:
            best = value
    return best


def negamax_remembering(game, state):
    known = {}

    def value(position):
        if position not in known:
            if game.is_terminal(position):
                known[position] = float(game.winner(position) * game.to_play(position))
            else:
                known[position] = -min(value(game.play(position, action)) for action in game.legal_actions(position))
        return known[position]

    return value(state)


def negamax_that_stops_at_a_win(game, state):
    legal = game.legal_actions(state)
    if not legal:  # whoever won made the last move
        return -abs(game.winner(state))
    best = -1
    for action in legal:
        best = max(best, -negamax_that_stops_at_a_win(game, game.play(state, action)))
        if best == 1:
            break
    return best


def minimax_two_functions(game, state):
    """Maximizer and minimizer, turned to the mover's point of view at the end."""

    def highest(position):
        if game.is_terminal(position):
            return game.winner(position)
        return max(lowest(game.play(position, action)) for action in game.legal_actions(position))

    def lowest(position):
        if game.is_terminal(position):
            return game.winner(position)
        return min(highest(game.play(position, action)) for action in game.legal_actions(position))

    return highest(state) if game.to_play(state) == 1 else -lowest(state)


def fail_hard(game, state, alpha=-1, beta=1, *, depth=None, heuristic=None, order=None):
    if game.is_terminal(state):
        return game.winner(state) * game.to_play(state), 1
    if depth is not None and depth <= 0:
        return (0 if heuristic is None else heuristic(game, state)), 1
    nodes = 1
    actions = game.legal_actions(state) if order is None else order(game, state)
    for action in actions:
        value, below = fail_hard(
            game,
            game.play(state, action),
            alpha=-beta,
            beta=-alpha,
            depth=None if depth is None else depth - 1,
            heuristic=heuristic,
            order=order,
        )
        nodes += below
        if -value >= beta:
            return beta, nodes
        if -value > alpha:
            alpha = -value
    return alpha, nodes


def cuts_only_beyond_the_bound(game, state, alpha=-1.0, beta=1.0, depth=None, heuristic=None, order=None):
    if game.is_terminal(state):
        return float(game.winner(state) * game.to_play(state)), 1
    if depth == 0:
        return (heuristic or (lambda game, state: 0.0))(game, state), 1
    best, nodes = -math.inf, 1
    for action in order(game, state) if order else game.legal_actions(state):
        child = game.play(state, action)
        deeper = depth - 1 if depth is not None else None
        value, below = cuts_only_beyond_the_bound(game, child, -beta, -max(alpha, best), deeper, heuristic, order)
        nodes += below
        best = max(best, -value)
        if best > beta:
            break
    return best, nodes


def maximizer_and_minimizer(game, state, alpha=-math.inf, beta=math.inf, *, depth=None, heuristic=None, order=None):
    """From the first player's point of view inside; the window is clipped to the values there are."""
    alpha, beta = max(alpha, -1), min(beta, 1)
    sign = game.to_play(state)
    looked = [0]

    def search(position, low, high, left):
        looked[0] += 1
        if game.is_terminal(position):
            return game.winner(position)
        if left == 0:
            return heuristic(game, position) * game.to_play(position) if heuristic else 0
        first = game.to_play(position) == 1
        best = -math.inf if first else math.inf
        for action in order(game, position) if order else game.legal_actions(position):
            value = search(game.play(position, action), low, high, left - 1)
            if first:
                best = max(best, value)
                low = max(low, value)
            else:
                best = min(best, value)
                high = min(high, value)
            if low >= high:
                break
        return best

    low, high = (alpha, beta) if sign == 1 else (-beta, -alpha)
    return sign * search(state, low, high, math.inf if depth is None else depth), looked[0]


def heuristic_with_arrays(game, state, n):
    board = game.cells(state).astype(int) * game.to_play(state)
    rows, columns = board.shape
    edge = 7
    padded = np.full((rows + 2, columns + 2), edge)
    padded[1:-1, 1:-1] = board
    total = places = 0
    for down, right in ((0, 1), (1, 0), (1, 1), (-1, 1)):
        for row in range(1, rows + 1):
            for column in range(1, columns + 1):
                last_row, last_column = row + (n - 1) * down, column + (n - 1) * right
                if not (1 <= last_row <= rows and 1 <= last_column <= columns):
                    continue
                places += 1
                stones = sum(padded[row + i * down, column + i * right] for i in range(n))
                free = padded[row - down, column - right] == 0 or padded[last_row + down, last_column + right] == 0
                if free and abs(stones) == n:
                    total += np.sign(stones)
    return total / (places + 1)


def heuristic_with_lines(game, state, n):
    """Rows, columns and diagonals as lists; then one dimension only."""
    board = game.cells(state)
    lines = [*board, *board.T]
    for turned in (board, board[:, ::-1]):
        lines += [turned.diagonal(offset) for offset in range(-turned.shape[0] + 1, turned.shape[1])]

    def runs(line, player):
        count = 0
        for i in range(len(line) - n + 1):
            if all(cell == player for cell in line[i : i + n]):
                left_free = i > 0 and line[i - 1] == 0
                right_free = i + n < len(line) and line[i + n] == 0
                count += left_free or right_free
        return count

    me = game.to_play(state)
    mine, theirs = (sum(runs(line, player) for line in lines) for player in (me, -me))
    return (mine - theirs) / (1 + sum(max(0, len(line) - n + 1) for line in lines))


RIGHT = {
    "negamax": [negamax_with_a_loop, negamax_remembering, negamax_that_stops_at_a_win, minimax_two_functions],
    "alpha_beta": [fail_hard, cuts_only_beyond_the_bound, maximizer_and_minimizer],
    "heuristic": [heuristic_with_arrays, heuristic_with_lines],
}
