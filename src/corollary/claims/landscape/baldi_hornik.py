r"""No spurious minima in two-layer linear networks.

Let :math:`S_{xx}` be invertible and :math:`\Sigma=S_{yx}S_{xx}^{-1}S_{xy}` have distinct positive
eigenvalues :math:`\lambda_1>\dots>\lambda_k`. The critical points of rank :math:`p` of
:math:`\frac12\|Y-ABX\|_F^2` belong to the sets :math:`I` of :math:`p` eigenvectors, with

.. math:: L=\tfrac12\Bigl(\operatorname{tr}S_{yy}-\sum_{i\in I}\lambda_i\Bigr).

The set of the :math:`p` largest gives the global minimum. At all others the Hessian has a negative
eigenvalue: they are saddles, and no local minimum is worse than the global one. Checked are the
losses, the gradients, and that exactly one of the sets has no negative curvature.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.2, Theorem 45 and Figure 6.1;
    Baldi and Hornik (1989), "Neural networks and principal component analysis: learning from
    examples without local minima".
:kind: theorem
:cost: instant
:covers: baldi-hornik-landscape
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Hypothesis, Level, Points, equals, option
from corollary.theory.landscape.two_layer_linear import (
    enumerate_critical_points,
    explained,
    two_layer_gradients,
    two_layer_loss,
)


class Given(NamedTuple):
    """Data as columns."""

    X: Tensor
    Y: Tensor


class BaldiHornik(Claim[Given]):
    k: int = option(4, low=2, high=5)  # numbers that come in and go out
    p: int = option(2, low=1, high=4)  # hidden units
    n: int = option(12, low=6, high=200)  # points
    relation = equals(ulps=1e7, scale=1.0)  # losses are sums over n points; gradients cancel

    def given(self, rng: Generator) -> Given:
        """Gaussian inputs; targets with eigenvalues of Sigma that are well apart."""
        X = torch.randn(self.k, self.n, generator=rng, dtype=torch.float64)
        return _data(X, 1.5 ** -torch.arange(self.k, dtype=torch.float64), rng)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Distinct eigenvalues."""
        values, _ = explained(given.X, given.Y)
        gap = float((values[:-1] - values[1:]).min() / values[0])
        yield Hypothesis("the eigenvalues of Σ are distinct", gap > 1e-6, f"gap {gap:.2g}")
        yield Hypothesis("Σ has full rank", float(values[-1] / values[0]) > 1e-9)

    def predict(self, given: Given) -> list[float]:
        """Losses by the formula, no gradient, one minimum."""
        found = enumerate_critical_points(given.X, given.Y, self.p)
        return [*(point.loss for point in found), 0.0, 1.0]

    def measure(self, given: Given) -> list[float]:
        """Losses as they are, the longest gradient, and how many points have no way down."""
        X, Y = given
        found = enumerate_critical_points(X, Y, self.p)
        S_yx, S_xx = Y @ X.T, X @ X.T
        slopes = [g.norm() for c in found for g in two_layer_gradients(c.A, c.B, S_yx, S_xx)]
        minima = sum(bool(c.curvatures[0] > -1e-8 * c.curvatures[-1]) for c in found)
        losses = [float(two_layer_loss(c.A, c.B, X, Y)) for c in found]
        return [*losses, float(max(slopes)), float(minima)]

    def counterexample(self, rng: Generator) -> Given:
        """All eigenvalues equal: every set is a minimum."""
        X = torch.randn(self.k, self.n, generator=rng, dtype=torch.float64)
        return _data(X, torch.ones(self.k, dtype=torch.float64), rng)

    def figure(self, given: Given) -> Figure:
        """Loss against the most negative curvature."""
        found = enumerate_critical_points(given.X, given.Y, self.p)
        lowest = [float(c.curvatures[0]) for c in found]
        losses = [float(two_layer_loss(c.A, c.B, given.X, given.Y)) for c in found]
        return Figure(
            "Critical points of a two-layer linear network",
            x="smallest eigenvalue of the Hessian",
            y="L",
            marks=(
                Points(lowest, losses, label="measured"),
                Points(
                    lowest,
                    [c.loss for c in found],
                    label="½(tr S_yy − Σ_I λ_i)",
                    role="predicted",
                ),
                Level(min(losses), label="global minimum", role="other"),
            ),
            caption="One point for every set I of p eigenvectors of Σ.",
        )


def _data(X: Tensor, scale: Tensor, rng: Generator) -> Given:
    """Targets that are a turned and scaled least-squares image of white inputs, plus noise."""
    k, n = X.shape
    white = torch.linalg.qr(X.T).Q.T  # orthonormal rows that span those of X
    turn = torch.linalg.qr(torch.randn(k, k, generator=rng, dtype=torch.float64)).Q
    noise = torch.randn(k, n, generator=rng, dtype=torch.float64)
    noise = noise - noise @ white.T @ white  # what no linear map of X explains
    return Given(X, turn @ (2 * scale[:, None] * white) + 0.1 * noise)
