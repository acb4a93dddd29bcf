"""Draws of one game, or of a batch in which each game has a kind of its own: for functions that take both."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st


class Draw(NamedTuple):
    games: int | None  # None: no batch
    actions: int
    kind: str
    seed: int


def draws_of(kinds: list[str]) -> st.SearchStrategy[Draw]:
    return st.builds(
        Draw, st.sampled_from([None, None, 1, 2, 5]), st.integers(1, 9), st.sampled_from(kinds), st.integers(0, 999)
    )


def arguments_of(draw: Draw, kinds: list[str], names: tuple[str, ...], one_game: Callable) -> dict[str, Any]:
    """`one_game(actions, kind, rng)` gives the arguments `names` of one game."""
    rng = np.random.default_rng(draw.seed)
    drawn = [draw.kind, *(kinds[rng.integers(len(kinds))] for _ in range((draw.games or 1) - 1))]
    games = [one_game(draw.actions, kind, rng) for kind in drawn]
    if draw.games is None:
        return dict(zip(names, games[0], strict=True))
    return {name: np.array(part) for name, part in zip(names, zip(*games), strict=True)}


def game_by_game(draw: Draw, given: dict[str, Any], one: Callable[..., list[float]]) -> Any:
    """What `one` says of the game, or of each game of the batch by itself."""
    if draw.games is None:
        return one(*given.values())
    return np.array([one(*game) for game in zip(*(part.tolist() for part in given.values()), strict=True)])
