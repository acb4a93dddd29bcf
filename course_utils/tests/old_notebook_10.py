"""Checks of notebook 10: Connect Four.

The residual block is compared with convolutions by plain loops in numpy; targets and moves that keep the value with loops over
what the docstrings say; averages with their definition, number by number.
"""

import copy

import numpy as np
import torch
from torch import nn

from course_utils.games import ConnectFour, after
from course_utils.networks.resnet import Residual, ResNet
from course_utils.tests.framework import Case, Such, calls, check, leaves_alone, show, wrong

# --- residual_forward ------------------------------------------------------------------------------------------------


def _block(rng: np.random.Generator, channels: int) -> Residual:
    """A block in evaluation mode whose weights, shifts and running statistics are all random, and none of them small."""
    block = Residual(channels).eval()
    with torch.no_grad():
        for name, weights in block.state_dict().items():
            if weights.is_floating_point():
                low, high = (0.5, 1.5) if name.endswith(("1.weight", "running_var")) else (-0.5, 0.5)
                weights.copy_(torch.from_numpy(rng.uniform(low, high, size=tuple(weights.shape))))
    return block


def _convolved(layers: nn.Sequential, x: np.ndarray) -> np.ndarray:
    """A 3x3 convolution and the batch norm behind it, by plain loops."""
    kernel = layers[0].weight.detach().numpy().astype(np.float64)
    norm = {name: values.numpy().astype(np.float64) for name, values in layers[1].state_dict().items()}
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    out = np.zeros_like(x)
    for row in range(x.shape[2]):
        for column in range(x.shape[3]):
            window = padded[:, :, row : row + 3, column : column + 3]
            out[:, :, row, column] = np.einsum("bcij,ocij->bo", window, kernel)
    scale = norm["weight"] / np.sqrt(norm["running_var"] + layers[1].eps)
    return (out - norm["running_mean"][:, None, None]) * scale[:, None, None] + norm["bias"][:, None, None]


def _residual(block: Residual, x: np.ndarray) -> np.ndarray:
    change = _convolved(block.second, np.maximum(_convolved(block.first, x.astype(np.float64)), 0))
    return np.maximum(x + change, 0)


@check
def residual_forward(rng):
    block, features = _block(rng, 3), rng.normal(size=(2, 3, 4, 5)).astype(np.float32)
    setting = "block: a Residual of 3 channels in evaluation mode;  features: [2, 3, 4, 5]\n"

    def run(answer, block=block, features=features):
        return answer(copy.deepcopy(block), torch.from_numpy(features.copy())).detach().numpy()

    yield Case(
        "ReLU of the input plus the change",
        run,
        _residual(block, features),
        f"{setting}residual_forward(block, features)",
        "Three steps: the first layer and a ReLU, the second layer, the sum and a ReLU. Which of them differs?",
        points=3,
        tolerance=1e-4,
    )
    quiet = copy.deepcopy(block)
    with torch.no_grad():
        quiet.second[1].weight.zero_()
        quiet.second[1].bias.zero_()
    yield Case(
        "a block that has nothing to say lets the positive part of its input through",
        lambda answer: run(answer, quiet),
        np.maximum(features, 0),
        f"{setting}block.second now returns zeros everywhere\nresidual_forward(block, features)",
        "If the change is 0, what is left of the sum? And what does the last ReLU do to it?",
        points=2,
        tolerance=1e-6,
    )
    silent = copy.deepcopy(block)
    with torch.no_grad():
        silent.first[1].weight.zero_()
        silent.first[1].bias.fill_(-1.0)
    yield Case(
        "what the first layer says below zero does not reach the second",
        lambda answer: run(answer, silent),
        _residual(silent, features),
        f"{setting}block.first now returns -1 everywhere\nresidual_forward(block, features)",
        "What stands between the two convolutions? Without it, they would be one linear step.",
        points=2,
        tolerance=1e-4,
    )
    wide, board = _block(rng, 8), rng.normal(size=(1, 8, 6, 7)).astype(np.float32)
    yield Case(
        "one board of Connect Four, eight channels",
        lambda answer: run(answer, wide, board),
        _residual(wide, board),
        "block = Residual(8).eval()  # with other weights than at the start\nresidual_forward(block, features)  # [1, 8, 6, 7]",
        "Does your code depend on the number of channels, or on the size of the board?",
        tolerance=1e-4,
    )

    def again(answer):
        features_now = torch.from_numpy(features.copy())
        answer(copy.deepcopy(block), features_now)
        return features_now.numpy()

    yield Case(
        "leaves its input as it was",
        again,
        features,
        f"{setting}residual_forward(block, features)\nfeatures",
        "The sum needs the input as it came in. Who else may need it?",
    )

    def gradients(answer):
        fresh, x = copy.deepcopy(block), torch.from_numpy(features.copy()).requires_grad_()
        answer(fresh, x).sum().backward()
        missing = [name for name, weights in fresh.named_parameters() if weights.grad is None]
        return missing + (["features"] if x.grad is None else [])

    yield Case(
        "gradients reach every weight, and the block below",
        gradients,
        Such("[] (nothing without a gradient)", lambda missing: missing == []),
        f"{setting}residual_forward(block, features).sum().backward()\nwhat has no gradient?",
        "How will a tower learn if the gradient ends in this block?",
    )

    def passes(answer):
        fresh, count = copy.deepcopy(block), {"first": 0, "second": 0}
        for name in count:
            getattr(fresh, name).register_forward_hook(lambda *_, name=name: count.update({name: count[name] + 1}))
        answer(fresh, torch.from_numpy(features.copy()))
        return [count["first"], count["second"]]

    yield Case(
        "each convolution runs once",
        passes,
        [1, 1],
        f"{setting}residual_forward(block, features)\nhow often was block.first called, and block.second?",
        "Convolutions are what the time goes into. Which result do you need twice?",
    )


