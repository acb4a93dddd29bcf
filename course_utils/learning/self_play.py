"""Self-play: an agent plays itself, and every position becomes an example to learn from."""

from functools import partial

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.learning.examples import Examples
from course_utils.networks import Network
from course_utils.search.puct import mcts_search


@exercise("04")
def sample_action(visits: np.ndarray, temperature: float, rng: np.random.Generator) -> int:
    """Choose an action with probability proportional to visits ** (1 / temperature).

    visits: [num_actions].
    temperature: 1 follows the visits, 0 takes the most visited action (the first of equals).
        Small values must not overflow.
    Returns the action, an int.
    """
    if temperature == 0:
        return int(np.argmax(visits))
    weights = (np.asarray(visits) / np.max(visits)) ** (1 / temperature)  # divided first: 100 ** (1 / 0.005) overflows
    return int(rng.choice(len(weights), p=weights / weights.sum()))


@exercise("04")
def add_root_noise(
    prior: np.ndarray,
    legal: np.ndarray,
    rng: np.random.Generator,
    *,
    alpha: float = 0.5,
    fraction: float = 0.25,
) -> np.ndarray:
    """Mix Dirichlet noise into a prior: (1 - fraction) * prior + fraction * Dirichlet(alpha).

    prior, legal: [num_actions]; only legal actions get noise.
    alpha: small puts most noise on few actions, large spreads it.
    Returns a new [num_actions]; its sum is 1.
    """
    noise = np.zeros(len(prior))
    noise[legal] = rng.dirichlet([alpha] * int(legal.sum()))
    return (1 - fraction) * prior + fraction * noise


@exercise("04")
def value_targets(players: list[int], winner: int) -> np.ndarray:
    """How the game ended, for the player to move at each position.

    players: who was to move, +1 or -1.
    winner: +1, -1, or 0 for a draw.
    Returns float32 [len(players)]: +1 where that player won, -1 where it lost.
    """
    return np.array(players, dtype=np.float32) * winner


@exercise("04")
def self_play_game(
    game: Game,
    network: Network,
    rng: np.random.Generator,
    *,
    simulations: int = 50,
    c_puct: float = 1.5,
    exploratory_plies: int = 3,
    noise_alpha: float = 0.5,
    noise_fraction: float = 0.25,
) -> Examples:
    """Play one game against oneself.

    Each move is searched with root noise and drawn from the visits by `sample_action`, at
    temperature 1 for the first `exploratory_plies` moves and at 0 after them. The policy to
    learn is always the visits divided by their sum.
    Returns an example for each position that was searched.
    """
    # begin given
    noise = partial(add_root_noise, alpha=noise_alpha, fraction=noise_fraction)
    positions, policies, players = [], [], []  # planes, the visits' shares, who moves
    state = game.initial_state()
    # end given
    while not game.is_terminal(state):
        visits = mcts_search(game, state, network, simulations, c_puct, noise=noise, rng=rng)
        positions.append(game.encode(state))
        policies.append(visits / visits.sum())
        players.append(game.to_play(state))
        temperature = 1.0 if len(players) <= exploratory_plies else 0.0
        state = game.play(state, sample_action(visits, temperature, rng))
    values = value_targets(players, game.winner(state))
    # begin given
    return Examples.of_game(positions, policies, values)
    # end given
