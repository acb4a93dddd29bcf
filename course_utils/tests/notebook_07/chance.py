"""Where chance decides, a case draws often and allows six and a half standard deviations: a right answer fails one run in
billions, and it may use the generator in any way it likes."""

import numpy as np

SIGMAS = 6.5  # one in 10 billion


def seed_of(rng) -> int:
    return int(rng.integers(2**31))


def from_the_generator_alone(draw):
    """A run: whether `draw(answer, rng)` depends on the generator handed over, and on no other source of chance."""

    def run(answer):
        before = np.random.get_state()  # noqa: NPY002 - the legacy generator is what this looks for
        try:
            drawn = []
            for global_seed in (1, 2):
                np.random.seed(global_seed)  # noqa: NPY002
                drawn.append([draw(answer, np.random.default_rng(seed)) for seed in range(12)])
        finally:
            np.random.set_state(before)  # noqa: NPY002
        first, second = (np.array([np.ravel(one) for one in draws], dtype=float) for draws in drawn)
        if not np.array_equal(first, second):
            return "another result at each run"
        return "the same result whatever the seed" if (first == first[0]).all() else "same seed, same result"

    return run


def tempered(visits, temperature: float) -> list[float]:
    """The definition, through logarithms: p proportional to N ** (1 / temperature)."""
    logs = {action: np.log(count) / temperature for action, count in enumerate(visits) if count > 0}
    top = max(logs.values())
    total = sum(np.exp(one - top) for one in logs.values())
    return [float(np.exp(logs[action] - top) / total) if action in logs else 0.0 for action in range(len(visits))]
