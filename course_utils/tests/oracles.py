"""Independent answers that the checks judge by: slower, written another way, never the code under test."""

import numpy as np

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
