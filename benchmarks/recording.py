"""What it costs that a search can be watched (`search.recording`): while nobody does, and while somebody does.

Two processes take turns: one never records; the other has just recorded a search. The best of the rounds counts.
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
def recording(simulations=100, rounds=60, seeds=(0,)) -> Iterator[Row]:
    """Simulations a second of a process that never recorded a search, of one that has just recorded one, and recorded."""
    spawn = get_context("spawn")
    with ProcessPoolExecutor(1, spawn) as never, ProcessPoolExecutor(1, spawn) as just:
        for name in ("tictactoe", "connect_four"):
            plain, off, on = 0.0, 0.0, 0.0
            for _ in range(rounds):
                plain = max(plain, never.submit(search, name, simulations, seeds[0], False).result()[1])
                recorded, between = just.submit(search, name, simulations, seeds[0], True).result()
                off, on = max(off, between), max(on, recorded)
            yield dict(game=name, never_recorded=plain, just_recorded=off, recorded=on)
