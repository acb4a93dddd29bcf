"""Self-play in many games at once, in lock step: every network call judges one position of each."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from course_utils.exercise import exercise
from course_utils.games import Game
from course_utils.games.batched import BatchedGame
from course_utils.networks import Network
from course_utils.search.batched import ROOT, batched_search


@dataclass(frozen=True)
class SelfPlayConfig:
    """How the games are played.

    Attributes:
        batch: games in lock step.
        simulations: a move.
        exploratory_plies: before this ply moves are sampled from the visits at temperature 1; later ones are the most
            visited. (Random opening moves count: where they end, a game has no need of more chance.)
        noise_alpha, noise_fraction: the Dirichlet noise at the root; alpha as a number for each legal action.
        opening_share, opening_plies: this share of the games begins with up to so many moves at random, which are not
            learned from: positions that self-play alone would not reach.
        blunder_margin: a move has given something away if its mean value in the search is lower than the most visited
            move's by more than this; see `Examples.trace`.
    """

    batch: int = 256
    simulations: int = 32
    c_puct: float = 1.5
    exploratory_plies: int = 9
    noise_alpha: float = 1.0
    noise_fraction: float = 0.25
    opening_share: float = 0.0
    opening_plies: int = 0
    blunder_margin: float = 0.1


@dataclass
class Examples:
    """What E positions of self-play teach.

    Attributes:
        planes: float32 [E, planes, rows, columns], from the point of view of the player to move.
        policy: float32 [E, num_actions], the search's visits divided by their sum.
        outcome: float32 [E], how the game ended for the player to move: +1, 0 or -1.
        root_value: float32 [E], what the search thought of the position, for the player to move: the mean value of the most
            visited move.
        trace: float32 [E], the outcome without the blame for later exploration. A move sampled at random may lose a won game;
            that says nothing of the positions before it. So the outcome is carried back only up to such a move; before it,
            the root value of the position where it happened takes the outcome's place. (Cut as in Q(lambda), Watkins 1989.)
        ply: int64 [E], how many moves had been played.
        games: how many games these positions are from.
    """

    planes: np.ndarray
    policy: np.ndarray
    outcome: np.ndarray
    root_value: np.ndarray
    trace: np.ndarray
    ply: np.ndarray
    games: int = 0

    def __len__(self) -> int:
        return len(self.outcome)

    def value(self, root_share: float = 0.0) -> np.ndarray:
        """float32 [E], the value to learn: the trace, mixed with `root_share` of the root value, which is less noisy."""
        return ((1 - root_share) * self.trace + root_share * self.root_value).astype(np.float32)


def batched_root_noise(
    prior: np.ndarray, legal: np.ndarray, rng: np.random.Generator, *, alpha: float, fraction: float
) -> np.ndarray:
    """`add_root_noise` for a batch: (1 - fraction) * prior + fraction * Dirichlet(alpha), over the legal actions of each row.

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
    game: BatchedGame, network: Network, games: int, config: SelfPlayConfig, rng: np.random.Generator
) -> Examples:
    """Play `games` games against oneself, `config.batch` at a time.

    A game that ends gives its place to a new one at once, so that the batch stays full until the last games are under way.
    All games that were begun are played to their ends: short games are not preferred.

    Returns:
        The examples of all games, mixed.

    Raises:
        ValueError: no games, or no simulations.
    """
    if games < 1 or config.simulations < 1:
        raise ValueError(f"self-play needs at least one game and one simulation, not {games} and {config.simulations}")
    noise = partial(batched_root_noise, alpha=config.noise_alpha, fraction=config.noise_fraction)
    places = min(config.batch, games)
    states, plies = random_openings(
        game, places, config, rng
    )  # plies: int64 [places], moves played in each game so far
    number = np.arange(places)  # [places], which game is played at each place
    begun = places
    record: dict[str, list] = {name: [] for name in ("planes", "policy", "root_value", "gave_away", "ply", "number")}
    outcomes = np.zeros(games)  # of each game, for its first player

    while len(states) > 0:
        visits, tree = batched_search(
            game, states, network, config.simulations, config.c_puct, noise=noise, rng=rng, return_tree=True
        )
        record["planes"].append(game.encode(states))
        record["policy"].append(visits / visits.sum(axis=1, keepdims=True))
        moves = batched_sample(visits, plies >= config.exploratory_plies, rng)
        everyone = np.arange(len(states))
        Q = tree.W[:, ROOT] / np.maximum(visits, 1)
        root_value = Q[everyone, visits.argmax(axis=1)]
        record["root_value"].append(root_value)
        record["gave_away"].append(root_value - Q[everyone, moves] > config.blunder_margin)
        record["ply"].append(plies.copy())
        record["number"].append(number.copy())

        states = game.play(states, moves)
        plies += 1

        over, value = game.outcome(states)
        ended = np.flatnonzero(over)
        outcomes[number[ended]] = first_player(plies[ended]) * value[ended]
        refilled, emptied = np.split(ended, [min(len(ended), games - begun)])
        states[refilled], plies[refilled] = random_openings(game, len(refilled), config, rng)
        number[refilled] = begun + np.arange(len(refilled))
        begun += len(refilled)
        if len(emptied) > 0:
            kept = np.setdiff1d(np.arange(len(states)), emptied)
            states, plies, number = states[kept], plies[kept], number[kept]

    planes, policy, root_value, gave_away, ply, number = (np.concatenate(parts) for parts in record.values())
    trace = np.empty(len(ply))
    by_game = np.lexsort((ply, number))
    for rows in np.split(by_game, np.cumsum(np.bincount(number))[:-1]):
        winner = outcomes[number[rows[0]]]
        trace[rows] = trace_targets(first_player(ply[rows]), winner, root_value[rows], gave_away[rows])
    outcome = first_player(ply) * outcomes[number]
    targets = (array.astype(np.float32) for array in (policy, outcome, root_value, trace))
    return Examples(planes, *targets, ply, games)


