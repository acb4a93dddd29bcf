"""The graded checks, judged by the answers they must accept and reject."""

import contextlib
import importlib
import inspect
import linecache
import re
import sys
import time

import numpy as np
import pytest

from course_utils import tests as checks
from course_utils.answers.stubs import stub
from course_utils.deadline import TookTooLong, within
from course_utils.exercise import EXERCISES, using
from course_utils.search.gumbel import sigma
from course_utils.tests import grade as grading
from course_utils.tests import naming
from course_utils.tests.case import Case, Outcome, Raises, run_case, show
from course_utils.tests.catalogue import Wrong
from course_utils.tests.grade import CHECKS, CheckFailed, grade
from course_utils.tests.learner import _with_yours_or_ours
from course_utils.tests.render import as_data, as_html, as_text
from course_utils.tests.scene import SHRINKING
from course_utils.tests.slips import by_error, difference, slips_in
from course_utils.tests.stage import LocalStage

SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(1, 5))]
RIGHT = {name: CHECKS[name].right for name in EXERCISES}
WRONG = [(name, entry) for name in EXERCISES for entry in CHECKS[name].wrong]
UNPROVEN = {  # they fail a single case, which other mistakes could fail in the same way, or have chance of their own
    ("epsilon_greedy", "arms as good as the best left out"),
    ("epsilon_greedy", "its own randomness"),
    ("epsilon_greedy", "whole percent"),
    ("leaf_value", "rollout always played"),
    ("rollout", "own source of chance"),
    ("search_until_proven", "clock before the first simulation"),
    ("uct_search", "clock before the first simulation"),
}


def test_every_exercise_has_a_check_wrong_answers_and_right_ones():
    for name in EXERCISES:
        one_check = CHECKS[name]
        assert len(one_check.wrong) >= 3, name
        assert len({entry.name for entry in one_check.wrong}) == len(one_check.wrong), name
        assert len(RIGHT.get(name, [])) >= 2, name


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", EXERCISES)
def test_the_reference_passes(name, seed):
    report = grade(name, EXERCISES[name].reference, seed)
    assert report.passed, as_text(report)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "answer"), [(name, answer) for name in RIGHT for answer in RIGHT[name]])
def test_a_right_answer_written_differently_passes(name, answer, seed):
    report = grade(name, answer, seed)
    assert report.passed, as_text(report)


PASSED: dict = {}
VERDICTS: dict = {}
ALL_DRAWS = 1000


def run_once(case, stage, seconds=None):
    """`run_case` with a cache of passed cases. A failed case runs again, because a mistake is named only if it fails again."""
    key = case.name, stage.given
    outcome = PASSED.get(key) or run_case(case, stage, seconds)
    if outcome.passed and case.name:
        PASSED[key] = outcome
    return outcome


def play_once(check, stage):
    """The verdicts on the draws, with a cache, because the graded answer is the known mistake itself."""
    key = stage.given, naming.FEWEST
    if key not in VERDICTS:
        VERDICTS[key] = verdicts_of(check, stage)
    return VERDICTS[key]


verdicts_of = naming._verdicts


@pytest.mark.parametrize("thorough", [False, pytest.param(True, marks=pytest.mark.full)])
@pytest.mark.parametrize(("name", "entry"), WRONG, ids=[f"{name}: {entry.name}" for name, entry in WRONG])
def test_a_wrong_answer_is_rejected_and_named(name, entry, thorough, monkeypatch):
    """Two draws prove most mistakes together with the cases. Only the others need all draws."""
    draws = (naming.FEWEST,) if thorough else (2, ALL_DRAWS)
    if thorough:
        monkeypatch.setattr(naming, "SECONDS", 1.0)
    else:
        monkeypatch.setattr(grading, "run_case", run_once)
        monkeypatch.setattr(naming, "run_case", run_once)
        monkeypatch.setattr(naming, "_verdicts", play_once)
        monkeypatch.setattr(
            naming, "_verdicts_of", lambda check, known: play_once(check, LocalStage(check, known.answer))
        )
    for fewest in draws:
        monkeypatch.setattr(naming, "FEWEST", fewest)
        shrinking = SHRINKING.set(entry is CHECKS[name].wrong[0])  # shrink a draw in one answer of each exercise
        report = grade(name, entry.answer, seed=0)  # the seed that learners are graded with
        SHRINKING.reset(shrinking)
        assert not report.passed
        assert not report.problem
        named = entry.name in [match.name for match in report.matches]
        if named:
            break
    assert named == ((name, entry.name) not in UNPROVEN), as_text(report)


