"""The worked example of the thesis' section 3.4: a search with a network that says what it is told."""

from collections.abc import Hashable, Mapping

import numpy as np

from course_utils.games import Game, TicTacToe, after
from course_utils.results import table
from course_utils.search.puct import mcts_search
from lab.shown import figure


class ScriptedNetwork:
    """Says what it is told about a few positions, and knows nothing of all others."""

    def __init__(self, game: Game, opinions: Mapping[Hashable, tuple[float, Mapping[int, float]]]) -> None:
        """opinions: state -> (value, {action: prior})"""
        self.num_actions = game.num_actions
        self.opinions = {game.encode(state).tobytes(): opinion for state, opinion in opinions.items()}

    def __call__(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values, logits = np.zeros(len(planes)), np.zeros((len(planes), self.num_actions))
        for i, board in enumerate(planes):
            values[i], prior = self.opinions.get(board.tobytes(), (0.0, {}))
            logits[i, list(prior)] = np.log(list(prior.values()))  # softmax undoes the log
        return values, logits


@figure
def worked_example() -> str:
    """By simulations: Q + U and N of the four moves."""
    game, choices, lines = TicTacToe(), [1, 2, 5, 7], []
    position = after(game, [3, 0, 4, 6, 8])
    opinions = {
        position: (0.0, {1: 0.45, 2: 0.15, 5: 0.25, 7: 0.15}),
        game.play(position, 1): (-0.2, {2: 0.2, 5: 0.6, 7: 0.2}),  # for X, to move there
    }
    for simulations in (1, 2, 3, 10, 30, 100, 300):
        visits, root = mcts_search(
            game, position, ScriptedNetwork(game, opinions), simulations, c_puct=5, return_root=True
        )
        scores = root.Q + 5 * root.P * np.sqrt(1 + visits.sum()) / (1 + visits)
        lines.append({
            "simulations": simulations,
            "Q + U of 1, 2, 5, 7": ", ".join(f"{scores[action]:.3f}" for action in choices),
            "visits of 1, 2, 5, 7": ", ".join(f"{visits[action]:.0f}" for action in choices),
        })  # fmt: skip
    return table(lines)
