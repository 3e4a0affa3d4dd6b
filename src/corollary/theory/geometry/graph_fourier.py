r"""The Fourier transform of a graph.

.. math:: L=U\Lambda U^\top,\qquad \hat x=U^\top x,\qquad x*y=U(U^\top x\odot U^\top y),\qquad
   G(L)x=UG(\Lambda)U^\top x .

Columns of :math:`U` are modes, eigenvalues their frequencies:
:math:`u_k^\top Lu_k=\lambda_k` counts how much a mode changes along edges. A *filter*
:math:`G(L)` depends on the graph alone. The *convolution* of two signals depends also on the
basis: turning the sign of :math:`u_k` turns the sign of its contribution, since it enters three
times. On the cycle the unitary basis of the DFT, with :math:`U^\top` replaced by
:math:`U^{\mathsf H}`, gives circular convolution divided by :math:`\sqrt{M}`.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Bruna, Zaremba, Szlam and LeCun (2014),
    "Spectral networks and locally connected networks on graphs".
:erratum: [possible OCR artefact] The convolution is shown as U(Uᵀx ⊙ U yᵀ); it must be
    U(Uᵀx ⊙ Uᵀy).
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float, Inexact
from torch import Tensor

from corollary.errors import InputError
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_laplacian import laplacian


class GraphFourierBasis(NamedTuple):
    """Frequencies in ascending order, and the modes as columns."""

    frequencies: Float[Tensor, " M"]
    modes: Inexact[Tensor, "M M"]


def fourier_basis(
    graph: Graph, *, normalized: bool = False, dtype: torch.dtype = torch.float64
) -> GraphFourierBasis:
    """The eigendecomposition of the Laplacian; made once for a graph. O(M^3) time, O(M^2) memory.

    Example:
        >>> basis = fourier_basis(Graph.of_edges(3, [(0, 1), (1, 2)]))
        >>> basis.frequencies.abs().round(decimals=6).tolist()
        [0.0, 1.0, 3.0]

    :covers: graph-fourier-transform
    """
    return graph.remember(("fourier", normalized, dtype), _fourier, graph, normalized, dtype)


def _fourier(graph: Graph, normalized: bool, dtype: torch.dtype) -> GraphFourierBasis:
    L = laplacian(graph, normalized=normalized, dtype=dtype).to_dense()
    return GraphFourierBasis(*torch.linalg.eigh(L))


def gft(
    graph: Graph, x: Float[Tensor, "M *d"], *, normalized: bool = False
) -> Float[Tensor, "M *d"]:
    r"""The transform :math:`\hat x=U^\top x`, an entry for each frequency.

    Example:
        >>> path = Graph.of_edges(2, [(0, 1)])
        >>> gft(path, torch.tensor([3.0, 3.0])).abs().round(decimals=4)  # frequency 0 alone
        tensor([4.2426, 0.0000])

    :covers: graph-fourier-transform
    """
    return fourier_basis(graph, normalized=normalized, dtype=x.dtype).modes.T @ x


def igft(
    graph: Graph, x_hat: Float[Tensor, "M *d"], *, normalized: bool = False
) -> Float[Tensor, "M *d"]:
    r"""The inverse :math:`x=U\hat x`.

    Example:
        >>> path = Graph.of_edges(3, [(0, 1), (1, 2)])
        >>> x = torch.tensor([1.0, 0.0, 4.0], dtype=torch.float64)
        >>> torch.allclose(igft(path, gft(path, x)), x)
        True

    :covers: graph-fourier-transform
    """
    return fourier_basis(graph, normalized=normalized, dtype=x_hat.dtype).modes @ x_hat


def dft_basis(M: int) -> GraphFourierBasis:
    r"""The unitary basis :math:`U_{mk}=e^{2\pi imk/M}/\sqrt{M}` of the cycle's Laplacian.

    Its frequencies are :math:`2-2\cos(2\pi k/M)`, here in the order of k.

    Example:
        >>> dft_basis(4).frequencies.round(decimals=6).tolist()
        [0.0, 2.0, 4.0, 2.0]
    """
    if M < 1:
        raise InputError(f"a cycle needs at least one node, got M={M}")
    k = torch.arange(M, dtype=torch.float64)
    angle = 2 * torch.pi / M * torch.outer(k, k).remainder(M)  # keeps the argument small
    modes = torch.polar(torch.full_like(angle, M**-0.5), angle)
    return GraphFourierBasis(2 - 2 * torch.cos(2 * torch.pi * k / M), modes)


def graph_convolution(
    x: Float[Tensor, " M"], y: Float[Tensor, " M"], modes: Inexact[Tensor, "M M"]
) -> Inexact[Tensor, " M"]:
    r"""The convolution :math:`U(U^{\mathsf H}x\odot U^{\mathsf H}y)` in the given basis.

    Example:
        >>> e0 = torch.tensor([1.0, 0.0, 0.0, 0.0], dtype=torch.float64)
        >>> graph_convolution(e0, e0, dft_basis(4).modes).abs().round(decimals=6).tolist()
        [0.5, 0.0, 0.0, 0.0]

    :covers: spectral-graph-convolution
    """
    back = modes.mH
    return modes @ ((back @ x.to(modes.dtype)) * (back @ y.to(modes.dtype)))


def spectral_filter(
    basis: GraphFourierBasis, G: Callable[[Tensor], Tensor], x: Float[Tensor, "M *d"]
) -> Float[Tensor, "M *d"]:
    r"""The filter :math:`UG(\Lambda)U^\top x`. O(M^2 d) once the basis is there.

    Example:
        >>> basis = fourier_basis(Graph.of_edges(2, [(0, 1)]))
        >>> x = torch.tensor([1.0, 0.0], dtype=torch.float64)
        >>> spectral_filter(basis, lambda f: (f < 1).double(), x).round(decimals=6).tolist()
        [0.5, 0.5]

    :covers: spectral-graph-convolution
    """
    response = G(basis.frequencies)
    shape = (-1,) + (1,) * (x.ndim - 1)
    return basis.modes @ (response.reshape(shape) * (basis.modes.T @ x))
