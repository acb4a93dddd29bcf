"""The course in Rust, section 14, as its listing prints it and with the sign at the leaf put right: which candidates does its gate accept, and what is learned?"""

from course_utils.exercise import using
from course_utils.games import TicTacToe
from course_utils.games.batched import make_batched
from course_utils.networks.policy_value import TorchNetwork
from course_utils.results import Row
from course_utils.search.batched import batched_search
from lab.experiment import Experiment
from lab.experiments.published_schedule import EXPERIMENT as SCHEDULE
from lab.experiments.sign_at_the_leaf import SEARCHES, SmallNet
from lab.schedules import train_with_a_gate

GAME = TicTacToe()


def measure(seed: int, search: str, simulations: int, c_puct: float, **settings) -> list[Row]:
    """Candidates accepted, draws among the games of the last iteration, and the first move that the last champion searches for."""
    with using(SEARCHES[search]):
        run = list(train_with_a_gate(seed, simulations=simulations, c_puct=c_puct, network=SmallNet, **settings))
        batched, last = make_batched(GAME), run[-1]
        start = batched.from_states([GAME.initial_state()])
        opening = int(batched_search(batched, start, TorchNetwork(last.champion), simulations, c_puct)[0].argmax())
    ends = last.examples.outcome[last.examples.ply == 0]
    accepted = sum(one.accepted for one in run)
    return [
        dict(candidates=len(run), accepted=accepted, games=len(ends), draws=int((ends == 0).sum()), opening=opening)
    ]


EXPERIMENT = Experiment(
    question="The listing at the end of the course in Rust: how many of its candidates does its gate accept, as printed and with the sign put right?",
    published="early candidates accepted, late ones mostly rejected; 80-100 % draws at the end; the first move is the center",
    measure=measure,
    base=SCHEDULE.base,
    variants={"as printed": dict(search="as listed"), "mended": dict(search="right")},
    seeds=range(5),
    quick=SCHEDULE.quick,
)
