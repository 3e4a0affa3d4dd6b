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
:uses: eckart_young, bottleneck_rank
:covers: optimal-linear-autoencoder, linear-autoencoder
:erratum: [notation] The proof writes U_m^T U = I_m; it is the m x d block [I_m 0]. "The optimal C
    and D" are one choice among many: (GC, D G^-1) is optimal for every invertible G. The result is
    right.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.models.linear_autoencoder import LinearAutoencoder
from corollary.theory.networks.autoencoder import reconstruction
from corollary.theory.networks.low_rank import tail_energy


class Given(NamedTuple):
    x: Float[Tensor, "n d"]  # points as rows
    taken: Float[Tensor, "n d"]  # the encoder is optimal for these
    G: Float[Tensor, "d d"]  # its leading blocks change the codes


class OptimalLinearAutoencoder(Claim[Given]):
    d: int = option(8, low=2, high=64)  # dimension of a point
    n: int = option(50, low=2, high=10_000)  # points
    offset: float = option(2.0, low=0.1, high=100.0)  # length of the mean of the points

    relation = equals(ulps=1e6, scale=1e-3)  # G and its inverse cost digits, G has condition 1e3
    supposes = Suppose(
        "C and D are the leading directions of the data, which are not centred",
        lambda g: near(g.x, g.taken),
        "The principal components of the centred points lose more: the mean is missing.",
        taken=lambda g: g.x - g.x.mean(dim=0),
    )
    symbols = "Σ_{i>m} σ_i²", "‖X − DCX‖²"
    shows = Along("The loss of the best code with m numbers", x="m", at="codes", log="y")

    @property
    def codes(self) -> range:
        """Sizes of the codes."""
        return range(1, self.d)

    def given(self, rng: Generator) -> Given:
        """Gaussian points of falling spread around a mean along the last axis."""
        x = normal(rng, self.n, self.d) * torch.linspace(1.0, 0.2, self.d, dtype=torch.float64)
        x[:, -1] += self.offset
        return Given(x, x, normal(rng, self.d, self.d) + 2 * self.d**0.5 * torch.eye(self.d))

    def predict(self, given: Given) -> list[float]:
        return [tail_energy(given.x, m) for m in self.codes] * 2

    def measure(self, given: Given) -> list[float]:
        def lost(C: Tensor, D: Tensor) -> float:
            return float(2 * reconstruction(given.x, given.x @ C.T @ D.T, "sum"))

        plain, changed = [], []
        for m in self.codes:
            model = LinearAutoencoder(self.d, m).fit_closed_form(given.taken)
            C, D, G = model.C.detach(), model.D.detach(), given.G[:m, :m]
            plain.append(lost(C, D))
            changed.append(lost(G @ C, torch.linalg.solve(G, D, left=False)))
        return plain + changed
