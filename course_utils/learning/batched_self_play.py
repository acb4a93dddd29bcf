"""Self-play in many games at once, in lock step: every network call evaluates one position of each."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from course_utils.exercise import exercise
from course_utils.games.batched import BatchedGame
from course_utils.learning.examples import Examples
from course_utils.networks import Network
from course_utils.search.batched import ROOT, Tree, batched_masked_policy, batched_search
from course_utils.search.gumbel import batched_gumbel_search, log_prior, sigma, values_of

SEARCHES = ("puct", "gumbel")


def batched_root_noise(
    prior: np.ndarray, legal: np.ndarray, rng: np.random.Generator, *, alpha: float, fraction: float
) -> np.ndarray:
    """`add_root_noise` for a batch: (1 - fraction) * prior + fraction * Dirichlet(alpha), over the legal actions.

    Gamma variates divided by their sum are Dirichlet distributed, however many are legal.

    Args:
        prior: [batch, num_actions].
        legal: bool [batch, num_actions]. A row with no legal action (a finished game) stays as it is.
    """
    gamma = np.where(legal, rng.standard_gamma(alpha, size=legal.shape), 0)
    total = gamma.sum(axis=1, keepdims=True)
    noisy = (1 - fraction) * prior + fraction * gamma / np.where(total > 0, total, 1)
    return np.where(total > 0, noisy, prior)


def batched_sample(visits: np.ndarray, greedy: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """An action a row: the most visited where `greedy` (bool [batch]), else drawn in proportion to the visits.

    Args:
        visits: [batch, num_actions], each row with a visit.

    Returns:
        int64 [batch].
    """
    upto = visits.cumsum(axis=1)
    drawn = (upto > rng.random((len(visits), 1)) * upto[:, -1:]).argmax(axis=1)  # the first to pass the mark
    return np.where(greedy, visits.argmax(axis=1), drawn)


def batched_self_play(
    game: BatchedGame,
    network: Network,
    games: int,
    rng: np.random.Generator,
    *,
    lockstep: int = 256,
    search: str = "puct",
    simulations: int = 32,
    c_puct: float = 1.5,
    exploratory_plies: int = 9,
    noise_alpha: float = 1.0,
    noise_fraction: float = 0.25,
    opening_share: float = 0.0,
    opening_plies: int = 0,
    blunder_margin: float = 0.1,
    root_share: float = 0.0,
    value_weight: float | None = None,
    puct: Callable | None = None,
) -> Examples:
    """Play `games` games against oneself, `lockstep` of them side by side.

    A game that ends gives its place to a new one at once, so that all places are taken until the last games are under
    way. All games that were begun are played to their ends: short games are not preferred.

    The value to learn is not the outcome, but its *trace*: the outcome without the blame for later exploration
    (`trace_targets`).

    Args:
        search: "puct", by which visits are learned from; or "gumbel", by which the improved policy is. That has no use
            for `c_puct` and noise at the root.
        simulations: a move.
        exploratory_plies: before this ply moves are sampled from the visits at temperature 1, or chosen with Gumbel
            draws; later ones are the most visited, or chosen without. (Random opening moves count: where they end, a
            game has no need of more chance.)
        noise_alpha, noise_fraction: the Dirichlet noise at the root; alpha as a number for each legal action.
        opening_share, opening_plies: this share of the games begins with up to so many moves at random, which are not
            learned from: positions that self-play alone would not reach.
        blunder_margin: a move has given something away if its mean value in the search is lower than the most visited
            move's by more than this.
        root_share: of the value to learn is the root value: what the search thought of the position, the mean value of
            the most visited move (of the tried move that the improved policy likes best). That is less noisy than a
            game.
        value_weight: where the search is "puct", learn from `completed_policy` with this weight, instead of the visits.
        puct: in place of `batched_search`, where the search is "puct": a `DeviceSearch`, say, with a network that it
            can ask.

    Returns:
        The examples of all games, mixed.

    Raises:
        ValueError: no games, no simulations, or a search of another name.
    """
    if search not in SEARCHES:
        raise ValueError(f"no search is called {search!r}; known: {', '.join(SEARCHES)}")
    if games < 1 or simulations < 1:
        raise ValueError(f"self-play needs at least one game and one simulation, not {games} and {simulations}")
    choose = partial(choose_by_gumbel, game, network, simulations, rng)
    if search == "puct":
        noise = partial(batched_root_noise, alpha=noise_alpha, fraction=noise_fraction)
        choose = partial(
            choose_by_puct,
            game,
            network,
            simulations,
            rng,
            c_puct=c_puct,
            noise=noise,
            value_weight=value_weight,
            search=puct,
        )

    def think(states: np.ndarray, plies: np.ndarray) -> Thoughts:
        moves, policy, favorite, tree = choose(states, plies < exploratory_plies)
        Q, everyone = tree.W[:, ROOT] / np.maximum(tree.N[:, ROOT], 1), np.arange(len(states))
        root_value = Q[everyone, favorite]
        return Thoughts(moves, policy, root_value, root_value - Q[everyone, moves] > blunder_margin)

    begin = partial(batched_openings, game, share=opening_share, plies=opening_plies, rng=rng)
    turns, outcomes = play_in_lockstep(game, begin, think, games, lockstep)
    number, ply, planes = (np.concatenate([turn[i] for turn in turns]) for i in range(3))
    _, policy, root_value, gave_away = map(np.concatenate, zip(*(turn.thoughts for turn in turns), strict=True))
    trace = traces(number, ply, outcomes, root_value, gave_away)
    value = (1 - root_share) * trace.astype(np.float32) + root_share * root_value.astype(np.float32)
    outcome = (first_player(ply) * outcomes[number]).astype(np.float32)
    return Examples(planes, policy.astype(np.float32), value, outcome, ply, games)


class Thoughts(NamedTuple):
    """What `think` returns for a batch of positions, one row for each.

    Attributes:
        moves: int64 [batch], the move to play.
        policy: float64 [batch, num_actions], the policy target.
        root_value: float64 [batch], the search's value of the position, for its player to move.
        gave_away: bool [batch], whether the search itself saw a clearly better move.
    """

    moves: np.ndarray
    policy: np.ndarray
    root_value: np.ndarray
    gave_away: np.ndarray


class Turn(NamedTuple):
    """One move in every running game, one row for each game: the positions *before* the move, and the thoughts about them.

    Attributes:
        number: int64 [batch], the number of the game.
        ply: int64 [batch], how many moves had been played in the game.
        planes: float32 [batch, planes, rows, columns], `game.encode` of the positions.
        thoughts: what `think` returned, unchanged.
    """

    number: np.ndarray
    ply: np.ndarray
    planes: np.ndarray
    thoughts: Thoughts


@exercise("32")
def play_in_lockstep(
    game: BatchedGame, begin: Callable, think: Callable, games: int, places: int
) -> tuple[list[Turn], np.ndarray]:
    """Play `games` games, at most `places` at once: a turn is one move in all running games.

    A game that is over leaves, and the next one, if any, takes its place from the next turn
    on. Games are numbered from 0 in the order in which they begin.
    begin: begin(count) -> (states, plies int [count]) of new games.
    think: think(states, plies) -> `Thoughts`, called once a turn, with all running games.
    Returns (turns, outcomes): a list of `Turn`; and float64 [games], how each game ended for
    its *first* player: +1, 0 or -1.
    """
    # begin given
    begun = min(places, games)  # how many games have begun
    states, plies = begin(begun)  # of the running games
    number = np.arange(begun)  # which games they are
    turns, outcomes = [], np.zeros(games)
    # end given
    while len(states) > 0:
        thoughts = think(states, plies)
        turns.append(Turn(number, plies, game.encode(states), thoughts))
        states, plies = game.play(states, thoughts.moves), plies + 1
        over, value = game.outcome(states)
        outcomes[number[over]] = first_player(plies[over]) * value[over]
        states, plies, number = states[~over], plies[~over], number[~over]
        more = min(places - len(states), games - begun)
        if more > 0:
            new_states, new_plies = begin(more)
            states, plies = np.concatenate([states, new_states]), np.concatenate([plies, new_plies])
            number = np.concatenate([number, np.arange(begun, begun + more)])
            begun += more
    # begin given
    return turns, outcomes
    # end given


def choose_by_puct(
    game: BatchedGame,
    network: Network,
    simulations: int,
    rng: np.random.Generator,
    states: np.ndarray,
    explore: np.ndarray,
    *,
    c_puct: float,
    noise: Callable,
    value_weight: float | None = None,
    search: Callable | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Tree]:
    """Moves are sampled where `explore` (bool [batch]), elsewhere the most visited.

    Returns:
        (moves int64 [batch], the policy to learn [batch, num_actions], int64 [batch] the move whose mean value the
        position is worth, tree).
    """
    priors = []  # without the noise

    def add_noise(prior: np.ndarray, legal: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        priors.append(prior.copy())
        return noise(prior, legal, rng)

    search = search or batched_search
    visits, tree = search(game, states, network, simulations, c_puct, noise=add_noise, rng=rng, return_tree=True)
    moves = batched_sample(visits, ~explore, rng)
    policy = visits / visits.sum(axis=1, keepdims=True)
    if value_weight is not None:
        policy = completed_policy(visits, tree.W[:, ROOT], priors[0], tree.legal[:, ROOT], value_weight)
    return moves, policy, visits.argmax(axis=1), tree


def completed_policy(
    N: np.ndarray, W: np.ndarray, prior: np.ndarray, legal: np.ndarray, value_weight: float
) -> np.ndarray:
    """The policy to learn from a search's values: softmax(log prior + sigma(completed Q)).

    Danihelka et al. 2022, eq. 11.

    It is `improved_policy` of the notebook 'A better lesson' with two changes: the scale of the values is
    `value_weight`, and untried actions get the mean value of the search in place of the network's value.

    Args:
        N, W, prior: [batch, num_actions], of the roots; the network's prior, without noise. At least one visit in each
            row.
        legal: bool, of the same shape.

    Returns:
        float64 [batch, num_actions]: 0 for illegal actions, each row sums to 1.
    """
    q = values_of(N, W, prior, W.sum(axis=1) / N.sum(axis=1))
    return batched_masked_policy(log_prior(prior) + sigma(q, N, c_scale=value_weight), legal)


def choose_by_gumbel(
    game: BatchedGame,
    network: Network,
    simulations: int,
    rng: np.random.Generator,
    states: np.ndarray,
    explore: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Tree]:
    """Gumbel draws where `explore` (bool [batch]), elsewhere no chance. Returns the same as `choose_by_puct`."""
    gumbel = rng.gumbel(size=(len(states), game.num_actions)) * explore[:, None]
    moves, policy, tree = batched_gumbel_search(game, states, network, simulations, gumbel=gumbel)
    favorite = np.where(tree.N[:, ROOT] > 0, policy, -1).argmax(axis=1)
    return moves, policy, favorite, tree


def traces(
    number: np.ndarray, ply: np.ndarray, outcomes: np.ndarray, root_value: np.ndarray, gave_away: np.ndarray
) -> np.ndarray:
    """`trace_targets` of many games, whose positions are mixed. Returns float64 [positions].

    Args:
        number: int64 [positions], whose game it is in. outcomes: float64 [games], for the first player.
        ply, root_value, gave_away: [positions].
    """
    trace = np.empty(len(ply))
    by_game = np.lexsort((ply, number))
    for rows in np.split(by_game, np.cumsum(np.bincount(number))[:-1]):
        winner = outcomes[number[rows[0]]]
        trace[rows] = trace_targets(first_player(ply[rows]), winner, root_value[rows], gave_away[rows])
    return trace


def trace_targets(
    players: np.ndarray,
    winner: float,
    root_values: np.ndarray,
    gave_away: np.ndarray,
) -> np.ndarray:
    """What each position of a game should learn, without the blame for later exploration.

    The outcome is carried back from the end. Where the move gave something away, that
    position's root value is carried on instead.
    players: [T], the player to move (+1 or -1) at each position. winner: +1, -1, or 0.
    root_values: [T], what the search thought of each position, for its player to move.
    gave_away: bool [T], whether the move played there was clearly not the search's best.
    Returns float64 [T], for the player to move at each position.
    """
    targets = np.empty(len(players))
    carried = winner  # for the player +1
    for t in reversed(range(len(players))):
        if gave_away[t]:
            carried = players[t] * root_values[t]
        targets[t] = players[t] * carried
    return targets


def first_player(plies: np.ndarray) -> np.ndarray:
    """+1 where the first player is to move after so many plies, -1 where the second is."""
    return 1 - 2 * (plies % 2)


def batched_openings(
    game: BatchedGame, count: int, *, share: float, plies: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Make the first positions of `count` games: a `share` of them lies 1 to `plies` random moves after the start.

    All numbers of moves are equally likely. An opening that would finish the game stops one move before.

    Returns:
        (states [count, ...], moves already played int64 [count]).
    """
    states, played = game.initial(count), np.zeros(count, dtype=np.int64)
    length = rng.integers(1, plies + 1, size=count) if plies > 0 else played.copy()
    length[rng.random(count) >= share] = 0
    going = np.flatnonzero(length > 0)
    while len(going) > 0:
        legal = game.legal(states[going])
        actions = np.where(legal, rng.random(legal.shape), -1).argmax(axis=1)  # all legal ones equally likely
        moved = game.play(states[going], actions)
        over, _ = game.outcome(moved)
        going, moved = going[~over], moved[~over]
        states[going] = moved
        played[going] += 1
        going = going[played[going] < length[going]]
    return states, played
