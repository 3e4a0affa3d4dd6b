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
:cost: instant
:covers: kawaguchi-critical-form
:erratum: [possible OCR artefact] (6.25) has (C^T C)^-1 where Kawaguchi's lemma has a generalised
    inverse, written with a superscript minus. With a true inverse the critical points of deficient
    rank, such as zero weights, would be missed.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.theory.landscape.deep_linear import layer_gradients, product
from corollary.theory.landscape.two_layer_linear import critical_map


class Given(NamedTuple):
    """Data as columns, and lists of layers."""

    X: Tensor
    Y: Tensor
    networks: list[list[Tensor]]


class KawaguchiCriticalForm(Claim[Given]):
    d: int = option(3, low=1, high=10)  # numbers that come in
    k: int = option(3, low=1, high=10)  # numbers that go out
    m: int = option(3, low=2, high=10)  # hidden width
    H: int = option(2, low=1, high=4)  # hidden layers
    relation = equals(ulps=1e7, scale=1.0)  # least squares with a product of Gaussian matrices

    def given(self, rng: Generator) -> Given:
        """Upper layers of full and of deficient rank, the first layer solved for; and zeros."""
        f64 = {"generator": rng, "dtype": torch.float64}
        X, Y = torch.randn(self.d, 20, **f64), torch.randn(self.k, 20, **f64)
        shapes = [(self.m, self.m)] * (self.H - 1) + [(self.k, self.m)]
        upper = [torch.randn(s, **f64) for s in shapes]
        low = [W.clone() for W in upper]
        low[-1][:, 1:] = low[-1][:, :1]  # equal columns: C has rank one
        networks = [[_first(Ws, X, Y), *Ws] for Ws in (upper, low)]
        zeros = [torch.zeros_like(W) for W in networks[0]]
        return Given(X, Y, [*networks, zeros])

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Critical in the first layer."""
        slopes = [layer_gradients(Ws, given.X, given.Y)[0].norm() for Ws in given.networks]
        off = float(max(slopes))
        yield Hypothesis("the gradient in W₁ is zero", off < 1e-6, f"length {off:.2g}")

    def predict(self, given: Given) -> list[float]:
        """The projected least-squares map."""
        maps = [critical_map(product(Ws[1:]), given.X, given.Y) for Ws in given.networks]
        return torch.cat([W.flatten() for W in maps]).tolist()

    def measure(self, given: Given) -> list[float]:
        """The product."""
        return torch.cat([product(Ws).flatten() for Ws in given.networks]).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Layers that are not critical."""
        given = self.given(rng)
        moved = [[Ws[0] + 0.1, *Ws[1:]] for Ws in given.networks]
        return given._replace(networks=moved)

    def figure(self, given: Given) -> Figure:
        """Entry by entry."""
        p, m = self.predict(given), self.measure(given)
        third = len(p) // 3
        parts = [slice(i * third, (i + 1) * third) for i in range(3)]
        ends = [min(p), max(p)]
        return Figure(
            "The product of the layers at critical points",
            x="entry of the projected least-squares map",
            y="entry of the product",
            marks=(
                Curve(ends, x=ends, label="equal", role="predicted"),
                Points(p[parts[0]], m[parts[0]], label="C of full rank"),
                Points(p[parts[1]], m[parts[1]], label="C of rank one", role="other"),
                Points(p[parts[2]], m[parts[2]], label="zero weights", role="other"),
            ),
        )


def _first(upper: list[Tensor], X: Tensor, Y: Tensor) -> Tensor:
    """The first layer that solves the normal equations, by LAPACK and not by projection."""
    C = product(upper)
    system = torch.kron(X.T.contiguous(), C.contiguous())
    w = torch.linalg.lstsq(system, Y.T.reshape(-1, 1), rcond=1e-10, driver="gelsd").solution
    return w.reshape(X.shape[0], C.shape[1]).T
