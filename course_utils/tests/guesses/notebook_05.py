"""Guesses of notebook 05."""

from course_utils.tests.guesses import Guess

GUESSES = {
    "parameters-with-16": Guess(
        746,
        "18 x 16 + 16 = 304, 16 x 16 + 16 = 272, 16 x 9 + 9 = 153 and 16 x 1 + 1 = 17.",
        {
            704: "These are the weights. Each neuron has a bias, too.",
            1506: "A quarter of 6,026? The weights between the hidden layers are 16 x 16, a sixteenth of 64 x 64.",
            729: "The value head counts as well.",
        },
    ),
    "share-after-masking": Guess(
        0.731,
        "The first is higher by 1 than the second, so it has 2.718 times its share: 2.718 / 3.718. The illegal action takes no part, however high its logit.",
        {
            0.001: "That is its share of all three. The illegal action must get 0, and the legal ones the whole.",
            0.667: "2 of 3: but softmax takes powers of e, not the logits themselves.",
            0.5: "Its logit is higher than the second's.",
        },
        within=0.002,
        share=True,
    ),
    "value-of-the-empty-board": Guess(
        0,
        "What goes in is 18 zeros. Weights times zero is zero, and the biases are zero, too: so are all outputs, and tanh(0) is 0. All logits are equal as well.",
    ),
    "a-perfect-policy-loss": Guess(
        False,
        "It is the entropy of pi, which is 0 only where pi gives one action everything.",
        {True: "Put p = pi into the formula: -(0.7 log 0.7 + ...), and none of these logarithms is 0."},
    ),
    "gradient-in-front-of-tanh": Guess(
        2.048,
        "2 (0.6 + 1) · (1 - 0.36) = 3.2 · 0.64. It is positive: a larger sum makes it worse.",
        {
            3.2: "That is the slope of the square, at the value. One more step back stands tanh, whose slope is 1 - v².",
            -2.048: "v - z is 0.6 - (-1), and that is positive.",
            -0.512: "z is -1, so v - z is 1.6.",
        },
        within=0.001,
    ),
    "two-positions-one-weight": Guess(
        -0.3,
        "2 · (-0.2) from the first position, 1 · 0.1 from the second: they are added.",
        {
            -0.4: "That is the first position alone.",
            -0.15: "Their sum, not their mean: the division by the batch stands where d_out is made.",
            0.1: "That is the second position alone.",
        },
        within=1e-6,
    ),
    "two-heads-and-a-gate": Guess(
        [0.3, 0],
        "What the heads ask is added: -0.2 + 0.5. The first feature had spoken, so its gate is open; the second was silent, and nothing passes.",
        {
            (0.3, 0.3): "Where ReLU said 0, a small change of the sum in front of it changes nothing.",
            (0.24, 0): "The gate is open or closed: its slope is 1, not what the feature said.",
        },
        within=1e-6,
    ),
    "ten-layers-with-relu": Guess(
        "it dies out",
        "ReLU sets half of the numbers to 0, which halves the mean square in each layer. After ten layers the size is √(1/2) to the tenth, about 0.03.",
        {
            "it stays": "That is so without ReLU. How much of the signal does ReLU let through?",
            "it explodes": "ReLU only takes away.",
        },
    ),
    "planes-of-go": Guess(
        17,
        "One kind of piece, eight positions, two players, and one plane more: 2 · 1 · 8 + 1.",
        {
            16: "And the plane that says whose turn it is.",
            9: "Each of the eight positions needs one plane per player.",
            18: "Whose turn it is takes one plane, not one per player.",
        },
    ),
}
