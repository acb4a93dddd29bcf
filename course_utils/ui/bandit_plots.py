"""Pictures for the notebook 'Bandits': slot machines, and what rules for choosing among them earn."""

from collections.abc import Callable, Sequence

import ipywidgets as widgets
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from course_utils.search.bandits import Bandit, Run, epsilon_greedy_many, play_many, ucb_many
from course_utils.ui import figures
from course_utils.ui.figures import caption
from course_utils.ui.palette import BLUE, FAINT, ORANGE, SPARE, TEAL

COLORS = (BLUE, ORANGE)


def _mean_with_band(ax, values: np.ndarray, color: str, label: str) -> None:
    """The mean over the runs of values [runs, steps], and its 95 % confidence band."""
    mean = values.mean(axis=0)
    margin = 1.96 * values.std(axis=0) / np.sqrt(len(values))
    steps = np.arange(1, values.shape[1] + 1)
    ax.plot(steps, mean, color=color, label=label)
    ax.fill_between(steps, mean - margin, mean + margin, color=color, alpha=0.2, linewidth=0)


def draw_mean_rewards(bandits: Bandit, runs: dict[str, Run]) -> Figure:
    """What each rule has earned per step so far, on average over many sets of machines, with 95 % bands."""
    figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
    for (name, run), color in zip(runs.items(), COLORS, strict=True):
        so_far = run.rewards.cumsum(axis=1) / np.arange(1, run.rewards.shape[1] + 1)
        _mean_with_band(ax, so_far, color, name)
    ax.axhline(bandits.means.max(axis=1).mean(), color=FAINT, linestyle=":", label="always the best machine")
    ax.set(xlabel="step", ylabel="mean reward so far", ylim=(-1, 4.5))
    ax.legend(loc="lower right")
    caption(
        f"The mean reward up to each step, over {len(bandits.means):,} sets of machines, with its 95 % band. "
        "Dotted: the mean reward of always pulling the best machine."
    )
    return figure


def draw_best_pulled(bandits: Bandit, runs: dict[str, Run]) -> Figure:
    """In how many of the runs each rule pulls the best machine, step by step, with 95 % bands."""
    figure, ax = plt.subplots(figsize=(8, 3.2), layout="constrained")
    best = bandits.means.argmax(axis=1)[:, None]
    for (name, run), color in zip(runs.items(), COLORS, strict=True):
        _mean_with_band(ax, (run.arms == best).astype(float), color, name)
    ax.set(xlabel="step", ylabel="pulls the best machine", ylim=(0, 1))
    ax.yaxis.set_major_formatter("{x:.0%}")
    ax.legend(loc="lower right")
    caption(f"How many of {len(bandits.means):,} runs pull the best machine at each step, with 95 % bands.")
    return figure


def draw_darts(darts: np.ndarray, inside: np.ndarray) -> Figure:
    """Darts [darts, 2] on a square board, and the estimate of pi as they add up."""
    throws = np.arange(1, len(darts) + 1)
    estimate = 4 * inside.cumsum() / throws
    error = 1.96 * 4 * np.sqrt(np.pi / 4 * (1 - np.pi / 4) / throws)
    figure, (board, curve) = plt.subplots(1, 2, figsize=(9, 3.4), width_ratios=[1, 1.8])
    for hit, color in ((True, BLUE), (False, ORANGE)):
        board.scatter(*darts[:1500][inside[:1500] == hit].T, s=3, color=color)
    board.set(aspect="equal", xticks=[0, 1], yticks=[0, 1], title=f"1,500 darts: pi is about {estimate[1499]:.3f}")
    curve.plot(throws, estimate, color=BLUE, label="estimate")
    band = dict(color=FAINT, alpha=0.25, label="95 % of all such experiments", linewidth=0)
    curve.fill_between(throws, np.pi - error, np.pi + error, **band)
    curve.axhline(np.pi, color=FAINT, linestyle=":")
    curve.set(xscale="log", xlim=(10, None), ylim=(2.5, 3.8), xlabel="darts (log scale)")
    curve.set(title=f"after {len(darts):,} darts: {estimate[-1]:.4f}")
    curve.legend(loc="upper right")
    caption("Left: darts inside the quarter circle (blue) and outside. Right: the estimate of pi as darts add up.")
    return figure


def draw_machines(bandit: Bandit, rng: np.random.Generator) -> Figure:
    """Two hundred rewards of each machine, and its true mean."""
    figure, ax = plt.subplots(figsize=(8, 3))
    for arm in range(len(bandit.means)):
        rewards = [bandit.pull(arm, rng) for _ in range(200)]
        ax.scatter(arm + rng.uniform(-0.2, 0.2, 200), rewards, s=3, color=BLUE, alpha=0.5)
        ax.hlines(bandit.means[arm], arm - 0.35, arm + 0.35, color=ORANGE, linewidth=3)
    ax.set(xlabel="machine", ylabel="reward", xticks=range(len(bandit.means)))
    caption("Each point is a reward. The bars are the true means, which the player can't see.")
    return figure


