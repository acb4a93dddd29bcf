"""Self-play: an agent plays itself, and every position becomes an example to learn from."""

from functools import partial

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.learning.examples import Examples
from course_utils.networks import Network
from course_utils.search.puct import mcts_search


@exercise("07")
def sample_action(visits: np.ndarray, temperature: float, rng: np.random.Generator) -> int:
    """Choose an action with probability proportional to visits ** (1 / temperature).

    Args:
        visits: [num_actions], 0 or more, whole numbers or not, at least one above 0. Not changed.
        temperature: 1 follows the visits, towards 0 the most visited wins more and more often. Below 1e-8 the most visited
            action is chosen outright, ties to the lowest. At 1e-8 and above, however low or high (but finite), there
            is no overflow, no 0 / 0, and an action without visits is never chosen.
        rng: where the chance comes from; nothing else may be random.

    Returns:
        A plain Python int.
    """
    if temperature < 1e-8:
        return int(np.argmax(visits))
    weights = (np.asarray(visits) / np.max(visits)) ** (1 / temperature)  # divided first: 100 ** (1 / 0.005) overflows
    return int(rng.choice(len(weights), p=weights / weights.sum()))


@exercise("07")
def add_root_noise(
    prior: np.ndarray, legal: np.ndarray, rng: np.random.Generator, *, alpha: float = 0.5, fraction: float = 0.25
) -> np.ndarray:
    """Mix Dirichlet noise into a prior, so that self-play tries every action now and then.

    (1 - fraction) * prior + fraction * Dirichlet(alpha), one noise component for each *legal* action.

    Args:
        prior: float64 or float32 [num_actions], sums to 1, 0 at illegal actions. Not changed.
        legal: bool [num_actions], at least one True. An action may be legal though its prior is 0. Not changed.
        alpha: of every component: any number above 0, however small. Small: most noise on few actions; large: nearly even.
        fraction: the noise's share, from 0 to 1.

    Returns:
        float64 [num_actions]: sums to 1, 0 at illegal actions.
    """
    noise = np.zeros(len(prior))
    noise[legal] = rng.dirichlet([alpha] * int(legal.sum()))
    return (1 - fraction) * prior + fraction * noise


@exercise("07")
def value_targets(players: list[int], winner: int) -> np.ndarray:
    """How the game ended, as seen by the player to move at each of its positions.

    Args:
        players: the player to move (+1 or -1) at each position of one game; they need not alternate.
        winner: +1, -1, or 0 for a draw.

    Returns:
        float32 [len(players)], a new array: +1 where the player to move went on to win, -1 where it lost, 0 everywhere for a draw.
    """
    return np.array(players, dtype=np.float32) * winner


@exercise("07")
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

    Each move is searched with root noise (`add_root_noise`), and sampled from the visits: at temperature 1 for the first
    `exploratory_plies` moves, at temperature 0 after them. The policy to learn is always the visits divided by their
    sum, whatever the temperature.

    Args:
        simulations: 1 or more, for each move.

    Returns:
        The positions in which somebody had to move, in order of play.
    """
    # begin given
    noise = partial(add_root_noise, alpha=noise_alpha, fraction=noise_fraction)
    positions, policies, players = [], [], []  # for each position: its planes, the visits' shares, who moves
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
