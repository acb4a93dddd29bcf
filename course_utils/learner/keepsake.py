"""Write the files that a learner can share: the agent's page (`my_alphazero.html`), and all code in one file
(`my_alphazero.py`).
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from torch import nn

from course_utils import mine
from course_utils.agents import SearchAgent
from course_utils.files import trouble, write_atomically
from course_utils.games import make_game
from course_utils.learner.one_file import FILE, one_file
from course_utils.networks.checkpoint import load_network, read
from course_utils.networks.policy_value import TorchNetwork
from course_utils.ui import page as static
from course_utils.ui.agent_page import GAMES, SEARCHED, Keepsake, agent_page, functions_to_read
from course_utils.ui.certificate import Certificate, signed, what_is_proven, who_made_it
from course_utils.ui.dashboard import Dashboard
from course_utils.ui.film import Film, film_of, fingerprint, keep_film, kept_film

PAGE = "my_alphazero.html"
SOMEBODY = "a learner of the course"
NO_AGENT = (
    "You have not kept an agent yet. Train one in the notebook 'The training loop' or 'One evening', which ends with "
    "mine.save_agent."
)


def of_learner(by: str = "", functions: bool = True) -> Keepsake:
    """Collect the agents that the learner has kept.

    Args:
        by: the learner's name for the page; "" leaves it out.
        functions: whether the page shows the learner's functions.

    Raises ValueError: there is no agent, or one can't be read.
    """
    networks = {name: load_network(mine.network_path(name), name) for name in GAMES if mine.has_network(name)}
    if not networks:
        raise ValueError(NO_AGENT)
    net = networks.get("tictactoe")
    return Keepsake(
        networks,
        by,
        proven_of(net, by) if net else None,
        kept_film(net) if net else None,
        functions_to_read() if functions else [],
    )


def of_file(path: Path, by: str = "") -> Keepsake:
    """Load an agent that `make train` saved.

    Raises ValueError: the file can't be read, or a page can't play its game.
    """
    name = read(path)["game"]
    if name not in GAMES:
        raise ValueError(f"{path} plays {name}, and a page plays {' and '.join(GAMES)} only")
    net = load_network(path, name)
    if name != "tictactoe":
        return Keepsake({name: net}, by)
    film = film_in(path.parent)
    proven = what_is_proven(SearchAgent(make_game(name), TorchNetwork(net), SEARCHED))
    told = f"Trained by {by or SOMEBODY}, from nothing but its own games."
    return Keepsake({name: net}, by, signed(proven, by, told, film), film)


_PROVEN: dict[tuple, Certificate] = {}  # so that a second page is there at once


def proven_of(net: nn.Module, by: str) -> Certificate:
    """The certificate of the learner's agent of tic-tac-toe."""
    agent = mine.agent("tictactoe", SEARCHED, quiet=True)
    key = fingerprint(net), *sorted(mine.yours())
    if key not in _PROVEN:
        _PROVEN[key] = what_is_proven(agent)
    return signed(_PROVEN[key], by, who_made_it(agent, by or SOMEBODY), kept_film(net))


def film_in(folder: Path) -> Film | None:
    """The film of a run in a folder; None if the run saved no snapshots."""
    try:
        networks = Dashboard.of(folder, measure=False).networks
        return film_of(networks) if len(networks) > 1 else None
    except ValueError:
        return None


# --- in a notebook and from a command --------------------------------------------------------------------------------


def buttons(dashboard: Dashboard | None = None) -> Any:
    """Show two buttons in a notebook: one saves the agent's page, the other the single file.

    Args:
        dashboard: of the run in which the agent was trained; the page then shows how it learned.
    """
    from course_utils.learner.keepsake_buttons import KeepsakeButtons  # needs a widget

    if dashboard is not None and dashboard.game.name == "tictactoe" and len(dashboard.networks) > 1:
        keep_film(dashboard.networks)
    return KeepsakeButtons()


def write(folder: Path, agent: Path | None, by: str, functions: bool = True) -> list[Path]:
    """Write the files of `make page`, and return their paths. Raises OSError, or ValueError: an agent can't be read."""
    if agent is not None:
        files = {PAGE: agent_page(of_file(agent, by))}
    elif any(map(mine.has_network, GAMES)):
        files = {PAGE: agent_page(of_learner(by, functions)), FILE: one_file(by or "you")}
    else:
        files = {"index.html": static.page()}
    for name, text in files.items():
        write_atomically(folder / name, text)
    return [folder / name for name in files]


def main() -> None:
    parser = argparse.ArgumentParser(description="Write a page to play on")
    parser.add_argument("--out", type=Path, default=Path("page"), help="the folder to write into")
    parser.add_argument("--agent", type=Path, help="a checkpoint (default: your agent, or the shipped agents)")
    parser.add_argument("--by", default="", help="the name on the page")
    parser.add_argument("--no-functions", action="store_true", help="leave your functions out of the page")
    options = parser.parse_args()
    try:
        paths = write(options.out, options.agent, options.by, not options.no_functions)
    except (OSError, ValueError) as error:
        sys.exit(f"the page can't be written: {trouble(error)}")
    for path in paths:
        description = (
            "the page, to be opened in a browser"
            if path.suffix == ".html"
            else "your AlphaZero in one file: python my_alphazero.py trains and proves it"
        )
        print(f"{path} ({path.stat().st_size / 1000:,.0f} kB) is {description}")


if __name__ == "__main__":
    main()
