"""The position that the main road follows: each of its numbers, from the course's code and once more by hand, is the one that the texts say, that the notebooks print and that the shelf lists."""

import math
import re

import nbformat
import numpy as np
import pytest
import torch

from course_utils.games import TicTacToe, after
from course_utils.learning.self_play import value_targets
from course_utils.learning.training import alphazero_loss, train_step
from course_utils.networks.policy_value import TorchNetwork, make_network
from course_utils.networks.protocol import masked_policy
from course_utils.paths import COURSE, SOURCES
from course_utils.search.puct import mcts_search
from course_utils.tests.guesses.notebook_04 import GUESSES

GAME = TicTacToe()
MOVES = [1, 5, 7]
LINE = [0, 4, 8, 2, 6, 3]
POSITION = after(GAME, LINE)
NETWORK = TorchNetwork(make_network(GAME, seed=0))
VALUE, LOGITS = (answer[0] for answer in NETWORK(GAME.encode(POSITION)[None]))
POWERS = [math.exp(LOGITS[move]) for move in MOVES]
PRIOR = [power / sum(POWERS) for power in POWERS]


def simulate(count: int) -> tuple[list[list[float]], list[int], list[float]]:
    """The scores before each of the first simulations, and at the end visits and mean values of 1, 5 and 7.

    By hand: no tree, because the first four simulations never go below the root's children.
    """
    visits, total, scores = [0, 0, 0], [0.0, 0.0, 0.0], []
    for _ in range(count):
        root = math.sqrt(1 + sum(visits))
        means = [w / n if n else 0.0 for w, n in zip(total, visits, strict=True)]
        scores.append([q + 1.5 * p * root / (1 + n) for q, p, n in zip(means, PRIOR, visits, strict=True)])
        best = scores[-1].index(max(scores[-1]))
        assert visits[best] == 0 or MOVES[best] == 7, "this simulation goes below a child that the game does not end in"
        child = GAME.play(POSITION, MOVES[best])
        for_o = -1.0 if GAME.is_terminal(child) else float(NETWORK(GAME.encode(child)[None])[0][0])
        visits[best] += 1
        total[best] -= for_o
    return scores, visits, [w / n for w, n in zip(total, visits, strict=True)]


SCORES, FOUR, MEANS = simulate(4)
SEARCHED = mcts_search(GAME, POSITION, NETWORK, simulations=32, c_puct=1.5)[MOVES]
PI = [float(visits) / 32 for visits in SEARCHED]
NOISY = [0.75 * p + 0.25 * (move == 7) for p, move in zip(PRIOR, MOVES, strict=True)]
NINE = sum(math.exp(logit) for logit in LOGITS)
SURPRISE = [math.log(NINE) - float(LOGITS[move]) for move in MOVES]  # no mask in the loss: shares of all nine cells
VALUE_LOSS = (1 - float(VALUE)) ** 2
POLICY_LOSS = sum(share * surprise for share, surprise in zip(PI, SURPRISE, strict=True))


def example() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    policy = np.zeros((1, 9), dtype=np.float32)
    policy[0, MOVES] = PI
    return GAME.encode(POSITION)[None], policy, np.ones(1, dtype=np.float32)


def asked(net: torch.nn.Module) -> tuple[float, list[float]]:
    """A network's value and masked policy in the position."""
    value, logits = (answer[0] for answer in TorchNetwork(net)(GAME.encode(POSITION)[None]))
    powers = [math.exp(logits[move]) for move in MOVES]
    return float(value), [power / sum(powers) for power in powers]


def stepped() -> torch.nn.Module:
    net = make_network(GAME, seed=0)
    train_step(net, torch.optim.AdamW(net.parameters(), lr=1e-2), *example())
    return net


STEP_VALUE, STEP_POLICY = asked(stepped())


# by hand and by the course's code


def test_the_rules_of_the_position():
    assert GAME.legal_actions(POSITION) == MOVES and GAME.to_play(POSITION) == 1
    assert [GAME.winner(GAME.play(POSITION, move)) for move in MOVES] == [0, 0, 1]
    planes = GAME.encode(POSITION).reshape(2, 9)
    assert [np.flatnonzero(plane).tolist() for plane in planes] == [sorted(LINE[::2]), sorted(LINE[1::2])]


def test_the_prior_is_what_masked_policy_makes_of_the_logits():
    legal = np.array(POSITION.cells) == 0
    assert masked_policy(LOGITS, legal)[MOVES] == pytest.approx(PRIOR, abs=1e-6)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_the_search_does_the_first_simulations_as_one_does_them_by_hand(count):
    visits, root = mcts_search(GAME, POSITION, NETWORK, simulations=count, c_puct=1.5, return_root=True)
    by_hand = [0, 0, 0]
    for scores in SCORES[:count]:
        by_hand[scores.index(max(scores))] += 1
    assert visits[MOVES].tolist() == by_hand
    assert root.Q[MOVES] == pytest.approx([mean if n else 0 for mean, n in zip(MEANS, by_hand, strict=True)], abs=1e-6)


