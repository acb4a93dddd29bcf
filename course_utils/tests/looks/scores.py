"""The score of every action at a node, worked out from the lines of a case in which `select_child` compares them."""

import ast
import math
from typing import Any


def scores_in(call: str) -> dict[int, float]:
    """Action -> Q + U; {} unless the last line is one call of `select_child` and the others write the node's numbers
    out.
    """
    try:
        *lines, last = ast.parse(call).body
        if not isinstance(last, ast.Expr) or not isinstance(last.value, ast.Call):
            return {}
        if ast.unparse(last.value.func) != "select_child":
            return {}
        c_puct = ast.literal_eval(last.value.args[1])
        N, W, P = _numbers_of_the_node(lines)
    except (SyntaxError, ValueError, IndexError, KeyError, TypeError):
        return {}
    total = sum(N.values())
    return {
        action: (W.get(action, 0) / N[action] if N.get(action) else 0)
        + c_puct * prior * math.sqrt(1 + total) / (1 + N.get(action, 0))
        for action, prior in P.items()
    }


def _numbers_of_the_node(lines: list[ast.stmt]) -> tuple[dict[int, float], ...]:
    """N, W and P, action -> number. Raises ValueError: a line does more than to write them."""
    actions: dict[str, Any] = {}
    numbers: dict[str, dict[int, float]] = {"N": {}, "W": {}, "P": {}}
    for line in lines:
        if isinstance(line, ast.Import | ast.ImportFrom):
            continue
        if not isinstance(line, ast.Assign):
            raise ValueError(ast.unparse(line))
        target, value = line.targets[0], line.value
        pairs: Any = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = zip(target.elts, value.elts, strict=True)
        for name, content in pairs:
            if isinstance(name, ast.Subscript):
                index = actions.get(ast.unparse(name.slice)) or ast.literal_eval(name.slice)
                entries = ast.literal_eval(content)
                table = numbers[ast.unparse(name.value).removeprefix("node.")]
                table.update(zip(index, entries, strict=True) if isinstance(index, list) else [(index, entries)])
            elif isinstance(content, ast.List):
                actions[ast.unparse(name)] = ast.literal_eval(content)
    return numbers["N"], numbers["W"], numbers["P"]