@pytest.mark.full
@pytest.mark.parametrize("name", EXERCISES)
def test_a_known_mistake_does_the_same_on_a_draw_each_time(name):
    """So its draws are played once."""
    check = CHECKS[name]
    with using({}):
        for entry in check.wrong:
            stage = LocalStage(check, entry.answer)
            pairs = zip(naming._verdicts(check, stage), naming._verdicts(check, stage), strict=False)
            assert not any(naming.differ(*pair, check.tolerance) for pair in pairs), entry.name


def test_a_mistake_that_draws_from_the_global_generator_is_named_whatever_its_state():
    [entry] = [one for one in CHECKS["add_root_noise"].wrong if one.name == "numpy's global chance"]
    before = np.random.get_state()  # noqa: NPY002
    for state in range(20):
        np.random.seed(state)  # noqa: NPY002
        assert entry.name in [match.name for match in grade("add_root_noise", entry.answer, seed=0).matches], state
    np.random.set_state(before)  # noqa: NPY002


@pytest.fixture
def all_draws(monkeypatch):
    """Name mistakes by all draws, as a fast machine does."""
    naming._verdicts_of.cache_clear()
    monkeypatch.setattr(naming, "FEWEST", ALL_DRAWS)


@pytest.mark.usefixtures("all_draws")
def test_a_mistake_is_named_only_if_it_does_the_same_on_every_draw():
    """Two answers make it, but where many actions are considered one is right of even numbers and the other of odd ones.

    So one of them fails first in the draw in which the mistake does.
    """
    like, right = CHECKS["sequential_halving"].wrong[0], EXERCISES["sequential_halving"].reference

    def right_of_even(simulations, considered):
        return (right if considered > 16 and considered % 2 == 0 else like.answer)(simulations, considered)

    def right_of_odd(simulations, considered):
        return (right if considered > 16 and considered % 2 == 1 else like.answer)(simulations, considered)

    reports = [grade("sequential_halving", answer) for answer in (right_of_even, right_of_odd)]
    assert not any(report.passed for report in reports)
    assert not any(like.name in [match.name for match in report.matches] for report in reports)
    assert like.name in [match.name for match in grade("sequential_halving", like.answer).matches]


@pytest.mark.parametrize(
    ("exercise", "right", "slip", "said"),
    [
        ("winner", "    return 0\n", "", "Where it fails, it returns None: it ends without a `return`."),
        ("winner", "return state.cells[a]", "return -state.cells[a]", "In every case that fails, only the sign is wrong"),
        ("winner", "return state.cells[a]", "return 'X'", "Expected a number, got 'X' of type str."),
        ("play", "; legal: {", "{'' and ", "ValueError is right, but the message does not mention 2, 3, 5."),
        ("play", "raise ValueError(", "raise IndexError(", "It is right to refuse this call, but callers expect a ValueError"),
        ("is_terminal", "winner(state) != 0 or 0 not in state.cells", "bool(winner(state) == 1 or -1)", "in `winner(state) == 1 or -1` nothing is compared with -1, which counts as true: write `winner(state) in (1, -1)`."),
        ("batched_play", "game.bottoms[actions]", "(1 << actions)", "not of `uint64` and `int64` (`1 << actions` is int64)"),
        ("encode", "dtype=np.float32)", "dtype=np.float32).T", "It returns an array of another shape: shape [2, 3, 3] expected, [3, 3, 2] got."),
        ("symmetries", ", axes=(1, 2)", "", "np.rot90 turns the first two axes, but the first one is the planes."),
        ("symmetries", "policy.reshape(1, 3, 3)", "np.rot90(policy)", "`np.rot90` and `np.fliplr` turn boards, not rows of nine"),
        ("select_child", "    return int(score.argmax())\n", "", "It returns None: is a `return` missing?"),
        ("select", "return node, ", "return NO_ACTION, ", "Expected a node and an action, in this order; got int and int."),
        ("evaluate", "return float(value[0])", "return float(value[0]), node.P", "Expected one number, got something of type tuple."),
        ("sample_action", "rng.choice(len(weights), p=weights / weights.sum())", "rng.integers(0, len(weights) - 1)", "gives len(weights) - 2 at most, because the limit itself is never drawn."),
    ],
)  # fmt: skip
def test_what_all_failures_have_in_common_is_said_first(exercise, right, slip, said):
    source = inspect.getsource(EXERCISES[exercise].reference).split("\n", 1)[1]
    known = dict(EXERCISES[exercise].reference.__globals__)
    assert right in source
    written = source.replace(right, slip)
    linecache.cache["<a cell>"] = (len(written), None, written.splitlines(True), "<a cell>")
    exec(compile(written, "<a cell>", "exec"), known)
    report = grade(exercise, known[exercise])
    report.source, report.matches = written, []
    lines = [line for line in as_text(report).splitlines()[1:] if not line.strip().startswith("It raised ")]
    assert said in lines[0]


