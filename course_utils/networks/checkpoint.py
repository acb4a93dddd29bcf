"""Networks on disk. A file names its game and architecture beside the weights, and loading checks them."""

import io
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from course_utils.files import Damaged, open_zip, read_whole, write_atomically
from course_utils.games import known_game
from course_utils.networks.board_size import check_board
from course_utils.networks.policy_value import PolicyValueNet
from course_utils.networks.resnet import ResNet
from course_utils.networks.settings import SearchSettings, settings_of
from course_utils.networks.wide import WideNet

VERSION = 1
LARGEST = 2**32  # bytes of a file
LARGEST_SIZE = 10_000  # of a network: units of a layer, blocks, cells of a board
ARCHITECTURES = {"policy_value": PolicyValueNet, "resnet": ResNet, "wide": WideNet}


class CheckpointError(ValueError):
    """A checkpoint that can't be used; the message says what was expected."""


def one_line(error: Exception) -> str:
    """The error in one line, without torch's page of layer names."""
    return f"{type(error).__name__}: {' '.join(line.strip() for line in str(error).splitlines()[:2]).rstrip(':. ')}"


def to_bytes(data: dict) -> bytes:
    buffer = io.BytesIO()
    torch.save(data, buffer)
    return buffer.getvalue()


def from_bytes(content: bytes) -> Any:
    """Deserialize what `to_bytes` serialized. Nothing in it is executed."""
    return torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)


def check_plain(value: Any, seen: set[int]) -> None:
    """Raises ValueError: not plain data (numbers, texts and arrays), or an array that claims more numbers than it has.

    Args:
        seen: ids of values that are checked already.
    """
    if id(value) in seen or value is None or isinstance(value, bool | int | float | str):
        return
    seen.add(id(value))
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple):
        for item in value:
            check_plain(item, seen)
    elif not is_whole(value):
        raise ValueError(f"{type(value).__name__} is no plain data")


def is_whole(value: Any) -> bool:
    """Whether it is an array with memory for each of its numbers. (A stride of 0 repeats a number without end.)"""
    return (
        isinstance(value, torch.Tensor)
        and value.layout is torch.strided
        and value.numel() * value.element_size() <= value.untyped_storage().nbytes()
    )


def read(path: Path | str) -> dict:
    """The content of a checkpoint, with `weights_only=True`: nothing in the file is executed.

    The name of its game is not checked.

    Raises:
        CheckpointError: missing, unreadable, damaged or not a checkpoint.
    """
    try:
        content = read_whole(Path(path), LARGEST)
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint at {path}") from None
    except OSError as error:
        raise CheckpointError(f"the checkpoint {path} can't be read: {error.strerror or error}") from None
    except Damaged as error:
        raise CheckpointError(f"the checkpoint {path} is no checkpoint: {error}") from None
    try:
        open_zip(content, most=len(content))  # nothing in it is compressed
        data = from_bytes(content)
        check_plain(data, set())
    except Exception:  # what is no checkpoint can fail in any way
        raise CheckpointError(
            f"the checkpoint {path} is damaged or not a checkpoint: train again, or restore it"
        ) from None
    if not isinstance(data, dict) or data.get("version") != VERSION:
        version = data.get("version") if isinstance(data, dict) else None
        raise CheckpointError(f"the checkpoint {path} has version {version}; this course reads version {VERSION}")
    if not (isinstance(name := data.get("game"), str) and name.isprintable()):
        raise CheckpointError(f"the checkpoint {path} does not say which game it plays")
    return data


def save_network(path: Path | str, net: nn.Module, game_name: str, *, half: bool = False) -> None:
    """Save what `load_network` needs. With `half` the numbers are rounded to 16 bits: half the size, to ship.

    Raises ValueError: a network of a class that is not the course's could not be loaded again.
    """
    architecture = next((name for name, kind in ARCHITECTURES.items() if isinstance(net, kind)), None)
    if architecture is None:
        kinds = ", ".join(kind.__name__ for kind in ARCHITECTURES.values())
        raise ValueError(
            f"a checkpoint holds one of the course's own networks ({kinds}), and this is a {type(net).__name__}: "
            "keep yours with torch.save(net.state_dict(), path), "
            "and play with SearchAgent(game, TorchNetwork(net), simulations)"
        )
    weights = {
        name: value.half() if half and value.is_floating_point() else value for name, value in net.state_dict().items()
    }
    data = dict(
        version=VERSION,
        game=game_name,
        architecture=architecture,
        config=net.config,
        settings=asdict(settings_of(net)),
        weights=weights,
    )
    write_atomically(Path(path), to_bytes(data))


def load_network(path: Path | str, game_name: str) -> nn.Module:
    """Load a network with the `settings` that it was saved with, or the default ones if the file has none.

    Raises:
        CheckpointError: damaged, missing, of another version, or for another game than `game_name`.
    """
    data = read(path)
    if data.get("game") != game_name:
        raise CheckpointError(f"the checkpoint {path} plays {data.get('game')}; expected {game_name}")
    try:
        make = partial(ARCHITECTURES[data["architecture"]], **data["config"])
        check_fit(make, data["config"], data["weights"])
        net = make()
        net.load_state_dict(data["weights"])
        net.settings = SearchSettings(**data.get("settings", {}))
        if (game := known_game(game_name)) is not None:
            check_board(net, game)
    except Exception as error:  # what was made elsewhere can fail in any way
        raise CheckpointError(
            f"the checkpoint {path} does not fit this course's networks ({one_line(error)})"
        ) from None
    return net.eval()


def check_fit(make: Callable[[], nn.Module], sizes: Mapping[str, Any], weights: Mapping[str, torch.Tensor]) -> None:
    """Raises an error of any kind: the weights don't fit the network that `make` makes, of these sizes.

    It takes no memory, however large that network would be.
    """
    numbers = np.hstack([0, *(number for number in sizes.values() if number is not None)])
    inputs = math.prod(sizes.get(name, 1) for name in ("planes", "rows", "columns"))
    if max(inputs, numbers.max()) > LARGEST_SIZE or sizes.get("blocks", 0) > len(weights):
        raise ValueError("its network would be larger than any")
    with torch.device("meta"):
        # a copy, because torch notes `assign` beside the weights, for every later load
        make().load_state_dict(dict(weights), assign=True)