def test_the_losses_are_those_of_the_course():
    planes, policy, z = (torch.from_numpy(array) for array in example())
    value, logits = make_network(GAME, seed=0)(planes)
    losses = [loss.item() for loss in alphazero_loss(value, logits, z, policy)]
    assert losses == pytest.approx([VALUE_LOSS, POLICY_LOSS], abs=1e-5)


def test_z_is_a_win_for_the_player_to_move_there():
    assert value_targets([1, -1, 1, -1, 1, -1, 1], winner=1)[len(LINE)] == 1


def test_the_step_is_adamws_first():
    """Its first step moves every weight by the learning rate, against the gradient's sign, after a shrink by a hundredth of that rate."""
    net = make_network(GAME, seed=0)
    planes, policy, z = (torch.from_numpy(array) for array in example())
    value, logits = net(planes)
    loss = ((z - value) ** 2).sum() - (policy * (logits - logits.exp().sum().log())).sum()
    slopes = torch.autograd.grad(loss, list(net.parameters()))
    with torch.no_grad():
        for weights, slope in zip(net.parameters(), slopes, strict=True):
            weights.copy_(weights * (1 - 1e-2 * 1e-2) - 1e-2 * slope / (slope.abs() + 1e-8))
    value, policy = asked(net)
    assert [value, *policy] == pytest.approx([STEP_VALUE, *STEP_POLICY], abs=1e-4)


# what the texts say, what the notebooks print


def three(numbers, digits: int = 3) -> list[str]:
    return [f"{number:.{digits}f}" for number in numbers]


def percent(number: float) -> str:
    return f"{100 * number:.0f} %"


def tempered(tau: float) -> list[float]:
    powers = [visits ** (1 / tau) for visits in SEARCHED]
    return [power / sum(powers) for power in powers]


def enumerated(words: list[str]) -> str:
    return f"{words[0]}, {words[1]} and {words[2]}"


def simulation(number: int) -> str:
    """The three scores of a simulation, the highest in bold."""
    scores = SCORES[number - 1]
    return ", ".join(f"**{score:.3f}**" if score == max(scores) else f"{score:.3f}" for score in scores)