@pytest.mark.parametrize(
    ("error", "line", "said"),
    [
        (IndexError("index 7 is out of bounds for axis 0 with size 7"), "x = N[7]", "There are 7 entries, counted from 0, so 7 is one too far"),
        (TypeError("'int' object is not iterable"), "for a in 3:", "`range(number)` counts up to it"),
        (ValueError("The truth value of an array with more than one element is ambiguous."), "if not N:", "`&`, `|` and `~`"),
        (TypeError("'float' object cannot be interpreted as an integer"), "x = range(n / 2)", "`int(...)` turns it into a whole number"),
        (TypeError("unsupported operand type(s) for ^: 'float' and 'float'"), "x = n ^ m", "write `**`"),
    ],
)  # fmt: skip
def test_an_error_is_told_by_what_it_says_and_the_line_that_raised_it(error, line, said):
    error.learners_line = f"line 2 of your cell: `{line}`"
    assert any(
        said in words for words in by_error([Outcome(Case("", print, 0), error=error, complaint="an exception")])
    )


def test_a_tree_of_many_games_indexed_by_nodes_alone_is_told_by_its_line():
    failed = [Outcome(Case("", print, -1), value=1, complaint="not the same")]
    said = slips_in("def batched_backup(tree, here):\n    tree.W[:, here] += 1", failed, "batched_backup")
    assert any("`tree.W[:, here]` takes all of these nodes in every game" in words for words in said)


@pytest.mark.parametrize(("cases", "said"), [(1, False), (2, True)])
def test_a_sign_is_no_rule_where_a_single_case_fails(cases, said):
    failed = [Outcome(Case("", print, -1), value=1, complaint="not the same") for _ in range(cases)]
    assert any("only the sign" in words for words in slips_in("", failed, "hex_winner")) == said


def test_the_largest_of_a_number_and_an_array_is_told_by_its_true_name():
    source = "def relu(x):\n    return np.max(0, x)\n"
    known = {"np": np}
    exec(source, known)
    report = grade("relu", known["relu"])
    report.source = source
    assert "Line 2: `np.max(0, x)` takes `x` for an axis: `np.maximum` compares two arrays entry by entry." in as_text(
        report
    )
    assert "int(...)" not in as_text(report)


READ_TOO_LATE = (
    "action = node.parent_action\n        node = node.parent\n",
    "node = node.parent\n        action = node.parent_action\n",
)
MASKED = "np.where(legal, logits - logits[legal].max(), -np.inf)", "logits - logits[legal].max()"


