"""Each constant of each formula has a case by hand: an answer with a neighbouring formula fails one of them, under every seed."""

import numpy as np
import pytest

from course_utils.exercise import EXERCISES, using
from course_utils.tests.case import run_case
from course_utils.tests.catalogue import Wrong
from course_utils.tests.grade import CHECKS
from course_utils.tests.stage import LocalStage

SEEDS = [range(2), pytest.param(range(2, 200), marks=pytest.mark.full)]

SUM, ONES = "np.sqrt(1 + node.N.sum())", "/ (1 + node.N)"
BATCHED_SUM, BATCHED_ONES = "np.sqrt(1 + N.sum(axis=1, keepdims=True))", "/ (1 + N)"
UCT = "c_uct * math.sqrt(math.log(child.parent.N) / child.N)"
UCB = "C * np.sqrt(np.log(t) / N)"
WEIGHTS = "(np.asarray(visits) / np.max(visits)) ** (1 / temperature)"
DIRICHLET = "rng.dirichlet([alpha] * int(legal.sum()))"
MIX = "(1 - fraction) * prior + fraction * noise"
MIXED = "(value + n * mean) / (1 + n)"
SIGMA = "sigma(q, N)"
CENTER, WALD = "share + z**2 / (2 * trials)", "share * (1 - share) / trials"
REST, SCALE = "z**2 / (4 * trials**2)", "1 + z**2 / trials"
VALUE, POLICY = "F.mse_loss(value, target_value)", "F.log_softmax(logits, dim=1)"
STEP = "learning_rate * gradients[name]"
CROSS = "np.log(policy[wanted])"

