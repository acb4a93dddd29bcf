"""What a failed check says about mistakes that readers made: the words that help, and never those that sent them the wrong way."""

import inspect
import linecache
import re
from collections.abc import Callable, Iterator
from itertools import chain
from textwrap import dedent

import numpy as np
import pytest

from course_utils.exercise import EXERCISES, YourAnswerFailed, bind, using
from course_utils.exercise.guarding import guarded
from course_utils.games import TicTacToe
from course_utils.networks import UniformNetwork
from course_utils.search.puct import Node
from course_utils.tests.case import Case, Outcome
from course_utils.tests.grade import CHECKS, NOT_WRITTEN
from course_utils.tests.guess import guesses
from course_utils.tests.learner import _with_yours_or_ours, left_open
from course_utils.tests.render import as_data
from course_utils.tests.slips import slips_in


def changed(exercise: str, *replace: tuple[str, str]) -> str:
    """The course's version with these replacements."""
    source = EXERCISES[exercise].source
    for old, new in replace:
        assert old in source, f"{exercise} has no {old!r}"
        source = source.replace(old, new)
    return source


def message(exercise: str, source: str, seed: int, others: dict[str, Callable] | None = None) -> str:
    """What a learner reads above the first case, and the question behind it. `others`: the learner's earlier answers."""
    names = dict(EXERCISES[exercise].reference.__globals__)
    filename = f"<your {exercise}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec"), names)
    report = _with_yours_or_ours(exercise, names[exercise], seed, others or {})
    report.source = source
    assert not report.passed
    if report.problem == NOT_WRITTEN:
        return left_open(exercise, source) or NOT_WRITTEN
    told = as_data(report)
    return "\n".join([*told["words"], *chain(*told["diagnosis"]), *told["questions"], *told["notes"]])


