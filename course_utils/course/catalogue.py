"""The exercises of the course: each is a function of the package, named by its path."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Exercise:
    """An exercise's id is its name, never a number: names are unique over the course."""

    name: str
    module: str
    notebook: str  # "02"

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}"

    @cached_property
    def reference(self) -> Callable:
        return getattr(importlib.import_module(self.module), self.name)


def _exercises(notebook: str, module: str, *names: str) -> list[Exercise]:
    return [Exercise(name, f"course_utils.{module}", notebook) for name in names]


EXERCISES: dict[str, Exercise] = {
    exercise.name: exercise
    for exercise in [
        *_exercises("01", "search.bandits", "incremental_mean", "epsilon_greedy", "ucb_action"),
        *_exercises("02", "games.tictactoe", "winner", "is_terminal", "legal_actions", "play", "encode"),
        *_exercises("02", "games.tictactoe", "symmetries", "count_games"),
        *_exercises(
            "02", "games.connect_n", "completes_line", "connect_legal_actions", "connect_play", "connect_encode"
        ),
        *_exercises("03", "search.minimax", "negamax", "alpha_beta", "heuristic"),
        *_exercises("04", "search.uct", "uct_score", "uct_select", "uct_expand", "rollout", "uct_backup"),
        *_exercises("04", "search.uct", "uct_search", "final_action"),
        *_exercises("05", "networks.by_hand", "relu", "dense_forward", "mlp_forward", "softmax", "cross_entropy"),
        *_exercises("05", "networks.by_hand", "dense_backward", "network_backward", "sgd_step", "xavier"),
        *_exercises("05", "networks.protocol", "masked_policy"),
        *_exercises("05", "networks.policy_value", "network_forward"),
        *_exercises("06", "search.puct", "select_child", "select", "expand", "evaluate", "backup", "mcts_search"),
        *_exercises("07", "learning.self_play", "sample_action", "add_root_noise", "value_targets", "self_play_game"),
        *_exercises("08", "learning.training", "alphazero_loss", "train_step", "train_alphazero"),
        *_exercises("08", "learning.arena", "gate"),
        *_exercises("09", "games.batched", "batched_play"),
        *_exercises("09", "search.batched", "batched_select", "batched_expand", "batched_backup", "batched_search"),
        *_exercises("10", "networks.resnet", "residual_forward"),
        *_exercises("10", "learning.batched_self_play", "trace_targets"),
        *_exercises("10", "learning.batched_training", "update_average"),
        *_exercises("10", "learning.grading", "keeps_value"),
    ]
}