_CHANGE = "change = block.second(F.relu(block.first(features)))"
_SUM = "return F.relu(features + change)"

for _name, _sentence, _question, *_replace in [
    ("no skip", "the block returns the change alone: its input is gone", "What gave the residual block its name?",
     (_SUM, "return F.relu(change)")),
    ("last ReLU forgotten", "the sum is returned as it is: negative features go on to the next block",
     "What happens to the sum before the next block sees it?", (_SUM, "return features + change")),
    ("ReLU before the sum", "the change can only be positive: a block can add to a feature and never take away",
     "Which of the two is to be kept from being negative, the change or the sum?",
     (_SUM, "return features + F.relu(change)")),
    ("both ReLUs at the end", "the change goes through a ReLU, and the sum again", "How many ReLUs has a block, and where?",
     (_SUM, "return F.relu(features + F.relu(change))")),
    ("ReLU between the convolutions forgotten", "the second convolution sees negative numbers, too",
     "Two linear steps without anything between them are one linear step. What stands between them?",
     (_CHANGE, "change = block.second(block.first(features))")),
    ("first layer only", "the second convolution is left out", "How many layers does a block have?",
     (_CHANGE, "change = F.relu(block.first(features))")),
    ("second layer only", "the first convolution is left out", "How many layers does a block have?",
     (_CHANGE, "change = block.second(F.relu(features))")),
    ("first layer twice", "the first convolution is run again in place of the second", "Which layer comes after the ReLU?",
     (_CHANGE, "change = block.first(F.relu(block.first(features)))")),
    ("layers swapped", "the second convolution comes first", "In which order do their names put them?",
     (_CHANGE, "change = block.first(F.relu(block.second(features)))")),
    ("skip from the middle", "what is added is the first layer's result, not the block's input",
     "What came *into* the block?",
     (_CHANGE, "features = F.relu(block.first(features))\n    change = block.second(features)")),
    ("change taken away", "the change is subtracted", "What is done with the change: out = ReLU(x + ...)?",
     (_SUM, "return F.relu(features - change)")),
    ("average in place of the sum", "input and change are averaged: a block that says nothing halves what it is given",
     "If the change is 0, what should come out?", (_SUM, "return F.relu((features + change) / 2)")),
    ("product in place of the sum", "input and change are multiplied", "Is the change added or multiplied?",
     (_SUM, "return F.relu(features * change)")),
    ("tanh in place of ReLU", "the sum is squashed between -1 and 1", "Which function follows the sum?",
     (_SUM, "return torch.tanh(features + change)")),
    ("written into the input", "the sum is written into `features`: whoever else holds it finds it changed",
     "Does `+=` on a tensor make a new one?", (_SUM, "features += change\n    return F.relu(features)")),
    ("cut off from learning", "the result is computed without gradients", "Who switches gradients off when only playing?",
     (_SUM, "return F.relu(features + change).detach()")),
    ("change cut off from learning", "no gradient reaches the block's own weights",
     "Which of the two parts of the sum has the weights?", (_SUM, "return F.relu(features + change.detach())")),
    ("skip cut off from learning", "no gradient goes around the convolutions: the tower loses what the skip is for",
     "Why does a gradient reach the first layers of a deep tower?",
     (_CHANGE, "features = features.detach()\n    change = block.second(F.relu(block.first(features)))")),
    ("convolutions run twice", "each convolution is run once more than needed: the right numbers, for twice the work",
     "Which result do you need twice, and could keep?",
     (_SUM, "return F.relu(features + block.second(F.relu(block.first(features))))")),
]:  # fmt: skip
    wrong("residual_forward", _name, _sentence, _question, *_replace)


