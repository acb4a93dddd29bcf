"""A network as JSON, for the engine in JavaScript (`course_utils/ui/engine`): plain data, which runs nothing.

`version`, `game` (its sizes), `architecture`, `config` and `settings` as in a checkpoint, `number` ("float16" or
"float32"), and `layers`: name -> `W` and `b`, base64 of little-endian numbers, `W` in the type `number` and `b` in
float32. A linear layer's W is [inputs, outputs], a convolution's [kernel, kernel, inputs, outputs]. Batch norm is
folded in.
"""

import base64
import copy
from typing import Any

import numpy as np
import torch
from torch import nn

from course_utils.games import Game
from course_utils.networks.board_size import check_board
from course_utils.networks.checkpoint import ARCHITECTURES
from course_utils.networks.fast import fold_batch_norm
from course_utils.networks.policy_value import PolicyValueNet
from course_utils.networks.resnet import ResNet
from course_utils.networks.settings import settings_of
from course_utils.networks.wide import WideNet

VERSION = 1
SIZES = ("name", "rows", "columns", "n")
LARGE = 100_000  # weights, from which on "float16" pays


def exported(network: Any, game: Game, number: str | None = None) -> dict[str, Any]:
    """What `load_network` of the engine reads.

    Args:
        network: a torch network of the course, or one as a search sees it (`TorchNetwork`).
        number: "float16" halves the size, and keeps about three digits of each weight; None: that for a large network,
            else "float32".

    Raises:
        ValueError: the network is not the course's or is made for another board, or n in a row don't win the game.
    """
    net = _module_of(network)
    check_board(net, game)
    if not hasattr(game, "n"):
        raise ValueError(f"{game.name} is not a game in which n in a row win, and a page plays only those")
    architecture = next((name for name, kind in ARCHITECTURES.items() if isinstance(net, kind)), None)
    if architecture is None:
        raise ValueError(f"{type(network).__name__} is not one of the course's networks")
    if number is None:
        number = "float16" if sum(weights.numel() for weights in net.parameters()) > LARGE else "float32"
    folded = fold_batch_norm(copy.deepcopy(net).cpu().eval())
    return {
        "version": VERSION,
        "game": game_in_numbers(game),
        "architecture": architecture,
        "config": folded.config,
        "settings": {"c_puct": settings_of(net).c_puct},
        "number": number,
        "layers": {name: _layer(layer, number) for name, layer in layers_of(folded).items()},
    }


def _module_of(network: Any) -> Any:
    """The torch network inside a wrapper."""
    while not isinstance(network, nn.Module):
        attributes = getattr(network, "__dict__", {})
        network = attributes.get("net", attributes.get("network"))
        if network is None:
            return None
    return network


def game_in_numbers(game: Game) -> dict[str, Any]:
    """The sizes of a game in which n in a row win; with `gravity` stones fall."""
    return {name: getattr(game, name) for name in SIZES} | {"gravity": game.num_actions == game.columns}


def layers_of(net: nn.Module) -> dict[str, nn.Module]:
    """The layers of a folded network, by the engine's names."""
    match net:
        case PolicyValueNet():
            _, first, _, second, _ = net.trunk
            return {"trunk_1": first, "trunk_2": second, "policy_head": net.policy_head, "value_head": net.value_head}
        case WideNet():
            trunk: Any = net.trunk
            first, *further = trunk
            layers = {"trunk_0": first[0]}
            for count, layer in enumerate(further, 1):
                if net.mirror is None:
                    layers[f"trunk_{count}"] = layer[0]
                else:  # of the two, only the sum has the bias
                    layers |= {f"trunk_{count}_sum": layer.sum, f"trunk_{count}_difference": layer.difference}
            return layers | {"policy_head": net.policy_head[0], "value_head": net.value_head[0]}
        case ResNet():
            layers = {"stem": net.stem[0]}
            for count, block in enumerate(net.tower):
                layers |= {f"tower_{count}_first": block.first, f"tower_{count}_second": block.second}
            policy_filters, _, _, policy_head = net.policy_head
            value_filters, _, _, value_hidden, _, value_head = net.value_head
            heads = dict(policy_filters=policy_filters, policy_head=policy_head)
            return layers | heads | dict(value_filters=value_filters, value_hidden=value_hidden, value_head=value_head)
    raise TypeError(type(net).__name__)


def _layer(layer: nn.Module, number: str) -> dict[str, str]:
    weight: torch.Tensor = layer.weight  # type: ignore[assignment]
    order = (2, 3, 1, 0) if weight.ndim == 4 else (1, 0)
    arrays = {"W": _in_base64(weight.permute(order), number)}
    if layer.bias is not None:
        arrays["b"] = _in_base64(layer.bias, "float32")  # type: ignore[arg-type]
    return arrays


def _in_base64(numbers: torch.Tensor, number: str) -> str:
    array = np.ascontiguousarray(numbers.detach().numpy()).astype(np.dtype(number).newbyteorder("<"))
    return base64.b64encode(array.tobytes()).decode()
