r"""Polynomial filters on graphs as layers.

.. math:: \xi_o=b_o\mathbf{1}+\sum_ip_{oi}(L)x_i,\qquad p_{oi}(L)=\sum_{k=0}^K\alpha_{oik}L^k,

for input channels :math:`i` and output channels :math:`o`, each a signal on the nodes:
:math:`C_{out}C_{in}(K+1)+C_{out}` parameters and K sparse products, whatever the graph. In the
Chebyshev basis :math:`L^k` becomes :math:`T_k(2L/\lambda-I)` with :math:`\lambda` above all
frequencies, which keeps every term bounded.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Defferrard, Bresson and Vandergheynst
    (2016), "Convolutional neural networks on graphs with fast localized spectral filtering".
:erratum: [notation] The notes write the layer as xi_m = sum over n <= M of p_mn(L) x_n + b_n with
    M the number of nodes. For p_mn(L) x_n to be defined x_n must be a channel, a vector over
    nodes: m and n number output and input channels, n runs over the latter, and the bias is b_m.
"""

from typing import Any, Literal

import torch
from jaxtyping import Float
from torch import Generator, Tensor, nn

from corollary.errors import InputError
from corollary.models.message_passing import check_nodes
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_laplacian import laplacian
from corollary.theory.geometry.polynomial_filters import (
    chebyshev_stack,
    frequency_bound,
    polynomial_filter,
    power_stack,
)


class PolyConv(nn.Module):
    r"""One filter :math:`\sum_k\alpha_kL^k` for all channels, by Horner's rule; identity at first.

    Example:
        >>> layer = PolyConv(2)
        >>> layer.alpha.data.copy_(torch.tensor([1.0, -0.5, 0.0])).tolist()
        [1.0, -0.5, 0.0]
        >>> x = torch.tensor([[1.0], [0.0]]).double()
        >>> layer(x, Graph.of_edges(2, [(0, 1)])).flatten().tolist()
        [0.5, 0.5]

    :covers: polynomial-graph-filter
    """

    def __init__(
        self, K: int, *, normalized: bool = False, dtype: torch.dtype = torch.float64
    ) -> None:
        super().__init__()
        _check_degree(K)
        self.K, self.normalized = K, normalized
        self.alpha = nn.Parameter(torch.eye(1, K + 1, dtype=dtype)[0])

    def forward(self, x: Float[Tensor, "M d"], graph: Graph) -> Float[Tensor, "M d"]:
        """The filtered signals."""
        check_nodes(x, graph)
        L = laplacian(graph, normalized=self.normalized, dtype=x.dtype)
        return polynomial_filter(L, self.alpha, x)


class GraphConvPoly(nn.Module):
    r"""A polynomial of the Laplacian for every pair of channels; weights normal, bias zero.

    Args:
        c_in: Input channels.
        c_out: Output channels.
        K: Degree: how many hops a node sees.
        basis: Powers of L, or Chebyshev polynomials of the shifted L.
        normalized: Whether L is the normalised Laplacian.
        bias: Whether to add one number per output channel.
        rng: Draws the weights, of variance ``1 / (c_in (K + 1))``.
        dtype: Of the weights.

    Example:
        >>> layer = GraphConvPoly(3, 5, 2, rng=torch.Generator().manual_seed(0))
        >>> sum(p.numel() for p in layer.parameters())  # 5 * 3 * (2 + 1) + 5
        50

    :covers: polynomial-graph-conv-layer
    """

    def __init__(
        self,
        c_in: int,
        c_out: int,
        K: int,
        *,
        basis: Literal["powers", "chebyshev"] = "powers",
        normalized: bool = False,
        bias: bool = True,
        rng: Generator,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        _check_degree(K)
        if min(c_in, c_out) < 1:
            raise InputError(f"a layer needs channels, got c_in={c_in}, c_out={c_out}")
        if basis not in ("powers", "chebyshev"):
            raise InputError(f"basis must be powers or chebyshev, got {basis!r}")
        self.K, self.normalized, self.basis = K, normalized, basis
        normal = torch.randn(c_out, c_in, K + 1, generator=rng, device=rng.device, dtype=dtype)
        self.alpha = nn.Parameter(normal / (c_in * (K + 1)) ** 0.5)
        self.b = nn.Parameter(normal.new_zeros(c_out)) if bias else None

    def terms(self, x: Float[Tensor, "M i"], graph: Graph) -> Float[Tensor, "k M i"]:
        """The channels under each polynomial of the basis."""
        L = laplacian(graph, normalized=self.normalized, dtype=x.dtype)
        if self.basis == "powers":
            return power_stack(L, x, self.K)
        return chebyshev_stack(L, x, self.K, frequency_bound(graph, normalized=self.normalized))

    def forward(self, x: Float[Tensor, "M i"], graph: Graph) -> Float[Tensor, "M o"]:
        """The output channels."""
        check_nodes(x, graph)
        if x.shape[1] != self.alpha.shape[1]:
            raise InputError(f"expected {self.alpha.shape[1]} channels, got {x.shape[1]}")
        if self.alpha.shape[0] < self.alpha.shape[1]:
            out = self._outputs_first(x, graph)
        else:
            out = torch.einsum("oik,kmi->mo", self.alpha, self.terms(x, graph))
        return out if self.b is None else out + self.b

    def _outputs_first(self, x: Tensor, graph: Graph) -> Tensor:
        """Mix the channels before the filter: the same sum, with fewer columns to filter."""
        K1 = self.K + 1
        z = x @ self.alpha.permute(1, 2, 0).flatten(1)  # (M, K1 o)
        z = z.unflatten(1, (K1, -1))
        stack = self.terms(z.flatten(1), graph).unflatten(2, (K1, -1))  # (k, M, K1, o)
        return torch.stack([stack[k, :, k] for k in range(K1)]).sum(0)


class ChebConv(GraphConvPoly):
    """:class:`GraphConvPoly` with ``basis="chebyshev"``.

    Example:
        >>> layer = ChebConv(1, 1, 3, rng=torch.Generator().manual_seed(0))
        >>> layer(torch.ones(2, 1).double(), Graph.of_edges(2, [(0, 1)])).shape
        torch.Size([2, 1])

    :covers: polynomial-graph-filter
    """

    def __init__(self, c_in: int, c_out: int, K: int, **options: Any) -> None:
        super().__init__(c_in, c_out, K, basis="chebyshev", **options)


def _check_degree(K: int) -> None:
    if K < 0:
        raise InputError(f"the degree K must not be negative, got {K}")
