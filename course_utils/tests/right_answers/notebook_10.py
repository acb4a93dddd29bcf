"""Right answers for notebook 10, written differently from the references."""

import math

import numpy as np
import torch


def block_by_methods(block, features):
    hidden = block.first(features).clamp(min=0)
    return (block.second(hidden) + features).relu()


def block_by_names(block, features):
    x = features.clone()
    out = torch.maximum(block.first(features), torch.zeros(()))
    out = block.second(out)
    out += x
    return torch.relu(out)


def block_by_where(block, features):
    def relu(x):
        return torch.where(x > 0, x, torch.zeros_like(x))

    return relu(torch.add(features, block.second(relu(block.first(features)))))


def trace_forwards_from_each(players, winner, root_values, gave_away):
    found = []
    for t in range(len(players)):
        for later in range(t, len(players)):
            if gave_away[later]:
                found.append(players[t] * players[later] * root_values[later])
                break
        else:
            found.append(players[t] * winner)
    return found


def trace_by_segments(players, winner, root_values, gave_away):
    for_first = np.full(len(players), float(winner))
    begin = 0
    for cut in np.flatnonzero(gave_away):
        for_first[begin : cut + 1] = players[cut] * root_values[cut]
        begin = cut + 1
    return (for_first * players).astype(np.float32)


def trace_recursively(players, winner, root_values, gave_away):
    def says(t):
        if t == len(players):
            return winner
        return players[t] * root_values[t] if gave_away[t] else says(t + 1)

    return np.array([float(player * says(t)) for t, player in enumerate(players)])


def average_in_double(average, net, keep):
    latest = net.state_dict()
    mixed = {}
    for name, old in average.state_dict().items():
        if old.dtype.is_floating_point:
            mixed[name] = (keep * old.double() + (1 - keep) * latest[name].double()).to(old.dtype)
        else:
            mixed[name] = latest[name].clone()
    average.load_state_dict(mixed)


def average_parameters_then_buffers(average, net, keep):
    with torch.no_grad():
        for old, new in zip(average.parameters(), net.parameters(), strict=True):
            old.mul_(keep)
            old.add_((1 - keep) * new)
        for old, new in zip(average.buffers(), net.buffers(), strict=True):
            old.copy_(keep * old + (1 - keep) * new if old.is_floating_point() else new)


def average_by_data(average, net, keep):
    theirs = dict(net.state_dict())
    for name, tensor in average.state_dict().items():
        if torch.is_floating_point(tensor):
            tensor.data += (1 - keep) * (theirs[name] - tensor.data)
        else:
            tensor.data[...] = theirs[name]


def keeps_by_loop(scores):
    best = -math.inf
    for score in scores:
        if not math.isnan(score):
            best = max(best, score)
    kept = np.zeros(len(scores), dtype=bool)
    for action, score in enumerate(scores):
        if not math.isnan(score):
            kept[action] = (score > 0) == (best > 0) and (score < 0) == (best < 0)
    return kept


def keeps_by_cases(scores):
    if np.nanmax(scores) > 0:
        return scores > 0
    if np.nanmax(scores) == 0:
        return scores == 0
    return scores < 0


def keeps_by_clipping(scores):
    outcome = np.where(np.isnan(scores), -2, np.clip(scores * 1e9, -1, 1))
    return outcome == outcome.max()


RIGHT = {
    "residual_forward": [block_by_methods, block_by_names, block_by_where],
    "trace_targets": [trace_forwards_from_each, trace_by_segments, trace_recursively],
    "update_average": [average_in_double, average_parameters_then_buffers, average_by_data],
    "keeps_value": [keeps_by_loop, keeps_by_cases, keeps_by_clipping],
}
