"""Networks on disk: what they are for stands beside the weights, and loading checks it."""

import io
from dataclasses import asdict
from pathlib import Path
from typing import Any

from course_utils.files import write_atomically
from course_utils.networks.policy_value import PolicyValueNet
from course_utils.networks.pytorch import nn, torch
from course_utils.networks.resnet import ResNet
from course_utils.networks.settings import SearchSettings, settings_of
from course_utils.networks.wide import WideNet
from course_utils.platform import TORCH

VERSION = 1
ARCHITECTURES = {"policy_value": PolicyValueNet, "resnet": ResNet, "wide": WideNet}


class CheckpointError(ValueError):
    """A checkpoint that can't be used; the message says what was expected."""


def one_line(error: Exception) -> str:
    """What went wrong, and where first, without torch's page of layer names."""
    return f"{type(error).__name__}: {' '.join(line.strip() for line in str(error).splitlines()[:2]).rstrip(':. ')}"


def to_bytes(data: dict) -> bytes:
    buffer = io.BytesIO()
    torch.save(data, buffer)
    return buffer.getvalue()


def from_bytes(content: bytes) -> Any:
    """What `to_bytes` packed. Nothing in it is executed."""
    return torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)


def read(path: Path | str) -> dict:
    """The content of a checkpoint, with `weights_only=True`: nothing in the file is executed. What it calls its game is no more than a word.

    Raises:
        CheckpointError: there is no such file, it can't be read, or it is damaged or of another kind.
    """
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint at {path}") from None
    except OSError as error:
        raise CheckpointError(f"the checkpoint {path} can't be read: {error.strerror or error}") from None
    try:
        data = from_bytes(content)
    except Exception:  # what is no checkpoint can fail in any way
        raise CheckpointError(
            f"the checkpoint {path} is damaged or not a checkpoint: train again, or restore it"
        ) from None
    if not isinstance(data, dict) or data.get("version") != VERSION:
        found = data.get("version") if isinstance(data, dict) else None
        raise CheckpointError(f"the checkpoint {path} has version {found}; this course reads version {VERSION}")
    if not (isinstance(name := data.get("game"), str) and name.isprintable()):
        raise CheckpointError(f"the checkpoint {path} does not say which game it plays")
    return data


def save_network(path: Path | str, net: nn.Module, game_name: str, *, half: bool = False) -> None:
    """Everything that `load_network` needs. With `half` the numbers are rounded to 16 bits: half the size, to ship.

    Raises ValueError: a network of a class that is not the course's could not be loaded again.
    """
    architecture = next((name for name, kind in ARCHITECTURES.items() if isinstance(net, kind)), None)
    if architecture is None:
        kinds = ", ".join(kind.__name__ for kind in ARCHITECTURES.values())
        raise ValueError(
            f"a checkpoint holds one of the course's own networks ({kinds}), and this is a {type(net).__name__}: "
            "keep yours with torch.save(net.state_dict(), path), and play with SearchAgent(game, TorchNetwork(net), simulations)"
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
    """The network, with the `settings` that it was saved with; the default ones if the file is older than they are.

    Raises:
        CheckpointError: damaged, missing, of another version, or for another game than `game_name`.
    """
    data = read(path)
    if data.get("game") != game_name:
        raise CheckpointError(f"the checkpoint {path} plays {data.get('game')}; expected {game_name}")
    try:
        net = ARCHITECTURES[data["architecture"]](**data["config"])
        net.load_state_dict(data["weights"])
        net.settings = SearchSettings(**data.get("settings", {}))
    except (KeyError, RuntimeError, TypeError) as error:
        raise CheckpointError(
            f"the checkpoint {path} does not fit this course's networks ({one_line(error)})"
        ) from None
    return net.eval()


if not TORCH:
    from course_utils.networks import without_torch

    to_bytes, from_bytes = without_torch.to_bytes, without_torch.from_bytes
