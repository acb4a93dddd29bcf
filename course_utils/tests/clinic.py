"""Define the bug clinic's patients: faulty AlphaZeros whose training was recorded. Learners diagnose and fix them.

Each patient is the course's own training with one function wrong. Most of the mistakes come from the catalogues of the
checks, so the check of that exercise would have caught the mistake, and it grades the fix.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from course_utils.tests.catalogue import Wrong
from course_utils.tests.grade import CHECKS, Report, grade
from course_utils.tests.render import as_html, as_text

CONFIG = dict(iterations=10, games=40, simulations=25, exploratory_plies=3, noise_fraction=0.25, steps=100)
HEALTHY = "healthy"


@dataclass(frozen=True)
class Patient:
    """Describe one patient: the course's training with one broken function.

    Attributes:
        diagnosis: the name of the mistake, one of `DIAGNOSES`.
        exercise: the broken function; its check catches the mistake.
        replace: pairs (old, new): the mistake as a change to the reference's source.
    """

    diagnosis: str
    exercise: str
    replace: tuple[tuple[str, str], ...]

    @cached_property
    def wrong(self) -> Wrong:
        entry = Wrong(self.diagnosis, "", "", *self.replace)
        entry.exercise = self.exercise
        return entry

    @property
    def source(self) -> str:
        """The source of the broken function."""
        return self.wrong.source

    @property
    def versions(self) -> dict[str, Callable]:
        """The versions for `using`, within which the course makes this mistake."""
        return {self.exercise: self.wrong.answer}


def _catalogued(exercise: str, name: str) -> tuple[tuple[str, str], ...]:
    [entry] = [entry for entry in CHECKS[exercise].wrong if entry.name == name]
    return entry.replace


def patients() -> dict[str, Patient]:
    """Return the patients by number, in an order that gives nothing away."""
    return {
        "1": Patient("targets from the winner's side", "value_targets",
                     _catalogued("value_targets", "from the winner's side")),
        "2": Patient(
            "noise at every node",
            "mcts_search",
            (
                (
                    "        value = evaluate(node, network, game)\n        backup(node, value)",
                    "        value = evaluate(node, network, game)\n"
                    "        if noise is not None and not node.is_terminal:\n"
                    "            node.P = noise(node.P, node.legal, rng)\n        backup(node, value)",
                ),
            ),
        ),
        "3": Patient(
            "stale network in self-play",
            "train_alphazero",
            (
                (
                    "    network = TorchNetwork(run.network)",
                    "    import copy\n\n    network = TorchNetwork(copy.deepcopy(run.network))",
                ),
            ),
        ),
        "4": Patient("missing sign in backup", "backup", _catalogued("backup", "sign flip forgotten")),
        "5": Patient(
            "state shared within a game",
            "self_play_game",
            (
                ("    state = game.initial_state()\n",
                 "    state = game.initial_state()\n    board = game.encode(state)\n"),
                ("positions.append(game.encode(state))",
                 "board[:] = game.encode(state)\n        positions.append(board)"),
            ),
        ),
        "6": Patient("greedy at temperature 1", "sample_action", _catalogued("sample_action", "always greedy")),
        "7": Patient("buffer emptied", "train_alphazero", _catalogued("train_alphazero", "buffer emptied")),
        "8": Patient("unmasked priors", "evaluate", _catalogued("evaluate", "priors not masked")),
        "9": Patient("tempered targets", "self_play_game", _catalogued("self_play_game", "target tempered")),
        "10": Patient("one batch an iteration", "train_alphazero",
                      _catalogued("train_alphazero", "one batch an iteration")),
        "11": Patient("sign changed too late", "backup", _catalogued("backup", "sign flipped too late")),
        "12": Patient(
            "search goes on after a win",
            "expand",
            (
                (
                    "    child = Node(game, game.play(node.state, action), parent=node, parent_action=action)\n",
                    "    cells = list(node.state.cells)\n    cells[action] = node.state.to_play\n"
                    "    after = node.state._replace(cells=tuple(cells), to_play=-node.state.to_play)\n"
                    "    child = Node(game, after, parent=node, parent_action=action)\n"
                    "    child.legal[:] = [cell == 0 for cell in cells]\n"
                    "    child.is_terminal = not child.legal.any()\n",
                ),
            ),
        ),
    }  # fmt: skip


DIAGNOSES = {  # name -> what the mistake does, in one sentence
    "buffer emptied": "each iteration learns from its own games only: those of earlier ones are thrown away",
    "greedy at temperature 1": "self-play always takes the most visited move",
    "missing sign in backup": "a value goes up the tree without changing its sign",
    "noise at every node": "every node that a search opens gets root noise",
    "one batch an iteration": "one batch is drawn, and all steps of the iteration learn from it",
    "search goes on after a win": "in the tree a game goes on after a win: any free cell may be played until the board "
    "is full",
    "sign changed too late": "a value is added first and changes its sign afterwards, on each step of the way up",
    "stale network in self-play": "the games are always played by the untrained network of the first iteration",
    "state shared within a game": "all stored positions of a game are one array: the last one",
    "targets from the winner's side": "the value target is +1 in every position of a game that was won, "
    "the loser's positions included",
    "tempered targets": "the policy target gets the temperature of the choice: when the choice is greedy, "
    "all of it is on one move",
    "unmasked priors": "illegal moves keep a share of the prior",
}


def diagnose(number: str | int, diagnosis=...) -> None:
    """Say whether the diagnosis is right. It never raises."""
    by_number = patients()
    if str(number) not in by_number:
        print(f"there is no patient {number}; there are: {', '.join(by_number)}")
    elif diagnosis is ... or str(diagnosis).casefold() not in DIAGNOSES_FOLDED:
        print("choose one of these: " + "; ".join(DIAGNOSES))
    elif DIAGNOSES_FOLDED[str(diagnosis).casefold()] == by_number[str(number)].diagnosis:
        print(f"Yes: {by_number[str(number)].diagnosis}. It is in {by_number[str(number)].exercise}.")
    else:
        alike = {DIAGNOSES_FOLDED[str(diagnosis).casefold()], by_number[str(number)].diagnosis} == ALIKE
        print(
            "No, but the curves can't tell you: another patient has what you say, and its curves look like these."
            if alike
            else "No. Which of the curves would that bend, and which way? Look at *draws* and *different* first."
        )


ALIKE = {"noise at every node", "unmasked priors"}  # by their curves
DIAGNOSES_FOLDED = {diagnosis.casefold(): diagnosis for diagnosis in DIAGNOSES}


def fix(number: str | int, answer=...) -> None:
    """Show the report on a fixed function from the check of its exercise. It never raises, and records nothing."""
    from IPython.display import display

    by_number = patients()
    if str(number) not in by_number:
        print(f"there is no patient {number}; there are: {', '.join(by_number)}")
    elif answer is ...:
        print(f"put your repaired {by_number[str(number)].exercise} in place of the three dots")
    else:
        display(_Shown(grade(by_number[str(number)].exercise, answer)))


class _Shown:
    def __init__(self, report: Report):
        self.report = report

    def __repr__(self) -> str:
        return as_text(self.report)

    def _repr_html_(self) -> str:
        return as_html(self.report)


def sources() -> dict[str, str]:
    """Map each patient to the source of its broken function, with only the first sentence of its docstring.

    The rest of the docstring would give the mistake away.
    """
    return {
        number: re.sub(r'("""[^.]*\.).*?"""', r'\1"""', patient.source, count=1, flags=re.DOTALL)
        for number, patient in patients().items()
    }