SELECT_CHILD_BY_A_LOOP = """
    def select_child(node, c_puct):
        best, best_score = None, -np.inf
        for a in {actions}:
            q = node.W[a] / node.N[a] if node.N[a] else 0
            u = c_puct * node.P[a] * np.sqrt(1 + sum(node.N)) / (1 + node.N[a])
            if q + u > best_score:
                best, best_score = a, q + u
        return best
"""
LOOP_WITH_Q = """
    def select_child(node, c_puct):
        best, best_score = None, -np.inf
        for a in node.legal:
            score = node.Q[a] + c_puct * node.P[a] * np.sqrt(1 + sum(node.N)) / (1 + node.N[a])
            if score > best_score:
                best, best_score = a, score
        return best
"""
SCORES = """
    def select_child(node, c_puct):
        scores = {}
        for a in np.flatnonzero(node.legal):
            u = c_puct * node.P[a] * np.sqrt(1 + node.N.sum()) / (1 + node.N[a])
            scores[a] = node.Q[a] + u
        return max(scores)
"""
LOOP = "games = [self_play_game(game, network, rng, **settings) for _ in range(config.games)]"
STEPS = """        batches = (buffer.sample(config.batch, rng) for _ in range(config.steps))
        losses = [train_step(run.network, run.optimizer, *batch) for batch in batches]
"""
ONE_AT_A_TIME = """        for _ in range(config.steps):
            batch = buffer.sample(config.batch, rng)
            losses = train_step(run.network, run.optimizer, *batch)
"""
ONE_BATCH = """        batch = buffer.sample(config.batch, rng)
        losses = [train_step(run.network, run.optimizer, *batch) for _ in range(config.steps)]
"""
BACKUP_ONCE = """
    def backup(leaf, value):
        action = leaf.parent_action
        leaf.parent.N[action] += 1
        leaf.parent.W[action] += -value
"""
BACKUP_ONCE_GUARDED = """
    def backup(leaf, value):
        if leaf.parent is not None:
            leaf.parent.N[leaf.parent_action] += 1
            leaf.parent.W[leaf.parent_action] -= value
"""
POWER = "(np.asarray(visits) / np.max(visits)) ** (1 / temperature)"
MCTS_LOOP = """    for _ in range(simulations):
        node, action = select(root, c_puct)
"""
MCTS_OUTSIDE = """    node = root
    for _ in range(simulations):
        node, action = select(node, c_puct)
"""
ROWS = {
    "for a in node.legal": ("select_child", SELECT_CHILD_BY_A_LOOP.format(actions="node.legal"), ["np.flatnonzero"], ["square root", "`if`, `and`"]),
    "for a in node.legal, Q": ("select_child", LOOP_WITH_Q, ["np.flatnonzero"], []),
    "scores of node.legal": ("select_child", "def select_child(node, c_puct):\n    U = c_puct * node.P * np.sqrt(1 + node.N.sum()) / (1 + node.N)\n    scores = {a: node.Q[a] + U[a] for a in node.legal}\n    return max(scores, key=scores.get)\n", ["np.flatnonzero"], []),
    "players == winner": ("value_targets", "def value_targets(players, winner):\n    return np.where(players == winner, 1, -1).astype(np.float32) * abs(winner)\n", ["compares the list as a whole"], []),
    "one game repeated": ("train_alphazero", changed("train_alphazero", (LOOP, "games = [self_play_game(game, network, rng, **settings)] * config.games")), ["calls it once"], []),
    "Q written": ("backup", changed("backup", ("node.W[action] += value", "node.Q = node.Q + value")), ["change what it is made of"], []),
    "float32 alone": ("value_targets", changed("value_targets", ("np.float32", "float32")), ["write `np.float32`"], []),
    "max of a dict": ("select_child", SCORES, ["the highest legal action"], ["All N are 0"]),
    "losses = train_step": ("train_alphazero", changed("train_alphazero", (STEPS, ONE_AT_A_TIME)), ["losses"], ["int(...)", "A float is used"]),
    "backup without a loop": ("backup", BACKUP_ONCE, ["only the last move"], ["None has no"]),
    "backup without a loop, guarded": ("backup", BACKUP_ONCE_GUARDED, ["only the leaf's parent"], ["None has no"]),
    "** 1 / temperature": ("sample_action", changed("sample_action", (POWER, POWER.replace("(1 / temperature)", "1 / temperature"))), ["the exponent needs brackets, `** (1 / temperature)`"], []),
    "^ of a float": ("sample_action", changed("sample_action", ("** (1 /", "^ (1 /")), ["write `**`"], ["uint64"]),
    "^ of visits": ("sample_action", changed("sample_action", (POWER, "visits ^ (1 / temperature)")), ["write `**`"], ["uint64"]),
    "^ of whole numbers": ("sample_action", changed("sample_action", (POWER, "visits.astype(int) ^ int(1 / temperature)")), ["write `**`"], ["uint64"]),
    "the parent's state": ("expand", changed("expand", ("game.play(node.state, action)", "node.state")), ["position"], ["winner"]),
    "a node played": ("expand", changed("expand", ("game.play(node.state, action)", "game.play(node, action)")), ["position"], ["winner"]),
    "node = root outside": ("mcts_search", changed("mcts_search", (MCTS_LOOP, MCTS_OUTSIDE)), ["begin"], ["table"]),
    "shares": ("mcts_search", changed("mcts_search", ("root) if return_root else root.N", "root) if return_root else root.N / root.N.sum()")), ["shares"], ["table"]),
    "shares, both": ("mcts_search", changed("mcts_search", ("return (root.N, root) if return_root else root.N", "pi = root.N / root.N.sum()\n    return (pi, root) if return_root else pi")), ["shares"], ["table"]),
    "no diagonals": ("winner", changed("winner", ("rows + columns + diagonals", "rows + columns")), ["diagonal"], ["the line 2, 4, 6 is missing"]),
    "to_play": ("winner", "def winner(state):\n    lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]\n    for line in lines:\n        if all(state.cells[i] == state.to_play for i in line):\n            return state.to_play\n    return 0\n", ["moved last"], ["Which cells make up"]),
    "True inside the loop": ("is_terminal", "def is_terminal(state):\n    for cell in state.cells:\n        if cell == 0:\n            return winner(state) != 0\n        return True\n", ["first cell"], []),
    "False inside the loop": ("is_terminal", "def is_terminal(state):\n    if winner(state) != 0:\n        return True\n    for cell in state.cells:\n        if cell == 0:\n            return False\n        else:\n            return True\n", ["first cell"], []),
    "where": ("legal_actions", changed("legal_actions", ("[cell for cell in range(9) if state.cells[cell] == 0]", "np.where(np.array(state.cells) == 0)")), ["tuple", "flatnonzero"], []),
    "list where": ("legal_actions", changed("legal_actions", ("[cell for cell in range(9) if state.cells[cell] == 0]", "list(np.where(np.array(state.cells) == 0))")), ["flatnonzero"], []),
    "compiled": ("alphazero_loss", "@torch.compile\n" + changed("alphazero_loss", (".mean()", ".sum()")), ["summed"], ["does your loop end?"]),
    "not wrapped": ("train_alphazero", changed("train_alphazero", ("TorchNetwork(run.network)", "run.network")), ["TorchNetwork(net)"], ["passed its check"]),
    "no step": ("train_step", changed("train_step", ("    optimizer.step()\n", "")), ["no step is taken"], ["none was computed"]),
    "no backward": ("train_step", changed("train_step", ("    (value_loss + policy_loss).backward()\n", "")), ["none was computed"], ["no step is taken"]),
    "no rng": ("self_play_game", changed("self_play_game", (", noise=noise, rng=rng", ", noise=noise")), ["where its chance comes from"], ["your mcts_search"]),
    "softmax and [0]": ("network_forward", changed("network_forward", ("net.policy_head(features)", "torch.softmax(net.policy_head(features), dim=-1)"), (".squeeze(-1)", "[0]")), ["which dimension do you want to drop"], []),
    "one batch and no symmetries": ("train_alphazero", changed("train_alphazero", (STEPS, ONE_BATCH), ("buffer.add(examples, game)", "buffer.add(examples)")), ["one batch", "buffer"], []),
    "a leftover raise": ("mcts_search", changed("mcts_search", ("        backup(node, value)\n", "        backup(node, value)\n        raise NotImplementedError(\"your code\")\n")), ["is still there: delete it"], ["not written yet"]),
}  # fmt: skip


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
@pytest.mark.parametrize("name", ROWS)
def test_a_message_helps_and_sends_nobody_the_wrong_way(name, seed):
    exercise, source, must, must_not = ROWS[name]
    said = message(exercise, dedent(source), seed)
    assert [words for words in must if words not in said] == [], said
    assert [words for words in must_not if words in said] == [], said


