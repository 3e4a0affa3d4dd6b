r"""Optimal linear autoencoder.

With the singular value decomposition :math:`X=U\Sigma V^\top` of the data (points as columns), the
pair :math:`C=U_m^\top`, :math:`D=U_m` is optimal: :math:`DCX=X_m`, :math:`DC=U_mU_m^\top`, and

.. math:: \min_{C,D}\|X-DCX\|_F^2=\sum_{i>m}\sigma_i^2 .

This is principal component analysis without centring. Optimal, too, is :math:`(GC, DG^{-1})` for
every invertible :math:`G`; both are measured, for every :math:`m`. That nothing is better is the
Eckart-Young theorem.

:source: Lucchi (2025), Foundations of Deep Learning, Section 2.3, Theorem 13; Lucchi (2024),
    Foundations of Deep Learning (slides), Lecture 1, Optimal Linear Autoencoder; Bourlard and Kamp
    (1988), "Auto-association by multilayer perceptrons and singular value decomposition".
:kind: theorem
:cost: instant
:covers: optimal-linear-autoencoder, linear-autoencoder
:erratum: [notation] The proof writes U_m^T U = I_m; it is the m x d block [I_m 0]. "The optimal C
    and D" are one choice among many: (GC, D G^-1) is optimal for every invertible G. The result is
    right.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.networks.autoencoder import optimal_autoencoder, reconstruction
from corollary.theory.networks.low_rank import tail_energy


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points as rows
    taken: Float[Tensor, "n d"]  # the encoder is optimal for these
    G: Float[Tensor, "d d"]  # its leading blocks change the codes


class OptimalLinearAutoencoder(Claim[Given]):
    d: int = option(8, low=2, high=64)  # numbers a point has
    n: int = option(50, low=2, high=10_000)  # points
    offset: float = option(2.0, low=0.1, high=100.0)  # length of the mean of the points
    relation = equals(ulps=1e6, scale=1e-3)  # G and its inverse cost digits, G has condition 1e3

    def given(self, rng: Generator) -> Given:
        """Gaussian points of falling spread around a mean along the last axis."""
        f64 = {"generator": rng, "device": rng.device, "dtype": torch.float64}
        spread = torch.linspace(1.0, 0.2, self.d, dtype=torch.float64, device=rng.device)
        x = torch.randn(self.n, self.d, **f64) * spread
        x[:, -1] += self.offset
        G = torch.randn(self.d, self.d, **f64) + 2 * self.d**0.5 * torch.eye(self.d).to(x)
        return Given(x, x, G)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Which directions are taken."""
        yield Hypothesis(
            "C and D are the leading directions of the data as it is, not centred",
            torch.equal(given.x, given.taken),
        )

    def predict(self, given: Given) -> list[float]:
        """Energy of the tail for each code size below ``d``, twice: for the pair and its twin."""
        return [tail_energy(given.x, m) for m in range(1, self.d)] * 2

    def measure(self, given: Given) -> list[float]:
        """What the pair loses, and what it loses after a change of the code."""
        plain, changed = [], []
        for m in range(1, self.d):
            C, D = optimal_autoencoder(given.taken, m)
            G = given.G[:m, :m]
            plain.append(_lost(given.x, C, D))
            changed.append(_lost(given.x, G @ C, torch.linalg.solve(G, D, left=False)))
        return plain + changed

    def counterexample(self, rng: Generator) -> Given:
        """Principal components of the centred points, used without the mean."""
        given = self.given(rng)
        return given._replace(taken=given.x - given.x.mean(dim=0))

    def figure(self, given: Given) -> Figure:
        """What is lost against the size of the code."""
        m = list(range(1, self.d))
        centred = self.measure(given._replace(taken=given.x - given.x.mean(dim=0)))
        return Figure(
            "What a code of m numbers must lose",
            x="m",
            y="‖X − DCX‖_F²",
            log_y=True,
            marks=(
                Curve(
                    self.predict(given)[: len(m)],
                    x=m,
                    label="sum of σ_i² over i > m",
                    role="predicted",
                ),
                Points(m, self.measure(given)[: len(m)], label="C = U_mᵀ, D = U_m"),
                Points(m, centred[: len(m)], label="directions of the centred data", role="other"),
            ),
        )


def _lost(x: Tensor, C: Tensor, D: Tensor) -> float:
    return float(2 * reconstruction(x, x @ C.T @ D.T, "sum"))
