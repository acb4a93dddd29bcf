"""The search microscope: a search to step through, forwards and backwards, by simulation and inside each."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import traitlets

from course_utils import agents, mine
from course_utils.agents import SearchAgent
from course_utils.games import GAMES, Game, after, make_game
from course_utils.learning.self_play import add_root_noise
from course_utils.limits import whole
from course_utils.search.puct import Node
from course_utils.search.recording import Recording, watch_batched, watch_puct, watch_uct
from course_utils.ui import thinking
from course_utils.ui.component import Component, module, style
from course_utils.ui.plots import draw_tree, png

CONTESTED = {  # where the first look and the search disagree
    "tictactoe": [5, 1, 7, 6],  # the shipped network likes cell 8 best, which loses
    "connect_four": [3, 1, 6, 4, 2, 0, 0, 5, 5, 6, 3, 4, 6, 0, 4, 1, 2],  # ... column 2, and only column 1 wins
}
SEARCHES = ("puct", "uct", "batched")
SEED = 0  # of noise and rollouts


def microscope(
    game_name: str = "tictactoe",
    position: Sequence[int] | None = None,
    *,
    agent: SearchAgent | Mapping[str, SearchAgent] | None = None,
    simulations: int = 50,
    search: str = "puct",
    noise: bool = False,
) -> "Microscope":
    """A recorded search to step through; the page can ask for others.

    Args:
        position: the actions played so far, `[4, 0, 8]`; None: one where the search changes its network's mind.
        agent: whose network searches, and with which `c_puct`, or several by name; None: the shipped one, and yours if
            there is one.
        search: "puct" (the notebook 'PUCT search'), "uct" (with rollouts, the notebook 'Tree search with rollouts';
            needs no agent) or "batched" (the notebook 'Batched search').
        noise: whether the root's priors are perturbed, as in self-play.

    Raises:
        ValueError: there is no such game or search, an action is not legal, or the game is over.
    """
    if position is None:
        position = CONTESTED.get(game_name, [])
    if agent is None:
        agent = {"shipped": agents.load(game_name)}
        if game_name in GAMES and mine.has_agent(game_name):
            agent["yours"] = mine.agent(game_name, quiet=True)
    named = dict(agent) if isinstance(agent, Mapping) else {"this agent": agent}
    scope = Microscope(next((one.game for one in named.values()), make_game(game_name)), named)
    scope.look(position, simulations=simulations, search=search, noise=noise)
    return scope


class Microscope(Component):
    """The widget. `look(...)` records a search and shows it; what was recorded stays, and the page goes through it
    without the kernel.
    """

    _esm, _css = module("microscope"), style("microscope")
    recordings: traitlets.List = traitlets.List().tag(sync=True)  # {"choice": ..., "recording": ...}
    choice = traitlets.Dict().tag(sync=True)  # what is shown: the arguments of `look`
    agents: traitlets.List = traitlets.List().tag(sync=True)  # their names
    said = traitlets.Unicode("").tag(sync=True)  # why what was asked for is not shown; "" where it is

    def __init__(self, game: Game, named: dict[str, SearchAgent]):
        self.game, self.named = game, named
        super().__init__(agents=list(named))
        self.observe(self._asked, "choice")

    def look(
        self,
        position: Sequence[int],
        *,
        simulations: int = 50,
        search: str = "puct",
        noise: bool = False,
        agent: str | None = None,
    ) -> None:
        """Show this search. Raises ValueError as `microscope` does."""
        agent = next(iter(self.named)) if agent is None else agent
        choice = dict(position=list(position), simulations=simulations, search=search, noise=noise, agent=agent)
        self._watch(choice)
        self._last = choice
        self.choice, self.said = choice, ""

    def _asked(self, change) -> None:
        """The page wants to see something: watch it, or say why not."""
        try:
            self._watch(change["new"])
            self._last, self.said = change["new"], ""
        except Exception as error:  # a learner's search may raise anything
            self.choice = self._last  # what is shown goes on being what is chosen
            self.said = f"This search can't be shown: {type(error).__name__}: {error}".split("\n")[0]

    def _watch(self, choice: dict) -> None:
        if any(kept["choice"] == choice for kept in self.recordings):
            return
        thinking.wait()
        recording = watch(self.game, named=self.named, **choice)
        self.recordings = [*self.recordings, {"choice": choice, "recording": on_board(self.game, recording)}]

    def shown(self) -> Recording:
        """The recording of `choice`."""
        recording = next(kept["recording"] for kept in self.recordings if kept["choice"] == self.choice)
        return Recording(**{name: recording[name] for name in Recording.__dataclass_fields__})

    def _root(self) -> Node:
        return tree_of(self.shown(), self.game, after(self.game, self.choice["position"]))

    def picture(self) -> bytes:
        return png(draw_tree(self.game, self._root()))

    def __str__(self) -> str:
        root = self._root()
        visits = ", ".join(f"{self.game.action_name(int(a))} {root.N[a]:.0f}" for a in np.flatnonzero(root.legal))
        return f"{root.state}\nvisits after {root.N.sum():.0f} simulations ({self.choice['search']}): {visits}"


def on_board(game: Game, recording: Recording) -> dict[str, Any]:
    """A recording with what a page has to know of its board."""
    cells = [(row, column) for row in range(game.rows) for column in range(game.columns)]
    return asdict(recording) | {
        "rows": game.rows,
        "columns": game.columns,
        "names": [game.action_name(action) for action in range(game.num_actions)],
        "cell_actions": [game.action_at(row, column) for row, column in cells],
    }


def watch(
    game: Game,
    position: Sequence[int],
    simulations: int,
    search: str,
    noise: bool,
    agent: str,
    named: Mapping[str, SearchAgent],
) -> Recording:
    """The search that these words choose."""
    if search not in SEARCHES:
        raise ValueError(f"no search is called {search!r}; known: {', '.join(SEARCHES)}")
    simulations = whole("simulations", simulations, 1)
    state, rng = after(game, list(position)), np.random.default_rng(SEED)
    if search == "uct":
        return watch_uct(game, state, simulations, rng)
    watcher = watch_puct if search == "puct" else watch_batched
    searcher = named[agent]
    perturb = add_root_noise if noise else None
    return watcher(game, state, searcher.network, simulations, searcher.c_puct, noise=perturb, rng=rng)


def tree_of(recording: Recording, game: Game, state) -> Node:
    """The tree as the search left it: its root."""
    nodes: list[Node] = []
    for seen in recording.nodes:
        if seen["parent"] is None:
            nodes.append(Node(game, state))
            continue
        above = nodes[seen["parent"]]
        child = Node(game, game.play(above.state, seen["action"]), above, seen["action"])
        above.children[seen["action"]] = child
        nodes.append(child)
    for simulation in recording.simulations:
        for number, action, visits, worth in simulation["up"]:
            nodes[number].N[action] += visits
            nodes[number].W[action] += worth
    return nodes[0]
