r"""On a ring spectral convolution is circular convolution.

With the unitary modes :math:`U_{mk}=e^{2\pi imk/M}/\sqrt{M}` of the ring

.. math:: x*y=U\bigl(U^{\mathsf H}x\odot U^{\mathsf H}y\bigr)=\frac{1}{\sqrt{M}}
   \Bigl(\sum_jx_jy_{m-j}\Bigr)_m .

The product depends on the basis and not on the graph alone: real sines and cosines diagonalise the
same Laplacian, and give another product.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Bruna, Zaremba, Szlam and LeCun (2014),
    "Spectral networks and locally connected networks on graphs".
:kind: identity
:uses: cycle_frequencies, convolution_theorem, filter_eigenspaces
:covers: spectral-graph-convolution
:erratum: [possible OCR artefact] The convolution is shown as U(Uᵀx ⊙ U yᵀ); it must be
    U(Uᵀx ⊙ Uᵀy).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Inexact
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.data.graphs import cycle_graph
from corollary.theory.geometry.graph_fourier import dft_basis, fourier_basis, graph_convolution


class Given(NamedTuple):
    x: Float[Tensor, " M"]  # a signal on the ring
    y: Float[Tensor, " M"]  # another
    modes: Inexact[Tensor, "M M"]


class ConvolutionOnARing(Claim[Given]):
    M: int = option(24, low=3, high=500)  # nodes of the ring

    relation = equals(ulps=1024, scale=1.0)  # sums of M products in another order
    supposes = Suppose(
        "the modes are complex waves, the unitary basis of the DFT",
        lambda g: near(g.modes, dft_basis(len(g.x)).modes),
        "Real eigenvectors of the same Laplacian give another product.",
        modes=lambda g: fourier_basis(cycle_graph(len(g.x))).modes,
    )
    symbols = "circular convolution / √M", "x ∗ y in complex waves"
    shows = Along("A signal and a bump on a ring", x="node m", y="value", first=1)

    def given(self, rng: Generator) -> Given:
        m = torch.arange(self.M, dtype=torch.float64)
        bump = torch.exp(-0.5 * torch.minimum(m, self.M - m) ** 2)
        return Given(normal(rng, self.M), bump, dft_basis(self.M).modes)

    def predict(self, given: Given) -> Tensor:
        M = len(given.x)
        shifted = torch.stack([given.y.roll(j) for j in range(M)])  # row j is y[m - j]
        out: Tensor = given.x @ shifted / M**0.5
        return out

    def measure(self, given: Given) -> Tensor:
        return graph_convolution(given.x, given.y, given.modes).real
