r"""Loss surface of deep linear networks.

Let :math:`XX^\top` and :math:`XY^\top` have full rank, :math:`d_y\le d_x`, and :math:`\Sigma`
distinct eigenvalues. The loss :math:`\frac12\|W_{H+1}\cdots W_1X-Y\|_F^2` is neither convex nor
concave; every local minimum is global; every other critical point is a saddle, in the wide sense;
its Hessian has a negative eigenvalue if :math:`\operatorname{rank}(W_H\cdots W_2)` is :math:`p`,
the smallest hidden width. Gradient descent from random starts therefore ends at the least loss
of rank :math:`p`,

.. math:: \tfrac12\Bigl(\operatorname{tr}S_{yy}-\sum_{i\le p}\lambda_i\Bigr).

Measured are the ends of descent, and the smallest eigenvalue of the Hessian at zero weights, which
is minus the largest singular value of :math:`YX^\top` for one hidden layer and 0 for more.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.3, Theorem 46; Kawaguchi (2016),
    "Deep learning without poor local minima", Theorem 2.3.
:kind: theorem
:cost: seconds
:uses: kawaguchi_critical_form
:covers: kawaguchi-landscape
:erratum: [missing hypothesis] The theorem is stated for any data. With X = 0 the loss is constant,
    hence convex, against item 1. Item 3 needs the wide notion of a saddle: for two hidden layers or
    more the zero weights are critical with a zero Hessian.
"""

from functools import partial
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Curve, Level, Marks, picture
from corollary.core.relations import EPS
from corollary.models.deep_linear import DeepLinear
from corollary.theory.landscape.deep_linear import flat_loss
from corollary.theory.landscape.two_layer_linear import explained, reduced_rank_loss
from corollary.theory.prerequisites.hessians import hessian
from corollary.train import fit


class Given(NamedTuple):
    X: Tensor  # data as columns
    Y: Tensor
    gain: float  # variance of the weights at the start, times the fan-in


def gap(given: Given) -> Tensor:
    """The smallest gap of the eigenvalues of Sigma, in units of the largest."""
    values, _ = explained(given.X, given.Y)
    return (values[:-1] - values[1:]).min() / values[0] - 1e-6


class Kawaguchi(Claim[Given]):
    d: int = option(4, low=2, high=8)  # input dimension
    k: int = option(3, low=2, high=8)  # output dimension
    p: int = option(2, low=1, high=8)  # smallest hidden width
    starts: int = option(2, low=1, high=20)  # random starts
    steps: int = option(400, low=100, high=20_000)  # steps of gradient descent

    relation = equals(ulps=1e-7 / EPS, scale=0.1)  # descent stops within 1e-8 of its limit
    supposes = (
        Suppose("the eigenvalues of Σ are distinct", gap),
        Suppose("d_y ≤ d_x", lambda g: len(g.Y) <= len(g.X)),
        Suppose(
            "the weights start at random, not at a critical point",
            lambda g: g.gain,
            "Zero weights are a saddle that gradient descent cannot leave.",
            gain=0.0,
        ),
    )
    symbols = "smallest loss of rank p; curvature at zero", "last loss; curvature at zero"
    rows = ("start 1", "start 2", "curvature, one hidden layer", "curvature, two hidden layers")

    def given(self, rng: Generator) -> Given:
        """White inputs; targets whose Sigma has eigenvalues 1, 1/4, 1/9, ..., and some noise."""
        n, r = 4 * self.d, min(self.k, self.d)
        X = torch.linalg.qr(normal(rng, n, self.d)).Q.T
        U, V = (torch.linalg.qr(normal(rng, size, size)).Q for size in (self.k, self.d))
        s, noise = 1 / torch.arange(1, r + 1, dtype=torch.float64), normal(rng, self.k, n)
        Y = (U[:, :r] * s) @ V[:, :r].T @ X + 0.05 * (noise - noise @ X.T @ X)
        return Given(X, Y, 0.5)

    def predict(self, given: Given) -> list[float]:
        least = reduced_rank_loss(given.X, given.Y, self.p)
        steep = float(torch.linalg.matrix_norm(given.Y @ given.X.T, ord=2))
        return [least] * self.starts + [-steep, 0.0]

    def measure(self, given: Given, rng: Generator) -> Kept:
        data = given.X.T.contiguous(), given.Y.T.contiguous()
        sgd = partial(torch.optim.SGD, lr=0.05, momentum=0.9)
        widths = (self.d, self.p, self.k), (self.d, self.p, self.p, self.k)
        models = [DeepLinear(widths[1], gain=given.gain, rng=rng) for _ in range(self.starts)]
        runs = [fit(m, data, half_squares, sgd, steps=self.steps).losses for m in models]
        return Kept([*(r[-1] for r in runs), *(lowest(w, given) for w in widths)], runs=runs)

    @picture("Gradient descent reaches the global minimum", x="step", y="L", log="y")
    def marks(self, trial: Trial[Given]) -> Marks:
        X, Y, _ = trial.given
        for i, run in enumerate(trial.kept.runs):
            yield Curve(run[:120], label=f"start {i + 1}")
        for r in range(self.p):
            yield Level(reduced_rank_loss(X, Y, r), label=f"saddle of rank {r}", role="other")
        yield Level(trial.comparison.predicted[0], label=f"smallest loss of rank {self.p}")


def half_squares(output: Tensor, target: Tensor) -> Tensor:
    """Half the squared error."""
    return 0.5 * (output - target).square().sum()


def lowest(widths: tuple[int, ...], given: Given) -> float:
    """Smallest eigenvalue of the Hessian at zero weights."""
    size = sum(a * b for a, b in zip(widths, widths[1:], strict=False))
    H = hessian(flat_loss(widths, given.X, given.Y), torch.zeros(size, dtype=torch.float64))
    return float(torch.linalg.eigvalsh(H)[0])
