"""A trained Connect Four agent goes on learning: self-play that begins in openings of which the agent is in doubt.

Nothing is learned from a solver. An opening is a few random moves; the more doubtful the agent's own judgment of it, the likelier a game
begins there: where its value is near 0, and where the values after the best move say something else. And games begin AGAIN in positions
of earlier games whose end surprised it, as in Go-Exploit (Trudeau and Bowling 2023).
"""

import json
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from course_utils.games.batched import make_batched
from course_utils.games.protocol import BatchedGame
from course_utils.learning.batched_self_play import (
    batched_openings,
    batched_root_noise,
    batched_sample,
    completed_policy,
    first_player,
    traces,
)
from course_utils.learning.config import EngineConfig
from course_utils.learning.engine import learn, update_average
from course_utils.learning.examples import Examples
from course_utils.learning.run import Run
from course_utils.learning.workers import hire, network_with
from course_utils.networks import Network
from course_utils.networks.cache import CachedNetwork
from course_utils.networks.checkpoint import load_network, save_network, to_bytes
from course_utils.networks.fast import fast_inference
from course_utils.search.batched import ROOT, batched_masked_policy, batched_search
from lab.command import command
from lab.connect_four import GAME, config_like, tempered


@dataclass(frozen=True)
class School:
    """What is different from the training of "Connect Four"."""

    from_start: float = 0.1  # of the games begin on the empty board
    replies: float = 0.0  # where one side has played the network's best moves and the other random ones
    opening_plies: int = 8  # these after 1 to so many moves, the others after as many random ones,
    candidates: int = 6  # chosen from so many times as many
    doubt_width: float = 0.4  # a value so far from 0 is still doubtful
    explored: int = 3  # moves after the opening are sampled from the visits
    simulations: int = 96
    late_ply: int = 20  # from which on
    late_simulations: int = 40  # are enough
    resign: float = 0.98  # a game whose root value passes this is won,
    play_on: float = 0.15  # but for this share of the games
    last_again: int = 18  # games begin again in positions up to this ply
    value_weight: float = 0.3  # of the completed values in the policy to learn
    play_learned: bool = False  # root value and later moves are that policy's best move's, not the most visited one's


class Surprises(NamedTuple):
    """Positions of games, one of each, in which the search thought something else than came of it.

    Attributes:
        states: as the batched game packs them, a row for each.
        plies: int64 [positions], how many moves had been played.
        weights: float64 [positions], |root value - the value learned from the end of the game|.
    """

    states: np.ndarray
    plies: np.ndarray
    weights: np.ndarray


def surprises_of(
    states: np.ndarray,
    plies: np.ndarray,
    number: np.ndarray,
    weights: np.ndarray,
    last_ply: int,
    rng: np.random.Generator,
) -> Surprises:
    """Of each game (`number`) a position up to `last_ply`, drawn in proportion to the weights."""
    early = np.flatnonzero((plies <= last_ply) & (weights > 0))
    early = early[weighted_order(weights[early], rng)]
    _, first = np.unique(number[early], return_index=True)
    here = early[first]
    return Surprises(states[here], plies[here], weights[here])


def drawn_again(kept: Iterable[Surprises], positions: int, rng: np.random.Generator) -> Surprises:
    """So many different ones of those kept (or as many as there are), the more surprising more often."""
    states, plies, weights = (np.concatenate(parts) for parts in zip(*kept, strict=True))
    _, first = np.unique(states, axis=0, return_index=True)
    order = first[weighted_order(weights[first], rng)[:positions]]
    return Surprises(states[order], plies[order], weights[order])


