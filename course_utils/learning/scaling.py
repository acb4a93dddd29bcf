"""A model of how long an iteration takes: one learner, and any number of workers that play.

The notebook "Scaling out".
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from course_utils.exercise import exercise


class Costs(NamedTuple):
    """How long each part of an iteration takes, in seconds of one processor core.

    A process that plays several games side by side takes `alone` + their number * `game` seconds, because the network
    is called as often for one game as for many, and the price of a call, apart from its boards, is paid once.
    """

    alone: float  # for all games of a process together, however few they are
    game: float  # for each game
    learn: float  # for the learner's steps, during which workers may play
    rest: float  # for the work of the learner during which no worker plays: adding the games to its buffer, saving
    send: float  # for each worker, one after the other: its weights there and its games back


@exercise("35")
def iteration_seconds(workers: int, games: int, costs: Costs) -> float:
    """Compute how long an iteration of `games` games takes, in the model of this notebook.

    With 0 workers the learner does everything in turn: the games, learning, the rest.
    Otherwise it sends the weights to each worker in turn. Then all workers play at once, with
    the games shared as evenly as whole games can be, while the learner learns. When both are
    done, it does the rest.
    costs: g games side by side take costs.alone + g * costs.game seconds.
    """
    if workers == 0:
        return costs.alone + games * costs.game + costs.learn + costs.rest
    most = -(-games // workers)  # of the worker that has most: rounded up
    playing = costs.alone + most * costs.game
    return workers * costs.send + max(playing, costs.learn) + costs.rest


def fit_costs(rows: Iterable[dict]) -> Costs:
    """The model's costs, from what was measured one part at a time, in one process (`python -m lab scaling`).

    Args:
        rows: with `part` ("play", "learn", "rest" or "send"), `games` and `seconds`; other parts don't count. A
            straight line is laid through those of "play", each point as near as a share of its height.
    """
    best = shortest((row for row in rows if row["part"] in ("play", "learn", "rest", "send")), "part", "games")
    games, seconds = np.array([(games, seconds) for (step, games), seconds in best.items() if step == "play"]).T
    game, alone = np.polyfit(games, seconds, 1, w=1 / seconds)
    fixed = {step: seconds for (step, _), seconds in best.items() if step != "play"}
    return Costs(float(alone), float(game), fixed["learn"], fixed["rest"], fixed["send"])


def beside_others(costs: Costs, rows: Iterable[dict]) -> Costs:
    """The costs when worker and learner compute at the same time. They share caches and memory, so both take longer.

    Args:
        rows: of measured iterations with one worker, as `measured_seconds` takes them, with `games`.
    """
    rows = list(rows)
    best = {name: seconds for (name,), seconds in shortest(rows, "name").items()}
    longer = best["part 0"] / (costs.alone + rows[0]["games"] * costs.game)
    return costs._replace(alone=longer * costs.alone, game=longer * costs.game, learn=best["learned"])


def measured_seconds(rows: Iterable[dict]) -> tuple[float, float]:
    """How long an iteration took, from what its learner and each of its workers took.

    Args:
        rows: of one number of `workers`, with `name` ("sent", "learned", "finished", and "part 0" and so on for each
            worker) and `seconds`.

    Returns:
        (seconds, those that it would have taken if each worker had been as fast as they were on average).
    """
    rows = list(rows)
    best = {name: seconds for (name,), seconds in shortest(rows, "name").items()}
    sent, learned, finished = (best.pop(name) for name in ("sent", "learned", "finished"))
    if rows[0]["workers"] == 0:
        return (sent + sum(best.values()) + learned + finished,) * 2
    slowest, average = max(best.values()), sum(best.values()) / len(best)
    return sent + max(slowest, learned) + finished, sent + max(average, learned) + finished


def shortest(rows: Iterable[dict], *names: str) -> dict[tuple, float]:
    """The shortest of several measurements of the same thing, since disturbances only add time.

    Rows that agree in the columns `names` measure the same thing.
    """
    best: dict[tuple, float] = {}
    for row in rows:
        key = tuple(row[name] for name in names)
        best[key] = min(best.get(key, np.inf), row["seconds"])
    return best


class Measured(NamedTuple):
    """Measurements of whole iterations, and the costs for the model."""

    games: int  # of an iteration
    parts: Costs  # each part measured by itself
    together: Costs  # the same where worker and learner compute at the same time
    speed: dict[int, float]  # workers -> games per second
    evenly: dict[int, float]  # the same, if every worker had been as fast as they were on average

    def shared(self, workers: int, costs: Costs | None = None) -> float:
        """Games per second, by the model, of an iteration that so many workers share."""
        return self.games / iteration_seconds(workers, self.games, costs or self.together)

    def grown(self, workers: int, games_each: int = 64) -> float:
        """Games per second, by the model, if each worker plays so many games and the learner's work grows, too."""
        games = workers * games_each
        learn, rest = (seconds * games / self.games for seconds in (self.together.learn, self.together.rest))
        return games / iteration_seconds(workers, games, self.together._replace(learn=learn, rest=rest))

    @property
    def learner(self) -> float:
        """Games per second that one learner can learn from."""
        return self.games / self.together.learn


def measured(rows: Iterable[dict]) -> Measured:
    """Read the rows of `python -m lab scaling`: the steps of an iteration, and iterations by 0, 1 and more workers."""
    rows = list(rows)
    whole = [row for row in rows if row["part"] == "iteration"]
    by_workers = {
        count: [row for row in whole if row["workers"] == count] for count in {row["workers"] for row in whole}
    }
    games, parts = whole[0]["games"], fit_costs(rows)
    seconds = {count: measured_seconds(by_workers[count]) for count in sorted(by_workers)}
    speed, evenly = ({count: games / times[i] for count, times in seconds.items()} for i in (0, 1))
    return Measured(games, parts, beside_others(parts, by_workers[1]), speed, evenly)
