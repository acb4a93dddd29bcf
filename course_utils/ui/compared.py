"""Below a check that failed: the learner's search and the right one in two microscopes, in step, up to where they part.

Both search the same small position. Yours has the answer that was checked in it, and everything else is the course's.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
import traitlets

from course_utils import watchers
from course_utils.deadline import TookTooLong, interruptible
from course_utils.exercise import using
from course_utils.games import Game, TicTacToe, after
from course_utils.networks import Network, UniformNetwork
from course_utils.search.recording import Recording, watch_batched, watch_proven, watch_puct, watch_uct
from course_utils.ui.component import Component, module, style, text
from course_utils.ui.microscope import on_board

SEARCHES = {
    "puct": ("select_child", "select", "expand", "evaluate", "backup", "mcts_search"),
    "uct": ("uct_score", "rollout", "uct_backup", "uct_search"),
    "proven": ("proven_by_children", "pass_up_proof", "search_until_proven"),
    "batched": ("batched_play", "batched_select", "batched_backup", "batched_search"),
}
SEARCH_OF = {exercise: search for search, exercises in SEARCHES.items() for exercise in exercises}
GAME = TicTacToe()
C_PUCT = 1.5
ENDLESS = "did not come to an end"
SECONDS = 1.0  # for a search with the learner's answer in it
SEED = 0


@cache
def places() -> list[tuple[list[int], Network, int]]:
    """Moves, network and simulations: the first place in which the two searches part is shown."""
    from course_utils.tests.world.networks import (
        HashNetwork,
    )  # not where a notebook begins: checks take their time to load

    return [
        ([0, 4, 8, 2, 6, 3], UniformNetwork(9), 12),
        ([0, 4, 8, 2, 6, 3], HashNetwork(9, 1), 25),
        ([4, 0], HashNetwork(9, 2), 25),
        ([0, 1, 2, 6, 4], UniformNetwork(9), 40),
        ([], HashNetwork(9, 3), 40),
    ]


def record(search: str, moves: list[int], network: Network, simulations: int) -> Recording:
    """A search by the versions in force. Raises as `watch_puct` does."""
    state = after(GAME, moves)
    if search == "uct":
        return watch_uct(GAME, state, simulations, np.random.default_rng(SEED))
    watch = {"puct": watch_puct, "proven": watch_proven, "batched": watch_batched}[search]
    return watch(GAME, state, network, simulations, C_PUCT)


def recorded(search: str, exercise: str, answer: Callable, *where: Any) -> tuple[Recording, str]:
    """(the search with this answer in it, what ended it early or "")."""
    from course_utils.tests.grade import CHECKS  # see above
    from course_utils.tests.stage import LocalStage

    stage = LocalStage(CHECKS[exercise], answer)

    def work() -> Recording:
        with using({exercise: interruptible(answer)}):
            return record(search, *where)

    try:
        return stage.limited(SECONDS, work), ""
    except TookTooLong as error:
        return getattr(error, "recording", Recording(search, C_PUCT)), ENDLESS
    except Exception as error:
        words = f"raised {type(error).__name__}{f': {error}' if str(error) else ''}".partition("\n")[0][:200]
        return getattr(error, "recording", Recording(search, C_PUCT)), words


def compare(exercise: str, answer: Callable) -> "Compared | None":
    """Both searches from the first position in which they part; None where there is nothing to see."""
    search = SEARCH_OF.get(exercise)
    if search is None:
        return None
    for moves, network, simulations in places():
        yours, ended = recorded(search, exercise, answer, moves, network, simulations)
        if not yours.nodes and ended == ENDLESS:
            return None
        if yours.remark or not yours.nodes:
            continue
        with using({}):
            right = record(search, moves, network, simulations)
        if apart := parting(GAME, yours, right, ended):
            return Compared(GAME, moves, yours, right, apart)
    return None


# --- where two recordings part ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parting:
    """The first difference.

    Attributes:
        simulation, phase, depth: the moment, as the microscope counts: from 0, -1 before the first.
        field: the column of the number that differs: "N", "W", "P"; "value"; "" for another kind of difference.
        action: its row; None if it has none.
        said: a sentence.
    """

    simulation: int
    phase: str
    depth: int
    field: str
    action: int | None
    said: str


def parting(game: Game, yours: Recording, right: Recording, ended: str = "") -> Parting | None:
    """Where they part; None if they don't.

    Args:
        ended: what ended yours early.
    """
    if yours.nodes[0] != right.nodes[0]:
        return _at_the_node(game, yours.nodes[0], right.nodes[0], -1, "start", 0)
    for number, (made, wanted) in enumerate(zip(yours.simulations, right.simulations, strict=False)):
        for difference in _in_simulation(game, yours, right, number, made, wanted):
            return _ending(difference, ended) if ended and number == len(yours.simulations) - 1 else difference
    shorter = min(len(yours.simulations), len(right.simulations))
    if ended or len(yours.simulations) != len(right.simulations):
        end = "it ends" if not ended else f"it {ended}"
        longer = len(yours.simulations) > len(right.simulations)
        message = (
            "the right search ends here, and yours goes on"
            if longer
            else f"yours makes no simulation {shorter + 1}: {end}"
        )
        return Parting(shorter, "select", 0, "", None, message)
    return None


def _ending(difference: Parting, ended: str) -> Parting:
    return Parting(**(asdict(difference) | {"said": f"{difference.said}. Yours {ended}"}))


def _path(recording: Recording, leaf: int) -> list[int]:
    """The nodes from the top to this one."""
    path = [leaf]
    while (parent := recording.nodes[path[0]]["parent"]) is not None:
        path.insert(0, parent)
    return path


def _in_simulation(
    game: Game, yours: Recording, right: Recording, number: int, made: dict, wanted: dict
) -> Iterator[Parting]:
    """Their differences in this simulation, the first one first."""
    paths = _path(yours, made["leaf"]), _path(right, wanted["leaf"])
    if paths[0][0] != 0:
        alone = len(paths[0]) == 1 and len(paths[1]) > 1
        said = (
            "the new node of yours has no parent"
            if alone
            else "yours begins at a root of its own, where nothing is counted yet"
        )
        yield Parting(number, "expand" if alone else "select", len(paths[1]) - 1 if alone else 0, "", None, said)
        return
    for depth in range(1, max(map(len, paths))):
        steps = [
            recording.nodes[path[depth]]["action"] if depth < len(path) else None
            for recording, path in zip((yours, right), paths, strict=True)
        ]
        if steps[0] != steps[1]:
            names = ["ends" if step is None else f"takes {_name(game, step)}" for step in steps]
            said = f"at this node yours {names[0]}, and the right one {names[1]}"
            yield Parting(number, "select", depth - 1, "", steps[1], said)
            return
    deepest = len(paths[1]) - 1
    leaves = yours.nodes[made["leaf"]], right.nodes[wanted["leaf"]]
    if difference := _at_the_node(game, leaves[0], leaves[1], number, "expand", deepest):
        yield difference
    elif made["new"] != wanted["new"]:
        yield Parting(number, "expand", deepest, "", None, "only one of the two makes a new node here")
    if abs(made["value"] - wanted["value"]) > 1e-6:
        said = (
            f"yours is worth {_number(made['value'])} to the player to move, the right one {_number(wanted['value'])}"
        )
        yield Parting(number, "evaluate", deepest, "value", None, said)
    yield from _backed_up(game, paths, number, made["up"], wanted["up"])


def _name(game: Game, action: int) -> str:
    return game.action_name(action) if 0 <= action < game.num_actions else f"action {action}"


def _number(number: float) -> str:
    return f"{number:.3g}".replace("-", "−")


def _at_the_node(game: Game, yours: dict, right: dict, number: int, phase: str, depth: int) -> Parting | None:
    for name, words in (
        ("cells", "the position"),
        ("to_play", "the player to move"),
        ("over", "the end of the game"),
        ("legal", "the legal moves"),
    ):
        if yours[name] != right[name]:
            return Parting(number, phase, depth, "", None, f"{words} at this node differs")
    right_priors, your_priors = right["P"] or [], yours["P"] or []
    for action, prior, your_prior in zip(right["legal"], right_priors, your_priors, strict=False):
        if not abs(prior - your_prior) < 1e-6:
            said = f"P of {_name(game, action)} is {_number(your_prior)} in yours, {_number(prior)} in the right one"
            phase = "evaluate" if phase == "expand" else phase
            return Parting(number, phase, depth, "P", action, said)
    return None


def _backed_up(
    game: Game, paths: tuple[list[int], list[int]], number: int, yours: list, right: list
) -> Iterator[Parting]:
    """From the leaf upwards, at each node the change of N and W."""
    changes = [
        {(path.index(node), action): (visits, worth) for node, action, visits, worth in up}
        for path, up in zip(paths, (yours, right), strict=True)
    ]
    for depth, action in sorted({**changes[0], **changes[1]}, key=lambda place: (-place[0], place[1])):
        pair = [side.get((depth, action), (0, 0)) for side in changes]
        for which, name in enumerate("NW"):
            your_change, right_change = pair[0][which], pair[1][which]
            if abs(your_change - right_change) > 1e-6:
                said = (
                    f"{name} of {_name(game, action)} changes by {_number(your_change)} in yours, by "
                    f"{_number(right_change)} in the right one"
                )
                yield Parting(number, "backup", min(depth, len(paths[1]) - 2), name, action, said)


# --- the widget -------------------------------------------------------------------------------------------------------


class Compared(Component):
    """Two microscopes behind a button, "Watch it". The page needs no kernel for them."""

    _esm, _css = module("microscope") + text("compared.js"), style("microscope") + text("compared.css")
    sides: traitlets.List = traitlets.List().tag(sync=True)  # {"name", "choice", "recording"}: yours, the right one
    apart = traitlets.Dict().tag(sync=True)  # a `Parting`

    def __init__(self, game: Game, moves: list[int], yours: Recording, right: Recording, apart: Parting):
        sides = [
            {"name": name, "choice": _choice(moves, recording, name), "recording": on_board(game, recording)}
            for name, recording in (("yours", yours), ("right", right))
        ]
        super().__init__(sides=sides, apart=asdict(apart))

    def _bundle(self) -> dict[str, str]:
        return {"text/plain": str(self)}

    def __str__(self) -> str:
        where = (
            f"simulation {self.apart['simulation'] + 1}, {self.apart['phase']}"
            if self.apart["simulation"] >= 0
            else "the root"
        )
        return (
            f"Your search and the right one part in {where}: {self.apart['said']}. Run the check again to watch both."
        )


def _choice(moves: list[int], recording: Recording, name: str) -> dict[str, Any]:
    """As a microscope chooses a search."""
    simulations = len(recording.simulations)
    return dict(position=moves, simulations=simulations, search=recording.search, noise=False, agent=name)


def install() -> None:
    """Let a check that fails offer it."""
    watchers.offer(compare)