# --- trace_targets ---------------------------------------------------------------------------------------------------


def _by_the_words(players, winner, root_values, gave_away) -> list[float]:
    """For each position: the next position from here on whose move gave something away decides, or else the outcome."""
    targets = []
    for t, player in enumerate(players):
        marks = [later for later in range(t, len(players)) if gave_away[later]]
        says = players[marks[0]] * root_values[marks[0]] if marks else winner  # for the player +1
        targets.append(float(player * says))
    return targets


def _traced(name: str, players, winner, root_values, thrown, question: str, points: int = 1) -> Case:
    gave_away = np.array([t in thrown for t in range(len(players))])
    return calls(
        "trace_targets",
        np.array(players),
        winner,
        np.array(root_values, dtype=float),
        gave_away,
        name=name,
        expected=_by_the_words(players, winner, root_values, gave_away),
        call=f"players = np.array({show(players)})\nroot_values = np.array({show(root_values)})\n"
        f"gave_away = np.array({gave_away.tolist()})\n"
        f"trace_targets(players, {winner}, root_values, gave_away)",
        question=question,
        points=points,
    )


@check
def trace_targets(rng):
    yield _traced(
        "nothing was given away: the outcome, seen by whoever moves",
        [1, -1, 1, -1, 1], 1, [0.1, 0.2, -0.3, -0.6, 0.9], [],
        "Who has won, and for whom is each number?",
    )  # fmt: skip
    yield _traced(
        "a lost game in which nothing was given away",
        [1, -1, 1, -1], -1, [0.1, 0.2, -0.3, 0.6], [],
        "Who has won, and for whom is each number?",
    )  # fmt: skip
    yield _traced(
        "one move gives the game away: before it, the search's value of that position counts",
        [1, -1, 1, -1, 1, -1], -1, [0.2, -0.1, 0.6, 0.8, -0.7, 0.9], [2],
        "The first player stood well at position 2 and threw it away by a random move. What should positions 0 and 1 learn?",
        points=3,
    )  # fmt: skip
    yield _traced(
        "the position itself, where the move was played, gets its own root value",
        [1, -1, 1], -1, [0.3, -0.5, 0.4], [2],
        "Does a bad move make the position bad in which it was played?",
        points=2,
    )  # fmt: skip
    yield _traced(
        "a move of the second player",
        [1, -1, 1, -1, 1], 1, [-0.2, 0.3, -0.4, 0.5, 0.6], [3],
        "root_values speak for the player to move at their position. Whose is number 3, and what is it for the other one?",
        points=2,
    )  # fmt: skip
    yield _traced(
        "two such moves: each position looks no further than the next one",
        [1, -1, 1, -1, 1, -1, 1], -1, [0.3, -0.2, 0.7, -0.5, 0.1, 0.8, -0.9], [1, 5],
        "From position 0, which of the two moves comes first? From position 3?",
        points=2,
    )  # fmt: skip
    yield _traced(
        "a drawn game",
        [1, -1, 1, -1], 0, [0.1, -0.2, 0.5, -0.4], [1],
        "What is a draw worth, and what do the positions before the second move get?",
    )  # fmt: skip
    yield _traced(
        "a root value of exactly 0 is a value like any other",
        [1, -1, 1, -1], 1, [0.4, 0.0, 0.2, -0.3], [1],
        "How does your code know that something was given away: by the mark, or by a number?",
    )  # fmt: skip
    yield _traced(
        "a game that begins with the second player to move, after a random opening",
        [-1, 1, -1, 1], 1, [-0.4, 0.5, -0.6, 0.7], [0, 2],
        "Does your code read who is to move, or count positions?",
    )  # fmt: skip
    yield _traced(
        "players need not alternate",
        [1, 1, -1, -1, 1], -1, [0.3, 0.4, -0.2, 0.6, -0.8], [3],
        "Does your code read who is to move, or change the sign at every step?",
    )  # fmt: skip
    yield _traced("a game of one position", [1], 1, [0.4], [], "Is there a position after it? Must there be?")
    length = int(rng.integers(15, 30))
    yield _traced(
        "a long random game",
        [1 - 2 * (t % 2) for t in range(length)],
        int(rng.choice([-1, 1])),
        rng.uniform(-1, 1, size=length).round(2).tolist(),
        rng.choice(length, size=4, replace=False).tolist(),
        "Begin at the end of the game and go back. What is carried from one position to the one before?",
        points=2,
    )
    yield leaves_alone(
        "trace_targets",
        np.array([1, -1, 1]),
        1,
        np.array([0.5, -0.5, 0.5]),
        np.array([False, True, False]),
        question="The root values are learned from, too. Who may write into them?",
    )