def draw_pulls(bandit: Bandit, run: Run) -> Figure:
    """Which machine was pulled at each step of one run; the best one has a band."""
    figure, ax = plt.subplots(figsize=(8, 2.8))
    ax.scatter(np.arange(1, len(run.arms) + 1), run.arms, s=6, color=BLUE)
    ax.axhline(int(bandit.means.argmax()), color=ORANGE, linewidth=6, alpha=0.25)
    ax.set(xscale="log", xlabel="step (log scale)", ylabel="machine pulled", yticks=range(len(bandit.means)))
    caption(f"Which machine was pulled at each of {len(run.arms):,} steps. The band is the best one.")
    return figure


def draw_what_is_known(bandit: Bandit, run: Run) -> Figure:
    """The true mean of each machine, from the worst to the best, and what the player believes at the end."""
    order = np.argsort(bandit.means)
    places = range(len(order))
    figure, ax = plt.subplots(figsize=(8, 3.2))
    ax.bar(places, bandit.means[order], color=SPARE, label="true mean (whiskers: the rewards' deviation)")
    ax.errorbar(places, bandit.means[order], bandit.deviations[order], fmt="none", ecolor=FAINT, capsize=3)
    ax.scatter(places, run.Q[order], color=BLUE, zorder=3, label="the player's estimate")
    for x, arm in enumerate(order):
        ax.text(x, -8.6, f"{run.N[arm]:.0f}x", ha="center", color=FAINT)
    ax.set(xticks=places, xticklabels=order, ylabel="reward", ylim=(-9, 7))
    ax.set_xlabel("machine, from the worst to the best; below the bars, how often it was pulled")
    ax.legend(loc="upper left")
    caption(
        "The player's estimate of each machine at the end. The whiskers say how much the machine's own rewards "
        "scatter, not how sure the player is."
    )
    return figure


def draw_totals(runs: dict[str, Run]) -> Figure:
    """The total reward of every run of two rules, and the first one's lead on the same machines."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 3.2), layout="constrained")
    totals = [run.rewards.sum(axis=1) for run in runs.values()]
    for name, total, color in zip(runs, totals, COLORS, strict=True):
        left.hist(total, bins=40, range=(500, 5500), color=color, alpha=0.55, label=name)
    left.set(xlabel="total reward of a run", ylabel="runs")
    left.legend(loc="upper left")
    right.hist(totals[0] - totals[1], bins=40, range=(-500, 1500), color=TEAL, alpha=0.7)
    right.set(xlabel="lead of the first rule on the same machines", ylabel="runs")
    caption(
        f"Left: the total reward of each of {len(totals[0]):,} runs. Right: how far {next(iter(runs))} is ahead on "
        "the same set of machines."
    )
    return figure


def draw_by_constant(bandits: Bandit, rules: dict[str, tuple[str, Callable, Sequence[float]]]) -> Figure:
    """What two rules earn per step in 500 steps, by the one constant of each: name -> (constant, rule, values)."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True, layout="constrained")
    for ax, color, (name, (constant, rule, values)) in zip(axes, COLORS, rules.items(), strict=True):
        means = [
            play_many(bandits, rule(value), 500, np.random.default_rng(5)).rewards.mean(axis=1) for value in values
        ]
        margins = [1.96 * sample.std() / np.sqrt(len(sample)) for sample in means]
        ax.errorbar(
            range(len(values)), [sample.mean() for sample in means], yerr=margins, fmt="o-", color=color, capsize=3
        )
        ax.axhline(bandits.means.max(axis=1).mean(), color=FAINT, linestyle=":")
        ax.set(xticks=range(len(values)), xticklabels=values, xlabel=constant, title=name)
    axes[0].set_ylabel("mean reward over 500 steps")
    caption(
        "The mean reward over 500 steps for different values of each rule's constant. Dotted: always the best machine."
    )
    return figure


def compare_with_sliders(bandits: Bandit) -> widgets.VBox:
    """Two rules on the same machines, 500 steps each, with a slider for the one constant of each."""
    C = widgets.FloatSlider(value=2, min=0, max=10, step=0.25, description="C", continuous_update=False)
    epsilon = widgets.FloatSlider(value=0.1, min=0, max=1, step=0.01, description="epsilon", continuous_update=False)
    others_only = widgets.Checkbox(value=False, description="others only")
    picture = widgets.HTML()

    def redraw(change=None) -> None:
        explorer = epsilon_greedy_many(epsilon.value, np.random.default_rng(6), others_only=others_only.value)
        rules = {f"UCB, C = {C.value:g}": ucb_many(C.value), f"epsilon-greedy, epsilon = {epsilon.value:g}": explorer}
        runs = {name: play_many(bandits, rule, 500, np.random.default_rng(5)) for name, rule in rules.items()}
        figure = draw_mean_rewards(bandits, runs)
        picture.value = figures.html(figure)
        plt.close(figure)

    for knob in (C, epsilon, others_only):
        knob.observe(redraw, "value")
    redraw()
    return widgets.VBox([widgets.HBox([C, epsilon, others_only]), picture])
