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
:covers: kawaguchi-landscape
:erratum: [missing hypothesis] The theorem is stated for any data. With X = 0 the loss is constant,
    hence convex, against item 1. Item 3 needs the wide notion of a saddle: for two hidden layers or
    more the zero weights are critical with a zero Hessian.
"""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Level, equals, option
from corollary.core.relations import EPS
from corollary.models.deep_linear import DeepLinear
from corollary.theory.landscape.deep_linear import flat_loss
from corollary.theory.landscape.two_layer_linear import explained, reduced_rank_loss
from corollary.theory.prerequisites.hessians import hessian
from corollary.train import fit


class Given(NamedTuple):
    """Data as columns, and how the weights start."""

    X: Tensor
    Y: Tensor
    gain: float  # variance of the weights times the fan-in
    seed: int


class Kawaguchi(Claim[Given]):
    d: int = option(4, low=2, high=8)  # numbers that come in
    k: int = option(3, low=2, high=8)  # numbers that go out
    p: int = option(2, low=1, high=8)  # smallest hidden width
    starts: int = option(2, low=1, high=20)  # random starts
    steps: int = option(400, low=100, high=20_000)  # of gradient descent
    relation = equals(ulps=1e-4 / EPS, scale=0.01)  # descent stops within 1e-4 of its limit

    def given(self, rng: Generator) -> Given:
        """White inputs; targets whose Sigma has eigenvalues 1, 1/4, 1/9, ..., and some noise."""
        f64 = {"generator": rng, "dtype": torch.float64}
        n = 4 * self.d
        X = torch.linalg.qr(torch.randn(n, self.d, **f64)).Q.T
        U = torch.linalg.qr(torch.randn(self.k, self.k, **f64)).Q
        V = torch.linalg.qr(torch.randn(self.d, self.d, **f64)).Q
        r = min(self.k, self.d)
        s = 1 / torch.arange(1, r + 1, dtype=torch.float64)
        noise = torch.randn(self.k, n, **f64)
        Y = (U[:, :r] * s) @ V[:, :r].T @ X + 0.05 * (noise - noise @ X.T @ X)
        return Given(X, Y, 1.0, int(torch.randint(2**31, (), generator=rng)))

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """On the data, and a start in general position."""
        values, _ = explained(given.X, given.Y)
        gap = float((values[:-1] - values[1:]).min() / values[0])
        yield Hypothesis("the eigenvalues of Σ are distinct", gap > 1e-6, f"gap {gap:.2g}")
        yield Hypothesis("d_y ≤ d_x", len(given.Y) <= len(given.X))
        yield Hypothesis("the weights start at random, not at a critical point", given.gain > 0)

    def predict(self, given: Given) -> list[float]:
        """The least loss of rank p, for every start; curvatures at zero."""
        least = reduced_rank_loss(given.X, given.Y, self.p)
        steep = float(torch.linalg.matrix_norm(given.Y @ given.X.T, ord=2))
        return [least] * self.starts + [-steep, 0.0]

    def measure(self, given: Given) -> list[float]:
        """Last losses, and the smallest eigenvalues at zero for one and two hidden layers."""
        ends = [self._run(given, i)[-1] for i in range(self.starts)]
        widths = ((self.d, self.p, self.k), (self.d, self.p, self.p, self.k))
        return [*ends, *(_lowest(w, given) for w in widths)]

    def counterexample(self, rng: Generator) -> Given:
        """Zero weights: a saddle that gradient descent cannot leave."""
        return self.given(rng)._replace(gain=0.0)

    def figure(self, given: Given) -> Figure:
        """Losses of the runs."""
        runs = [self._run(given, i) for i in range(self.starts)]
        curves = [Curve(run[:120], label=f"start {i + 1}") for i, run in enumerate(runs)]
        values, _ = explained(given.X, given.Y)
        total = float(given.Y.square().sum())
        stairs = [
            Level(
                0.5 * (total - float(values[:r].sum())), label=f"saddle of rank {r}", role="other"
            )
            for r in range(self.p)
        ]
        least = Level(self.predict(given)[0], label=f"least loss of rank {self.p}")
        return Figure(
            "Past the saddles to the global minimum",
            x="step",
            y="L",
            log_y=True,
            marks=(*curves, *stairs, least),
        )

    def _run(self, given: Given, start: int) -> list[float]:
        rng = torch.Generator().manual_seed(given.seed + start)
        model = DeepLinear((self.d, self.p, self.p, self.k), gain=given.gain, rng=rng)
        data = (given.X.T.contiguous(), given.Y.T.contiguous())
        sgd = partial(torch.optim.SGD, lr=0.1, momentum=0.9)
        return fit(model, data, _half_squares, sgd, steps=self.steps).losses


def _half_squares(output: Tensor, target: Tensor) -> Tensor:
    return 0.5 * (output - target).square().sum()


def _lowest(widths: tuple[int, ...], given: Given) -> float:
    """Smallest eigenvalue of the Hessian at zero weights."""
    size = sum(a * b for a, b in zip(widths, widths[1:], strict=False))
    H = hessian(flat_loss(widths, given.X, given.Y), torch.zeros(size, dtype=torch.float64))
    return float(torch.linalg.eigvalsh(H)[0])