_CARRIED = "carried = players[t] * root_values[t]"
_TARGET = "targets[t] = players[t] * carried"
_GIVEN = "        if gave_away[t]:\n            carried = players[t] * root_values[t]\n"
_SWAPPED = (f"{_GIVEN}        {_TARGET}\n", f"        {_TARGET}\n{_GIVEN}")

for _name, _sentence, _question, *_replace in [
    ("never cut", "the outcome is carried back through the whole game: early positions are blamed for later exploration",
     "What should happen at a move that gave something away?", (_GIVEN, "")),
    ("cut too late", "the position in which the move was played still gets the later outcome",
     "Does a bad move make the position bad in which it was played?", _SWAPPED),
    ("only that position", "the position where something was given away gets its root value, but those before it get the outcome",
     "What do the positions *before* that move learn?",
     (f"{_GIVEN}        {_TARGET}", "        targets[t] = root_values[t] if gave_away[t] else players[t] * carried")),
    ("sign of the root value forgotten", "the root value is carried on as if it always spoke for the first player",
     "For whom does a root value speak?", (_CARRIED, "carried = root_values[t]")),
    ("sign of the target forgotten", "every position gets the first player's view",
     "For whom does a target speak?", (_TARGET, "targets[t] = carried")),
    ("sign changed at every step", "the sign changes from position to position, whoever is to move",
     "Do players always alternate? What tells you?",
     ("carried = winner  # for the player +1", "carried = -winner * players[-1]"),
     ("if gave_away[t]:", "carried = -carried\n        if gave_away[t]:"),
     (_CARRIED, "carried = root_values[t]"), (_TARGET, "targets[t] = carried")),
    ("the opponent's view", "all signs are the wrong way round", "For whom does a target speak?",
     (_TARGET, "targets[t] = -players[t] * carried")),
    ("the first mark for all", "all positions before the *last* such move get that move's root value, and an earlier one changes nothing",
     "From position 0, which such move comes first?",
     ("carried = winner  # for the player +1", "carried, cut = winner, False"),
     ("if gave_away[t]:", "if gave_away[t] and not cut:\n            cut = True")),
    ("forwards", "the value is carried from the beginning to the end: positions *after* such a move get its root value",
     "In which direction does an outcome travel?", ("reversed(range(len(players)))", "range(len(players))")),
    ("root values everywhere", "the outcome is never used: every position gets its own root value",
     "When does a position learn from how the game ended?", ("if gave_away[t]:", "if True:")),
    ("outcome mixed in", "root value and outcome are averaged at such a move",
     "Is the outcome still to be believed before that move?",
     (_CARRIED, "carried = (carried + players[t] * root_values[t]) / 2")),
    ("zeros before the cut", "positions before such a move get 0, a draw", "What did the search think of the position?",
     (_CARRIED, "carried = 0.0")),
    ("mark read the wrong way round", "the trace is cut where nothing was given away, and goes on where something was",
     "What does True in gave_away mean?", ("if gave_away[t]:", "if not gave_away[t]:")),
    ("the value after the move", "the root value of the *next* position is taken, the one after the bad move",
     "Which position did the search judge before the move was played?",
     (_CARRIED, "after_ = min(t + 1, len(players) - 1)\n            carried = players[after_] * root_values[after_]")),
    ("zero taken for nothing", "a root value of 0 is passed over, as if nothing had been given away there",
     "How does your code know that something was given away?",
     ("if gave_away[t]:", "if gave_away[t] and root_values[t]:")),
    ("written into the root values", "the targets are right, but they are written into root_values",
     "Which array do you fill?", ("targets = np.empty(len(players))", "targets = root_values")),
]:  # fmt: skip
    wrong("trace_targets", _name, _sentence, _question, *_replace)


