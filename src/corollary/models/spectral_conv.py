r"""Convolution in the spectrum of a graph.

.. math:: G(L)x=UG(\Lambda)U^\top x,

where :math:`G` is a function of the frequency: one of the caller's, or one learned value for each
*different* frequency, so that the layer depends on the graph alone and not on the choice of
eigenvectors. Bound to its graph; O(M^3) once, then O(M^2 d).

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Bruna, Zaremba, Szlam and LeCun (2014),
    "Spectral networks and locally connected networks on graphs".
:erratum: [possible OCR artefact] The convolution is shown as U(Uᵀx ⊙ U yᵀ); it must be
    U(Uᵀx ⊙ Uᵀy).
"""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from corollary.errors import InputError
from corollary.models.message_passing import check_nodes
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.graph_fourier import GraphFourierBasis, fourier_basis
from corollary.theory.prerequisites.wellformed import check_finite


class SpectralConv(nn.Module):
    """A filter on one graph.

    Args:
        graph: The graph it is bound to.
        filter: From frequencies to gains, learned if it is a module; one free gain for each
            different frequency, all 1 at the start, if absent.
        normalized: Whether frequencies are those of the normalised Laplacian.
        dtype: Of basis and gains.

    Example:
        >>> layer = SpectralConv(Graph.of_edges(3, [(0, 1), (1, 2), (0, 2)]))
        >>> layer.gains.numel()  # the triangle has the frequencies 0 and, twice, 3
        2

    :covers: spectral-graph-convolution
    """

    frequencies: Float[Tensor, " M"]
    modes: Float[Tensor, "M M"]
    kind: Int[Tensor, " M"]  # which gain each frequency has

    def __init__(
        self,
        graph: Graph,
        filter: Callable[[Tensor], Tensor] | None = None,
        *,
        normalized: bool = False,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        super().__init__()
        self.graph, self.filter = graph, filter
        frequencies, modes = fourier_basis(graph, normalized=normalized, dtype=dtype)
        self.register_buffer("frequencies", frequencies)
        self.register_buffer("modes", modes)
        if filter is None:
            kind = frequency_kinds(frequencies)
            self.register_buffer("kind", kind)
            self.gains = nn.Parameter(frequencies.new_ones(int(kind.max()) + 1))

    @property
    def basis(self) -> GraphFourierBasis:
        """Frequencies and modes."""
        return GraphFourierBasis(self.frequencies, self.modes)

    def response(self) -> Float[Tensor, " M"]:
        """The gain at each frequency."""
        if self.filter is None:
            return self.gains[self.kind]
        gains = self.filter(self.frequencies)
        if gains.shape != self.frequencies.shape:
            raise InputError(
                f"the filter must return one gain for each of {self.graph.M} frequencies, got "
                f"{tuple(gains.shape)}"
            )
        return gains

    def forward(self, x: Float[Tensor, "M d"]) -> Float[Tensor, "M d"]:
        """The filtered signals, channel by channel."""
        check_nodes(x, self.graph)
        return self.modes @ (self.response()[:, None] * (self.modes.T @ x))


def frequency_kinds(frequencies: Float[Tensor, " M"]) -> Tensor:
    """Equal frequencies (up to rounding) get equal numbers, from 0; they come in ascending order.

    Example:
        >>> frequency_kinds(torch.tensor([0.0, 3.0, 3.0000001])).tolist()
        [0, 1, 1]
    """
    check_finite("frequencies", frequencies)
    tiny = torch.finfo(frequencies.dtype).eps
    room = 64 * len(frequencies) * tiny * float(frequencies.abs().max().clamp(min=1))
    jumps = torch.diff(frequencies, prepend=frequencies[:1]) > room
    return jumps.long().cumsum(0)
