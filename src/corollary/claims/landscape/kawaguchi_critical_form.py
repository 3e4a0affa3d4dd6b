r"""Critical points of deep linear networks.

If :math:`XX^\top` is invertible and the layers are critical for :math:`\frac12\|W_{H+1}\cdots
W_1X-Y\|_F^2`, then with :math:`C=W_{H+1}\cdots W_2`

.. math:: W_{H+1}\cdots W_1=C(C^\top C)^-C^\top\,YX^\top(XX^\top)^{-1}

for every generalised inverse: least squares, projected on the columns of :math:`C`. Only
:math:`\nabla_{W_1}L=0` is used. Checked for layers with :math:`C` of full rank, of deficient rank,
and for zero weights, entry by entry.

:source: Lucchi (2025), Foundations of Deep Learning, Section 6.1.3, (6.25); Kawaguchi (2016), "Deep
    learning without poor local minima", Lemma 4.1.
:kind: identity
:uses: kronecker_jacobian, baldi_hornik_map
:covers: kawaguchi-critical-form
:erratum: [possible OCR artefact] (6.25) has (C^T C)^-1 where Kawaguchi's lemma has a generalised
    inverse, written with a superscript minus. With a true inverse the critical points of deficient
    rank, such as zero weights, would be missed.
"""

from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Parity, Suppose, equals, normal, option
from corollary.theory.landscape.deep_linear import critical_residual, layer_gradients, product
from corollary.theory.landscape.two_layer_linear import critical_map


class Given(NamedTuple):
    X: Tensor  # data as columns
    Y: Tensor
    networks: list[list[Tensor]]  # layers of each


class KawaguchiCriticalForm(Claim[Given]):
    d: int = option(3, low=1, high=10)  # input dimension
    k: int = option(3, low=1, high=10)  # output dimension
    m: int = option(3, low=2, high=10)  # hidden width
    H: int = option(2, low=1, high=4)  # hidden layers

    relation = equals(ulps=1e7, scale=1.0)  # least squares with a product of Gaussian matrices
    supposes = Suppose(
        "the gradient in W₁ is zero",
        lambda g: 1e-6 - max(layer_gradients(Ws, g.X, g.Y)[0].norm() for Ws in g.networks),
        "At a point that is not critical, the product is another map.",
        networks=lambda g: [[Ws[0] + 0.1, *Ws[1:]] for Ws in g.networks],
    )
    symbols = "projected least-squares map, and no residual", "entry of the product, and residual"
    shows = Parity("The product of the layers at critical points")

    def given(self, rng: Generator) -> Given:
        """Upper layers of full and of deficient rank, the first layer solved for; and zeros."""
        X, Y = normal(rng, self.d, 20), normal(rng, self.k, 20)
        upper = [normal(rng, self.m, self.m) for _ in range(self.H - 1)]
        last = normal(rng, self.k, self.m)
        equal = last[:, :1].expand_as(last)  # equal columns: C has rank one
        networks = [[first([*upper, W], X, Y), *upper, W] for W in (last, equal)]
        return Given(X, Y, [*networks, [0 * W for W in networks[0]]])

    def predict(self, given: Given) -> Tensor:
        maps = [critical_map(product(Ws[1:]), given.X, given.Y) for Ws in given.networks]
        return torch.cat([torch.stack(maps).flatten(), torch.zeros(3, dtype=torch.float64)])

    def measure(self, given: Given) -> Tensor:
        products = [product(Ws).flatten() for Ws in given.networks]
        residuals = [critical_residual(Ws, given.X, given.Y) for Ws in given.networks]
        return torch.cat([*products, torch.stack(residuals)])


def first(upper: list[Tensor], X: Tensor, Y: Tensor) -> Tensor:
    """The first layer that solves the normal equations, by LAPACK and not by projection."""
    C = product(upper)
    system = torch.kron(X.T.contiguous(), C.contiguous())
    w: Tensor = torch.linalg.lstsq(system, Y.T.reshape(-1, 1), rcond=1e-10, driver="gelsd").solution
    return w.reshape(X.shape[0], C.shape[1]).T
