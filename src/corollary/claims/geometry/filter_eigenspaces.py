r"""A spectral filter does not depend on the basis of eigenvectors.

If :math:`G` is a function of the frequency, :math:`UG(\Lambda)U^\top` is the same for every
orthonormal basis :math:`U` of eigenvectors of :math:`L`: signs may be turned and modes of equal
frequency mixed. Free gains for every *mode* do not have this property, and neither has the
convolution :math:`U(U^\top x\odot U^\top y)` of two signals.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Bruna, Zaremba, Szlam and LeCun (2014),
    "Spectral networks and locally connected networks on graphs".
:kind: identity
:uses: graph_parseval
:covers: spectral-graph-convolution
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Along, Claim, Suppose, equals, near, normal, option
from corollary.data.graphs import cycle_graph
from corollary.models.spectral_conv import frequency_kinds
from corollary.theory.geometry.graph_fourier import (
    GraphFourierBasis,
    fourier_basis,
    spectral_filter,
)


class Given(NamedTuple):
    frequencies: Float[Tensor, " M"]
    gains: Float[Tensor, " M"]  # of each mode
    U: Float[Tensor, "M M"]  # a basis of modes
    V: Float[Tensor, "M M"]  # another
    x: Float[Tensor, " M"]  # a signal


def by_frequency(g: Given) -> Tensor:
    """The gain of the first mode of the same frequency."""
    kind = frequency_kinds(g.frequencies)
    return g.gains[torch.searchsorted(kind, kind)]


def turned(f: Tensor, U: Tensor, rng: Generator) -> Tensor:
    """Modes mixed by a random rotation within every eigenspace."""
    kind, V = frequency_kinds(f), U.clone()
    for k in kind.unique():
        Q = torch.linalg.qr(normal(rng, *[int((kind == k).sum())] * 2)).Q
        V[:, kind == k] = U[:, kind == k] @ Q
    return V


class FilterEigenspaces(Claim[Given]):
    M: int = option(20, low=3, high=300)  # nodes of the ring
    t: float = option(1.0, low=0.0, high=10.0)  # time of the heat filter exp(-t λ)

    relation = equals(ulps=1024, scale=1.0)  # sums of M products
    supposes = (
        Suppose(
            "modes of equal frequency have equal gains",
            lambda g: near(g.gains, by_frequency(g)),
            "If the filter keeps only every other mode, the two bases give different results.",
            gains=lambda g: (torch.arange(len(g.x)) % 2).double(),
        ),
        Suppose(
            "the second basis consists of eigenvectors of the Laplacian",
            lambda g: near(g.U * g.frequencies @ g.U.T @ g.V, g.V * g.frequencies),
            "The second basis is the standard basis (one vector per node), "
            "so the filter scales the signal at each node separately.",
            V=lambda g: torch.eye(len(g.x), dtype=torch.float64),
        ),
    )
    symbols = "exp(−tL)x, first basis", "exp(−tL)x, second basis"
    shows = Along(
        "The filtered signal from two bases of eigenvectors",
        x="node m",
        y="filtered signal",
        first=1,
    )

    def given(self, rng: Generator) -> Given:
        f, U = fourier_basis(cycle_graph(self.M))
        return Given(f, torch.exp(-self.t * f), U, turned(f, U, rng), normal(rng, self.M))

    def predict(self, given: Given) -> Tensor:
        return given.U @ (given.gains * (given.U.T @ given.x))

    def measure(self, given: Given) -> Tensor:
        basis = GraphFourierBasis(given.frequencies, given.V)
        return spectral_filter(basis, lambda f: given.gains, given.x)