# --- update_average --------------------------------------------------------------------------------------------------


def _network(rng: np.random.Generator) -> ResNet:
    """A tiny residual network with random numbers everywhere, batch norm's statistics included."""
    net = ResNet(2, 3, 3, 9, blocks=1, channels=2, policy_filters=1, value_filters=1, value_hidden=3)
    with torch.no_grad():
        for tensor in net.state_dict().values():
            if tensor.is_floating_point():
                tensor.copy_(torch.from_numpy(rng.uniform(0.5, 2.0, size=tuple(tensor.shape))))
    return net


PARAMETERS, STATISTICS, COUNTER = "stem.0.0.weight", "stem.0.1.running_mean", "stem.0.1.num_batches_tracked"


@check
def update_average(rng):
    average, net = _network(rng), _network(rng)
    with torch.no_grad():
        net.state_dict()[COUNTER].fill_(70)
    setting = "average, net: two small ResNets of the same size, with different numbers\n"

    def after_update(answer, keep: float, times: int = 1) -> dict[str, np.ndarray]:
        ours, latest = copy.deepcopy(average), copy.deepcopy(net)
        for _ in range(times):
            answer(ours, latest, keep)
        return {name: tensor.detach().numpy().copy() for name, tensor in ours.state_dict().items()}

    def definition(name: str, keep: float, times: int = 1) -> np.ndarray:
        old, new = (one.state_dict()[name].numpy().astype(np.float64) for one in (average, net))
        for _ in range(times):
            old = keep * old + (1 - keep) * new
        return old

    def one(name: str, keep: float, case: str, question: str, points: int = 1, times: int = 1) -> Case:
        loop = f"for _ in range({times}):\n    " if times > 1 else ""
        return Case(
            case,
            lambda answer: after_update(answer, keep, times)[name],
            definition(name, keep, times),
            f'{setting}{loop}update_average(average, net, {keep})\naverage.state_dict()["{name}"]',
            question,
            points=points,
            tolerance=1e-5,
        )

    yield one(
        PARAMETERS, 0.75, "a weight: three quarters stay, a quarter is new", "Which of the two gets the large share?", 2
    )
    yield one(STATISTICS, 0.75, "batch norm's running mean follows, too",
              "parameters() are what is learned. What else does a network store? Where do you find all of it?", 3)  # fmt: skip
    yield Case(
        "a counter of whole numbers is copied",
        lambda answer: int(after_update(answer, 0.75)[COUNTER]),
        70,
        f'{setting}update_average(average, net, 0.75)\naverage.state_dict()["{COUNTER}"]',
        "An average of counts is no count. Which numbers can be averaged, and which can only be taken over?",
    )
    yield one("value_head.5.weight", 0.999, "a slow average: a thousandth is new", "Which share is 1 - keep?")
    yield one(PARAMETERS, 0.9, "ten updates", "Each update starts from what the one before has left.", times=10)
    yield one("policy_head.3.bias", 0.0, "keep = 0 takes the network over", "What is left of the average then?")
    yield one("policy_head.3.bias", 1.0, "keep = 1 changes nothing", "What is taken from the network then?")

    def others(answer):
        ours, latest = copy.deepcopy(average), copy.deepcopy(net)
        answer(ours, latest, 0.75)
        return sorted(
            name for name, tensor in latest.state_dict().items() if not torch.equal(tensor, net.state_dict()[name])
        )

    yield Case(
        "the network that learns is left alone",
        others,
        Such("[] (nothing of net has changed)", lambda changed: changed == []),
        f"{setting}update_average(average, net, 0.75)\nwhat has changed in net?",
        "Which of the two networks is written to?",
        points=2,
    )

    def apart(answer):
        ours, latest = copy.deepcopy(average), copy.deepcopy(net)
        answer(ours, latest, 0.75)
        before = {name: tensor.clone() for name, tensor in ours.state_dict().items()}
        with torch.no_grad():
            for tensor in latest.state_dict().values():
                tensor.add_(1)
        return sorted(name for name, tensor in ours.state_dict().items() if not torch.equal(tensor, before[name]))

    yield Case(
        "afterwards the two share no memory",
        apart,
        Such("[] (nothing of average has changed)", lambda changed: changed == []),
        f"{setting}update_average(average, net, 0.75)\nthen net learns on: what changes in average?",
        "A network that is pointed to follows at once. What did you want to keep?",
    )

    def same_tensors(answer):
        ours = copy.deepcopy(average)
        held = dict(ours.named_parameters())
        answer(ours, copy.deepcopy(net), 0.75)
        now = dict(ours.named_parameters())
        graph = [name for name, weights in now.items() if weights.grad_fn is not None or not weights.requires_grad]
        return [name for name in held if now.get(name) is not held[name]] + graph

    yield Case(
        "writes into the numbers that the average has: no new parameters, no gradients recorded",
        same_tensors,
        Such("[] (the same parameters as before)", lambda changed: changed == []),
        f"{setting}held = dict(average.named_parameters())\nupdate_average(average, net, 0.75)\n"
        "which of average's parameters is no longer the one that it was?",
        "Is averaging something to be learned through? How does torch write into a tensor in place?",
    )


