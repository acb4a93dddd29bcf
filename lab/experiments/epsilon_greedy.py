"""Epsilon-greedy self-play: do random moves break the loop "bad network, bad search, bad self-play, no learning"?"""

import numpy as np
import torch

from course_utils.games import TicTacToe
from course_utils.games.batched import make_batched
from course_utils.learning.proof import tictactoe_key
from course_utils.learning.training import train_step
from course_utils.networks.policy_value import TorchNetwork
from course_utils.results import Result, Row, table
from course_utils.search.batched import batched_search
from lab.experiment import Experiment
from lab.experiments.sign_at_the_leaf import SmallNet
from lab.shown import each, over_seeds, table_of

GAME = TicTacToe()


def played(net: SmallNet, games: int, simulations: int, epsilon: float, rng: np.random.Generator) -> list[np.ndarray]:
    """Planes, policies and values of so many games. A value is the result of the game for the player to move."""
    batched, network = make_batched(GAME), TorchNetwork(net)
    states, planes, policies, movers, going = [GAME.initial_state()] * games, [], [], [], list(range(games))
    while going:
        visits = batched_search(
            batched, batched.from_states([states[game] for game in going]), network, simulations, 1.5
        )
        for game, counts in zip(going, visits, strict=True):
            state = states[game]
            planes.append(GAME.encode(state))
            policies.append(counts / counts.sum())
            movers.append((game, state.to_play))
            action = rng.choice(GAME.legal_actions(state)) if rng.random() < epsilon else counts.argmax()
            states[game] = GAME.play(state, int(action))
        going = [game for game in going if not GAME.is_terminal(states[game])]
    values = [GAME.winner(states[game]) * player for game, player in movers]
    return [np.array(column, dtype=np.float32) for column in (planes, policies, values)]


def measure(seed: int, epsilon: float, iterations: int, games: int, simulations: int, epochs: int) -> list[Row]:
    """How many different positions were learned from, and what the network alone does at the end."""
    rng, net, key, seen = np.random.default_rng(seed), SmallNet(GAME, seed), tictactoe_key(), set()
    optimizer = torch.optim.Adam(net.parameters(), 3e-3)
    for _ in range(iterations):
        data = played(net, games, simulations, epsilon, rng)
        seen |= {planes.tobytes() for planes in data[0]}
        for _ in range(epochs):
            for rows in np.array_split(rng.permutation(len(data[0])), max(1, len(data[0]) // 32)):
                train_step(net, optimizer, *(column[rows] for column in data))
    return [dict(positions=len(seen), **key.report(key.moves(TorchNetwork(net), 0)))]


EXPERIMENT = Experiment(
    question="Self-play without noise: what does a random move in so many do to what is seen and to what is learned?",
    published="the post AlphaTicTacToe: without it, bad network, bad search, bad self-play, no learning",
    measure=measure,
    base=dict(iterations=20, games=50, simulations=50, epochs=5),
    variants={f"{share:.0%} of the moves": dict(epsilon=share) for share in (0, 0.1, 0.25, 0.5)},
    quick=dict(iterations=2, games=10),
    seeds=range(5),
)


@table_of("epsilon_greedy")
def by_share(result: Result) -> str:
    return table(
        {
            "moves at random": variant.split()[0],
            "positions seen, of 4,520": over_seeds(result, "positions", variant=variant),
            "losing lines of the network alone": over_seeds(
                result, lambda row: row["first"] + row["second"], variant=variant
            ),
            "won against random moves, %": over_seeds(result, lambda row: 100 * row["won_random"], variant=variant),
        }
        for variant in each(result.rows, "variant")
    )