v, loss = f"{VALUE:.3f}", f"{VALUE_LOSS:.3f}"
p, pi, step, surprise = three(PRIOR), three(PI, 2), three(STEP_POLICY), three(SURPRISE, 2)
TEXTS = {
    "02_the_network": [
        *(
            f"| {move} | {LOGITS[move]:.3f} | {power:.3f} | {power:.3f} / {sum(POWERS):.3f} = {share:.3f} |"
            for move, power, share in zip(MOVES, POWERS, PRIOR, strict=True)
        ),
        f"| sum | | {sum(POWERS):.3f} | 1 |",
        f"the network's value is {v}",
        f"(1 - {v})² = {loss}",
        f"In the picture it is {-2 * (1 - VALUE) * (1 - VALUE**2):.2f}",  # the slope by the bias of the value head
        f"a step of {0.2 * (1 - VALUE) * (1 - VALUE**2):.3f} to the right",
    ],
    "21_network_by_hand": [
        f"a value of {v} and the shares {percent(PRIOR[0])[:-2]}, {percent(PRIOR[1])[:-2]} and {percent(PRIOR[2])}",
        f"There is the {v}, and {enumerated(three(LOGITS[MOVES]))} are the logits",
        f"You know the {loss}",
        f"2 · ({v} - 1) · (1 - {v}²) = {-2 * (1 - VALUE) * (1 - VALUE**2):.2f}",
        f"move 7 has {math.exp(-SURPRISE[2]):.3f} among all nine cells and should have {PI[2]:.3f}, so its slope is {math.exp(-SURPRISE[2]) - PI[2]:.3f}",
    ],
    "03_puct_search": [
        f"it gave {percent(PRIOR[0])} to cell 1, {percent(PRIOR[1])} to cell 5 and only {percent(PRIOR[2])} to cell 7",
        f"Cell 7 got {SEARCHED[2]:.0f} of the 32",
        f"| 1 | 1 | {MEANS[0]:.3f} | {p[0]} |",
        f"| 5 | 1 | {MEANS[1]:.3f} | {p[1]} |",
        f"| 7 | 0 | 0 (not tried yet) | {p[2]} |",
        f"Cell 7 has the highest score, {SCORES[2][2]:.3f}",
        f"it has the priors {enumerated(p)}",
        f"scores are 1.5 · P: {simulation(1)}.",
        f"the network says {-MEANS[1]:.3f} for O, whose turn it is there.",
        f"flip the sign, so W[5] += {MEANS[1]:.3f}.",
        f"Scores: {simulation(2)}.",
        f"the network says {-MEANS[0]:.3f} for O.",
        f"flip the sign, so W[1] -= {-MEANS[0]:.3f}.",
        f"Scores: {simulation(3)}.",
        f"Now N is 1, 1, 1 and Q is {', '.join(three(MEANS[:2]))}, {MEANS[2]:.0f}.",
        f"* move 1: {MEANS[0]:.3f} + 1.5 · {p[0]} · 2 / 2 = {SCORES[3][0]:.3f}",
        f"* move 5: {MEANS[1]:.3f} + 1.5 · {p[1]} · 2 / 2 = {SCORES[3][1]:.3f}",
        f"* move 7: 1 + 1.5 · {p[2]} · 2 / 2 = **{SCORES[3][2]:.3f}**",
        f"N is ({', '.join(map(str, FOUR))}), and Q(7) stays 1",
        f"After 32 simulations move 7 has {SEARCHED[2]:.0f} visits",
    ],
    "04_self_play": [
        f"{enumerated(three(SEARCHED, 0))} of 32, so {enumerated(pi)} on cells 1, 5 and 7",
        f"the network's prior was {enumerated(p)}",
        f"it puts {percent(PI[2])} on the move that wins",
        f"Take our visits, {enumerated(three(SEARCHED, 0))}",
        f"7 is played in {SEARCHED[2]:.0f} of 32 games, which is {percent(tempered(1)[2])}",
        f"they become {enumerated(three(SEARCHED**2, 0))}, and 7 is played in {percent(tempered(0.5)[2])}",
        f"The prior of our position is {enumerated(p)}",
    ],
    "05_training_loop": [
        f"with pi = {enumerated(pi)} on cells 1, 5 and 7, and z = +1",
        f"**The value**: the network said {v}",
        f"(1 - {v})² = {loss}",
        f"You know the first row: {v}, and {enumerated(p)}",
        f"the value has risen from {v} to {STEP_VALUE:.3f}, and move 7, which was the network's last choice, is its first",
        f"gave {percent(PRIOR[2])} to the move that wins",
    ],
}


def rounded(numbers) -> str:
    """An array as NumPy prints it."""
    return str(np.array(numbers).round(3))


def board(policy) -> str:
    return ", ".join(f"cell {move} {100 * share:.0f}%" for move, share in zip(MOVES, policy, strict=True))


def printed(name: str) -> str:
    """Everything that the executed notebook shows as text, pictures' texts included."""
    shown = []
    for cell in nbformat.read(COURSE / "notebooks" / "solutions" / f"{name}.ipynb", 4).cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            shown += [output.get("text", ""), data.get("text/plain", ""), data.get("text/html", "")]
            shown.append(output.get("metadata", {}).get("image/png", {}).get("alt", ""))
    return "\n".join(shown)


