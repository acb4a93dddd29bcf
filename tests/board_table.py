"""What a board is told, and what it shows then. One table for all boards: `test_ui` tells it to Python's, `test_static_page` to the page
without Python, and `test_browser` clicks it in JupyterLab. Each has the same two agents, and begins with `BEGIN`."""

from course_utils.ui.page import PERFECT, SHIPPED

GIVEN = (
    f"{{{SHIPPED!r}: agents.load('tictactoe'), {PERFECT!r}: MinimaxAgent(TicTacToe())}}, simulations=50"  # opponents
)
YOURS, THEIRS = "X (you) to move.", f"O ({PERFECT}) to move. Click Next move."
NO_POSITION = "That is not a position: type the actions from the start"


def play(action: int) -> dict:
    return {"do": "play", "action": action}


def player(side: int, name: str) -> dict:
    return {"do": "player", "side": side, "name": name}


def set_up(text: str) -> dict:
    return {"do": "set_up", "text": text}


def look(ply: int) -> dict:
    return {"do": "look", "ply": ply}


def overlay(kind: str) -> dict:
    return {"do": "overlay", "kind": kind}


NEW, UNDO, SWAP, STEP, HINT = ({"do": do} for do in ("new", "undo", "swap", "step", "hint"))
BEGIN = (player(1, "you"), player(-1, PERFECT), NEW)
# what is told, then what is seen: the moves; the words that are said; and, after that, `at`: how many of the moves are on show; `lines` that
# can be taken up; `squares`: what an agent says of them; `value` for X; the last `mistake`; a `hint`'s square; the `tally`
TABLE: dict[str, list[tuple[dict, list[int], str, dict]]] = {
    "a game to its end": [
        (play(4), [4, 0], YOURS, {}),
        (play(4), [4, 0], "Cell 4 is taken: choose a free one.", {}),
        (play(2), [4, 0, 2, 6], YOURS, {}),
        (play(3), [4, 0, 2, 6, 3, 5], YOURS, {}),
        (play(1), [4, 0, 2, 6, 3, 5, 1, 7], YOURS, {}),
        (play(8), [4, 0, 2, 6, 3, 5, 1, 7, 8], "The game is over: draw.", {}),
        (play(0), [4, 0, 2, 6, 3, 5, 1, 7, 8], "The game is over: draw.", {}),
        (NEW, [], YOURS, {}),
    ],
    "what is taken back": [
        (play(4), [4, 0], YOURS, {}),
        (play(2), [4, 0, 2, 6], YOURS, {}),
        (UNDO, [4, 0], f"Undone. {YOURS}", {}),
        (UNDO, [], f"Undone. {YOURS}", {}),
        (UNDO, [], f"There is nothing to undo. {YOURS}", {}),
    ],
    "sides are switched": [
        (SWAP, [0], "O (you) to move.", {}),
        (play(4), [0, 4, 1], "O (you) to move.", {}),
        (SWAP, [0, 4, 1, 2], YOURS, {}),
    ],
    "a line is left, and taken up again": [
        (play(4), [4, 0], YOURS, {}),
        (play(2), [4, 0, 2, 6], YOURS, {}),
        (look(2), [4, 0, 2, 6], f"After move 2 of 4: {YOURS} A move here begins a new line.", {"at": 2}),
        (play(0), [4, 0, 2, 6], "Cell 0 is taken: choose a free one.", {"at": 2}),
        (play(8), [4, 0, 8, 2], YOURS, {"lines": ["X 2, O 6 after move 2"]}),
        ({"do": "take_up", "actions": [4, 0, 2, 6]}, [4, 0, 2, 6], YOURS, {"lines": ["X 8, O 2 after move 2"]}),
        (look(1), [4, 0, 2, 6], f"After move 1 of 4: {THEIRS}", {"at": 1}),
        (STEP, [4, 0], YOURS, {"lines": ["X 2, O 6 after move 2", "X 8, O 2 after move 2"]}),
        (NEW, [], YOURS, {"lines": []}),
    ],
    "a position is set up": [
        (set_up("[0, 4, 8, 2]"), [0, 4, 8, 2], YOURS, {}),
        (set_up("0 0"), [0, 4, 8, 2], "That is not a position: ", {}),
        (set_up(""), [0, 4, 8, 2], NO_POSITION, {}),
        (set_up("a corner"), [0, 4, 8, 2], NO_POSITION, {}),
        (set_up("4 0 1"), [4, 0, 1], THEIRS, {}),
        (set_up("1e9"), [4, 0, 1], "Click Next move.", {}),
        (STEP, [4, 0, 1, 7], YOURS, {}),
        (set_up("[]"), [], YOURS, {}),
    ],
    "agents play each other": [
        (player(1, SHIPPED), [], f"X ({SHIPPED}, 50 simulations) to move. Click Next move or Run.", {}),
        (STEP, [4], f"O ({PERFECT}) to move. Click Next move or Run.", {}),
        (STEP, [4, 0], f"X ({SHIPPED}, 50 simulations) to move. Click Next move or Run.", {}),
        (UNDO, [4], f"Undone. O ({PERFECT}) to move. Click Next move or Run.", {}),
        ({"do": "speed", "speed": "fast"}, [4], f"O ({PERFECT}) to move.", {}),
        ({"do": "run"}, [4, 0, 1, 7, 6, 2, 5, 3, 8], "The game is over: draw.", {}),
        (player(1, "you"), [4, 0, 1, 7, 6, 2, 5, 3, 8], "The game is over: draw.", {}),
    ],
    "what agents think": [
        (overlay("visits"), [], YOURS, {"squares": {0: "visits 11%", 4: "visits 11%"}}),
        (overlay("Q"), [], YOURS, {"squares": {0: "Q 0.00"}}),
        (overlay("prior"), [], YOURS, {"squares": {0: ""}}),
        (overlay("nothing"), [], YOURS, {"squares": {0: ""}}),
    ],
    "a hint goes with what is done next": [
        (HINT, [], f"Hint: cell 0, says {PERFECT}.", {"hint": 0}),
        (UNDO, [], "There is nothing to undo.", {"hint": None}),
        (play(4), [4, 0], YOURS, {}),
        (HINT, [4, 0], f"Hint: cell 1, says {PERFECT}.", {"hint": 1}),
        (play(1), [4, 0, 1, 7], YOURS, {"hint": None}),
    ],
    "the value is for X, and mistakes are named": [
        ({"do": "value", "on": True}, [], YOURS, {"value": "0.00"}),
        ({"do": "mistakes", "on": True}, [], YOURS, {}),
        (play(0), [0, 4], YOURS, {"value": "0.00"}),
        (play(1), [0, 4, 1, 2], YOURS, {"value": "0.00"}),
        (play(3), [0, 4, 1, 2, 3, 6], "O wins", {"value": "−1.00", "mistake": "it turns a draw into a loss"}),
        ({"do": "value", "on": False}, [0, 4, 1, 2, 3, 6], "O wins", {"value": None}),
        ({"do": "mistakes", "on": False}, [0, 4, 1, 2, 3, 6], "O wins", {}),
    ],
    "how each move ends with perfect play, and who has won": [
        (player(-1, "you"), [], YOURS, {}),
        (overlay("perfect"), [], YOURS, {}),
        (play(0), [0], "O (you) to move.", {}),
        (play(1), [0, 1], YOURS, {"squares": {4: "wins in 5", 8: "draw"}}),
        (play(4), [0, 1, 4], "O (you) to move.", {"squares": {8: "loses in 4"}}),
        (overlay("nothing"), [0, 1, 4], "O (you) to move.", {"squares": {8: ""}}),
        (play(2), [0, 1, 4, 2], YOURS, {"tally": "X against O: 0 won, 0 drawn, 0 lost"}),
        (
            play(8),
            [0, 1, 4, 2, 8],
            "The game is over: X wins (you).",
            {"tally": "X against O: 1 won, 0 drawn, 0 lost"},
        ),
        (player(-1, PERFECT), [0, 1, 4, 2, 8], "The game is over", {}),
    ],
}


