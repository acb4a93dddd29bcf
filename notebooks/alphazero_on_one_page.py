"""AlphaZero on one page: tic-tac-toe, from random weights to a player that is proven never to lose. NumPy and PyTorch, nothing of the course.

    python alphazero_on_one_page.py [SEED]

Boards are int8 [B, 9]: +1 the stones of the player to move, -1 the opponent's, 0 free. Every value is for the player to move.
"""

import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

ITERATIONS, GAMES, SIMULATIONS, C_PUCT = 40, 256, 32, 1.5
ALPHA, FRACTION, OPENINGS = 1.0, 0.25, 0.8  # noise at the root; the share of games that begin with random moves
STEPS, BATCH, RATE, WINDOW = 100, 512, 1e-2, 12  # of learning; a window of so many iterations
LINES = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]])
CELLS = np.arange(9).reshape(3, 3)
TURNED = np.array([np.rot90(board, turns).ravel() for board in (CELLS, CELLS.T) for turns in range(4)])


# --- the game ----------------------------------------------------------------------------------------------------------


def play(boards, actions):
    boards = boards.copy()
    boards[np.arange(len(boards)), actions] = 1
    return -boards  # the other player's view


def outcome(boards):
    """(whether each game is over [B], its value for the player to move [B]: -1 if the last move made a line, else 0)."""
    lost = (boards[:, LINES].sum(axis=2) == -3).any(axis=1)
    return lost | (boards != 0).all(axis=1), np.where(lost, -1.0, 0.0)


