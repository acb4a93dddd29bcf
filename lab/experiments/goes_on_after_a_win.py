"""The course in Rust, section 11, as printed: its search goes on after a win. What that does to its games and to what a network learns of them."""

import numpy as np

from course_utils.games import TicTacToe
from course_utils.games.tictactoe import State
from course_utils.networks.by_hand import random_weights, train_by_hand
from course_utils.results import Row
from course_utils.search.uct import UctNode, child_visits, rollout, uct_backup, uct_expand, uct_score, uct_select
from lab.experiment import Experiment

GAME = TicTacToe()


class GoesOn(TicTacToe):
    """As its tree sees the game: any free cell may be played, also after somebody has won, and only a full board is the end."""

    def legal_actions(self, state: State) -> list[int]:
        return [cell for cell in range(9) if not state.cells[cell]]

    def play(self, state: State, action: int) -> State:
        cells = list(state.cells)
        cells[action] = state.to_play
        return State(tuple(cells), -state.to_play)

    def is_terminal(self, state: State) -> bool:
        return 0 not in state.cells


def search(tree: TicTacToe, state: State, simulations: int, rng: np.random.Generator) -> np.ndarray:
    """Visits; the rollouts know when somebody has won, whatever the tree knows."""
    root = UctNode(tree, state)
    for _ in range(simulations):
        node = uct_select(root, uct_score)
        if not node.is_terminal:
            node = uct_expand(node, tree, rng)
        uct_backup(node, rollout(GAME, node.state, rng))
    return child_visits(root, tree)


def measure(seed: int, checks: bool, games: int, simulations: int, epochs: int) -> list[Row]:
    """Games of self-play, always by the most visited move, and the loss of a network that learns from them."""
    rng, tree = np.random.default_rng(seed), GAME if checks else GoesOn()
    planes, policies, values, won = [], [], [], {1: 0, 0: 0, -1: 0}
    for _ in range(games):
        state, players = GAME.initial_state(), []
        while not GAME.is_terminal(state):
            visits = search(tree, state, simulations, rng)
            planes.append(GAME.encode(state).flatten())
            policies.append(visits / visits.sum())
            players.append(state.to_play)
            state = GAME.play(state, int(visits.argmax()))
        values += [GAME.winner(state) * player for player in players]
        won[GAME.winner(state)] += 1
    x, pi, z = (np.array(rows, dtype=float) for rows in (planes, policies, values))
    weights = random_weights(18, 64, 9, rng)
    _, history = train_by_hand(weights, x, pi, z, rng, epochs=epochs, learning_rate=0.01, batch=1)
    return [
        dict(games=games, examples=len(x), x_wins=won[1], draws=won[0], o_wins=won[-1], loss=round(sum(history[-1]), 3))
    ]


EXPERIMENT = Experiment(
    question="The games of the course in Rust, section 11: what does its search make of them, as printed and with the check for a winner?",
    published="671 examples; a loss that ends at 0.89",
    measure=measure,
    base=dict(games=100, simulations=800, epochs=30),
    variants={"as printed": dict(checks=False), "mended: a win ends the game in the tree, too": dict(checks=True)},
    quick=dict(games=3, simulations=50, epochs=2),
)
