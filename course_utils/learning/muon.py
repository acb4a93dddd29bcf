"""Muon: a step for each matrix of weights that moves all its directions alike. Jordan et al. 2024.

The gradients of a convolution point mostly in a few directions, and a step that follows them leaves the others where they are. Muon takes the mean
of the latest gradients, and makes all its singular values about 1 before it goes there.
"""

import torch

MOMENTUM = 0.95  # how much of the mean gradient each step keeps
COEFFICIENTS, ROUNDS = (3.4445, -4.775, 2.0315), 5  # of Newton and Schulz, as Jordan tuned them
LIKE_ADAM = 0.2  # the root mean square of an update of AdamW (Liu et al. 2025), so that one learning rate does for both


class Muon(torch.optim.AdamW):
    """Muon for the weights of convolutions, AdamW for all others, with the same learning rate and weight decay."""

    @torch.no_grad()
    def step(self, closure=None):
        """As `torch.optim.Optimizer.step`."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        done = []
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.dim() == 4 and weight.grad is not None:
                    self.turn(weight, weight.grad, group["lr"], group["weight_decay"])
                    done.append((weight, weight.grad))
                    weight.grad = None  # AdamW passes over it
        super().step()
        for weight, gradient in done:
            weight.grad = gradient
        return loss

    def turn(self, weight: torch.Tensor, gradient: torch.Tensor, rate: float, decay: float) -> None:
        """One step of one convolution: weight and gradient [outputs, inputs, rows, columns]."""
        state = self.state[weight]
        if not state:
            state.update(step=torch.tensor(0.0), mean=torch.zeros_like(weight))  # AdamW wants a step in every state
        state["step"] += 1
        state["mean"].lerp_(gradient, 1 - MOMENTUM)
        ahead = gradient.lerp(state["mean"], MOMENTUM).flatten(1)  # Nesterov's: as if the gradient came once more
        update = LIKE_ADAM * max(ahead.shape) ** 0.5 * orthogonal(ahead)
        weight.mul_(1 - rate * decay).sub_(update.view_as(weight), alpha=rate)


def orthogonal(matrix: torch.Tensor) -> torch.Tensor:
    """The matrix with all its singular values brought near 1 (about 0.7 to 1.2), but for those that are all but 0.

    With X = U S V^T, a X + b (X X^T) X + c (X X^T)^2 X is U (a S + b S^3 + c S^5) V^T: Newton-Schulz iterations need only products of matrices.

    Args:
        matrix: float32 [rows, columns]. Not changed.
    """
    if len(matrix) > matrix.shape[1]:
        return orthogonal(matrix.T).T  # the smaller products
    a, b, c = COEFFICIENTS
    X = matrix / matrix.norm().clamp(min=1e-7)  # no singular value is above 1
    for _ in range(ROUNDS):
        square = X @ X.T
        X = a * X + (b * square + c * square @ square) @ X
    return X