class Net(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(18, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.policy, self.value = nn.Linear(hidden, 9), nn.Linear(hidden, 1)

    def forward(self, boards):
        features = self.trunk(torch.cat([boards == 1, boards == -1], dim=1).float())
        return torch.tanh(self.value(features)).squeeze(1), self.policy(features)


@torch.inference_mode()
def judge(net, boards):
    """(value [B], prior [B, 9]: a softmax over the free cells)."""
    value, logits = net(torch.from_numpy(boards))
    return value.numpy(), F.softmax(logits.masked_fill(torch.from_numpy(boards != 0), -torch.inf), dim=1).numpy()


# --- the search, in all games at once ----------------------------------------------------------------------------------


def search(net, roots, simulations, rng=None):
    """Visits [B, 9] and mean values [B, 9] of the moves at each root (none of them finished). With `rng`, noise at the roots."""
    B = len(roots)
    N, W, P = (
        np.zeros((B, simulations + 1, 9)) for _ in range(3)
    )  # of each node's moves, in the view of its player to move
    boards = np.zeros((B, simulations + 1, 9), dtype=np.int8)
    children = np.zeros((B, simulations + 1, 9), dtype=np.int64)  # 0: none yet (the root is nobody's child)
    ended, worth = np.zeros((B, simulations + 1), dtype=bool), np.zeros((B, simulations + 1))
    everyone, boards[:, 0] = np.arange(B), roots
    _, P[:, 0] = judge(net, roots)
    if rng is not None:
        dirichlet = rng.standard_gamma(ALPHA, (B, 9)) * (roots == 0)
        P[:, 0] = (1 - FRACTION) * P[:, 0] + FRACTION * dirichlet / dirichlet.sum(axis=1, keepdims=True)
    for new in range(1, simulations + 1):
        node, walking, path = np.zeros(B, dtype=np.int64), everyone, []  # path: (games, nodes, actions) of each level
        while len(walking):  # select
            here = node[walking]
            n = N[walking, here]
            U = C_PUCT * P[walking, here] * np.sqrt(1 + n.sum(axis=1, keepdims=True)) / (1 + n)
            Q = W[walking, here] / np.maximum(n, 1)
            action = np.where(boards[walking, here] == 0, Q + U, -np.inf).argmax(axis=1)
            path.append((walking, here, action))
            child = children[walking, here, action]
            made = walking[child == 0]  # expand
            node[walking] = np.where(child == 0, new, child)
            children[walking, here, action] = node[walking]
            boards[made, new] = play(boards[made, here[child == 0]], action[child == 0])
            ended[made, new], worth[made, new] = outcome(boards[made, new])
            walking = walking[(child != 0) & ~ended[walking, child]]
        value = worth[everyone, node]
        open_ = np.flatnonzero(~ended[everyone, node])  # evaluate
        if len(open_):
            value[open_], P[open_, node[open_]] = judge(net, boards[open_, node[open_]])
        depth = np.zeros(B, dtype=np.int64)
        for games, _, _ in path:
            depth[games] += 1
        for level, (games, here, action) in enumerate(path):  # back up: the sign changes at each step
            N[games, here, action] += 1
            W[games, here, action] += value[games] * (-1.0) ** (depth[games] - level)
    return N[:, 0], W[:, 0] / np.maximum(N[:, 0], 1)


# --- self-play ---------------------------------------------------------------------------------------------------------


def random_openings(games, rng):
    """Boards after 0 to 7 random moves, for a share of the games; none of them finished."""
    boards, wanted = np.zeros((games, 9), dtype=np.int8), rng.integers(0, 8, games) * (rng.random(games) < OPENINGS)
    for ply in range(7):
        moved = play(boards, np.where(boards == 0, rng.random((games, 9)), -1).argmax(axis=1))
        go = (wanted > ply) & ~outcome(moved)[0] & ((boards != 0).sum(axis=1) == ply)
        boards[go] = moved[go]
    return boards


def self_play(net, games, rng):
    """Examples of whole games: boards [E, 9], visit shares [E, 9], and values [E], half the outcome, half what the search thought."""
    boards, number, record = random_openings(games, rng), np.arange(games), []
    result, moves = (
        np.zeros(games),
        np.zeros(games, dtype=np.int64),
    )  # of each game, for the player to move at its end; how many
    while len(boards):
        visits, Q = search(net, boards, SIMULATIONS, rng)
        share = visits / visits.sum(axis=1, keepdims=True)
        best = Q[np.arange(len(boards)), visits.argmax(axis=1)]
        record.append((boards, share, best, number, moves[number].copy()))
        drawn = (share.cumsum(axis=1) > rng.random((len(boards), 1))).argmax(axis=1)  # temperature 1
        boards = play(boards, drawn)
        moves[number] += 1
        over, value = outcome(boards)
        result[number[over]] = value[over]
        boards, number = boards[~over], number[~over]
    boards, share, best, number, ply = (np.concatenate(parts) for parts in zip(*record, strict=True))
    z = result[number] * (-1.0) ** (moves[number] - ply)  # the winner's +1 becomes -1 wherever the loser is to move
    return boards, share, 0.5 * z + 0.5 * best


def learn(net, optimizer, buffer, rng):
    boards, share, value = (np.concatenate(parts) for parts in zip(*buffer, strict=True))
    net.train()
    for _ in range(STEPS):
        chosen, turn = rng.integers(len(boards), size=BATCH), TURNED[rng.integers(8, size=BATCH)]
        x, pi = (np.take_along_axis(array[chosen], turn, axis=1) for array in (boards, share))
        v, logits = net(torch.from_numpy(x))
        policy_loss = -(torch.from_numpy(pi).float() * F.log_softmax(logits, dim=1)).sum(dim=1).mean()
        loss = F.mse_loss(v, torch.from_numpy(value[chosen]).float()) + policy_loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    return loss.item()


# --- the proof ---------------------------------------------------------------------------------------------------------


def losing_positions(net, mine):
    """How many different lost ends the network, without any search, can be led to, as first player (`mine`) or as second."""
    boards, lost = np.zeros((1, 9), dtype=np.int8), 0
    while len(boards):
        if mine:
            replies = play(boards, judge(net, boards)[1].argmax(axis=1))
        else:  # every move that the opponent has
            which, actions = np.nonzero(boards == 0)
            replies = play(boards[which], actions)
        replies = np.unique(replies, axis=0)
        over, value = outcome(replies)
        lost += int((value < 0).sum()) if not mine else 0  # whoever is to move there has lost
        boards, mine = replies[~over], not mine
    return lost


def train(seed=0, iterations=ITERATIONS, say=print):
    """Returns the network, as soon as it is proven never to lose; else after so many iterations."""
    torch.manual_seed(seed)
    rng, net, buffer, began = np.random.default_rng(seed), Net().eval(), [], time.perf_counter()
    optimizer = torch.optim.AdamW(net.parameters(), RATE)
    for iteration in range(iterations):
        for group in optimizer.param_groups:
            group["lr"] = RATE * (1 - 0.9 * iteration / iterations)
        buffer = [*buffer, self_play(net, GAMES, rng)][-WINDOW:]
        loss = learn(net, optimizer, buffer, rng)
        first, second = losing_positions(net, True), losing_positions(net, False)
        say(
            f"{iteration + 1:3}  {time.perf_counter() - began:5.1f} s  loss {loss:.2f}  lost ends {first:3} + {second:3}"
        )
        if first + second == 0:
            say("Proven: the network alone, without any search, never loses, whatever the opponent plays.")
            break
    return net


if __name__ == "__main__":
    torch.set_num_threads(1)
    train(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
