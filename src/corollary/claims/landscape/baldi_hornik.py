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
:uses: baldi_hornik_map, eckart_young
:covers: baldi-hornik-landscape
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, normal, option
from corollary.core.picture import Level, Marks, Points, picture
from corollary.theory.landscape.two_layer_linear import (
    enumerate_critical_points,
    explained,
    two_layer_gradients,
    two_layer_loss,
)


class Given(NamedTuple):
    X: Tensor  # data as columns
    Y: Tensor


def gap(given: Given) -> Tensor:
    """The smallest gap of the eigenvalues of Sigma, in units of the largest."""
    values, _ = explained(*given)
    return (values[:-1] - values[1:]).min() / values[0] - 1e-6


def least(given: Given) -> Tensor:
    """The smallest eigenvalue of Sigma, in units of the largest."""
    values, _ = explained(*given)
    return values[-1] / values[0] - 1e-9


class BaldiHornik(Claim[Given]):
    k: int = option(4, low=2, high=5)  # input and output dimension
    p: int = option(2, low=1, high=4)  # hidden units
    n: int = option(12, low=6, high=200)  # points

    relation = equals(ulps=1e7, scale=1.0)  # losses are sums over n points; gradients cancel
    supposes = (
        Suppose(
            "the eigenvalues of Σ are distinct",
            gap,
            "All eigenvalues are equal, so every set of eigenvectors is a minimum.",
            lambda self, rng: self.data(torch.ones(self.k, dtype=torch.float64), rng),
        ),
        Suppose("Σ has full rank", least),
    )
    symbols = "½(tr S_yy − Σ_I λ_i), no gradient, one minimum", "L, ‖∇L‖, minima"
    rows = (*(f"loss of set {i}" for i in range(1, 7)), "longest gradient", "minima")

    def given(self, rng: Generator) -> Given:
        return self.data(1.5 ** -torch.arange(self.k, dtype=torch.float64), rng)

    def data(self, scale: Tensor, rng: Generator) -> Given:
        """Targets that are a turned and scaled image of white inputs, plus noise."""
        X, noise = normal(rng, 2, self.k, self.n)
        white = torch.linalg.qr(X.T).Q.T  # orthonormal rows that span those of X
        turn = torch.linalg.qr(normal(rng, self.k, self.k)).Q
        noise = noise - noise @ white.T @ white  # what no linear map of X explains
        return Given(X, turn @ (2 * scale[:, None] * white) + 0.1 * noise)

    def predict(self, given: Given) -> list[float]:
        return [*(c.loss for c in enumerate_critical_points(*given, self.p)), 0.0, 1.0]

    def measure(self, given: Given) -> Kept:
        X, Y = given
        found = enumerate_critical_points(X, Y, self.p)
        slopes = [g.norm() for c in found for g in two_layer_gradients(c.A, c.B, Y @ X.T, X @ X.T)]
        lowest = [float(c.curvatures[0] / c.curvatures[-1]) for c in found]
        losses = [float(two_layer_loss(c.A, c.B, X, Y)) for c in found]
        minima = sum(v > -1e-8 for v in lowest)
        return Kept([*losses, float(max(slopes)), minima], lowest=lowest, losses=losses)

    @picture(
        "Critical points of a two-layer linear network",
        x="smallest / largest eigenvalue of the Hessian",
        y="L",
        caption="One point for every set I of p eigenvectors of Σ.",
    )
    def marks(self, trial: Trial[Given]) -> Marks:
        lowest, losses = trial.kept.lowest, trial.kept.losses
        formula = trial.predicted[: len(losses)]
        yield Points(lowest, losses, label="measured")
        yield Points(lowest, formula, label="½(tr S_yy − Σ_I λ_i)", role="predicted")
        yield Level(min(losses), label="global minimum", role="other")
