"""How a step is taken, once `backward()` has worked out the gradients."""

import copy
from collections import defaultdict

import numpy as np

from . import settings
from .missing import names_what_is_missing
from .tensor import Tensor

__getattr__ = names_what_is_missing("torch.optim")


class Optimizer:
    """
    Attributes:
        param_groups: dictionaries with parameters ("params") and settings, which may be changed ("lr").
        state: parameter -> what is remembered about it between steps.
    """

    def __init__(self, params, **defaults):
        params = [*params]
        if not params:
            raise ValueError("optimizer got an empty parameter list")
        groups = params if isinstance(params[0], dict) else [dict(params=params)]
        self.param_groups = [{**defaults, **group, "params": [*group["params"]]} for group in groups]
        self.state: defaultdict = defaultdict(dict)
        self.defaults = defaults

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self._parameters():
            if set_to_none:
                parameter.grad = None
            elif parameter.grad is not None:
                parameter.grad.array[...] = 0

    def step(self, closure=None):
        """One step for every parameter that has a gradient. `closure` works the loss out again, and returns it."""
        loss = None
        if closure is not None:
            with settings.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self.change(parameter.array, parameter.grad.array, group, self.state[parameter])
        return loss

    def change(self, weights: np.ndarray, gradient: np.ndarray, group: dict, state: dict) -> None:
        """The weights, in place."""
        raise NotImplementedError

    def _parameters(self) -> list[Tensor]:
        return [parameter for group in self.param_groups for parameter in group["params"]]

    def state_dict(self) -> dict:
        """In PyTorch's form: parameters are numbered."""
        numbers = {parameter: number for number, parameter in enumerate(self._parameters())}
        return dict(
            state={numbers[parameter]: dict(state) for parameter, state in self.state.items()},
            param_groups=[
                {**group, "params": [numbers[parameter] for parameter in group["params"]]}
                for group in self.param_groups
            ],
        )

    def load_state_dict(self, saved: dict) -> None:
        saved = copy.deepcopy(saved)
        parameters = self._parameters()
        if [len(group["params"]) for group in saved["param_groups"]] != [
            len(group["params"]) for group in self.param_groups
        ]:
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        for group, new in zip(self.param_groups, saved["param_groups"], strict=True):
            group.update({name: value for name, value in new.items() if name != "params"})
        self.state = defaultdict(dict, {parameters[number]: state for number, state in saved["state"].items()})


class SGD(Optimizer):
    """Downhill; with momentum, each step also goes a part of the one before."""

    def __init__(self, params, lr: float = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0):
        super().__init__(params, lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay)

    def change(self, weights, gradient, group, state):
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * weights
        if group["momentum"]:
            if state.get("momentum_buffer") is None:
                state["momentum_buffer"] = Tensor(gradient.copy())
            else:
                before = state["momentum_buffer"].array
                before *= group["momentum"]
                before += (1 - group["dampening"]) * gradient
            gradient = state["momentum_buffer"].array
        weights -= group["lr"] * gradient


class Adam(Optimizer):
    """Every number has a step size of its own: its mean gradient divided by the root of its mean squared gradient."""

    decoupled = False  # whether weights shrink by themselves, and not as a part of the gradient

    def __init__(self, params, lr: float = 1e-3, betas=(0.9, 0.999), eps: float = 1e-8, weight_decay: float = 0):
        super().__init__(params, lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)

    def change(self, weights, gradient, group, state):
        rate, (keep, keep_square) = group["lr"], group["betas"]
        if not state:
            state["step"] = Tensor(np.zeros((), np.float32))
            state["exp_avg"], state["exp_avg_sq"] = (Tensor(np.zeros_like(weights)) for _ in range(2))
        state["step"].array += 1
        steps = state["step"].item()
        if self.decoupled:
            weights *= 1 - rate * group["weight_decay"]
        elif group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * weights
        mean, square = state["exp_avg"].array, state["exp_avg_sq"].array
        mean += (1 - keep) * (gradient - mean)
        square *= keep_square
        square += (1 - keep_square) * gradient * gradient
        typical = np.sqrt(square) / (1 - keep_square**steps) ** 0.5 + group["eps"]
        weights -= rate / (1 - keep**steps) * mean / typical  # both means began at 0: this makes up for it


class AdamW(Adam):
    """Adam, and each step makes every weight a tiny bit smaller."""

    decoupled = True

    def __init__(self, params, lr: float = 1e-3, betas=(0.9, 0.999), eps: float = 1e-8, weight_decay: float = 1e-2):
        super().__init__(params, lr, betas, eps, weight_decay)
