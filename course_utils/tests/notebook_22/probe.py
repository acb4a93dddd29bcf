"""Check probe: ridge regression, by solving a system of linear equations."""

import numpy as np
from hypothesis import strategies as st

from course_utils.tests.catalogue import Wrong
from course_utils.tests.returns import array
from course_utils.tests.scene import Scenes, pasted

EIGHTHS = st.integers(-16, 16).map(lambda eighths: eighths / 8)
RIDGES = st.sampled_from([0.01, 0.25, 1.0, 4.0])
TABLES = st.integers(1, 3).flatmap(
    lambda width: st.lists(
        st.tuples(st.lists(EIGHTHS, min_size=width, max_size=width), st.booleans()), min_size=3, max_size=6
    )
)


def scene(draw) -> str:
    rows, ridge = draw
    features, labels = np.array([row for row, _ in rows]), np.array([label for _, label in rows])
    return f"""features = {pasted(features)}
labels = {pasted(labels)}
probe(features, labels, ridge={ridge})"""


BY_HAND = """
    one feature that equals the label gets 0.25 / (0.25 + ridge)
    >>> features = np.array([[0.0], [0.0], [1.0], [1.0]])
    >>> labels = np.array([False, False, True, True])
    >>> probe(features, labels, ridge=0.25)
    [0.5]
    ? What are x' x / n and x' y / n here, once the means are subtracted from x and y?

    adding a hundred to every feature changes nothing (2 points)
    >>> features = np.array([[100.0], [100.0], [101.0], [101.0]])
    >>> labels = np.array([False, False, True, True])
    >>> probe(features, labels, ridge=0.25)
    [0.5]
    ? What is subtracted from the features first?

    repeating each position changes nothing
    >>> features = np.array([[0.0], [0.0], [1.0], [1.0]] * 2)
    >>> labels = np.array([False, False, True, True] * 2)
    >>> probe(features, labels, ridge=0.25)
    [0.5]
    ? Twice as many positions double the sums. What are the sums divided by?

    a feature without information about the label gets 0
    >>> features = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> labels = np.array([False, False, True, True])
    >>> probe(features, labels, ridge=0.25)
    [0.5, 0]
    ? Where in the matrix is ridge added: everywhere, or only on the diagonal?

    two equal features get a third each (2 points)
    >>> features = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    >>> labels = np.array([False, False, True, True])
    >>> probe(features, labels, ridge=0.25)
    [1 / 3, 1 / 3]
    ? Without ridge there is no unique solution. With it,
    ? the equations are 0.5 w1 + 0.25 w2 = 0.25 and 0.25 w1 + 0.5 w2 = 0.25. Which of these numbers differs in yours?
"""

X, Y = "x = features - features.mean(axis=0)", "y = labels - labels.mean()"
SPREAD = "x.T @ x / len(x) + ridge * np.eye(x.shape[1])"
SOLVE = "np.linalg.solve(spread, x.T @ y / len(x))"
# fmt: off
WRONG = [
    Wrong("features not centered",
          "the mean is not subtracted from the features, so a feature that is always near 100 counts too much",
          "What is subtracted from the features first?", (X, "x = features")),
    Wrong("nothing centered", "the means are subtracted neither from the features nor from the labels",
          "What is subtracted from the features first?",
          (X, "x = features"), (Y, "y = labels")),
    Wrong("centered row by row",
          "the mean over the features is subtracted from each position, "
          "instead of the mean over the positions from each feature",
          "Which axis is the positions?", (X, "x = features - features.mean(axis=1, keepdims=True)")),
    Wrong("one mean for all features", "the mean of all numbers is subtracted from every feature",
          "Does each feature have a mean of its own?",
          (X, "x = features - features.mean()")),
    Wrong("sums instead of means", "nothing is divided by n, so ridge counts less the more positions there are",
          "What should the sums be divided by?", ("x.T @ x / len(x)", "x.T @ x"), ("x.T @ y / len(x)", "x.T @ y")),
    Wrong("one of both divided", "only one side of the equations is divided by n",
          "Which of the two sums must be divided by n?",
          ("x.T @ y / len(x)", "x.T @ y")),
    Wrong("divided by n - 1", "it divides by n - 1, which is the default of np.cov",
          "What is a mean over n positions divided by?",
          ("x.T @ x / len(x)", "x.T @ x / (len(x) - 1)"), ("x.T @ y / len(x)", "x.T @ y / (len(x) - 1)")),
    Wrong("ridge everywhere", "ridge is added to all numbers of the matrix instead of only the diagonal",
          "Which entries of the identity matrix are not 0?",
          ("ridge * np.eye(x.shape[1])", "ridge")),
    Wrong("no ridge", "ridge is left out, so there is no unique solution for two equal features",
          "What keeps the matrix from being singular?",
          (" + ridge * np.eye(x.shape[1])", " + 1e-9 * np.eye(x.shape[1])")),
    Wrong("nothing solved", "it returns x' y / n, which ignores that features may depend on each other",
          "Two equal features share one weight. Does x' y / n take that into account?", (SOLVE, "x.T @ y / len(x)")),
    Wrong("scores", "it returns the score of each position instead of w", "Which shape does the docstring ask for?",
          (f"return {SOLVE}", f"return x @ {SOLVE}")),
    Wrong("in place", "the means are subtracted from the caller's array", "Who else uses this array?",
          (X, "x = features\n    x -= features.mean(axis=0)")),
]
# fmt: on


def right_by_averages(features, labels, ridge=0.01):
    n, width = features.shape
    x = features - np.mean(features, axis=0)
    y = labels.astype(float) - labels.mean()
    matrix = np.array([[(x[:, i] * x[:, j]).mean() for j in range(width)] for i in range(width)])
    right = np.array([(x[:, i] * y).mean() for i in range(width)])
    return np.linalg.inv(matrix + ridge * np.identity(width)) @ right


def right_by_more_rows(features, labels, ridge=0.01):
    """Use least squares, with an extra row for each feature that pulls its weight to 0."""
    n, width = features.shape
    x = np.vstack([features - features.mean(axis=0), np.sqrt(n * ridge) * np.eye(width)])
    y = np.concatenate([labels - labels.mean(), np.zeros(width)])
    return np.linalg.lstsq(x, y, rcond=None)[0]


def right_labels_as_they_are(features, labels, ridge=0.01):
    """Leave the labels' mean out, since the features sum to 0."""
    x = features - features.mean(axis=0)
    return np.linalg.solve(x.T @ x + len(x) * ridge * np.eye(features.shape[1]), x.T @ labels)


CHECK = Scenes(
    draws=st.tuples(TABLES, RIDGES),
    returns=array("float"),
    edges=[
        ([([1.0, 2.0], True), ([1.0, 0.5], False), ([3.0, 0.5], True)], 0.25),
        ([([0.0, 1.0], True), ([2.0, 1.0], False), ([1.0, 0.0], True), ([1.0, 0.5], False)], 0.01),
    ],
    question="Subtract the means, make x' x / n and x' y / n, and put ridge on the diagonal: "
    "which of the three is different in yours?",
)
