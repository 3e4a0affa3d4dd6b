r"""On a ring spectral convolution is circular convolution.

With the unitary modes :math:`U_{mk}=e^{2\pi imk/M}/\sqrt{M}` of the ring

.. math:: x*y=U\bigl(U^{\mathsf H}x\odot U^{\mathsf H}y\bigr)=\frac{1}{\sqrt{M}}
   \Bigl(\sum_jx_jy_{m-j}\Bigr)_m .

The product depends on the basis and not on the graph alone: real sines and cosines diagonalise the
same Laplacian, and give another product.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Bruna, Zaremba, Szlam and LeCun (2014),
    "Spectral networks and locally connected networks on graphs".
:kind: identity
:cost: instant
:covers: spectral-graph-convolution
:erratum: [possible OCR artefact] The convolution is shown as U(Uᵀx ⊙ U yᵀ); it must be
    U(Uᵀx ⊙ Uᵀy).
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Inexact
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.graphs import cycle_graph
from corollary.theory.geometry.graph_fourier import dft_basis, fourier_basis, graph_convolution


class Given(NamedTuple):
    """Two signals on a ring, and modes."""

    x: Float[Tensor, " M"]
    y: Float[Tensor, " M"]
    modes: Inexact[Tensor, "M M"]


class ConvolutionOnARing(Claim[Given]):
    M: int = option(24, low=3, high=500)  # nodes of the ring
    relation = equals(ulps=1024, scale=1.0)  # sums of M products in another order

    def given(self, rng: Generator) -> Given:
        """A noisy signal and a bump."""
        x = torch.randn(self.M, generator=rng, dtype=torch.float64)
        m = torch.arange(self.M, dtype=torch.float64)
        y = torch.exp(-0.5 * torch.minimum(m, self.M - m) ** 2)
        return Given(x, y, dft_basis(self.M).modes)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """The basis."""
        waves = dft_basis(len(given.x)).modes
        same = given.modes.is_complex() and torch.allclose(given.modes, waves)
        yield Hypothesis("the modes are complex waves, the unitary basis of the DFT", same)

    def predict(self, given: Given) -> list[float]:
        """The sum over shifts, divided by the root of M."""
        M = len(given.x)
        shifted = torch.stack([given.y.roll(j) for j in range(M)])  # row j is y[m - j]
        return (given.x @ shifted / M**0.5).tolist()

    def measure(self, given: Given) -> list[float]:
        """The product in the spectrum."""
        return graph_convolution(given.x, given.y, given.modes).real.tolist()

    def counterexample(self, rng: Generator) -> Given:
        """Real eigenvectors of the same Laplacian."""
        return self.given(rng)._replace(modes=fourier_basis(cycle_graph(self.M)).modes)

    def figure(self, given: Given) -> Figure:
        """Both, and the product in a real basis."""
        M = len(given.x)
        nodes = list(range(1, M + 1))
        real = self.measure(given._replace(modes=fourier_basis(cycle_graph(M)).modes))
        marks = (
            Curve(given.x, x=nodes, label="x", role="other", dashed=True),
            Curve(self.predict(given), x=nodes, label="circular convolution / √M",
                  role="predicted"),
            Points(nodes, self.measure(given), label="x ∗ y in complex waves"),
            Points(nodes, real, label="x ∗ y in real modes", role="other"),
        )  # fmt: skip
        return Figure("A signal and a bump on a ring", x="node m", y="value", marks=marks)