PRINTED = {
    "00_welcome": [board(PRIOR), board(PI)],
    "01_the_game": [f"legal moves: {MOVES}", "after 1: over False", "after 5: over False", "after 7: over True, winner 1"],
    "02_the_network": [f"value  [{v}]", f"step 0: value {v}, loss {loss}", *(f"{move} {float(p[i]):.3g}" for i, move in enumerate(MOVES))],
    "21_network_by_hand": [
        board(PRIOR),
        f"value {v}, logits of 1, 5, 7: {rounded(LOGITS[MOVES])}",
        f"value loss (1 - {v})² = {loss}, policy loss {POLICY_LOSS:.3f}",
        *re.findall(r"step \d: value .+", printed("02_the_network")),
    ],
    "03_puct_search": [
        board(PRIOR),
        board(PI),
        f"Q + U               {rounded(SCORES[2])}",
        *(f"{n} simulations: visits of 1, 5, 7 = {visits}" for n, visits in ((1, "[0 1 0]"), (2, "[1 1 0]"), (3, "[1 1 1]"))),
        f"4 simulations: visits of 1, 5, 7 = {np.array(FOUR)}   Q = {rounded(MEANS)}",
        f"32 simulations: visits of 1, 5, 7 = {SEARCHED.astype(int)}",
    ],
    "05_training_loop": [
        *(f"move {move}: pi {share:.3f}, p {np.exp(-one):.3f}, surprise {one:.3f}" for move, share, one in zip(MOVES, PI, SURPRISE, strict=True)),
        f"cross-entropy {POLICY_LOSS:.3f}",
        f"after   0 steps: value {v}, policy on 1, 5, 7: {rounded(PRIOR)}",
        f"after   1 steps: value {STEP_VALUE:.3f}, policy on 1, 5, 7: {rounded(STEP_POLICY)}",
        f"untrained, alone               move 7: {PRIOR[2]:.0%}, value {VALUE:+.2f}",
        f"untrained, with 32 simulations move 7: {PI[2]:.0%}",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_the_texts_say_these_numbers(name):
    text = (SOURCES / f"{name}.md").read_text("utf-8")
    assert [words for words in TEXTS[name] if words not in text] == []


@pytest.mark.parametrize("name", PRINTED)
def test_the_notebooks_print_these_numbers(name):
    shown = printed(name)
    assert [words for words in PRINTED[name] if words not in shown] == []


def test_the_guess_about_noise_expects_this_number():
    assert GUESSES["noise-on-seven"].answer == pytest.approx(NOISY[2], abs=1e-3)


# the shelf's table


def trained() -> tuple[str, list[str]]:
    """Value and policy of the network that the executed notebook has trained, as its picture's text has them."""
    shares, value = re.findall(
        r"trained, alone: rows X \. O; O O \.; X \. X; X to move; (cell 1 .+?); value ([+-][\d.]+) for X",
        printed("05_training_loop"),
    )[-1]
    return value, re.findall(r"cell \d (\d+)%", shares)


def chosen(number: int) -> str:
    """The scores of a simulation in three cells, and which move it chose."""
    scores = SCORES[number - 1]
    best = scores.index(max(scores))
    cells = " | ".join(f"**{score:.3f}**" if i == best else f"{score:.3f}" for i, score in enumerate(scores))
    return f"{cells} | {MOVES[best]} is tried; its Q is {MEANS[best]:.3f}"


def stages() -> list[str]:
    """The rows of the shelf's table."""
    game, network = "[The game](01_the_game.ipynb)", "[The network](02_the_network.ipynb)"
    search, self_play = "[PUCT search](03_puct_search.ipynb)", "[Self-play](04_self_play.ipynb)"
    loop = "[The training loop](05_training_loop.ipynb)"
    winners = ["X wins" if GAME.winner(GAME.play(POSITION, move)) == 1 else "goes on" for move in MOVES]
    mine, theirs = (np.flatnonzero(plane).tolist() for plane in GAME.encode(POSITION).reshape(2, 9))
    value, shares = trained()
    return [
        f"| {where} | {stage} | {numbers} |"
        for where, stage, numbers in (
            (game, "after the move", f"{' | '.join(winners)} | planes: mine {str(mine)[1:-1]}, theirs {str(theirs)[1:-1]}"),
            (network, "logit", f"{' | '.join(three(LOGITS[MOVES]))} | value {v}"),
            (network, "e to that power", f"{' | '.join(three(POWERS))} | sum {sum(POWERS):.3f}"),
            (network, "policy, masked: the prior", f"{' | '.join(p)} | "),
            *((search, f"scores of simulation {n}", chosen(n)) for n in (1, 2, 3, 4)),
            (search, "visits after 4 simulations", f"{' | '.join(map(str, FOUR))} | "),
            (search, "visits after 32", f"{' | '.join(three(SEARCHED, 0))} | "),
            (self_play, "pi", f"{' | '.join(pi)} | z +1, if X plays 7"),
            (self_play, "played at τ = 0.5", f"{' | '.join(map(percent, tempered(0.5)))} | at τ = 1 as in pi"),
            (self_play, "prior with a quarter of noise (0, 0, 1)", f"{' | '.join(three(NOISY))} | "),
            (loop, "-log p, among all nine cells", f"{' | '.join(surprise)} | policy loss {POLICY_LOSS:.2f}, value loss {loss}"),
            (loop, "after one step", f"{' | '.join(step)} | value {STEP_VALUE:.3f}"),
            (loop, "after training", f"{' | '.join(f'{share} %' for share in shares)} | value {value}, as printed in our run"),
        )
    ]  # fmt: skip


def test_the_shelf_lists_every_stage():
    part = (
        (SOURCES / "99_shelf.md").read_text("utf-8").split("\n## Our position, stage by stage\n")[1].split("\n## ")[0]
    )
    assert [row for row in part.splitlines() if row.startswith("| [")] == [
        row.replace("|  |", "| |") for row in stages()
    ]


def test_the_training_has_taught_the_network_what_the_search_found():
    value, shares = trained()
    assert f"trained, alone                 move 7: {shares[2]}%, value {value}" in printed("05_training_loop")
    assert int(shares[2]) > 100 * max(PRIOR) and float(value) > STEP_VALUE
