"""Guesses of notebook 02."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "plane-0": Guess(
        [0],
        "O is to move, so plane 0 shows O's marks: the corner, cell 0. X's two stand in plane 1.",
        {
            (4, 8): "These are X's marks. Who is to move?",
            (0, 4, 8): "That is every mark on the board. Plane 0 shows those of one player.",
            (): "O is to move, and O has a mark.",
        },
    ),
    "policy-turned": Guess(
        3,
        "The top row becomes the left column, so the middle of the one becomes the middle of the other: cell 3.",
        {
            1: "Then the policy would have stayed while the board turned: the network would learn another move.",
            5: "That is a quarter turn clockwise.",
            7: "That is half a turn.",
        },
    ),
    "pairs-of-the-empty-board": Guess(
        8,
        "There are always eight pairs, equal ones among them: the boards look alike, the policies need not.",
        {
            1: "The eight boards look alike, but each has a policy of its own, and the number of pairs is always the same."
        },
    ),
    "marks-on-the-first-board": Guess(
        3,
        "All three names stand for one board, and three moves were made on it.",
        {1: "So it would be if `child = board` made a second board. It makes a second name."},
    ),
    "fewest-games": Guess(
        "center",
        "The center is on the most lines, so its games end early more often, and an early end cuts off all that could have followed.",
        {
            "corner": "A corner is on three lines, the center on four: more lines, more early ends.",
            "edge": "The other way round: an edge is on the fewest lines, so its games last longest, and it begins the most of them.",
        },
    ),
    "random-x": Guess(
        "more",
        "58.5 %: a short game is likelier than a long one, since fewer moves had to be drawn, and the shortest games are X's.",
        {
            "as many": "Each move is equally likely at its turn; that does not make each game equally likely.",
            "less": "Short games come up more often than their share. Whose are the shortest?",
        },
    ),
}