EARLIER = {
    name: guarded(name, bind(name, one.source)) for name, one in EXERCISES.items() if one.notebook in ("01", "02", "03", "04")
}  # fmt: skip


@pytest.mark.parametrize("name", ["not wrapped", "no rng", "a node played", "the parent's state"])
def test_a_right_function_is_not_blamed_for_the_mistake_of_the_one_that_calls_it(name):
    exercise, source, must, must_not = ROWS[name]
    said = message(exercise, dedent(source), 0, {other: one for other, one in EARLIER.items() if other != exercise})
    assert [words for words in must if words not in said] == [], said
    assert [words for words in [*must_not, "passed its check", "use_ours"] if words in said] == [], said


def test_a_function_of_ones_own_that_can_not_be_asked_again_is_not_blamed():
    """Ours would be called with a callback of the learner's, which may do anything."""
    broken = guarded("mcts_search", bind("mcts_search", "def mcts_search(*args, **kwargs):\n    return [][1]"))
    game, network = TicTacToe(), UniformNetwork(9)

    def noise(prior, legal, rng):
        return prior

    with pytest.raises(IndexError) as failure:
        broken(game, game.initial_state(), network, 3, 1.5, noise=noise)
    assert not getattr(failure.value, "__notes__", [])
    with pytest.raises(YourAnswerFailed, match="your mcts_search passed its check"):
        broken(game, game.initial_state(), network, 3, 1.5)


def test_one_that_raises_with_nodes_or_a_network_with_which_ours_does_not_is_blamed():
    game, network = TicTacToe(), UniformNetwork(9)
    broken = guarded("evaluate", bind("evaluate", "def evaluate(node, network, game):\n    return [][1]"))
    with pytest.raises(YourAnswerFailed, match="your evaluate passed its check"):
        broken(Node(game, game.initial_state()), network, game)


def raised(error: Exception, line: str) -> Outcome:
    """A case in which this line raised."""
    error.learners_line = f"line 2 of your cell: `{line}`"
    return Outcome(Case("", print, 0), error=error, complaint="an exception")


@pytest.mark.parametrize(
    ("error", "line", "word"),
    [
        (TypeError("string indices must be integers, not 'str'"), "run.log(games, losses)", "int(...)"),
        (TypeError("list indices must be integers or slices, not str"), "x = a['b']", "int(...)"),
        (TypeError("'NoneType' object cannot be interpreted as an integer"), "range(n)", "int(...)"),
        (TypeError("'numpy.ndarray' object cannot be interpreted as an integer"), "range(n)", "int(...)"),
        (TypeError("'int' object is not iterable"), "x = sum(3)", "range(number)"),
        (TypeError("'str' object does not support item assignment"), "x[0] = 'a'", "tuple"),
        (TypeError("ufunc 'bitwise_and' not supported for the input types"), "x = a & b", "uint64"),
        (TypeError("flatten() takes from 0 to 1 positional arguments but 2 were given"), "x = planes.flatten(1, 2)", "Torch"),
        (TypeError("'int' object is not callable"), "x = n(3)", "Torch"),
        (RuntimeError("Trying to backward through the graph a second time"), "loss.backward()", "call it once"),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"), "x = a @ b", "layer"),
        (ValueError("Axes must be different."), "x = np.rot90(planes, axes=(1, 1))", "reshape(3, 3)"),
        (NotImplementedError("mine"), "x = helper()", "stub"),
        (ValueError("The truth value of an array with more than one element is ambiguous."), "x = max(a, b)", "`if`"),
        (NameError("name 'score' is not defined"), "x = score", "np."),
    ],
)  # fmt: skip
def test_an_error_that_has_another_cause_too_names_none(error, line, word):
    source = f"def winner(state):\n    {line}"
    assert not any(word in words for words in slips_in(source, [raised(error, line)], "winner"))


