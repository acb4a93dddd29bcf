"""Right answers for notebook 05, written differently from the references."""

import math

import numpy as np
import torch

from course_utils.networks.by_hand import Activations


def relu_by_where(x):
    return np.where(x > 0, x, 0.0)


def relu_by_copy(x):
    out = np.array(x, dtype=float)
    out[out < 0] = 0
    return out


def relu_by_product(x):
    return x * (x > 0)


def relu_by_half(x):
    return (x + abs(x)) / 2


def dense_by_dot(x, W, b):
    return np.dot(x, W) + b[None, :]


def dense_by_einsum(x, weights, bias):
    out = np.einsum("bi,io->bo", x, weights)
    out += bias
    return out


def dense_by_loops(x, W, b):
    out = np.zeros((len(x), len(b)))
    for n in range(len(x)):
        for j in range(len(b)):
            out[n, j] = sum(x[n, i] * W[i, j] for i in range(x.shape[1])) + b[j]
    return out


def mlp_with_layers_in_a_list(weights, x):
    h, kept = x, [x]
    for layer in "12":
        h = np.maximum(h @ weights["W" + layer] + weights["b" + layer], 0)
        kept.append(h)
    return Activations(*kept, h @ weights["Wp"] + weights["bp"], np.tanh(h @ weights["Wv"] + weights["bv"]).ravel())


def mlp_by_hand_named(weights, x):
    a = np.clip(x.dot(weights["W1"]) + weights["b1"], 0, None)
    b = np.clip(a.dot(weights["W2"]) + weights["b2"], 0, None)
    u = (b @ weights["Wv"] + weights["bv"]).squeeze(-1)
    return Activations(
        x=x,
        first=a,
        second=b,
        logits=b @ weights["Wp"] + weights["bp"],
        value=(np.exp(2 * u) - 1) / (np.exp(2 * u) + 1),
    )


def softmax_by_rows(logits):
    policies = []
    for row in logits:
        e = np.exp(row - np.max(row))
        policies.append(e / e.sum())
    return np.array(policies)


def softmax_by_logsumexp(logits):
    return np.exp(logits - np.logaddexp.reduce(logits, axis=-1)[:, None])


def softmax_by_transpose(logits):
    e = np.exp(logits.T - logits.max(axis=1))
    return (e / e.sum(0)).T


def entropy_by_where(policy, target):
    logs = np.log(np.where(target > 0, policy, 1.0))
    return float(np.mean(-np.sum(target * logs, axis=1)))


def entropy_with_a_tiny_number(policy, target):
    return -(target * np.log(policy + 1e-12)).sum(axis=1).mean()


def entropy_clipped(policy, target):
    return np.mean([-np.dot(t, np.log(np.maximum(p, 1e-300))) for p, t in zip(policy, target)])


def entropy_by_loops(policy, target):
    total = 0.0
    for row, wanted in zip(policy, target):
        for p, t in zip(row, wanted):
            if t:
                total -= t * math.log(p)
    return total / policy.shape[0]


def backward_by_einsum(d_out, x, W):
    return (
        np.einsum("bo,io->bi", d_out, W),
        np.einsum("bi,bo->io", x, d_out),
        np.einsum("bo->o", d_out),
    )


def backward_position_by_position(d_out, x, W):
    d_x, d_W, d_b = np.zeros(x.shape), np.zeros(W.shape), np.zeros(W.shape[1])
    for n in range(len(x)):
        d_x[n] = W @ d_out[n]
        d_W += np.outer(x[n], d_out[n])
        d_b += d_out[n]
    return [d_x, d_W, d_b]


def network_backward_layer_by_layer(weights, activations, target_policy, target_value):
    n = len(activations.x)
    e = np.exp(activations.logits - activations.logits.max(axis=1, keepdims=True))
    d_logits = (e / e.sum(axis=1, keepdims=True) - target_policy) / n
    d_value = ((1 - activations.value**2) * -2 * (target_value - activations.value) / n).reshape(-1, 1)
    d = d_logits @ weights["Wp"].T + d_value @ weights["Wv"].T
    d = np.where(activations.second > 0, d, 0)
    g = {
        "Wp": activations.second.T @ d_logits,
        "bp": d_logits.sum(0),
        "Wv": activations.second.T @ d_value,
        "bv": d_value.sum(0),
    }
    g["W2"], g["b2"] = activations.first.T @ d, d.sum(0)
    d = (d @ weights["W2"].T) * (activations.first > 0)
    g["W1"], g["b1"] = activations.x.T @ d, d.sum(0)
    return g


