"""Workers: batches are requested ahead, taken as they come, and each counts once, however long it takes."""

import multiprocessing
import signal
import sys
import time
from concurrent.futures import Future
from types import ModuleType, SimpleNamespace

import pytest

from course_utils.games import TicTacToe
from course_utils.learning import workers
from course_utils.learning.config import config_for
from course_utils.learning.engine import STALEST, Queue, train
from course_utils.learning.folder import train_in_folder
from course_utils.learning.run import Run
from course_utils.learning.workers import ProcessPool, Workers, hire, play_batch
from course_utils.search.on_device import DeviceSearch, network_on_device

TINY = dict(games=4, parts=2, simulations=2, steps=1, batch=8, first_window=30)


def start(iterations: int) -> Run:
    game = TicTacToe()
    return Run.start(game, config_for(game, lockstep=True, iterations=iterations, **TINY), seed=1)


class Scripted(Workers):
    """Plays ahead, a batch only when it is needed. Batches of the numbers `slow` are finished only if they are begun twice."""

    count, ahead = 2, True

    def __init__(self, slow=(), unstoppable=()):
        self.slow, self.unstoppable, self.begun, self.shared = set(slow), set(unstoppable), [], []

    def share(self, weights):
        self.shared.append(weights)
        return weights

    def begin(self, play, game, config, weights, games, seed, settings, device):
        number = seed[1] * config.parts + seed[2]
        future: Future = Future()
        future.work = lambda: future.set_result(play(game, config, weights, games, seed, settings, device))
        future.number = number
        if number not in self.slow or number in self.begun:
            future.work()
        self.begun.append(number)
        return future

    def recall(self, future):
        return not (future.done() or future.number in self.unstoppable)


def taken(run: Run) -> list[int]:
    return [number for entry in run.history for number in entry["batches"]]


def test_every_batch_is_learned_from_once_and_the_games_add_up():
    run, crew = start(5), Scripted()
    train(run, workers=crew)
    assert sorted(taken(run)) == list(range(10)) == sorted(crew.begun)
    assert [entry["games"] for entry in run.history] == [4] * 5
    assert sum(entry["examples"] for entry in run.history) == len(run.buffer)
    assert [entry["staleness"] for entry in run.history] == [[0, 0]] + [[1, 1]] * 4
    assert len(crew.shared) == 4, "the weights are shared once for each version that anybody plays with"


def test_the_one_that_learns_waits_for_no_particular_batch():
    run, crew = start(3), Scripted(slow=[1])
    queue = Queue(run, crew)
    queue.fill()
    assert [batch.number for batch in queue.take()] == [0, 2]
    assert [batch.number for batch in queue.pending] == [1, 3]


def test_a_batch_that_is_out_for_too_long_is_ordered_again_with_newer_weights():
    run, crew = start(8), Scripted(slow=[1])
    train(run, workers=crew)
    assert sorted(taken(run)) == list(range(16))
    assert crew.begun.count(1) == 2 and len(crew.begun) == 17
    assert max(max(entry["staleness"]) for entry in run.history) <= STALEST
    late = next(entry for entry in run.history if 1 in entry["batches"])
    assert late["iteration"] == STALEST + 1
    assert late["staleness"][late["batches"].index(1)] == 0


def test_a_batch_that_is_finished_just_before_it_is_recalled_counts_and_is_not_played_again():
    run, crew = start(8), Scripted(slow=[1], unstoppable=[1])
    queue = Queue(run, crew)
    queue.fill()
    [slow] = [batch for batch in queue.pending if batch.number == 1]

    def finish(run):
        if len(run.history) == STALEST:
            slow.future.work()

    while len(run.history) < 8:
        queue.fill()
        batches = queue.take()
        run.keep([batch.games() for batch in batches])
        numbers, stale = [[batch.number for batch in batches], [len(run.history) - batch.version for batch in batches]]
        run.log([batch.games() for batch in batches], [], None, None, 0.0, batches=numbers, staleness=stale)
        finish(run)
    assert sorted(taken(run)) == list(range(16))
    assert crew.begun.count(1) == 1
    assert max(max(entry["staleness"]) for entry in run.history) == STALEST


def test_a_run_resumed_orders_what_was_out_again_and_nothing_else(tmp_path):
    run = start(6)
    train(run, lambda run: len(run.history) == 3, workers=Scripted(slow=[1, 3]))
    assert not {1, 3} & set(taken(run))
    run.save(tmp_path / "state.pt")
    resumed, crew = Run.resume(tmp_path / "state.pt", TicTacToe()), Scripted()
    train(resumed, workers=crew)
    assert sorted(taken(resumed)) == list(range(12))
    assert sorted(crew.begun) == sorted(set(range(12)) - set(taken(run)))
    again = Run.resume(tmp_path / "state.pt", TicTacToe())
    train(again, workers=0)  # other workers may go on
    assert sorted(taken(again)) == list(range(12))


