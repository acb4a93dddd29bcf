"""Implement AlphaZero's search by plain loops, as an oracle for the tests of every search."""

import numpy as np


def puct_visits(game, state, network, simulations: int, c_puct: float, noise=None) -> list[int]:
    """Return the root visits of PUCT, by recursion over plain dictionaries keyed by the path of actions.

    noise: {action: prior} -> {action: prior}, for the root.
    """
    prior: dict[tuple, dict[int, float]] = {}
    count: dict[tuple, int] = {}
    total: dict[tuple, float] = {}

    def look(path, position):
        """Return the value for the player to move at `position`, and store its priors."""
        value, logits = network(game.encode(position)[None])
        weights = {action: np.exp(float(logits[0][action])) for action in game.legal_actions(position)}
        prior[path] = {action: weight / sum(weights.values()) for action, weight in weights.items()}
        return float(value[0])

    def simulate(path, position):
        """Run a simulation from `position`, and return its value for the player to move there."""
        if game.is_terminal(position):
            return float(game.winner(position) * game.to_play(position))
        if path not in prior:
            return look(path, position)
        seen = sum(count.get((path, action), 0) for action in prior[path])

        def score(action):
            n, w = count.get((path, action), 0), total.get((path, action), 0.0)
            return (w / n if n else 0.0) + c_puct * prior[path][action] * (1 + seen) ** 0.5 / (1 + n)

        action = max(sorted(prior[path]), key=score)  # the first of equals
        value = -simulate((*path, action), game.play(position, action))
        count[path, action] = count.get((path, action), 0) + 1
        total[path, action] = total.get((path, action), 0.0) + value
        return value

    look((), state)
    if noise is not None:
        prior[()] = noise(prior[()])
    for _ in range(simulations):
        simulate((), state)
    return [count.get(((), action), 0) for action in range(game.num_actions)]
