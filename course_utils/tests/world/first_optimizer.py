"""The first optimizer of a process makes torch import its compiler, which takes seconds: here, where no deadline of a case runs."""

import torch

torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1).step()