def weighted_order(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The indices as they are drawn without replacement, each time in proportion to the weights that are left (the Gumbel-top-k trick)."""
    return np.argsort(-(np.log(weights) + rng.gumbel(size=len(weights))))


def doubtful_openings(
    batched: BatchedGame, network: Network, games: int, school: School, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """(states, plies) of different openings, the doubtful ones more often."""
    states, plies = batched_openings(batched, games * school.candidates, share=1.0, plies=school.opening_plies, rng=rng)
    _, first = np.unique(states, axis=0, return_index=True)
    states, plies = states[first], plies[first]
    value, _ = network(batched.encode(states))
    legal = batched.legal(states)
    after = np.full(legal.shape, -np.inf)
    rows, columns = np.nonzero(legal)
    children = batched.play(states[rows], columns)
    over, worth = batched.outcome(children)
    replies = np.where(over, worth, 0.0)
    going = np.flatnonzero(~over)
    replies[going], _ = network(batched.encode(children[going]))
    after[rows, columns] = -replies
    doubt = 0.1 + np.exp(-((value / school.doubt_width) ** 2)) + 2 * np.abs(after.max(axis=1) - value)
    order = weighted_order(doubt, rng)[:games]
    return states[order], plies[order]


def replied_openings(
    batched: BatchedGame, network: Network, games: int, plies: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """(states, plies) after 1 to so many moves, random ones of one side and the network's best of the other; not all different.

    An opening that would finish the game stops one move before.
    """
    states, wanted, ours = batched.initial(games), rng.integers(1, plies + 1, size=games), rng.integers(2, size=games)
    played = np.zeros(games, dtype=np.int64)
    for ply in range(plies):
        going = np.flatnonzero(ply < wanted)
        if len(going) == 0:
            break
        legal = batched.legal(states[going])
        _, logits = network(batched.encode(states[going]))
        best = ply % 2 == ours[going]  # the others any legal move
        liking = np.where(best[:, None], batched_masked_policy(logits, legal), legal)
        moved = batched.play(states[going], batched_sample(liking, best, rng))
        over, _ = batched.outcome(moved)
        states[going[~over]], played[going[~over]] = moved[~over], ply + 1
        wanted[going[over]] = ply
    return states, played


def school_games(
    network: Network,
    games: int,
    config: EngineConfig,
    school: School,
    rng: np.random.Generator,
    again: Surprises | None = None,
) -> tuple[Examples, dict, Surprises]:
    """All games side by side, some of them from `again` on. Returns (examples, what happened, what surprised in these games)."""
    batched = make_batched(GAME)
    at_start = round(games * school.from_start)
    given = [(batched.initial(at_start), np.zeros(at_start, int))]
    if again is not None:
        given.append((again.states, again.plies))
    if school.replies:
        given.append(replied_openings(batched, network, round(games * school.replies), school.opening_plies, rng))
    left = games - sum(len(plies) for _, plies in given)
    openings = [doubtful_openings(batched, network, left, school, rng)] if left else []
    states, plies = (np.concatenate(parts) for parts in zip(given[0], *openings, *given[1:], strict=True))
    games = len(states)
    explore_until = np.where(plies == 0, 12, plies + school.explored)
    resigns = rng.random(games) >= school.play_on
    number, outcomes = np.arange(games), np.zeros(games)
    would = np.zeros(games)  # the outcome at which a game that is played on would have been resigned
    noise = partial(batched_root_noise, alpha=config.noise_alpha, fraction=config.noise_fraction)
    log: dict[str, list] = {
        name: [] for name in ("states", "planes", "policy", "root_value", "gave_away", "ply", "number")
    }
    while len(states) > 0:
        late = plies >= school.late_ply
        moves, over, value = np.zeros(len(states), int), np.zeros(len(states), bool), np.zeros(len(states))
        for group, simulations in ((~late, school.simulations), (late, school.late_simulations)):
            here = np.flatnonzero(group)
            if len(here) == 0:
                continue
            _, logits = network(batched.encode(states[here]))
            visits, tree = batched_search(
                batched, states[here], network, simulations, config.c_puct, noise=noise, rng=rng, return_tree=True
            )
            everyone = np.arange(len(here))
            Q = tree.W[:, ROOT] / np.maximum(visits, 1)
            legal = tree.legal[:, ROOT]
            prior = batched_masked_policy(logits, legal)
            policy = completed_policy(visits, tree.W[:, ROOT], prior, legal, school.value_weight)
            liking = np.where(visits > 0, policy, 0) if school.play_learned else visits
            root_value = Q[everyone, liking.argmax(axis=1)]
            greedy = plies[here] >= explore_until[number[here]]
            moves[here] = batched_sample(np.where(greedy[:, None], liking, visits), greedy, rng)
            log["states"].append(states[here])
            log["planes"].append(batched.encode(states[here]).astype(bool))
            log["policy"].append(policy)
            log["root_value"].append(root_value)
            log["gave_away"].append(root_value - Q[everyone, moves[here]] > config.blunder_margin)
            log["ply"].append(plies[here].copy())
            log["number"].append(number[here].copy())
            sure = np.flatnonzero(np.abs(root_value) > school.resign)
            winner = first_player(plies[here[sure]]) * np.sign(root_value[sure])
            first_time = would[number[here[sure]]] == 0
            would[number[here[sure]]] = np.where(first_time, winner, would[number[here[sure]]])
            stops = resigns[number[here[sure]]]
            over[here[sure[stops]]] = True
            outcomes[number[here[sure[stops]]]] = winner[stops]
        going = np.flatnonzero(~over)
        states, plies, number = batched.play(states[going], moves[going]), plies[going] + 1, number[going]
        over, value = batched.outcome(states)
        outcomes[number[over]] = first_player(plies[over]) * value[over]
        states, plies, number = states[~over], plies[~over], number[~over]
    positions, planes, policy, root_value, gave_away, ply, number = (np.concatenate(parts) for parts in log.values())
    trace = traces(number, ply, outcomes, root_value, gave_away)
    target = ((1 - config.root_share) * trace + config.root_share * root_value).astype(np.float32)
    played_on = ~resigns & (would != 0)
    happened = dict(
        played_on=int(played_on.sum()),
        wrongly_sure=int((outcomes[played_on] != would[played_on]).sum()),
        draws=float((outcomes == 0).mean()),
    )
    outcome = (first_player(ply) * outcomes[number]).astype(np.float32)
    surprises = surprises_of(positions, ply, number, np.abs(root_value - trace), school.last_again, rng)
    return Examples(planes, policy.astype(np.float32), target, outcome, ply, games), happened, surprises


def play_school(
    config: EngineConfig,
    school: School,
    weights: bytes,
    temperature: float,
    games: int,
    again: Surprises | None,
    seed: tuple[int, int],
) -> tuple[Examples, dict, Surprises, float]:
    """`school_games` by whichever process, all logits divided by `temperature`. Returns (examples, what happened, surprises, seconds of processor time)."""
    began = time.process_time()
    network = CachedNetwork(fast_inference(tempered(network_with(weights, GAME, config), temperature)))
    played = school_games(network, games, config, school, np.random.default_rng(seed), again)
    return *played, time.process_time() - began


@command("lift")
def lift(
    out=Path("runs/lift"),
    agent=Path("runs/connect_four/connect_four.pt"),
    iterations=21,
    games=768,
    rate=5e-4,
    last_rate=1.3e-4,
    average=0.998,
    reuse=3.0,
    root_share=0.3,
    decay=1e-4,
    window=30,
    plies=8,
    simulations=96,
    late_simulations=40,
    resign=0.98,
    temperature=1.0,
    again=0.0,
    play_learned=False,
    replies=0.0,
    seed=1,
    workers=0,
) -> None:
    """The agent goes on learning: two iterations of games alone, then games and REUSE looks at each example.

    The games begin after up to PLIES random moves; the share REPLIES of them where one side's moves are the agent's;
    the share AGAIN where a game of the last ten iterations surprised it.
    In all of them its logits are divided by TEMPERATURE. With PLAY_LEARNED root value and later moves are those
    of the policy to learn, not of the visits, which root noise misleads.
    They are played by this process, or ahead of it by WORKERS others.
    """
    torch.set_num_threads(1)
    school = School(
        opening_plies=plies,
        simulations=simulations,
        late_simulations=late_simulations,
        resign=resign,
        play_learned=play_learned,
        replies=replies,
    )
    if school.from_start + replies + again > 1:
        raise SystemExit(f"REPLIES, AGAIN and {school.from_start:.0%} from the start are more than all games")
    trained = load_network(agent, GAME.name)
    config = config_like(
        trained,
        iterations=iterations,
        first_simulations=None,
        simulations=simulations,
        noise_fraction=0.5,
        root_share=root_share,
        weight_decay=decay,
        average=average,
        batch=512,
        learning_rate=rate,
        last_learning_rate=last_rate,
        window=window,
    )
    run = Run.start(GAME, config, seed)
    run.network.load_state_dict(trained.state_dict())
    run.latest.load_state_dict(trained.state_dict())
    run.steps = 100_000  # the average is under way
    ordered: deque = deque()
    surprises: deque = deque(maxlen=10)
    with hire(workers) as hired:
        while len(run.history) < iterations:
            began, cpu = time.perf_counter(), time.process_time()
            weights = hired.share(to_bytes(run.network.state_dict()))
            while len(ordered) <= hired.count and len(run.history) + len(ordered) < iterations:
                number = (seed, len(run.history) + len(ordered))
                begun = None
                if again and surprises:
                    begun = drawn_again(surprises, round(again * games), np.random.default_rng([*number, 1]))
                ordered.append(hired.begin(play_school, config, school, weights, temperature, games, begun, number))
            examples, happened, surprised, playing = ordered.popleft().result()
            surprises.append(surprised)
            run.keep([examples])
            run.config = replace(
                config, steps=round(reuse * len(examples) / config.batch) if len(run.history) >= 2 else 0
            )
            run.set_learning_rate()
            losses = learn(run)
            cpu = time.process_time() - cpu + (playing if hired.count else 0.0)
            run.log([examples], losses, None, None, time.perf_counter() - began, cpu)
            run.history[-1] |= happened
            print(json.dumps(run.history[-1]), flush=True)
            if len(run.history) % 3 == 0 or len(run.history) == iterations:
                save_network(out / f"{len(run.history):04}.pt", run.network, GAME.name)


@command("temper")
def temper(agent=Path("runs/lift/0021.pt"), out=Path("runs/lift/tempered.pt"), temperature=2.0) -> None:
    """Divide the agent's logits by TEMPERATURE, so that its search looks wider.

    The values and the move that the network likes best stay the same.
    """
    save_network(out, tempered(load_network(agent, GAME.name), temperature), GAME.name)


@command("mix")
def mix(
    agents=(Path("runs/lift_on/0066.pt"), Path("runs/lift_more_on/0240.pt")), out=Path("runs/mix/mixed.pt")
) -> None:
    """The mean of the weights of AGENTS that went on from the same network (Wortsman and others 2022)."""
    mixed, *others = (load_network(agent, GAME.name) for agent in agents)
    for count, other in enumerate(others, start=1):
        update_average(mixed, other, keep=count / (count + 1))
    save_network(out, mixed, GAME.name)
