r"""On a ring the polynomial layer is a symmetric convolution.

The Laplacian of a ring is :math:`L=2I-S-S^\top` with the shift :math:`S`, so the layer
:math:`\xi_o=\sum_ip_{oi}(L)x_i+b_o\mathbf{1}` with polynomials of degree K computes every circular
convolution of width :math:`2K+1` with symmetric kernels, and no other: it has
:math:`C_{out}C_{in}(K+1)+C_{out}` parameters, and left and right mean the same to it.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Defferrard, Bresson and Vandergheynst
    (2016), "Convolutional neural networks on graphs with fast localized spectral filtering".
:kind: identity
:uses: polynomial_filter, convolution_on_a_ring
:covers: polynomial-graph-conv-layer
:erratum: [notation] The notes write xi_m = sum over n <= M of p_mn(L) x_n + b_n with M the number
    of nodes; m and n have to be output and input channels, n runs over the input channels, and the
    bias is b_m: with 2 input channels and 24 nodes the sum here has 2 terms.
"""

from math import comb
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor
from torch.nn import functional as F

from corollary.core import Claim, Parity, Suppose, equals, near, normal, option
from corollary.data.graphs import cycle_graph
from corollary.models.polynomial_conv import GraphConvPoly


class Given(NamedTuple):
    x: Float[Tensor, "M i"]  # signals on a ring
    kernel: Float[Tensor, "o i w"]  # w = 2 K + 1
    b: Float[Tensor, " o"]  # bias


def layer_of(kernel: Tensor, b: Tensor) -> GraphConvPoly:
    """The layer whose response at distances 0, ..., K is the right half of each kernel."""
    c_out, c_in, width = kernel.shape
    K = width // 2
    # Response of L^k at distance j on a long ring: (-1)^j binom(2k, k + j).
    rows = [[(-1.0) ** j * comb(2 * k, k + j) for k in range(K + 1)] for j in range(K + 1)]
    layer = GraphConvPoly(c_in, c_out, K, rng=torch.Generator().manual_seed(0))
    half = kernel[..., K:].reshape(-1, K + 1)
    layer.alpha.data = torch.linalg.solve(kernel.new_tensor(rows), half.T).T.reshape(
        c_out, c_in, -1
    )
    layer.b = torch.nn.Parameter(b)
    return layer


class PolynomialLayerOnARing(Claim[Given]):
    M: int = option(24, low=12, high=300)  # nodes of the ring
    c_in: int = 2  # input channels
    c_out: int = 3  # output channels
    K: int = option(2, low=1, high=5)  # degree; the kernel has 2K + 1 entries

    relation = equals(ulps=1e5, scale=1.0)  # the change of basis from shifts to powers of L
    supposes = Suppose(
        "the kernels are symmetric",
        lambda g: near(g.kernel, g.kernel.flip(2)),
        "A polynomial layer cannot represent one-sided kernels.",
        kernel=lambda g: g.kernel * (torch.arange(g.kernel.shape[2]) >= g.kernel.shape[2] // 2),
    )
    symbols = "circular convolution", "polynomial layer"
    shows = Parity("Outputs of both layers, all channels and nodes")

    def given(self, rng: Generator) -> Given:
        kernel = normal(rng, self.c_out, self.c_in, 2 * self.K + 1)
        x, b = normal(rng, self.M, self.c_in), normal(rng, self.c_out)
        return Given(x, (kernel + kernel.flip(2)) / 2, b)

    def predict(self, given: Given) -> Tensor:
        K = given.kernel.shape[2] // 2
        padded = F.pad(given.x.T[None], (K, K), mode="circular")
        return F.conv1d(padded, given.kernel, given.b)[0].T.flatten()

    def measure(self, given: Given) -> Tensor:
        out: Tensor = layer_of(given.kernel, given.b)(given.x, cycle_graph(len(given.x)))
        return out.flatten()