def network_backward_with_one_head_matrix(weights, activations, target_policy, target_value):
    x, first, second, logits, value = activations
    p = np.exp(logits - logits.max(1)[:, None])
    p /= p.sum(1)[:, None]
    heads = np.hstack([weights["Wp"], weights["Wv"]])
    d = np.column_stack([p - target_policy, 2 * (value - target_value) * (1 - value) * (1 + value)]) / x.shape[0]
    d_heads, d_bias = second.T @ d, np.sum(d, 0)
    d2 = d @ heads.T
    d2[second <= 0] = 0
    d1 = d2 @ weights["W2"].T
    d1[first == 0] = 0
    return {
        "Wp": d_heads[:, :-1], "bp": d_bias[:-1], "Wv": d_heads[:, -1:], "bv": d_bias[-1:],
        "W2": first.T @ d2, "b2": d2.sum(axis=0), "W1": x.T @ d1, "b1": d1.sum(axis=0),
    }  # fmt: skip


def network_backward_by_torch(weights, activations, target_policy, target_value):
    t = {name: torch.tensor(array, requires_grad=True) for name, array in weights.items()}
    h = torch.relu(torch.tensor(activations.x) @ t["W1"] + t["b1"])
    h = torch.relu(h @ t["W2"] + t["b2"])
    policy = torch.nn.functional.cross_entropy(h @ t["Wp"] + t["bp"], torch.tensor(target_policy))
    value = torch.nn.functional.mse_loss(torch.tanh(h @ t["Wv"] + t["bv"])[:, 0], torch.tensor(target_value))
    (policy + value).backward()
    return {name: tensor.grad.numpy() for name, tensor in t.items()}


def step_by_loop(weights, gradients, learning_rate):
    moved = {}
    for key, array in weights.items():
        moved[key] = array + (-learning_rate) * gradients[key]
    return moved


def step_on_copies(weights, gradients, learning_rate):
    new = {key: array.copy() for key, array in weights.items()}
    for key in new:
        new[key] -= learning_rate * gradients[key]
    return new


def xavier_from_zero_one(inputs, outputs, rng):
    limit = math.sqrt(6.0 / (inputs + outputs))
    return (2 * rng.random((inputs, outputs)) - 1) * limit


def xavier_by_deviation(inputs, outputs, rng):
    std = math.sqrt(2 / (inputs + outputs))
    return rng.uniform(-std * 3**0.5, std * 3**0.5, (inputs, outputs))


def xavier_row_by_row(inputs, outputs, rng):
    limit = (6 / (inputs + outputs)) ** 0.5
    return np.array([rng.uniform(-limit, limit, outputs) for _ in range(inputs)])


def policy_of_legal_ones_put_in_place(logits, legal):
    chosen = np.asarray(logits, dtype=np.float64)[legal]
    if not np.isfinite(chosen).all():
        raise ValueError("logits are not finite")
    policy = np.zeros(len(logits))
    weights = np.exp(chosen - np.max(chosen))
    policy[legal] = weights / np.sum(weights)
    return policy


def policy_with_a_very_low_logit(logits, legal):
    logits = np.asarray(logits, dtype=np.float64)
    if np.isnan(logits[legal]).any() or np.isinf(logits[legal]).any():
        raise ValueError("not finite")
    low = np.where(legal, logits, -1e9)
    weights = np.exp(low - low.max())
    return weights / weights.sum()


def policy_by_torch(logits, legal):
    if not all(math.isfinite(logit) for logit, may in zip(logits, legal, strict=True) if may):
        raise ValueError("the logits are not finite")
    masked = torch.tensor(np.asarray(logits), dtype=torch.float32).masked_fill(~torch.tensor(legal), -math.inf)
    return torch.softmax(masked, dim=0).numpy()


def forward_flattened(net, planes):
    shared = net.trunk(planes)
    return net.value_head(shared).flatten().tanh(), net.policy_head(shared)


def forward_first_column(net, planes):
    hidden = net.trunk(planes)
    policy, value = net.policy_head(hidden), torch.tanh(net.value_head(hidden)[:, 0])
    return [value, policy]


RIGHT = {
    "relu": [relu_by_where, relu_by_copy, relu_by_product, relu_by_half],
    "dense_forward": [dense_by_dot, dense_by_einsum, dense_by_loops],
    "mlp_forward": [mlp_with_layers_in_a_list, mlp_by_hand_named],
    "softmax": [softmax_by_rows, softmax_by_logsumexp, softmax_by_transpose],
    "cross_entropy": [entropy_by_where, entropy_with_a_tiny_number, entropy_clipped, entropy_by_loops],
    "dense_backward": [backward_by_einsum, backward_position_by_position],
    "network_backward": [
        network_backward_layer_by_layer,
        network_backward_with_one_head_matrix,
        network_backward_by_torch,
    ],
    "sgd_step": [step_by_loop, step_on_copies],
    "xavier": [xavier_from_zero_one, xavier_by_deviation, xavier_row_by_row],
    "masked_policy": [policy_of_legal_ones_put_in_place, policy_with_a_very_low_logit, policy_by_torch],
    "network_forward": [forward_flattened, forward_first_column],
}