@exercise("10")
def trace_targets(players: np.ndarray, winner: float, root_values: np.ndarray, gave_away: np.ndarray) -> np.ndarray:
    """What one game says of each of its positions, without the blame for later exploration. Cut as in Watkins 1989.

    The outcome is carried back from the end, as in `value_targets`, but no further than to the last move that gave something
    away. From that position on, still going backwards, its root value is carried instead, until the next such move is met.

    Args:
        players: [T], the player to move (+1 or -1) at each position, from the first to the last; they need not alternate.
        winner: +1, -1, or 0 for a draw.
        root_values: [T], what the search thought each position is worth, for its player to move.
        gave_away: bool [T], whether the move played there was, in the search's own view, clearly not its best.

    Returns:
        float64 [T], for the player to move at each position.
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


def random_openings(
    game: BatchedGame, count: int, config: SelfPlayConfig, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Where `count` games begin: (states [count, ...], moves already played int64 [count]).

    An opening that would finish the game stops one move before.
    """
    states, plies = game.initial(count), np.zeros(count, dtype=np.int64)
    wanted = rng.integers(1, config.opening_plies + 1, size=count) if config.opening_plies > 0 else plies.copy()
    wanted[rng.random(count) >= config.opening_share] = 0
    going = np.flatnonzero(wanted > 0)
    while len(going) > 0:
        legal = game.legal(states[going])
        actions = np.where(legal, rng.random(legal.shape), -1).argmax(axis=1)  # all legal ones equally likely
        moved = game.play(states[going], actions)
        over, _ = game.outcome(moved)
        going, moved = going[~over], moved[~over]
        states[going] = moved
        plies[going] += 1
        going = going[plies[going] < wanted[going]]
    return states, plies


def random_symmetries(
    game: Game, planes: np.ndarray, policy: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Each example in one of its symmetric forms, drawn at random: new examples for nothing.

    Args:
        game: the one-game rules. Their `symmetries` are asked where each *number of a cell* and of an action goes, and the
            whole batch is rearranged at once.
        planes: [batch, planes, rows, columns].
        policy: [batch, num_actions].
    """
    numbers = np.arange(game.rows * game.columns).reshape(1, game.rows, game.columns)
    forms = game.symmetries(numbers, np.arange(game.num_actions))
    cells = np.stack([form.reshape(-1) for form, _ in forms])  # [forms, cells]
    actions = np.stack([form for _, form in forms])  # [forms, num_actions]
    drawn = rng.integers(len(forms), size=len(planes))
    flat = planes.reshape(*planes.shape[:2], -1)
    turned = np.take_along_axis(flat, cells[drawn][:, None], axis=2).reshape(planes.shape)
    return turned, np.take_along_axis(policy, actions[drawn], axis=1)