def test_an_error_in_a_batch_is_raised_where_the_games_are_taken():
    class Failing(Scripted):
        def begin(self, *given):
            future: Future = Future()
            future.set_exception(ValueError("the network's value is NaN"))
            return future

    with pytest.raises(ValueError, match="is NaN"):
        train(start(2), workers=Failing())


def test_workers_are_a_number_or_ray():
    assert type(hire(0)) is type(hire("0")) is Workers
    assert isinstance(hire("2"), ProcessPool) and hire("2").count == 2
    assert isinstance(hire(None), ProcessPool)
    for nonsense in ("two", "-1", "2.5"):
        with pytest.raises(ValueError, match=f"a number of processes or ray, not {nonsense}"):
            hire(nonsense)


def test_processes_that_play_when_a_run_is_stopped_end_without_finishing_their_games():
    before = multiprocessing.active_children()
    with pytest.raises(KeyboardInterrupt), ProcessPool(1) as pool:
        pool.begin(time.sleep, 3600)
        raise KeyboardInterrupt
    playing = [child for child in multiprocessing.active_children() if child not in before]
    for child in playing:
        child.join(300)
    assert [child.exitcode for child in playing] == [-signal.SIGTERM]


LINE = "class Line(TicTacToe): pass"
IN_A_FUNCTION = "def Line():\n    class Line(TicTacToe): pass\n    return Line()"


def written(source: str, monkeypatch, **of_main) -> TicTacToe:
    """An object of the class `Line`, as it is where this source ran as a notebook's cell, or as a program."""
    main = ModuleType("__main__")
    vars(main).update(TicTacToe=TicTacToe, **of_main)
    monkeypatch.setitem(sys.modules, "__main__", main)
    exec(source, vars(main))
    return main.Line()


@pytest.mark.parametrize("workers", [None, 2])
@pytest.mark.parametrize(
    ("source", "where"),
    [(LINE, "in a notebook"), (IN_A_FUNCTION, "within a function")],
)
def test_a_game_that_other_processes_cannot_find_is_refused_before_a_batch_is_played(
    source, where, workers, monkeypatch
):
    game = written(source, monkeypatch)
    run = Run.start(game, config_for(game, lockstep=True, iterations=1, **TINY), seed=1)
    with pytest.raises(ValueError, match=f"^Line is written {where}, where other processes .*: train with workers=0"):
        train(run, workers=workers)
    assert run.history == []
    train(run, workers=0)
    assert len(run.history) == 1


@pytest.mark.parametrize("of_main", [dict(__file__="my_game.py"), dict(__spec__=SimpleNamespace(name="my_game"))])
def test_a_game_of_a_program_is_found_by_other_processes_since_they_run_its_file(of_main, monkeypatch):
    hire(2).check(written(LINE, monkeypatch, **of_main))


def test_the_games_of_a_batch_depend_on_its_arguments_alone():
    run, begun = start(1), []

    class Noting(Workers):
        def begin(self, play, *arguments):
            begun.append(arguments)
            return super().begin(play, *arguments)

    train(run, workers=Noting())
    again = [play_batch(*arguments)[0] for arguments in reversed(begun)][::-1]
    assert sum(len(examples) for examples in again) == len(run.buffer)
    assert (run.buffer.examples.policy == [row for examples in again for row in examples.policy]).all()


def test_on_a_device_the_same_games_are_played(monkeypatch):
    """ "meta" is no processor: the test says where that is."""
    runs = [start(2), start(2)]
    monkeypatch.setattr(workers, "DeviceSearch", lambda device: DeviceSearch("cpu"))
    monkeypatch.setattr(workers, "network_on_device", lambda net, device: network_on_device(net, "cpu"))
    for run, device in zip(runs, ("cpu", "meta"), strict=True):
        train(run, workers=0, device=device)
    assert (runs[0].buffer.examples.policy == runs[1].buffer.examples.policy).all()


def test_a_device_that_is_not_there_is_named(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="a device is cpu or cuda, not gpu"):
        train_in_folder(tmp_path, TicTacToe(), 1, 0, device="gpu")
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(ValueError, match="needs a GPU that PyTorch can use"):
        train_in_folder(tmp_path, TicTacToe(), 1, 0, device="cuda")
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    with pytest.raises(ValueError, match="leave WORKERS=ray out"):
        train_in_folder(tmp_path, TicTacToe(), 1, 0, device="cuda", workers="ray")
    assert not list(tmp_path.iterdir())
