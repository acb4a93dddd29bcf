"""Make torch import its compiler, which the first optimizer of a process does and which takes seconds.

Importing this module does that before the timeout of a case begins.
"""

import torch

torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1).step()
