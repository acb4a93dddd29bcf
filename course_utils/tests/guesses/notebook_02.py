"""Define the guesses of one notebook; tests/guesses/notebook_02.py computes their answers."""

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
        "The first is higher by 1 than the second, so it has 2.718 times its share: 2.718 / 3.718. The illegal action "
        "gets nothing, however high its logit is.",
        {
            0.001: "That is its share of all three. The illegal action must get 0, and the legal ones must sum to 1.",
            0.667: "2 of 3: but softmax takes powers of e, not the logits themselves.",
            0.5: "Its logit is higher than the second's.",
        },
        within=0.002,
        share=True,
    ),
    "value-of-the-empty-board": Guess(
        0,
        "The input is 18 zeros. Weights times zero are zero, and the biases are zero, too, so all outputs are zero, "
        "and tanh(0) is 0. All logits are equal as well.",
    ),
}
