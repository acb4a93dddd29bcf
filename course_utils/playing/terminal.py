"""`make play TERMINAL=1`: you against any agent, in the terminal. What is typed may also come out of a pipe."""

import argparse
import sys

import torch

from course_utils.exercise import using
from course_utils.games import Game
from course_utils.playing.opponents import agent_maker, checked_game, game_for, is_shipped
from course_utils.ui.game_in_progress import Match
from course_utils.ui.plots import MARK, actions_without_cell, shares_actions


def main(options: argparse.Namespace, rest: list[str]) -> int:
    torch.set_num_threads(1)
    try:
        if rest:
            raise ValueError(f"unknown: {' '.join(rest)}")
        with using({}):  # the learner's functions play for "mine", and for nobody else
            game = checked_game(options.game or game_for([options.against]))
            name = options.against or (game.name if is_shipped(game.name) else "uct")
            you = -1 if options.second else 1
            agent = agent_maker(game, name, options.simulations, options.seed)()
            name = "the course's agent" if is_shipped(name) else name  # it is called as its game is
            match = Match(game, {you: None, -you: agent}, {you: "you", -you: name})
            print(
                f"{game.name}: you are {MARK[you]}, {name} is {MARK[-you]}. Type a number to play, `undo`, or `quit`."
            )
            converse(match)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nYou left the game.", file=sys.stderr)
        return 130
    return 0


def converse(match: Match) -> None:
    """Alternate moves until the game is over or the human leaves."""
    print(drawing(match.game, match.state))
    while not match.over:
        moves = len(match.actions)
        if match.agent_to_move is not None and not match.stuck:
            message = match.agent_move()
        else:
            try:
                word = input(f"{MARK[match.to_play]}: ").strip().lower()
            except EOFError:
                word = "quit"
            if word == "quit":
                print("You left the game.")
                return
            message = match.undo() if word == "undo" else typed(match, word)
        if len(match.actions) == moves:  # refused, or an agent that could not answer
            print(message)
            continue
        if len(match.actions) > moves:
            print(f"{match.names[-match.to_play]}: {match.game.action_name(match.actions[-1])}")
        print(drawing(match.game, match.state))
    print(match.turn())


def typed(match: Match, word: str) -> str:
    """Play the number that was typed, if it is one that may be played."""
    legal = match.game.legal_actions(match.state)
    if not word.isdecimal() or int(word) >= match.game.num_actions:
        return f"Type one of {', '.join(map(str, legal))}, `undo` or `quit`, not {word!r}."
    return match.click(int(word))


def drawing(game: Game, state) -> str:
    """The board, with its number on each cell that may be played; where stones fall, the columns' numbers below."""
    falls, legal, width = shares_actions(game), game.legal_actions(state), len(str(game.num_actions - 1))
    lines = []
    for row, cells in enumerate(game.cells(state).tolist()):
        actions = [game.action_at(row, column) for column in range(game.columns)]
        words = [
            MARK.get(cell, "." if falls or action not in legal else action)
            for cell, action in zip(cells, actions, strict=True)
        ]
        indent = " " * (row * (width + 1) // 2 if game.hexagonal else 0)
        lines.append(indent + " ".join(f"{word:>{width}}" for word in words))
    if falls:
        lines.append(" ".join(f"{game.action_at(game.rows - 1, column):>{width}}" for column in range(game.columns)))
    lines += [f"{action}: {game.action_name(action)}" for action in actions_without_cell(game) if action in legal]
    return "\n".join(lines)
