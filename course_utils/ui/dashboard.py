"""The training dashboard: a picture that grows while `train_alphazero` runs."""


class Dashboard:
    """Called with the training after each iteration."""

    def __init__(self, training_or_config=None):
        self.config = getattr(training_or_config, "config", training_or_config)

    def __call__(self, training) -> None:
        return None