def seen_in(view: dict) -> dict:
    """Of a view, in the words of the table."""
    found = view["overlay"] or {"kind": "", "shares": {}}
    shares = {square: in_words(found["kind"], found["shares"].get(str(square))) for square in range(9)}
    valued = [value for value in view["values"] if value is not None]
    return {
        "at": view["at"],
        "lines": [f"{line['words']} after move {line['after']}" for line in view["lines"]],
        "squares": shares,
        "value": signed(valued[-1]) if valued else None,
        "mistake": ([""] + [verdict["words"] for verdict in view["verdicts"] if verdict["mark"]])[-1],
        "hint": view["hint"],
        "tally": view["tally"],
    }


def in_words(kind: str, share: float | None) -> str:
    """What an agent says of a square, as it is read out."""
    if share is None:
        return ""
    if kind == "perfect":
        return f"{'wins' if share > 0 else 'loses'} in {abs(share):.0f}" if share else "draw"
    return f"Q {signed(share)}" if kind == "Q" else f"{kind} {share:.0%}"


def signed(value: float) -> str:
    return f"{round(value, 2) + 0.0:+.2f}".replace("+0.00", "0.00").replace("-", "−")


def assert_shows(view: dict, moves: list[int], said: str, more: dict) -> None:
    """The view after what was told is what the table says."""
    assert view["actions"] == moves
    assert said in view["message"]
    seen = seen_in(view)
    for name, expected in {"at": None, **more}.items():
        if name == "squares":
            assert {square: seen[name][square] for square in expected} == expected
        elif name == "mistake":
            assert expected in seen[name]
        else:
            assert seen[name] == expected, name