_LERP = "mean.lerp_(latest, 1 - keep)"
_HEAD = "    for mean, latest in zip(average.state_dict().values(), net.state_dict().values(), strict=True):\n"
_BODY = "        if mean.is_floating_point():\n            mean.lerp_(latest, 1 - keep)\n        else:\n            mean.copy_(latest)\n"
_PARAMETERS = "    for mean, latest in zip(average.parameters(), net.parameters(), strict=True):\n"

for _name, _sentence, _question, *_replace in [
    ("shares swapped", "a share of `keep` is taken from the new network: the average jumps after every step",
     "What does `keep` keep?", (_LERP, "mean.lerp_(latest, keep)")),
    ("parameters only", "batch norm's running mean and variance stay what they were at the start: an average that was never trained with them",
     "What does a network store that is not learned by gradient descent?",
     (_HEAD, _PARAMETERS)),
    ("buffers copied", "batch norm's statistics are taken over from the network instead of being averaged with the weights",
     "To which weights do these statistics belong: to the latest, or to the average?",
     (_HEAD, "    learned = {name for name, _ in net.named_parameters()}\n"
             "    for (name, mean), latest in zip(average.state_dict().items(), net.state_dict().values(), strict=True):\n"),
     ("if mean.is_floating_point():", "if name in learned:")),
    ("the network replaced", "the average becomes a copy of the network: nothing is averaged",
     "How much of what the average was should be left?", (_LERP, "mean.copy_(latest)")),
    ("a plain mean", "average and network count half each, whatever `keep` says", "What is `keep` for?",
     (_LERP, "mean.lerp_(latest, 0.5)")),
    ("the network averaged", "the new numbers are written into the network that learns", "Which of the two is written to?",
     (_LERP, "latest.lerp_(mean, keep)"), ("mean.copy_(latest)", "latest.copy_(mean)")),
    ("both written", "the network that learns gets the average's numbers, too", "Which of the two is written to?",
     (_LERP, "mean.lerp_(latest, 1 - keep)\n            latest.copy_(mean)")),
    ("new part not weighted", "the network's numbers are added in full", "By what is the new part multiplied?",
     (_LERP, "mean.mul_(keep).add_(latest)")),
    ("old part not shrunk", "the average grows without end", "By what is the old part multiplied?",
     (_LERP, "mean.add_(latest, alpha=1 - keep)")),
    ("only shrunk", "the average fades away: nothing new is added", "What comes in for the part that goes?",
     (_LERP, "mean.mul_(keep)")),
    ("geometric mean", "numbers are multiplied as powers instead of added", "Is this a weighted sum or a weighted product?",
     (_LERP, "mean.copy_(mean**keep * latest ** (1 - keep))")),
    ("counter forgotten", "whole numbers stay what they were at the start", "What happens to what can't be averaged?",
     ("mean.copy_(latest)", "pass")),
    ("counters averaged in place", "the layers' counters are averaged, too: they are whole numbers, and torch writes no fraction into them",
     "Which of the tensors in `state_dict()` can't be averaged?", (_BODY, "        mean.mul_(keep).add_((1 - keep) * latest)\n")),
    ("counters interpolated", "the layers' counters are averaged, too: they are whole numbers, and lerp knows only fractions",
     "Which of the tensors in `state_dict()` can't be averaged?", (_BODY, "        mean.lerp_(latest, 1 - keep)\n")),
    ("counters averaged", "the layers' counters are averaged, too: a fraction of a whole number is cut off",
     "Which of the tensors in `state_dict()` can't be averaged?", (_BODY, "        mean.copy_(keep * mean + (1 - keep) * latest)\n")),
    ("nothing written", "a new number is computed, and thrown away: the average stays as it was",
     "Does your line change the tensor, or a name for it?", (_LERP, "mean = keep * mean + (1 - keep) * latest")),
    ("weights pointed to", "the average's tensors *are* the network's: whatever is learned next changes both",
     "Which operation copies numbers, and which only a reference?",
     (_HEAD, "    for (_, holder), (_, source) in zip(average.named_parameters(), net.named_parameters(), strict=True):\n"
             "        source.data.lerp_(holder.data, keep)\n        holder.data = source.data\n" + _HEAD),
     (_LERP, "pass")),
]:  # fmt: skip
    wrong("update_average", _name, _sentence, _question, *_replace)


