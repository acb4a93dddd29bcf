"""Check iteration_seconds: who waits in an iteration of one learner and many workers."""

from hypothesis import strategies as st

from course_utils.learning.scaling import Costs
from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import number
from course_utils.tests.scene import Scenes

PRICE = st.integers(0, 80).map(lambda quarters: quarters / 4)
SMALL = st.sampled_from([0.0, 0.01, 0.125, 0.5])
COSTS = Costs(alone=1.0, game=0.1, learn=2.0, rest=0.5, send=0.01)


def scene(draw) -> str:
    workers, games, costs = draw
    return f"iteration_seconds({workers}, games={games}, costs={costs})"


BY_HAND = """
    no workers: one thing after the other
    >>> iteration_seconds(0, games=100, costs=Costs(alone=1.0, game=0.1, learn=2.0, rest=0.5, send=0.01))
    13.5
    ? Who plays and who learns if there is only the learner?

    one worker plays while the learner learns (2 points)
    >>> iteration_seconds(1, games=100, costs=Costs(alone=1.0, game=0.1, learn=2.0, rest=0.5, send=0.01))
    11.51
    ? Who waits for whom?

    four workers play a quarter of the games each, but they don't share calls
    >>> iteration_seconds(4, games=100, costs=Costs(alone=1.0, game=0.1, learn=2.0, rest=0.5, send=0.01))
    4.04
    ? A worker has a quarter of the games. Which part of its time is a quarter?

    the learner is done last
    >>> iteration_seconds(20, games=100, costs=Costs(alone=1.0, game=0.1, learn=2.0, rest=0.5, send=0.01))
    2.7
    ? 20 workers are done after 1.5 s. Is the iteration over?

    games are whole: one worker has four, the others three (2 points)
    >>> iteration_seconds(3, games=10, costs=Costs(alone=1.0, game=0.5, learn=0.0, rest=0.5, send=0.01))
    3.53
    ? Three workers, ten games. How many games does the slowest worker have?

    with more workers than games, each worker still has to be sent the weights (2 points)
    >>> iteration_seconds(500, games=10, costs=Costs(alone=1.0, game=0.1, learn=2.0, rest=0.5, send=0.01))
    7.5
    ? How many games does a worker have at most if 500 workers share ten games?
"""

SHARE = "most = -(-games // workers)"
LAST = "return workers * costs.send + max(playing, costs.learn) + costs.rest"
MEANWHILE = "What does the learner do while the workers play?"
WHOLE = "Three workers share four games. How long do two of them wait for the third?"

# fmt: off
WRONG = [
    Wrong("a share of a game",
          "games are shared as if they could be divided, so the worker with one game more is not waited for", WHOLE,
          (SHARE, "most = games / workers")),
    Wrong("rounded down", "the share is rounded down, so some games are never played", WHOLE,
          (SHARE, "most = games // workers")),
    Wrong("the calls shared, too",
          "all of self-play is divided by the number of workers, even the fixed cost of the calls",
          "Does a worker with half of the games call the network half as often?",
          ("costs.alone + most * costs.game\n    return", "(costs.alone + games * costs.game) / workers\n    return")),
    Wrong("the calls paid for each game",
          "`alone` is counted for each game instead of once for all games that are played side by side",
          "How often is a network called that evaluates many boards at once?",
          ("playing = costs.alone + most * costs.game", "playing = most * (costs.alone + costs.game)")),
    Wrong("learning afterwards", "the learner waits until all games are played and learns only then", MEANWHILE,
          (LAST, "return workers * costs.send + playing + costs.learn + costs.rest")),
    Wrong("the shorter one", "the iteration ends when the first is done, the players or the learner",
          "Can the rest begin while a worker is still playing?",
          ("max(playing", "min(playing")),
    Wrong("the rest meanwhile", "the rest is done during playing and learning",
          "Can games go into the buffer while they are still being played?",
          (LAST, "return workers * costs.send + max(playing, costs.learn, costs.rest)")),
    Wrong("learning and the rest meanwhile", "the learner does not wait for the games before it does the rest",
          "Can games go into the buffer while they are still being played?",
          (LAST, "return workers * costs.send + max(playing, costs.learn + costs.rest)")),
    Wrong("one letter for all", "the weights are sent once, however many workers there are",
          "How many times does the learner have to send the weights?",
          ("return workers * costs.send", "return costs.send")),
    Wrong("letters written while it learns", "the learner learns while it sends",
          "Can the learner send and learn at the same time?",
          (LAST, "return max(workers * costs.send + playing, costs.learn) + costs.rest")),
    Wrong("letters for those who play", "workers without a game are not sent the weights",
          "Does the docstring make an exception for a worker without a game?",
          (LAST, "return min(workers, games) * costs.send + max(playing, costs.learn) + costs.rest")),
    Wrong("the learner plays, too", "the learner counts as one of the players", "Who plays while the learner learns?",
          (SHARE, "most = -(-games // (workers + 1))")),
    Wrong("alone and at once", "without workers the learner plays and learns at the same time",
          "Can one process play and learn at the same time?",
          ("return costs.alone + games * costs.game + costs.learn + costs.rest",
           "return max(costs.alone + games * costs.game, costs.learn) + costs.rest")),
    Wrong("none is one", "having no workers is treated like having one",
          "Who plays if there are no workers, and can learning go on meanwhile?",
          ("if workers == 0:", "workers = max(workers, 1)\n    if False:")),
    Wrong("no worker plays", "without workers the code divides by 0", "What does `workers = 0` mean in the docstring?",
          ("if workers == 0:", "if False:")),
    Wrong("games a second", "the throughput in games per second is returned instead of the time",
          "Which unit does the docstring ask for?",
          (LAST, "return games / (workers * costs.send + max(playing, costs.learn) + costs.rest)"),
          ("return costs.alone + games * costs.game + costs.learn + costs.rest",
           "return games / (costs.alone + games * costs.game + costs.learn + costs.rest)")),
]
# fmt: on


def right_by_the_clock(workers, games, costs):
    """Assign the games one by one, each after all that it has to wait for."""
    if workers == 0:
        return costs.alone + sum(costs.game for _ in range(games)) + costs.learn + costs.rest
    hands = [0] * workers
    for game in range(games):
        hands[game % workers] += 1
    sent = sum(costs.send for _ in hands)
    ready = [sent + costs.learn, *(sent + costs.alone + costs.game * hand for hand in hands)]
    return max(ready) + costs.rest


def right_by_events(workers, games, costs):
    alone, game, learn, rest, send = costs
    if workers < 1:
        return sum((alone, game * games, learn, rest))
    most = games // workers + (games % workers > 0)
    start = send * workers
    learner_done, players_done = start + learn, start + alone + game * most
    return (learner_done if learner_done > players_done else players_done) + rest


CHECK = Scenes(
    draws=st.tuples(
        st.one_of(st.integers(0, 12), st.sampled_from([100, 1000])),
        st.one_of(st.integers(1, 24), st.sampled_from([100, 1000])),
        st.builds(Costs, alone=PRICE, game=SMALL, learn=PRICE, rest=PRICE, send=st.one_of(SMALL, PRICE)),
    ),
    returns=number,
    edges=[(0, 1, COSTS), (1000, 1, COSTS)]
    + [(workers, games, COSTS._replace(learn=0.0)) for workers in (2, 3, 7) for games in range(1, 2 * workers + 1)],
    question="Draw a line for the learner and one for each worker, as long as what it does takes. "
    "When does the last one end?",
)
