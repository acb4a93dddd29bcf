"""Right answers for notebook 07, written differently from the references."""

import math

import numpy as np

from course_utils.learning.examples import Examples
from course_utils.learning.self_play import add_root_noise, sample_action, value_targets
from course_utils.search.puct import mcts_search


def sample_by_one_uniform_number(visits, temperature, rng):
    if temperature < 1e-8:
        return visits.argmax().item()
    powers = (visits / visits.max()) ** (1.0 / temperature)
    cumulated = np.cumsum(powers)
    return int(np.searchsorted(cumulated, rng.random() * cumulated[-1], side="right"))


def sample_by_logarithms(visits, temperature, rng):
    if temperature < 1e-8:
        return list(visits).index(max(visits))
    logs = [math.log(count) / temperature if count > 0 else -math.inf for count in visits]
    top = max(logs)
    weights = np.array([math.exp(one - top) for one in logs])
    return int(np.argmax(rng.multinomial(1, weights / weights.sum())))


def sample_by_gumbel_noise(visits, temperature, rng):
    if temperature < 1e-8:
        return int(np.flatnonzero(visits == visits.max())[0])
    tried = np.flatnonzero(visits)
    return int(tried[np.argmax(np.log(visits[tried]) / temperature + rng.gumbel(size=len(tried)))])


def noise_from_gammas(prior, legal, rng, *, alpha=0.5, fraction=0.25):
    drawn = rng.gamma(alpha, size=len(prior)) * legal
    return prior * (1 - fraction) + fraction * drawn / drawn.sum()


def noise_drawn_for_all_and_renormalized(prior, legal, rng, *, alpha=0.5, fraction=0.25):
    if legal.sum() == 1:
        return prior.copy()
    noise = np.where(legal, rng.dirichlet(np.full(len(prior), alpha)), 0)
    return (1 - fraction) * prior + fraction * (noise / noise.sum())


def noise_by_index(prior, legal, rng, *, alpha=0.5, fraction=0.25):
    actions = [action for action, may in enumerate(legal) if may]
    mixed = prior.astype(np.float64)
    for action, noise in zip(actions, rng.dirichlet(np.ones(len(actions)) * alpha), strict=True):
        mixed[action] = mixed[action] * (1 - fraction) + noise * fraction
    return mixed


def values_by_comparison(players, winner):
    return [0.0 if winner == 0 else 1.0 if player == winner else -1.0 for player in players]


def values_as_integers(players, winner):
    return np.array([player * winner for player in players])


def game_by_recursion(
    game,
    network,
    rng,
    *,
    simulations=50,
    c_puct=1.5,
    exploratory_plies=3,
    noise_alpha=0.5,
    noise_fraction=0.25,
):
    def noise(prior, legal, generator):
        return add_root_noise(prior, legal, generator, alpha=noise_alpha, fraction=noise_fraction)

    def play_on(state, ply):
        """(winner, (planes, policy, value) of each position) of the rest of the game."""
        if game.is_terminal(state):
            return game.winner(state), []
        visits, root = mcts_search(game, state, network, simulations, c_puct, noise=noise, rng=rng, return_root=True)
        action = int(np.argmax(visits)) if ply >= exploratory_plies else sample_action(visits, 1, rng)
        winner, later = play_on(root.children[action].state, ply + 1)
        example = (game.encode(state), visits / simulations, float(winner * game.to_play(state)))
        return winner, [example, *later]

    return Examples.of_game(*zip(*play_on(game.initial_state(), 0)[1], strict=True))


def game_with_a_history(
    game,
    network,
    rng,
    *,
    simulations=50,
    c_puct=1.5,
    exploratory_plies=3,
    noise_alpha=0.5,
    noise_fraction=0.25,
):
    history, state = [], game.initial_state()
    while game.legal_actions(state):
        noisy = None
        if noise_fraction > 0:
            noisy = lambda p, m, r: add_root_noise(p, m, r, alpha=noise_alpha, fraction=noise_fraction)  # noqa: E731
        visits = mcts_search(game, state, network, simulations, c_puct, noise=noisy, rng=rng)
        history.append((state, visits))
        if len(history) > exploratory_plies:
            action = sample_action(visits, 0, rng)
        else:
            action = int(rng.choice(game.num_actions, p=visits / visits.sum()))
        state = game.play(state, action)
    z = value_targets([game.to_play(before) for before, _ in history], game.winner(state))
    planes = np.stack([game.encode(before) for before, _ in history])
    policy = np.array([[count / sum(visits) for count in visits] for _, visits in history], dtype=np.float32)
    return Examples(planes, policy, z, z, np.arange(len(history)))


RIGHT = {
    "sample_action": [sample_by_one_uniform_number, sample_by_logarithms, sample_by_gumbel_noise],
    "add_root_noise": [noise_from_gammas, noise_drawn_for_all_and_renormalized, noise_by_index],
    "value_targets": [values_by_comparison, values_as_integers],
    "self_play_game": [game_by_recursion, game_with_a_history],
}
