"""The batched search of `batched` on a torch device, whose trees stay on the device during the search.

Masks decide which games take part in a step, so that the shapes, and with them the GPU's work, are the same in each
simulation. Only the positions and the root's prior travel to the device before the first simulation, the root's visits
and values travel back after the last, and a yes or no for each step down or up. The learner's functions of the notebook
'Batched search' are for NumPy, so these functions are the course's own.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from course_utils.games.batched import LineGame
from course_utils.games.protocol import BatchedGame
from course_utils.networks.fast import DIVERGED, bfloat16_pays, folded_copy
from course_utils.networks.policy_value import PolicyValueNet
from course_utils.search.batched import NO_PARENT, ROOT, UNVISITED, Tree
from course_utils.search.puct import NO_ACTION


class DeviceGame:
    """The rules of a `LineGame` for tensors: a position is int64 [2], its stones as in NumPy's uint64.

    Raises:
        ValueError: the game has no rules for bitboards.
    """

    def __init__(self, game: BatchedGame, device: str):
        if not isinstance(game, LineGame):
            raise ValueError("only games whose batched rules are a LineGame are searched on a device: leave DEVICE out")
        names = ("bottoms", "tops", "slots", "shifts", "bits", "board")
        self.bottoms, self.tops, self.slots, self.shifts, self.bits, self.board = (
            torch.from_numpy(np.asarray(getattr(game, name)).astype(np.int64)).to(device) for name in names
        )
        self.n, self.num_actions = game.n, game.num_actions

    def play(self, states: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
        """[batch, 2], [batch] -> [batch, 2]. The actions are not checked."""
        own, opponents = states.unbind(1)
        stone = ((own | opponents) + self.bottoms[actions]) & self.slots[actions]
        return torch.stack([opponents, own | stone], dim=1)

    def outcome(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Whether the games are over, bool [batch], and what they are worth to the player to move, float64 [batch]."""
        lost = self.has_line(states[:, 1])
        return lost | ((states[:, 0] | states[:, 1]) == self.board), -lost.double()

    def legal(self, states: torch.Tensor) -> torch.Tensor:
        """bool [batch, num_actions]."""
        stones = states[:, 0] | states[:, 1]
        return ((stones[:, None] & self.tops) == 0) & ~self.has_line(states[:, 1])[:, None]

    def encode(self, states: torch.Tensor) -> torch.Tensor:
        """float32 [batch, 2, rows, columns]."""
        return ((states[:, :, None, None] >> self.bits) & 1).float()

    def has_line(self, stones: torch.Tensor) -> torch.Tensor:
        """As `has_line` for NumPy."""
        runs, length = stones[:, None].expand(-1, 4), 1
        while length < self.n:
            step = min(length, self.n - length)
            runs = runs & (runs >> (self.shifts * step))
            length += step
        return (runs != 0).any(dim=1)


@dataclass
class DeviceTree:
    """`batched.Tree` in tensors; the fields mean the same. With `everyone`, int64 [B], the numbers of the games."""

    states: torch.Tensor
    N: torch.Tensor
    W: torch.Tensor
    P: torch.Tensor
    legal: torch.Tensor
    children: torch.Tensor
    parent: torch.Tensor
    parent_action: torch.Tensor
    is_terminal: torch.Tensor
    terminal_value: torch.Tensor
    everyone: torch.Tensor
    nodes: int = 1

    @classmethod
    def plant(cls, game: DeviceGame, states: torch.Tensor, simulations: int) -> "DeviceTree":
        B, M, A = len(states), simulations + 1, game.num_actions

        def full(*shape: int, value: float | int | bool = 0, dtype: torch.dtype = torch.float64) -> torch.Tensor:
            return torch.full((B, M, *shape), value, dtype=dtype, device=states.device)

        whole, yes = torch.int64, torch.bool
        tree = cls(
            states=full(2, dtype=whole),
            N=full(A),
            W=full(A),
            P=full(A),
            legal=full(A, value=False, dtype=yes),
            children=full(A, value=UNVISITED, dtype=whole),
            parent=full(value=NO_PARENT, dtype=whole),
            parent_action=full(value=NO_ACTION, dtype=whole),
            is_terminal=full(value=False, dtype=yes),
            terminal_value=full(),
            everyone=torch.arange(B, device=states.device),
        )
        tree.fill(ROOT, states, game)
        return tree

    def fill(self, node: int, states: torch.Tensor, game: DeviceGame) -> None:
        """Set the positions of one node in all games, with their legal actions and outcomes."""
        self.states[:, node] = states
        self.legal[:, node] = game.legal(states)
        self.is_terminal[:, node], self.terminal_value[:, node] = game.outcome(states)


