r"""
A network from scratch
======================

This is a first network in NumPy, with every backward pass written out. It has two hidden layers of
200 ReLU units, and learns two classes of points in the plane by gradient descent on the logistic
loss. The code of its layers is in :mod:`corollary.models.scratch`.

Each such program has to decide in which place it divides by :math:`N`. The loss is a mean over
:math:`N` points, so the gradient with respect to the logits is :math:`(\hat y-y)/N`. The gradients
of all earlier layers then include the factor :math:`1/N`. The listing this page follows (Lucchi
(2025), *Foundations of Deep Learning*, Section 2.7) divides by :math:`N` a second time, in the
linear layers. No error is raised: the loss falls and the accuracy rises, but the effective learning
rate is 2000 times smaller than the stated one. Here both programs start from the same weights.

The third picture shows where each network predicts class 1. The black line is the decision boundary
of the Bayes rule, which knows the distributions of both classes.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

from corollary.data.two_gaussians import bayes_predict, two_gaussians_of_the_notes
from corollary.models.scratch import MLP, Trained, train

PROGRAMS = {"corrected": False, "as printed": True}


def runs(steps: int) -> tuple[np.ndarray, np.ndarray, dict[str, Trained]]:
    """The points, their labels, and both programs from seed 0."""
    found = {}
    for name, double_division in PROGRAMS.items():
        rng = np.random.RandomState(0)  # first the points, then the weights, as in the listing
        X, y = two_gaussians_of_the_notes(rng=rng)
        found[name] = train(X, y, steps=steps, rng=rng, double_division=double_division)
    return X, y, found


def draw_data(X: np.ndarray, y: np.ndarray) -> None:
    """The two clouds."""
    fig, ax = plt.subplots(figsize=(6, 4.5), layout="constrained")
    for label, colour in ((0, "tab:blue"), (1, "tab:orange")):
        cloud = X[y[:, 0] == label]
        ax.scatter(*cloud.T, s=6, alpha=0.5, color=colour, label=f"class {label}")
    ax.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal", title="1000 points of each class")
    ax.legend()


def draw_curves(found: dict[str, Trained], bayes: float) -> None:
    """Loss and accuracy of both programs, which differ in the first steps."""
    fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for name, run in found.items():
        number = np.arange(1, len(run.losses) + 1)
        left.plot(number, run.losses, label=name)
        right.plot(number, run.accuracies, label=name)
    right.axhline(bayes, color="gray", linewidth=0.8, label="Bayes rule")
    left.set(xlabel="step", ylabel="loss", xscale="log")
    right.set(xlabel="step", ylabel="accuracy", xscale="log", ylim=(0, 1))
    left.legend()
    right.legend(loc="center")


def draw_regions(X: np.ndarray, y: np.ndarray, found: dict[str, Trained]) -> None:
    """The probability of class 1 over the plane, for both networks."""
    side = np.linspace(-6, 7, 120)
    plane = np.stack(np.meshgrid(side, side), -1).reshape(-1, 2)
    fine = np.linspace(-6, 7, 600)
    points = torch.from_numpy(np.stack(np.meshgrid(fine, fine), -1).reshape(-1, 2))
    rule = bayes_predict(points).numpy().reshape(600, 600).astype(float)
    fig, axes = plt.subplots(1, 2, figsize=(9, 4.4), layout="constrained", sharey=True)
    for ax, (name, run) in zip(axes, found.items(), strict=True):
        shown = probability(run.model, plane).reshape(120, 120)
        map_ = ax.contourf(side, side, shown, np.linspace(0, 1, 11), cmap="coolwarm", alpha=0.7)
        ax.contour(fine, fine, rule, [0.5], colors="black", linewidths=1.2)
        ax.scatter(*X[::8].T, c=y[::8, 0], s=7, cmap="coolwarm", edgecolors="white", linewidths=0.3)
        ax.set(xlabel="$x_1$", title=f"{name}: accuracy {run.accuracies[-1]:.2%}", aspect="equal")
        ax.set(xlim=(-6, 7), ylim=(-6, 7))
    axes[0].set_ylabel("$x_2$")
    fig.colorbar(map_, ax=axes, label="probability of class 1; black: the Bayes rule changes")


def probability(model: MLP, points: np.ndarray) -> np.ndarray:
    """The network's probability of class 1."""
    return 1 / (1 + np.exp(-np.clip(model.forward(points)[:, 0], -30, 30)))


def main(steps: int = 500) -> dict[str, tuple[float, float, float]]:
    """Train and draw; return the accuracy after 10 steps, and the final accuracy and loss."""
    X, y, found = runs(steps)
    bayes = float((bayes_predict(torch.from_numpy(X)).numpy() == (y[:, 0] == 1)).mean())
    draw_data(X, y)
    draw_curves(found, bayes)
    draw_regions(X, y, found)
    return {
        name: (run.accuracies[min(10, steps - 1)], run.accuracies[-1], run.losses[-1])
        for name, run in found.items()
    }


# %% Both programs find about the right boundary. After 500 steps, the program that divides twice is
# # less accurate than the other after ten steps, and its probabilities are still close to one half:

if __name__ == "__main__":
    for name, (ten, accuracy, loss) in main().items():
        print(
            f"{name:10}: accuracy {ten:.2%} after 10 steps, {accuracy:.2%} at the end, "
            f"loss {loss:.3f}"
        )
