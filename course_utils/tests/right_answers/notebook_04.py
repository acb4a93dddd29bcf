"""Right answers of notebook 04, written in other ways than the references."""

import numpy as np

# --- final_action ----------------------------------------------------------------------------------------------------


def final_by_table(root, rule="robust", caution=1.0):
    if rule not in ("robust", "max", "max-robust", "secure"):
        raise ValueError(f"unknown rule: {rule}")
    actions = list(root.children)
    N = np.array([root.children[action].N for action in actions])
    means = np.array([root.children[action].W for action in actions]) / N
    if rule == "max-robust":
        both = (N == N.max()) & (means == means.max())
        return int(actions[int(np.argmax(both))]) if both.any() else None
    values = {"robust": N, "max": means, "secure": means - caution / np.sqrt(N)}[rule]
    return actions[int(np.argmax(values))]


def final_by_match(root, rule="robust", caution=1.0):
    def best(number):
        return sorted(root.children.items(), key=lambda item: number(item[1]))[-1][0]

    match rule:
        case "robust":
            return best(lambda child: child.N)
        case "max":
            return best(lambda child: child.W / child.N)
        case "secure":
            return best(lambda child: child.W / child.N - caution * child.N**-0.5)
        case "max-robust":
            robust, highest = best(lambda child: (child.N, child.Q)), best(lambda child: (child.Q, child.N))
            return robust if robust == highest else None
    raise ValueError(f"there is no rule {rule!r}")


RIGHT = {
    "final_action": [final_by_table, final_by_match],
}