def select(tree: DeviceTree, c_puct: float) -> tuple[torch.Tensor, torch.Tensor]:
    """As `batched_select`. A game that has arrived stays where it is while the others walk on."""
    games = tree.everyone
    nodes = torch.full_like(games, ROOT)
    actions = torch.full_like(games, NO_ACTION)
    walking = ~tree.is_terminal[:, ROOT]
    while walking.any():
        N = tree.N[games, nodes]  # [B, A]
        Q = tree.W[games, nodes] / N.clamp(min=1)
        U = c_puct * tree.P[games, nodes] * torch.sqrt(1 + N.sum(dim=1, keepdim=True)) / (1 + N)
        best = torch.where(tree.legal[games, nodes], Q + U, -torch.inf).argmax(dim=1)
        child = tree.children[games, nodes, best]
        actions = torch.where(walking, best, actions)
        walking = walking & (child != UNVISITED)
        nodes = torch.where(walking, child, nodes)
        over = walking & tree.is_terminal[games, nodes]
        actions = actions.masked_fill(over, NO_ACTION)
        walking = walking & ~over
    return nodes, actions


def expand(tree: DeviceTree, nodes: torch.Tensor, actions: torch.Tensor, game: DeviceGame) -> torch.Tensor:
    """As `batched_expand`. Where there is no action, the new node's contents are undefined."""
    games, new = tree.everyone, tree.nodes
    tree.nodes += 1
    made = actions != NO_ACTION
    some = actions.clamp(min=0)  # any action will do where none is to be taken
    tree.fill(new, game.play(tree.states[games, nodes], some), game)
    tree.parent[:, new], tree.parent_action[:, new] = nodes, actions
    tree.children[games, nodes, some] = torch.where(made, new, tree.children[games, nodes, some])
    return torch.where(made, new, nodes)


def evaluate(tree: DeviceTree, leaves: torch.Tensor, network: Callable, game: DeviceGame) -> torch.Tensor:
    """As `batched_evaluate`, but the network evaluates the finished games, too, and those values are dropped."""
    games = tree.everyone
    over, legal = tree.is_terminal[games, leaves], tree.legal[games, leaves]
    value, logits = network(game.encode(tree.states[games, leaves]))
    weights = torch.where(legal, logits.double(), -torch.inf).softmax(dim=1)
    tree.P[games, leaves] = torch.where(over[:, None], tree.P[games, leaves], weights)
    return torch.where(over, tree.terminal_value[games, leaves], value.double())


def backup(tree: DeviceTree, leaves: torch.Tensor, values: torch.Tensor) -> None:
    """As `batched_backup`. A game that has climbed to its root adds nothing while the others climb on."""
    games, nodes = tree.everyone, leaves
    climbing = nodes != ROOT
    while climbing.any():
        values = -values
        parents = torch.where(climbing, tree.parent[games, nodes], ROOT)
        actions = torch.where(climbing, tree.parent_action[games, nodes], 0)
        tree.N[games, parents, actions] += climbing.double()
        tree.W[games, parents, actions] += torch.where(climbing, values, 0.0)
        nodes = parents
        climbing = climbing & (nodes != ROOT)


class DeviceSearch:
    """`batched_search` on a device, with the same arguments and results, in NumPy.

    The network gets tensors of the device.

    With `return_tree` the trees are cut down to their roots.
    """

    def __init__(self, device: str):
        self.device = device

    @torch.inference_mode()
    def __call__(
        self,
        game: BatchedGame,
        states: np.ndarray,
        network: Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]],
        simulations: int,
        c_puct: float,
        *,
        noise: Callable | None = None,
        rng: np.random.Generator | None = None,
        return_tree: bool = False,
    ):
        """As `batched_search`. Raises ValueError: not a `LineGame`, or the network has diverged."""
        rules = DeviceGame(game, self.device)
        tree = DeviceTree.plant(rules, torch.from_numpy(states.astype(np.int64)).to(self.device), simulations)
        evaluate(tree, torch.full_like(tree.everyone, ROOT), network, rules)
        if noise is not None:
            prior, legal = (tensor[:, ROOT].cpu().numpy() for tensor in (tree.P, tree.legal))
            tree.P[:, ROOT] = torch.from_numpy(noise(prior, legal, rng)).to(self.device)
        for _ in range(simulations):
            nodes, actions = select(tree, c_puct)
            leaves = expand(tree, nodes, actions, rules)
            backup(tree, leaves, evaluate(tree, leaves, network, rules))
        roots = {name: getattr(tree, name)[:, :1].cpu().numpy() for name in ("N", "W", "P", "legal", "is_terminal")}
        if np.isnan(roots["W"]).any() or np.isnan(roots["P"][roots["legal"]]).any():
            raise ValueError(DIVERGED)
        visits = roots["N"][:, ROOT].copy()
        if not return_tree:
            return visits
        cut = Tree.plant(game, states, 0)
        cut.N, cut.W, cut.P = roots["N"], roots["W"], roots["P"]
        return visits, cut


def network_on_device(net: nn.Module, device: str) -> Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]:
    """A copy of `net` that takes tensors of the device: batch norm folded, channels last, in bfloat16 if that pays."""
    small = isinstance(net, PolicyValueNet)
    dtype = torch.bfloat16 if not small and bfloat16_pays(device) else torch.float32
    ready = copy.deepcopy(net).eval().to(device) if small else folded_copy(net, dtype, device)

    def ask(planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        value, logits = ready(planes.to(dtype).contiguous(memory_format=torch.channels_last))
        return value.float(), logits.float()

    return ask