@pytest.mark.parametrize(
    ("exercise", "replace", "said"),
    [
        ("masked_policy", [MASKED, ("np.exp(shifted)", "np.exp(shifted) * legal")], "infinity times 0 is NaN, not 0"),
        ("value_targets", [("np.array(players, dtype=np.float32) * winner", "winner * players")], "the list of players is repeated `winner` times"),
        ("is_terminal", [("winner(state) != 0 or", "np.int64(winner(state)) or")], "`winner(state) or ...` returns the winner"),
        ("network_forward", [(".squeeze(-1)", ""), ("return value, logits", "return logits, value")], "the logits come first and the value second, and the value keeps"),
        ("backup", [("node.parent is not None", "node"), READ_TOO_LATE], "the action is read after stepping up, so it is -100 at the root"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("all_draws")
def test_a_mistake_has_one_diagnosis_and_no_other_that_only_looks_alike(exercise, replace, said):
    entry = Wrong("", "", "", *replace)
    entry.exercise = exercise
    report = grade(exercise, entry.answer)
    assert [said in one.sentence for one in report.matches] == [True]


@pytest.mark.parametrize(
    ("exercise", "replace", "said"),
    [
        ("masked_policy", [MASKED, ("np.exp(shifted)", "np.exp(shifted / 1.01) * legal")], "It returns NaN, which comes from 0 / 0, infinity * 0"),
        ("network_forward", [("torch.tanh", "2 * torch.sin"), (".squeeze(-1)", ""), ("return value, logits", "return logits, value")], "Expected the value first and the logits second; got shapes"),
        ("select", [("return node, action", "return node, node.N[node.parent_action]")], "-100 is `NO_ACTION`"),
        ("keep_subtree", [("expand(root, action, game)", "Node(game.play(root.state, action), game)")], "`num_actions` belongs to the game, but here it is looked up on a `State`"),
    ],
)  # fmt: skip
def test_a_mistake_without_a_name_is_told_by_what_came_of_it(exercise, replace, said):
    entry = Wrong("", "", "", *replace)
    entry.exercise = exercise
    report = grade(exercise, entry.answer)
    assert not report.matches
    assert any(line.strip().startswith(said) for line in as_text(report).splitlines()[1:3])


def test_a_question_that_follows_from_two_diagnoses_is_asked_once_behind_both():
    [entry] = [one for one in CHECKS["keep_subtree"].wrong if one.name == "the link to the old root stays"]
    _, stays, cut, question, *_ = as_text(report := grade("keep_subtree", entry.answer)).splitlines()
    assert "the new root still has a parent" in stays and "link to its parent is cut instead of the new root's" in cut
    assert question.strip() == f"Ask yourself: {entry.question}"
    assert as_text(report).count("Ask yourself") == as_html(report).count("Ask yourself") == 1


def test_where_a_finished_game_is_played_on_nothing_was_raised_and_nothing_of_the_checks_own_fails():
    [entry] = [one for one in CHECKS["play"].wrong if one.name == "finished games go on"]
    told = as_text(grade("play", entry.answer))
    assert "NameError" not in told
    assert "got       nothing was raised" in told
    [silent] = [
        case for case in CHECKS["play"].cases(np.random.default_rng(0)) if "names no cell as legal" in case.name
    ]
    assert not run_case(silent, LocalStage(CHECKS["play"], entry.answer)).passed


def test_a_warning_is_shown_without_the_place_in_the_package_that_gave_it():
    [entry] = [one for one in CHECKS["train_step"].wrong if one.name == "value and logits exchanged"]
    told = as_text(grade("train_step", entry.answer))
    assert "UserWarning: Using a target size" in told
    assert "training.py" not in told


def test_a_known_mistake_is_named_though_a_helper_of_the_learners_fails_otherwise():
    """The one above, with a loss that takes the last axis, as ours does not."""

    def alphazero_loss(value, logits, target_value, target_policy):
        policy_loss = -(target_policy * logits.log_softmax(-1)).sum(-1).mean()
        return (value - target_value).square().mean(), policy_loss

    [entry] = [one for one in CHECKS["train_step"].wrong if one.name == "value and logits exchanged"]
    yours = {"alphazero_loss": alphazero_loss}
    assert not grade("train_step", entry.answer, others=yours).matches
    assert entry in _with_yours_or_ours("train_step", entry.answer, 0, yours).matches


def test_torchs_not_implemented_is_not_taken_for_the_stubs():
    error = NotImplementedError("\"lerp_kernel_scalar\" not implemented for 'Long'")
    assert "integers" in "".join(by_error([Outcome(Case("", print, None), error=error)]))


def test_what_raises_in_a_case_that_is_folded_away_is_not_said_first():
    source = EXERCISES["play"].source.replace("raise ValueError(", "print(")  # and cells[9] = ... in the last of six
    known = dict(EXERCISES["play"].reference.__globals__)
    linecache.cache["<a cell>"] = (len(source), None, source.splitlines(True), "<a cell>")
    exec(compile(source, "<a cell>", "exec"), known)
    report = grade("play", known["play"])
    report.source, report.filename, report.matches = source, "<a cell>", []
    assert any(isinstance(outcome.error, IndexError) for outcome in report.failures)
    assert "It raised" not in as_text(report)


def test_at_most_one_question_is_asked_and_it_follows_the_first_case_that_fails(monkeypatch):
    """For a quarter of the wrong answers, whose mistakes are not named here."""
    monkeypatch.setattr(grading, "mistakes_of", lambda *_: [])
    for name, entry in WRONG[::4]:
        if EXERCISES[name].notebook > "03":
            continue
        report = grade(name, entry.answer)
        lines = [line.split()[0] for line in as_text(report).splitlines() if line.strip()]
        assert lines.count("Ask") <= 1
        if "Ask" in lines:
            assert lines[: lines.index("Ask")].count("FAILED") == 2  # the headline's and the case's


def test_an_error_is_a_known_mistake_only_if_it_says_the_same():
    def appends(node, action, game):
        node.children.append(action)

    def finds_no_legal_action(node, c_puct):
        return min(action for action in node.legal if action > 1)

    assert not grade("expand", appends).matches  # "an action for a state" raises an AttributeError in every case, too
    assert not grade("select_child", finds_no_legal_action).matches  # "children only" a ValueError


@pytest.mark.parametrize("zero", ["0", "0.0"])
def test_a_number_that_came_out_whole_is_still_the_known_mistake(zero):
    entry = Wrong("", "", "", ("(4 * trials**2)", "4 * trials**2"), ("max(0.0", f"max({zero}"))
    entry.exercise = "wilson_interval"
    assert [one.name for one in grade("wilson_interval", entry.answer).matches] == ["n² above the line"]


KEPT_BY_POSITION = (
    "masked_policy(logits[0], node.legal)",
    "KEPT.setdefault((node.state, float(value[0])), masked_policy(logits[0], node.legal))",
)


@pytest.mark.parametrize(
    ("exercise", "replace"),
    [
        ("gate", [("score.wins / decisive >= threshold", "score.wins >= threshold * decisive")]),
        ("mcts_search", [("range(simulations)", "range(max(simulations, 1))")]),
        ("symmetries", [("turned_planes.copy()", "turned_planes.astype(int)")]),
        ("evaluate", [("def evaluate", "KEPT = {}\n\n\ndef evaluate"), KEPT_BY_POSITION]),
    ],
)  # fmt: skip
def test_what_nothing_in_the_course_goes_wrong_with_passes(exercise, replace):
    """Those that docs/checks.md names."""
    entry = Wrong("", "", "", *replace)
    entry.exercise = exercise
    assert grade(exercise, entry.answer).passed


def writes_into_logits(logits, q, N, legal):
    logits += sigma(q, N)
    weights = np.where(legal, np.exp(logits - np.where(legal, logits, -np.inf).max(axis=-1, keepdims=True)), 0)
    return weights / weights.sum(axis=-1, keepdims=True)


def test_an_argument_that_is_changed_is_said_first():
    told = as_text(grade("improved_policy", writes_into_logits)).splitlines()
    assert (
        told[1]
        == "  Its argument `logits` was changed, which the caller still needs: leave it as it is, or work on a copy."
    )
    assert "there again at the next call" not in "".join(told)


def test_a_result_of_another_type_is_said_first_and_as_it_is():
    told = as_text(grade("improved_policy", lambda logits, q, N, legal: None)).splitlines()
    right = EXERCISES["improved_policy"].reference
    listed = as_text(
        grade("improved_policy", lambda logits, q, N, legal: right(logits, q, N, legal).tolist())
    ).splitlines()
    assert "type nonetype" not in "".join(told)
    assert re.fullmatch(r"  Expected a numpy array, got .* of type list\.", listed[1])


@pytest.mark.filterwarnings("ignore:'where' used without 'out'")
@pytest.mark.parametrize("_", range(5))
def test_what_was_never_written_is_not_what_lies_there_by_chance(_):
    def logs_only_where_it_matters(policy, target):
        return -np.where(target > 0, target * np.log(policy, where=target > 0), 0).sum(axis=-1).mean()

    def read_all_the_same(policy, target):
        return -(target * np.log(policy, where=target > 0)).sum(axis=-1).mean()

    assert grade("cross_entropy", logs_only_where_it_matters).passed
    assert not grade("cross_entropy", read_all_the_same).passed


def test_nan_in_every_call_is_no_memory_of_earlier_ones():
    def completed_without_a_guard(Q, N, prior, value):
        weights = np.where(N > 0, prior, 0)
        mean = (weights * np.where(N > 0, Q, 0)).sum(axis=-1) / weights.sum(axis=-1)
        n = N.sum(axis=-1)
        return np.where(N > 0, Q, ((value + n * mean) / (1 + n))[..., None])

    report = grade("completed_q", completed_without_a_guard)
    assert not report.passed
    assert not [one for one in report.failures if one.case.name.startswith("keeps nothing")]


@pytest.mark.parametrize("name", EXERCISES)
def test_the_stub_is_rejected_in_one_line(name):
    namespace = dict(vars(importlib.import_module(EXERCISES[name].module)))
    exec(compile(stub(name), name, "exec", dont_inherit=True), namespace)
    with pytest.raises(CheckFailed) as failure:
        getattr(checks, f"test_{name}")(namespace[name])
    assert str(failure.value) == f"{name}: not written yet"


@pytest.mark.slow
@pytest.mark.parametrize("name", EXERCISES)
def test_strange_answers_are_rejected_and_never_break_the_check(name, monkeypatch):

    class Odd(float):
        __eq__ = __lt__ = __gt__ = lambda self, other: True
        __hash__ = float.__hash__

    def prints(*args, **kwargs):
        print("noise")

    answers = [
        prints,
        lambda *args, **kwargs: np.nan,
        lambda *args, **kwargs: [],
        lambda *args, **kwargs: (x for x in range(3)),
        lambda *args, **kwargs: Odd(0.5),
        lambda *args, **kwargs: undefined_name,  # noqa: F821
    ]
    for answer in answers:
        report = grade(name, answer)
        assert not report.passed
        assert as_html(report)
    for nothing in (None, 3, "text"):
        assert "expected a function" in grade(name, nothing).headline
    assert "must be callable as" in grade(name, lambda a, b, c, d, e, f, g, h, i, j: None).headline


def test_an_endless_loop_is_stopped_with_a_clear_word(monkeypatch):
    name = next(iter(EXERCISES))
    original = CHECKS[name].cases

    def one_short_case(rng):
        case = next(iter(original(rng)))
        case.seconds = 0.1
        yield case

    monkeypatch.setattr(CHECKS[name], "cases", one_short_case)

    def endless(*args, **kwargs):
        while True:
            with contextlib.suppress(Exception):  # an answer may swallow what it likes
                time.sleep(0.001)

    report = grade(name, endless)
    assert isinstance(report.outcomes[0].error, TookTooLong)
    assert "does your loop end?" in as_text(report)


def test_nothing_is_said_where_the_end_of_an_answer_meets_a_destructor(monkeypatch):
    """Python swallows what is raised in one, and tells it; pytest and Jupyter print that."""

    class Slow:
        def __del__(self):
            while time.monotonic() < slow_until:
                pass

    def endless():
        while True:
            Slow()

    told, slow_until = [], time.monotonic() + 0.3
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    with pytest.raises(TookTooLong):
        within(0.1, endless)
    assert not told


def test_recursion_without_end_is_said_so():
    def endless(*args):
        return endless(*args)

    assert "it calls itself without end" in as_text(grade("backup", endless))


def test_a_message_shows_call_expected_got_and_the_misconception():
    entry = next(entry for entry in CHECKS["backup"].wrong if entry.name == "sign flip forgotten")
    report = grade("backup", entry.answer)
    for rendered in (as_text(report), as_html(report)):
        for part in ("call", "expected", "got", "Ask yourself", "points", "forgets to change the sign"):
            assert part in rendered
    assert report.points < report.max_points


def test_a_text_is_cut_between_its_lines_and_numbers_in_a_dictionary_are_short():
    """The diary of a loop is longer than 300 characters, and was cut within a word where an answer raised."""
    report = grade("train_alphazero", lambda run, callback=None: run.missing)
    [expected] = [text for label, text in as_data(report)["cases"][0]["rows"] if label == "expected"]
    assert expected.splitlines()[-1] == "callback(run), the history has 1 entry"
    assert show({"value": 1 / 3}) == "{'value': 0.333333}"


def test_a_view_is_called_one_before_anything_else():
    """Copies of one half of each pair only, in an order of its own."""

    def symmetries(planes, policy):
        pairs = []
        for turns in range(4):
            boards = [np.rot90(one, turns, axes=(1, 2)) for one in (planes, policy.reshape(1, 3, 3))]
            for turned, moves in (boards, [one[:, :, ::-1] for one in boards]):
                pairs.append((turned.copy(), moves.reshape(9)))
        return pairs

    report = grade("symmetries", symmetries)
    words = "What it returns shares its numbers with its argument `policy`: writing into one changes the other. Return a copy."
    assert as_text(report).splitlines()[1].strip() == words
    got = "got       what it returns shares its numbers with its argument"  # and not the eight pairs themselves
    assert as_text(report).count(got) == 2  # in each case that failed


def test_of_several_arrays_the_shape_that_differs_is_named():
    expected, got = {"logits": np.zeros(9), "value": np.zeros(1)}, {"logits": np.zeros(9), "value": np.zeros(())}
    assert difference(expected, got) == "value: shape [1] expected, [] got"


def test_what_differs_by_less_than_the_tolerance_is_not_counted():
    expected, got = np.full(5, 0.2), np.array([0.21, 0.19, 0.2, 0.35, 0.2])
    assert difference(expected, got, (0, 0.05)).endswith("1 of 5 entries differ")


def test_an_almost_right_answer_gets_points_though_luck_would_pass_each_of_its_cases():
    """Each single case of `winner` is passed by some function that always returns the same, but no one function passes all of these."""
    entry = next(entry for entry in CHECKS["winner"].wrong if entry.name == "wrap-around")
    assert grade("winner", entry.answer).points > 0
    assert grade("winner", lambda state: 0).points == 0


def test_nan_that_was_given_is_not_taken_for_the_answers_own():
    def masked_policy(logits, legal):
        masked = logits * legal
        weights = np.exp(masked - masked.max())
        return weights / weights.sum()

    report = grade("masked_policy", masked_policy)
    assert any(isinstance(outcome.case.expected, Raises) for outcome in report.failures)
    assert not any("NaN" in words for words in slips_in("", report.failures, "masked_policy"))


def test_a_mistake_is_not_named_if_it_would_fail_a_case_that_passes():
    [prints] = [entry for entry in CHECKS["play"].wrong if entry.name == "printed instead of raised"]
    right = EXERCISES["play"].reference

    def prints_for_taken_cells(state, action):
        return (prints.answer if 0 <= action < 9 and state.cells[action] else right)(state, action)

    report = grade("play", prints_for_taken_cells)
    assert report.failures
    assert not report.matches


def test_texts_of_different_lengths_are_shown_from_the_first_line_that_differs():
    module = importlib.import_module("course_utils.tests.render")
    assert module._differing_lines("a\nb\nc", "a\nb") == (
        "(the first 2 lines are the same)\nc",
        "(the first 2 lines are the same)\nnothing more",
    )
