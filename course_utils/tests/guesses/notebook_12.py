"""Define the guesses of one notebook; tests/guesses/notebook_12.py computes their answers."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "marks-on-the-first-board": Guess(
        3,
        "All three names stand for one board, and three moves were made on it.",
        {1: "That would be so if `child = board` made a second board, but it only makes a second name."},
    ),
    "fewest-games": Guess(
        "center",
        "The center is on the most lines, so its games end early more often, "
        "and an early end cuts off all that could have followed.",
        {
            "corner": "A corner is on three lines, the center on four: more lines, more early ends.",
            "edge": "It is the other way round: an edge is on the fewest lines, so its games last longest, and it "
            "begins the most of them.",
        },
    ),
    "random-x": Guess(
        "more",
        "58.5 %: a short game is likelier than a long one, since fewer moves had to be drawn, "
        "and the shortest games are X's.",
        {
            "as many": "Each move is equally likely at its turn; that does not make each game equally likely.",
            "less": "Short games come up more often than their share. Whose are the shortest?",
        },
    ),
    "negamax-by-hand": Guess(
        [1, 0, 0],
        "Left O takes the larger of 1 and 0, which is O's; right all is 0. For X these are worth -1 and 0, so X goes "
        "right. O's winning leaf never happens: X sees it coming.",
        {
            (-1, 0, 0): "The left position's value is -1 for X. But O is to move there, so it belongs to O.",
            (1, 0, 1): "1 is what the left position is worth to O. What is it worth to X, who is to move at the root?",
            (0, 0, 0): "On the left O may choose, and O can win.",
        },
    ),
    "window-of-the-child": Guess(
        [-0.6, 0.2],
        "They are swapped and negated: the child's alpha is minus beta, its beta minus alpha.",
        {
            (0.2, -0.6): "You negated them, but did not swap them: alpha must be the lower of the two.",
            (-0.2, 0.6): "At the child the other player is to move, so both numbers change sign and place.",
            (0.6, -0.2): "You swapped them, but did not negate them.",
        },
    ),
    "skipped-in-the-other-order": Guess(
        0,
        "The first move now gives X only 0.2, and no reply to the second move holds X to that, because both replies "
        "are worth more to X. The better move first would have saved a leaf.",
        {
            1: "To skip the last leaf, the one before it must hold X to 0.2 or less. It is worth 0.3.",
            2: "The second move has no value until at least one of its replies is searched.",
        },
    ),
    "open-pairs": Guess(
        [2, 0],
        "X has the pair in the second row from below, with room on both sides, and the falling diagonal, with room at "
        "its upper end. The two X one above the other have O on top and the edge below.",
        {
            (3, 0): "The two X one above the other have O on top of them, and below them is the edge: blocked.",
            (1, 0): "Look along the diagonals, too.",
            (2, 1): "No two O are neighbors.",
        },
    ),
    "first-stone-at-the-edge": Guess(
        "loss",
        "It loses, as only a full search could show. A stone at the edge is on few lines of four, and O may take the "
        "middle, the only first move that wins.",
        {
            "draw": "That is so for the columns on both sides of the middle.",
            "win": "Only the middle column wins.",
        },
    ),
}