# --- keeps_value -----------------------------------------------------------------------------------------------------

NO = np.nan  # a full column
C4 = ConnectFour()


def _kept(scores) -> list[bool]:
    """Win, draw or loss, as words; then what equals the best of them."""
    words = [None if np.isnan(score) else "win" if score > 0 else "draw" if score == 0 else "loss" for score in scores]
    best = next(word for word in ("win", "draw", "loss") if word in words)
    return [word == best for word in words]


def _judged(name: str, scores, question: str, points: int = 1, moves: list[int] | None = None, expected=None) -> Case:
    scores = np.array(scores, dtype=float)

    def run(keeps_value):
        kept = keeps_value(scores.copy())
        return np.asarray(kept).tolist() if np.asarray(kept).dtype == bool else kept

    return Case(
        name,
        run,
        _kept(scores) if expected is None else expected,
        f"keeps_value(np.array({show(scores)}))",
        question,
        str(after(C4, moves)) if moves is not None else "",
        points=points,
    )


@check
def keeps_value(rng):
    yield _judged(
        "the empty board: only the center wins",
        [-2, -1, 0, 1, 0, -1, -2],
        "The first player can force a win. After which columns can it still?",
        2,
        moves=[],
        expected=[False, False, False, True, False, False, False],
    )
    yield _judged(
        "a slow win is a win",
        [3, -2, 8, 0, 1, -4, 3],
        "What do you grade: how a game ends, or how soon?",
        3,
    )
    yield _judged(
        "in a drawn position, every move that draws",
        [0, -3, 0, -1, -8, 0, -2],
        "Which moves throw the draw away?",
        2,
    )
    yield _judged(
        "where all is lost, nothing can be lost any more",
        [-1, -6, -6, -2, -18, -3, -1],
        "What is the position worth? After which moves is it still worth that?",
        2,
    )
    yield _judged(
        "a full column keeps nothing",
        [NO, 2, -1, NO, 0, 5, NO],
        "What do comparisons with NaN say? And its sign?",
        2,
    )
    yield _judged(
        "full columns in a lost position",
        [NO, -2, -1, NO, -4, -4, -9],
        "Can a move that does not exist keep anything?",
        2,
    )
    yield _judged("full columns in a drawn position", [0, NO, NO, -5, 0, NO, -1], "Is NaN a draw?")
    yield _judged("one legal move", [NO, NO, NO, -7, NO, NO, NO], "There is nothing else to play. Is that a mistake?")
    yield _judged("every move wins", [2, 4, 1, 9, 3, 1, 2], "Which of these could go wrong?")
    yield _judged(
        "nine moves, as in tic-tac-toe", [NO, 0, 1, NO, -1, 0, NO, 2, -2], "How many actions may a game have?"
    )
    for number in range(3):
        scores = rng.integers(-4, 5, size=7).astype(float)
        scores[rng.random(7) < 0.2] = NO
        scores[int(rng.integers(7))] = [3.0, 0.0, -2.0][number]
        if number == 1:
            scores = -np.abs(scores)
        if number == 2:
            scores = -np.abs(scores) - 1
        yield _judged(
            f"random scores {number + 1}", scores.tolist(), "Win, draw or loss: what is the best that is left?"
        )

    def kind(answer):
        kept = answer(np.array([1.0, NO, -1.0, 0.0, 2.0, -3.0, 1.0]))
        return [str(getattr(kept, "dtype", type(kept).__name__)), list(np.shape(kept))]

    yield Case(
        "returns a bool for each action",
        kind,
        Such("['bool', [7]]", lambda value: value == ["bool", [7]]),
        "kept = keeps_value(np.array([1, np.nan, -1, 0, 2, -3, 1]))\nkept.dtype, kept.shape",
        "Is the answer a list of columns, or a yes or no for each?",
    )
    yield leaves_alone(
        "keeps_value",
        np.array([1.0, NO, -1.0, 0.0, 2.0, -3.0, 1.0]),
        question="The scores are graded with again. Who may write into them?",
    )


