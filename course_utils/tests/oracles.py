"""Independent answers that the checks judge by: slower, written another way, never the code under test."""

from functools import cache
from itertools import product

import numpy as np

# --- tic-tac-toe, from its definition --------------------------------------------------------------------------------


def has_line(cells, player: int) -> bool:
    """Three of `player` in a row: any start, any direction, three steps that stay on the board."""
    grid = {(i // 3, i % 3): cell for i, cell in enumerate(cells)}
    return any(
        all(grid.get((row + step * down, column + step * right)) == player for step in range(3))
        for row, column in grid
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


def reachable() -> dict[tuple, int]:
    """Every reachable tic-tac-toe position: cells -> player to move. 5,478 of them."""
    found = {(0,) * 9: 1}
    frontier = [((0,) * 9, 1)]
    while frontier:
        cells, player = frontier.pop()
        if has_line(cells, 1) or has_line(cells, -1):
            continue
        for i in range(9):
            if cells[i] == 0:
                after = cells[:i] + (player,) + cells[i + 1 :]
                if after not in found:
                    found[after] = -player
                    frontier.append((after, -player))
    return found


# --- the same position by another way --------------------------------------------------------------------------------


def other_order(game, start, actions: list[int]) -> list[int]:
    """The same moves from `start` in another order, two of one player's exchanged; [] if none leads to the same position."""
    for first, second in ((i, j) for j in reversed(range(len(actions))) for i in range(j - 2, -1, -2)):
        other = list(actions)
        other[first], other[second] = actions[second], actions[first]
        if other != list(actions) and (end := _reached(game, start, other)) is not None:
            return other if end == _reached(game, start, actions) else []
    return []


def _reached(game, state, actions: list[int]):
    """The position after these moves; None if one of them is not legal."""
    for action in actions:
        if action not in game.legal_actions(state):
            return None
        state = game.play(state, action)
    return state


# --- Connect N, on a plain board -------------------------------------------------------------------------------------


@cache
def windows(rows: int, columns: int, n: int) -> list[list[tuple[int, int]]]:
    """Every place for a line: n cells (row, column) across, down, or along a diagonal. Connect Four has 69."""
    found = []
    for row, column in product(range(rows), range(columns)):
        for end_row, end_column in ((row, column + n - 1), (row + n - 1, column)):
            if end_row < rows and end_column < columns:
                steps = max(n - 1, 1)
                down, right = (end_row - row) // steps, (end_column - column) // steps
                found.append([(row + k * down, column + k * right) for k in range(n)])
        if row + n <= rows and column + n <= columns:
            found.append([(row + k, column + k) for k in range(n)])
            found.append([(row + k, column + n - 1 - k) for k in range(n)])
    return found


# --- search ----------------------------------------------------------------------------------------------------------


class HashNetwork:
    """A made-up opinion about every position, the same each time, in float64: a network that tests can predict nothing of."""

    def __init__(self, num_actions: int, seed: int = 0):
        self.num_actions, self.seed = num_actions, seed
        self.calls: list[int] = []  # the batch sizes it was asked for

    def __call__(self, planes):
        planes = np.asarray(planes)
        self.calls.append(len(planes))
        answers = [self._one(board) for board in planes]
        return np.array([value for value, _ in answers]), np.stack([logits for _, logits in answers])

    def _one(self, board):
        key = np.frombuffer(np.ascontiguousarray(board, dtype=np.float32).tobytes(), dtype=np.uint32)
        rng = np.random.default_rng([self.seed, *key.tolist()])
        return rng.uniform(-0.9, 0.9), rng.normal(size=self.num_actions)


class WithPrior:
    """A network whose logits at one position are given: how `puct_visits` searches with root noise."""

    def __init__(self, network, planes, prior):
        self.network, self.planes, self.prior = network, planes, prior

    def __call__(self, planes):
        value, logits = self.network(planes)
        if np.array_equal(planes[0], self.planes):
            logits = np.log(np.maximum(self.prior, 1e-300))[None]
        return value, logits


def puct_visits(game, state, network, simulations: int, c_puct: float, after_each=lambda: None) -> list[int]:
    """Root visits of PUCT, by recursion over plain dictionaries keyed by the path of actions.

    `after_each` is called when the root has been looked at, and after each simulation.
    """
    prior, count, total = {}, {}, {}

    def look(path, position):
        """Value for the mover at `position`; remembers its priors."""
        if game.is_terminal(position):
            return float(game.winner(position) * game.to_play(position))
        value, logits = network(game.encode(position)[None])
        legal = game.legal_actions(position)
        weights = [np.exp(float(logits[0][action])) for action in legal]
        prior[path] = {action: weight / sum(weights) for action, weight in zip(legal, weights, strict=True)}
        return float(value[0])

    def simulate(path, position):
        """Value for the mover at `position` of one simulation through it."""
        if game.is_terminal(position):
            return float(game.winner(position) * game.to_play(position))
        if path not in prior:
            return look(path, position)
        seen = sum(count.get((path, action), 0) for action in prior[path])

        def score(action):
            n, w = count.get((path, action), 0), total.get((path, action), 0.0)
            return (w / n if n else 0.0) + c_puct * prior[path][action] * (1 + seen) ** 0.5 / (1 + n)

        action = max(sorted(prior[path]), key=lambda a: (score(a), -a))
        value = -simulate((*path, action), game.play(position, action))
        count[path, action] = count.get((path, action), 0) + 1
        total[path, action] = total.get((path, action), 0.0) + value
        return value

    look((), state)
    after_each()
    for _ in range(simulations):
        simulate((), state)
        after_each()
    return [count.get(((), action), 0) for action in range(game.num_actions)]