@pytest.mark.parametrize(
    ("exercise", "line"),
    [
        ("winner", "x = np.sort(state.cells)"),
        ("winner", "x = np.append([1], 2)"),
        ("alphazero_loss", "values, order = logits.sort(descending=True)"),
        ("alphazero_loss", "best, where = logits.max(1, True)"),
        ("legal_actions", "free = np.where(state.cells == 0)[0]"),
        ("legal_actions", "free = np.where(state.cells == 0)\n    x = free[0]"),
        ("legal_actions", "mask = np.where(state.cells == 0, 1, 0)"),
        ("evaluate", "legal = game.legal_actions(node.state)\n    x = [node.P[a] for a in legal]"),
        ("batched_play", "x = mine ^ theirs\n    y = player ^ 1"),
        ("epsilon_greedy", "arm = rng.integers(0, len(Q) - 1, endpoint=True)"),
        ("winner", "x = np.random.rand()"),
        ("winner", "if state.to_play == 1 or 0:\n        pass"),
        ("sample_action", "x = visits ** 1"),
        ("train_alphazero", "for batch in batches:\n        loss = train_step(net, *batch)\n        losses.append(loss)"),
        ("train_alphazero", "games = [None] * config.games"),
        ("select_child", "x = [node.legal[a] for a in range(9)]\n    n = sum(1 for free in node.legal if free)"),
    ],
)  # fmt: skip
def test_what_is_no_slip_is_not_called_one(exercise, line):
    failed = [Outcome(Case("", print, 0.5), value=0.25, complaint="not the same")]
    source = f"def {exercise}(*args):\n    {line}\n    return 1"
    assert slips_in(source, failed, exercise) == []


def test_no_right_answer_holds_a_slip():
    for name, one in EXERCISES.items():
        for source in [one.source, *(dedent(inspect.getsource(right)) for right in CHECKS[name].right)]:
            assert slips_in(source, [], name) == [], source


@pytest.mark.parametrize("kept", ["kept={}", "kept=[]"])
def test_a_default_that_is_shared_is_named_only_where_it_is_written_into(kept):
    failed = [Outcome(Case("", print, 0.5), value=0.25, complaint="not the same")]
    read = f"def winner(state, {kept}):\n    return len(kept)"
    assert slips_in(read, failed, "winner") == []
    assert "shared by all calls" in slips_in(read.replace("return", "kept[0] = 1\n    return"), failed, "winner")[0]


def test_none_is_told_only_where_every_failed_case_asks_the_same_of_it():
    asked = [raised(AttributeError(f"'NoneType' object has no attribute '{name}'"), "x.N") for name in ("N", "N", "W")]
    other = Outcome(Case("", print, 0.5), value=0.25, complaint="not the same")
    assert "None has no `.N`" in slips_in("", asked[:2], "winner")[0]
    assert slips_in("", asked, "winner") == slips_in("", [*asked[:2], other], "winner") == []


PLACE = re.compile(
    r"\b(tables?|figures?|sections?|paragraphs?|plots?|pictures?|diagrams?|page|its \w+ row|the numbered list"
    r"|the (formula|rule|example|definition|text|cell|one) above,?|(see|look|told|said|as) (above|below))\b(?! it| left)",
    re.IGNORECASE,
)


def asked() -> Iterator[tuple[str, str]]:
    """(where, text) of all that a check or a guess asks or says of its own."""
    for name in EXERCISES:
        check = CHECKS[name]
        with using({}):
            questions = [case.question for case in check.cases(np.random.default_rng(0))]
        for text in [*questions, *chain(*((one.sentence, one.question) for one in check.wrong))]:
            yield name, text
    for name, guess in guesses().items():
        yield from ((name, text) for text in [guess.why, *guess.wrong.values()])


def test_no_question_points_at_a_place_of_a_notebook():
    """A notebook changes, and the same check runs in several: a table of one may be a list in the other, or gone."""
    assert [text for text in asked() if PLACE.search(text[1])] == []
