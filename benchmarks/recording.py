"""What it costs that a search can be watched (`search.recording`): while nobody does, and while somebody does.

Two processes take turns: one never records; the other has just recorded a search. The best of the rounds counts. Two new processes, alike in all but
that, may differ by a few percent, each for as long as it lives: so there are several pairs.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from benchmarks.command import command
from benchmarks.search_speed import C_PUCT, rate
from course_utils.games import ConnectFour, TicTacToe
from course_utils.networks.fast import FoldedNetwork
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.resnet import make_resnet
from course_utils.results import Row
from course_utils.search.puct import mcts_search
from course_utils.search.recording import record_puct


def search(game_name: str, simulations: int, seed: int, record: bool) -> tuple[float, float]:
    """Simulations a second: (of a recorded search, 0 without, of one that is not recorded)."""
    if game_name == "tictactoe":
        game, network = TicTacToe(), TorchNetwork(make_network(TicTacToe(), seed))
    else:
        game, network = ConnectFour(), FoldedNetwork(make_resnet(ConnectFour(), seed, blocks=4, channels=64).eval())
    arguments = (game, game.initial_state(), network, simulations, C_PUCT)
    mcts_search(*arguments)  # warm
    recorded = rate(lambda: record_puct(*arguments), simulations) if record else 0.0
    return recorded, rate(lambda: mcts_search(*arguments), simulations, repeat=3)


@command("recording", usual=True)
def recording(simulations=100, pairs=8, rounds=20, seeds=(0,)) -> Iterator[Row]:
    """Simulations a second of a process that never recorded a search, of one that has just recorded one, and recorded; a row each pair."""
    spawn = get_context("spawn")
    for name in ("tictactoe", "connect_four"):
        for pair in range(pairs):
            never, just, on = [], [], []
            with ProcessPoolExecutor(1, spawn) as plain, ProcessPoolExecutor(1, spawn) as watched:
                for _ in range(rounds):
                    never.append(plain.submit(search, name, simulations, seeds[0], False).result()[1])
                    recorded, between = watched.submit(search, name, simulations, seeds[0], True).result()
                    just.append(between)
                    on.append(recorded)
            yield dict(game=name, pair=pair, never_recorded=max(never), just_recorded=max(just), recorded=max(on))
