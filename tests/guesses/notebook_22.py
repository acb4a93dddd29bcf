"""Answers of the guesses, worked out another way."""


def planes_of_go():
    positions = [(time, player) for time in range(8) for player in ("mine", "theirs")]
    return len([*positions, "turn"])


TRUTHS = {
    "planes-of-go": planes_of_go,
}
