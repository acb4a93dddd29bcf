"""Gradients that are returned instead of added up."""

from .tensor import Tensor, gradients


def grad(
    outputs: Tensor, inputs, grad_outputs=None, retain_graph=False, allow_unused=False
) -> tuple[Tensor | None, ...]:
    """How fast `outputs`, one number, grows with each of `inputs`."""
    outputs = outputs if isinstance(outputs, Tensor) else sum(outputs)
    gradients_by_tensor = gradients(outputs, grad_outputs, bool(retain_graph))
    inputs = [inputs] if isinstance(inputs, Tensor) else [*inputs]
    if not allow_unused and any(tensor not in gradients_by_tensor for tensor in inputs):
        raise RuntimeError(
            "One of the differentiated Tensors appears to not have been used in the graph. "
            "Set allow_unused=True if this is the desired behavior."
        )
    return tuple(
        Tensor(gradients_by_tensor[tensor].copy()) if tensor in gradients_by_tensor else None for tensor in inputs
    )


def set_detect_anomaly(wanted: bool) -> None:
    """Nothing is looked for."""