# exercise -> what stands in the reference, and what an answer could have in its place
NEIGHBOURS: dict[str, dict[str, list[str]]] = {
    "select_child": {
        SUM: ["np.sqrt(max(1, node.N.sum()))", "np.sqrt(node.N.sum() + 1e-8)", "np.sqrt(2 + node.N.sum())", "np.sqrt(0.5 + node.N.sum())", "(1 + node.N.sum()) ** 0.6", "(1 + node.N.sum()) ** 0.4", "1 + np.sqrt(node.N.sum())", "np.sqrt(1 + node.N)", "np.sqrt(1 + node.N.max())", "np.sqrt(1 + node.N.mean())", "np.log(1 + node.N.sum())", "np.cbrt(1 + node.N.sum())"],
        ONES: ["/ np.maximum(1, node.N)", "/ (node.N + 1e-8)", "/ (2 + node.N)", "/ (0.5 + node.N)", "/ (1 + node.N) ** 2", "/ np.sqrt(1 + node.N)", "/ 1 + node.N"],
        "node.Q + U": ["(node.Q + 1) / 2 + U", "node.Q + 2 * U", "node.Q + U / 2", "node.W / (1 + node.N) + U"],
    },
    "batched_select": {
        BATCHED_SUM: ["np.sqrt(np.maximum(1, N.sum(axis=1, keepdims=True)))", "np.sqrt(N.sum(axis=1, keepdims=True) + 1e-8)", "np.sqrt(2 + N.sum(axis=1, keepdims=True))", "(1 + N.sum(axis=1, keepdims=True)) ** 0.6", "1 + np.sqrt(N.sum(axis=1, keepdims=True))", "np.sqrt(1 + N)", "np.sqrt(1 + N.sum())", "np.log(1 + N.sum(axis=1, keepdims=True))"],
        BATCHED_ONES: ["/ np.maximum(1, N)", "/ (N + 1e-8)", "/ (2 + N)", "/ (1 + N) ** 2", "/ np.sqrt(1 + N)"],
        "np.maximum(N, 1)": ["(N + 1)"],
        "Q + U": ["(Q + 1) / 2 + U", "Q + 2 * U"],
    },
    "uct_score": {
        UCT: ["c_uct * math.sqrt(math.log(child.parent.N + 1) / child.N)", "c_uct * math.sqrt(math.log(child.parent.N) / (1 + child.N))", "c_uct * math.sqrt(2 * math.log(child.parent.N) / child.N)", "c_uct * math.sqrt(math.log(child.parent.N)) / child.N", "c_uct * (math.log(child.parent.N) / child.N) ** 0.4", "c_uct * math.sqrt(math.log2(child.parent.N) / child.N)", "2 * math.sqrt(math.log(child.parent.N) / child.N)"],
        "child.W / child.N": ["child.W / (1 + child.N)", "(child.W / child.N + 1) / 2"],
        "return math.inf": ["return 1e9", "return 0.0"],
    },
    "ucb_action": {
        UCB: ["C * np.sqrt(np.log(t + 1) / N)", "C * np.sqrt(np.log(t - 1) / N)", "C * np.sqrt(np.log(N.sum()) / N)", "C * np.sqrt(np.log(t) / (1 + N))", "C * np.sqrt(2 * np.log(t) / N)", "C * (np.log(t) / N) ** 0.6", "C * (np.log(t) / N) ** 0.4", "C * np.sqrt(np.log2(t) / N)", "C * np.sqrt(t / N)", "np.sqrt(np.log(t) / N)"],
        "untried = np.flatnonzero(np.asarray(N) == 0)": ["N, untried = N + 1e-8, []", "N, untried = np.maximum(N, 1), []"],
    },
    "sample_action": {
        WEIGHTS: ["np.exp(np.log(visits + 1e-10) / temperature)", "np.exp(np.log(visits + 1e-12) / temperature)", "(visits + 1) ** (1 / temperature)", "visits ** (1 / temperature)", "(visits / visits.sum()) ** (1 / temperature)", "(np.asarray(visits) / np.max(visits)) ** temperature", "(np.asarray(visits) / np.max(visits)) ** (1 / (1 + temperature))", "(np.asarray(visits) / np.max(visits)) ** (2 / temperature)", "(np.asarray(visits) / np.max(visits)) ** (1 / temperature**2)", "(np.asarray(visits) / np.max(visits)) ** (1 / np.sqrt(temperature))", "(np.asarray(visits) / np.max(visits)) ** (2 - temperature)", "1.0 * (np.arange(len(visits)) == np.argmax(visits))", "1.0 * (np.asarray(visits) > 0)"],
        "temperature == 0": ["temperature <= 0.5", "temperature < 1", "temperature <= 1"],
    },
    "add_root_noise": {
        MIX: ["(1 - fraction) * prior + noise", "prior + fraction * noise", "fraction * prior + (1 - fraction) * noise", "(1 - fraction**2) * prior + fraction**2 * noise", "(1 - fraction / 2) * prior + fraction / 2 * noise", "0.75 * prior + 0.25 * noise"],
        DIRICHLET: ["rng.dirichlet([alpha / 2] * int(legal.sum()))", "rng.dirichlet([2 * alpha] * int(legal.sum()))", "rng.dirichlet([1 + alpha] * int(legal.sum()))", "rng.dirichlet([alpha + 0.1] * int(legal.sum()))", "rng.dirichlet([alpha / legal.sum()] * int(legal.sum()))", "rng.dirichlet([max(1, alpha)] * int(legal.sum()))", "rng.dirichlet([min(1, alpha)] * int(legal.sum()))", "rng.dirichlet([np.sqrt(alpha)] * int(legal.sum()))", "rng.dirichlet(alpha * prior[legal] * legal.sum())"],
    },
    "completed_q": {
        MIXED: ["(value + n * mean) / np.maximum(1, n)", "(value + n * mean) / (2 + n)", "(value + mean) / 2", "(2 * value + n * mean) / (2 + n)", "(value + (n + 1) * mean) / (2 + n)", "(value + n**0.5 * mean) / (1 + n**0.5)", "value + n * mean / (1 + n)"],
    },
    "improved_policy": {
        SIGMA: ["(50 + N) * (1 + q) / 2", "(51 + N.max(axis=-1, keepdims=True)) * (1 + q) / 2", "(49 + N.max(axis=-1, keepdims=True)) * (1 + q) / 2", "N.max(axis=-1, keepdims=True) * (1 + q) / 2", "50 * (1 + q) / 2", "(50 + N.max(axis=-1, keepdims=True)) * q", "(50 + N.sum(axis=-1, keepdims=True)) * (1 + q) / 2", "(50 + N.max(axis=-1, keepdims=True)) * (1 + q)"],
    },
    "wilson_interval": {
        CENTER: ["share + z**2 / trials", "share + z / (2 * trials)", "share + z**2 / (4 * trials)", "share"],
        WALD: ["share * (1 - share) / (trials + 1)", "share * (1 - share) / max(1, trials - 1)", "share**2 / trials", "0.25 / trials"],
        REST: ["z**2 / (2 * trials**2)", "z**2 / (4 * trials)", "z / (4 * trials**2)", "z**2 / (2 * trials) ** 3"],
        SCALE: ["1 + z / trials", "1 + z**2 / (2 * trials)", "1", "2 + z**2 / trials"],
        "half = z": ["half = 2", "half = 1.96", "half = 1"],
    },
    "alphazero_loss": {
        VALUE: ["F.mse_loss(value, target_value) / 2", "F.mse_loss(value, target_value).sqrt()", "F.l1_loss(value, target_value)", "F.mse_loss(value, target_value, reduction='sum')", "F.mse_loss(value, target_value) * len(value) / (len(value) + 1)"],
        POLICY: ["torch.log(torch.softmax(logits, dim=1) + 1e-8)", "torch.log(torch.softmax(logits, dim=1) + 1e-20)", "F.log_softmax(2 * logits, dim=1)", "F.log_softmax(logits, dim=0)", "F.log_softmax(logits, dim=1) / np.log(2)"],
        ".sum(dim=1).mean()": [".mean()", ".sum()", ".mean(dim=1).sum()"],
    },
    "epsilon_greedy": {
        "rng.random() >= epsilon": ["rng.random() >= epsilon / 2", "rng.random() >= 2 * epsilon", "rng.random() >= epsilon**2", "rng.random() >= 1 - epsilon", "rng.random() >= np.sqrt(epsilon)", "rng.random() >= epsilon * (len(Q) - 1) / len(Q)"],
        "rng.integers(len(Q)))": ["rng.integers(len(Q) - 1))", "rng.integers(1, len(Q)))"],
    },
    "incremental_mean": {
        "/ count": ["/ (count + 1)", "/ max(1, count - 1)", "/ (2 * count)", "/ count**0.5", "/ 2", "/ 10"],
        "mean + (reward - mean)": ["(mean + reward - mean)", "mean + (reward + mean)", "mean + reward"],
    },
    "iteration_seconds": {
        "-(-games // workers)": ["games / workers", "games // workers", "games // workers + 1", "(games - 1) // workers"],
        "costs.alone + most * costs.game": ["costs.alone / workers + most * costs.game", "most * (costs.alone + costs.game)", "costs.alone + (most + 1) * costs.game", "most * costs.game"],
        "workers * costs.send": ["costs.send", "(workers - 1) * costs.send", "(workers + 1) * costs.send", "0"],
        "max(playing, costs.learn)": ["min(playing, costs.learn)", "playing + costs.learn", "playing", "costs.learn"],
    },
    "softmax": {
        "np.exp(logits - logits.max(axis=1, keepdims=True))": ["np.exp(logits)", "np.exp(logits - logits.max())", "2.0 ** (logits - logits.max(axis=1, keepdims=True))", "1 + np.exp(logits - logits.max(axis=1, keepdims=True))", "np.exp(2 * (logits - logits.max(axis=1, keepdims=True)))"],
        "weights.sum(axis=1, keepdims=True)": ["weights.sum()", "weights.sum(axis=0)", "(1 + weights.sum(axis=1, keepdims=True))", "weights.max(axis=1, keepdims=True)"],
    },
    "masked_policy": {
        "weights = np.exp(shifted)": ["weights = np.exp(shifted) + 1e-8", "weights = 2.0**shifted", "weights = np.exp(2 * shifted)", "weights = 1 + np.exp(shifted)"],
        "weights.sum()": ["(1 + weights.sum())", "weights.max()"],
        "np.where(legal, logits - logits[legal].max(), -np.inf)": ["np.where(legal, logits, -np.inf)", "np.where(legal, logits - logits.max(), -np.inf)", "np.where(legal, logits - logits[legal].max(), -10)", "np.where(legal, logits - logits[legal].max(), 0)"],
    },
    "cross_entropy": {
        CROSS: ["np.log(policy[wanted] + 1e-8)", "np.log(np.maximum(policy[wanted], 1e-5))", "np.log2(policy[wanted])", "np.log(1 + policy[wanted])", "np.log(target[wanted])"],
        "/ len(target)": ["/ target.size", "/ (len(target) + 1)", ""],
    },
    "sgd_step": {
        f"weights[name] - {STEP}": [f"weights[name] + {STEP}", f"weights[name] - 2 * {STEP}", "weights[name] - learning_rate**2 * gradients[name]", "weights[name] - gradients[name]", f"0.99 * weights[name] - {STEP}", "weights[name] - learning_rate * np.sign(gradients[name])", f"(1 - learning_rate) * weights[name] - {STEP}"],
    },
    "dense_forward": {
        "x @ W + b": ["x @ W", "x @ W - b", "x @ W + 1 + b", "x @ (W + b)"],
    },
    "network_backward": {
        "2 * (value - target_value) / len(x) * (1 - value**2)": ["(value - target_value) / len(x) * (1 - value**2)", "2 * (value - target_value) * (1 - value**2)", "2 * (value - target_value) / len(x) * (1 - value)", "2 * (value - target_value) / len(x) * (1 + value**2)", "2 * (value - target_value) / len(x)"],
        "(softmax(logits) - target_policy) / len(x)": ["softmax(logits) - target_policy", "(softmax(logits) - target_policy) / (len(x) + 1)", "2 * (softmax(logits) - target_policy) / len(x)"],
    },
    "leaf_value": {
        "(1 - rollout_share) * judge": ["judge", "rollout_share * judge", "(1 - rollout_share) ** 2 * judge", "(1 - rollout_share / 2) * judge"],
        "rollout_share * rollout": ["rollout", "(1 - rollout_share) * rollout", "rollout_share**2 * rollout"],
    },
    "gate": {
        ">= threshold": ["> threshold", ">= 0.55", ">= 0.5", ">= threshold - 0.01", ">= threshold + 0.01"],
        "score.wins / decisive": ["score.wins / max(1, sum(score))", "(score.wins + score.draws / 2) / sum(score)", "score.wins / (1 + decisive)"],
    },
    "sequential_halving": {
        "max(1, (considered - 1).bit_length())": ["max(1, considered.bit_length())", "max(1, considered.bit_length() - 1)", "(considered - 1).bit_length()", "max(2, (considered - 1).bit_length())"],
        "max(1, simulations // (rounds * still_in))": ["simulations // (rounds * still_in)", "max(1, simulations // still_in)", "max(1, simulations // rounds)", "1", "max(1, -(-simulations // (rounds * still_in)))"],
        "max(2, still_in // 2)": ["max(1, still_in // 2)", "max(2, (still_in + 1) // 2)", "max(2, still_in // 3)", "max(2, still_in - 1)", "still_in"],
    },
    "value_targets": {"* winner": ["* -winner", "* abs(winner)", "* 1", "* (winner or 1)", "* (winner or -1)"]},
    "backup": {"value = -value": ["value = 1 - value", "pass", "value = -0.99 * value"]},
    "uct_backup": {
        "value**2": ["value", "abs(value)", "(2 * value) ** 2", "value**3"],
        "node.N += 1": ["node.N += 2", "node.N = 1"],
    },
    "batched_backup": {"values = -values": ["values = 1 - values", "values = -0.99 * values"]},
}  # fmt: skip
CASES = [(name, old, new) for name, places in NEIGHBOURS.items() for old, news in places.items() for new in news]


@pytest.mark.parametrize("seeds", SEEDS, ids=["two seeds", "all seeds"])
@pytest.mark.parametrize(("name", "old", "new"), CASES, ids=[f"{name}: {new}" for name, _, new in CASES])
def test_a_neighbouring_formula_fails_a_case_by_hand(name, old, new, seeds):
    check, wrong = CHECKS[name], Wrong("a neighbour", "", "", (old, new))
    wrong.exercise = name
    stage = LocalStage(check, wrong.answer)
    chance = "SEED" in check.by_hand
    for seed in seeds if chance else seeds[:1]:
        with using({}):
            cases = check.by_hand_cases(np.random.default_rng(seed))
            assert not all(run_case(case, stage).passed for case in cases), seed


def test_every_formula_of_the_reference_is_there_and_passes():
    """What the neighbours change occurs in the reference, and the reference itself passes all cases by hand."""
    for name, places in NEIGHBOURS.items():
        assert all(old in EXERCISES[name].source for old in places), name
        stage = LocalStage(CHECKS[name], EXERCISES[name].reference)
        with using({}):
            assert all(run_case(case, stage).passed for case in CHECKS[name].by_hand_cases(np.random.default_rng(0))), (
                name
            )
