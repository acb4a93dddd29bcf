"""PUCT search: with fractions and square roots by hand, by recursion, and one position after the other."""

import math

import numpy as np

from course_utils.agents import MinimaxAgent, SearchAgent
from course_utils.games import TicTacToe, after
from course_utils.networks import UniformNetwork


def next_visit():
    edges = {1: (6, 3.0, 0.5), 5: (3, 0.6, 0.3), 7: (0, 0.0, 0.2)}
    total = sum(visits for visits, _, _ in edges.values())

    def score(action):
        visits, value, prior = edges[action]
        return (value / visits if visits else 0) + 1.5 * prior * math.sqrt(1 + total) / (1 + visits)

    assert [round(score(action), 3) for action in edges] == [0.839, 0.556, 0.949]
    return max(edges, key=score)


def added_to_w():
    """What the finished game is worth to whoever chose, at each node."""
    game = TicTacToe()
    root = after(game, [0, 4, 8, 2, 6, 3])
    middle = game.play(root, 1)
    winner = game.winner(game.play(middle, 5))
    return [winner * game.to_play(middle), winner * game.to_play(root)]


def after_four():
    """From the printed numbers alone: [visits, sum, prior] of 1, 5 and 7, and what a look at each brings back."""
    edges, news = {1: [0, 0.0, 0.342], 5: [0, 0.0, 0.360], 7: [0, 0.0, 0.298]}, {1: -0.009, 5: 0.042, 7: 1.0}
    for simulation in range(4):
        scores = {
            a: (w / n if n else 0) + 1.5 * p * math.sqrt(1 + simulation) / (1 + n) for a, (n, w, p) in edges.items()
        }
        action = max(scores, key=scores.__getitem__)
        edges[action][0] += 1
        edges[action][1] += news[action]
    assert [round(score, 3) for score in scores.values()] == [0.504, 0.582, 1.447]
    return [n for n, _, _ in edges.values()]


def right_with_25():
    """On every eighth position of the exam, one search after the other."""
    game = TicTacToe()
    perfect, agent = MinimaxAgent(game), SearchAgent(game, UniformNetwork(9), 25, c_puct=1.5)
    perfect.value(game.initial_state())
    best = {state: perfect.best_actions(state) for state in perfect.values if not game.is_terminal(state)}
    exam = [state for state in best if len(best[state]) < len(game.legal_actions(state))]
    lowest = np.mean([game.legal_actions(state)[0] in best[state] for state in exam])
    assert (len(exam), round(100 * lowest)) == (3191, 41)
    return 100 * np.mean([agent.act(state) in best[state] for state in exam[::8]])


TRUTHS = {
    "next-visit": next_visit,
    "added-to-w": added_to_w,
    "after-four": after_four,
    "right-with-25": right_with_25,
}
