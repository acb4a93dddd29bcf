"""Define the guesses of one notebook; tests/guesses/notebook_14.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "visits-of-the-next-root": Guess(
        2,
        "Three simulations came through move 5. The first of them made the node and went no further; the other two "
        "chose one of its moves.",
        {
            3: "Three simulations came through move 5, and one of them made this node. What did that one try below it?",
            27: "Those went through move 7.",
            32: "That is the old root's sum.",
        },
    ),
    "could-have-stopped": Guess(
        3,
        "The third simulation found the node behind 7, where X has won. Nothing is better than a win.",
        {
            1: "The first simulation tried 5, and brought back only the network's value.",
            2: "The first two tried 5 and 1, and brought back only the network's values.",
            4: "The fourth walked to the same finished game once more, and learned nothing new.",
            32: "What could the simulations after the win still find out?",
        },
    ),
    "one-move-unknown": Guess(
        "nothing",
        "Move 7 may win, and then the position is won. It is not lost, that much is certain, "
        "but its value is not proven.",
        {
            "draw": "X has a draw in hand. But what if move 7 wins?",
            "loss": "X chooses the move, and need not choose one that loses.",
        },
    ),
    "proven-with-25": Guess(
        77,
        "In most of the positions the player to move can win at once, and then two or three simulations are enough.",
        {0: "A proof needs no training: it needs the rules, and a way to the end of the game."},
        within=7,
    ),
    "which-plays-better": Guess(
        "neither",
        "In all but one of the positions PUCT keeps the value already, "
        "so there is hardly a move for a proof to change.",
        {
            "the search that knows": "It knows more. But does it choose another move?",
            "PUCT": "A proof is never wrong, so it can't make the choice worse by much.",
        },
    ),
}