_KEEPS = "return np.sign(scores) == np.sign(np.nanmax(scores))"

for _name, _sentence, _question, _line in [
    ("fastest win only", "only the highest score counts: a slow win is graded as a mistake",
     "Is a player who wins in ten moves wrong where one could win in eight?", "return scores == np.nanmax(scores)"),
    ("slowest loss only", "in a lost position all but the slowest loss are graded as mistakes",
     "What can still be lost in a lost position?",
     "best = np.nanmax(scores)\n    return np.sign(scores) == np.sign(best) if best >= 0 else scores == best"),
    ("draws kept for wins", "a move that turns a win into a draw passes", "Has it kept what the position was worth?",
     "return scores >= min(0, np.nanmax(scores))"),
    ("not a loss", "every move that does not lose passes, and in a lost position none does",
     "What is the most that can be kept in a won position, and in a lost one?", "return scores >= 0"),
    ("wins only", "only winning moves pass: in a drawn or lost position none does",
     "What is there to keep in a drawn position?", "return scores > 0"),
    ("one move only", "the best column alone passes, though others are as good", "Can more than one move be right?",
     "return np.arange(len(scores)) == np.nanargmax(scores)"),
    ("NaN spreads", "one full column makes all moves wrong", "What is the maximum of numbers of which one is NaN?",
     "return np.sign(scores) == np.sign(np.max(scores))"),
    ("full column counted as a draw", "an illegal move keeps the value of a drawn position",
     "Can a move that does not exist keep anything?",
     "scores = np.nan_to_num(scores)\n    return np.sign(scores) == np.sign(np.max(scores))"),
    ("full column always right", "illegal moves pass as keeping the value", "Can a move that does not exist keep anything?",
     "return ~(np.sign(scores) < np.sign(np.nanmax(scores)))"),
    ("mistakes and not right moves", "True stands for the moves that lose value", "Which moves do you want to find?",
     "return np.sign(scores) < np.sign(np.nanmax(scores))"),
    ("the opponent's view", "the worst is taken for the best", "For whom are the scores?",
     "return np.sign(scores) == np.sign(np.nanmin(scores))"),
    ("columns and not a mask", "the numbers of the columns are returned", "How many entries should come out?",
     "return np.flatnonzero(np.sign(scores) == np.sign(np.nanmax(scores)))"),
    ("zeros and ones", "numbers are returned in place of True and False", "Which type does a mask have?",
     "return (np.sign(scores) == np.sign(np.nanmax(scores))).astype(float)"),
    ("as good as the average", "whatever is above the average score passes", "What is the position worth under perfect play?",
     "return scores >= np.nanmean(scores)"),
    ("written into the scores", "the scores are replaced by their signs", "Who else needs the scores?",
     "scores[:] = np.sign(scores)\n    return scores == np.nanmax(scores)"),
]:  # fmt: skip
    wrong("keeps_value", _name, _sentence, _question, (_KEEPS, _line))
