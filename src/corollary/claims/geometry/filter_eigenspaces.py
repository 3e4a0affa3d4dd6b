r"""A filter depends on the graph alone.

If :math:`G` is a function of the frequency, :math:`UG(\Lambda)U^\top` is the same for every
orthonormal basis :math:`U` of eigenvectors of :math:`L`: signs may be turned and modes of equal
frequency mixed. Free gains for every *mode* do not have this property, and neither has the
convolution :math:`U(U^\top x\odot U^\top y)` of two signals.

:source: Perez Jensen (2025), Deep Learning, Section 7.5; Bruna, Zaremba, Szlam and LeCun (2014),
    "Spectral networks and locally connected networks on graphs".
:kind: identity
:cost: instant
:covers: spectral-graph-convolution
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Curve, Figure, Hypothesis, Points, equals, option
from corollary.data.graphs import cycle_graph
from corollary.models.spectral_conv import frequency_kinds
from corollary.theory.geometry.graph_fourier import fourier_basis


class Given(NamedTuple):
    """Frequencies, a gain for each mode, two bases of modes, and a signal."""

    frequencies: Float[Tensor, " M"]
    gains: Float[Tensor, " M"]
    U: Float[Tensor, "M M"]
    V: Float[Tensor, "M M"]
    x: Float[Tensor, " M"]


class FilterEigenspaces(Claim[Given]):
    M: int = option(20, low=3, high=300)  # nodes of the ring
    t: float = option(1.0, low=0.0, high=10.0)  # time of the heat filter exp(-t λ)
    relation = equals(ulps=1024, scale=1.0)  # sums of M products

    def given(self, rng: Generator) -> Given:
        """The heat filter, and modes turned at random within their eigenspaces."""
        f, U = fourier_basis(cycle_graph(self.M))
        x = torch.randn(self.M, generator=rng, dtype=torch.float64)
        return Given(f, torch.exp(-self.t * f), U, _turned(f, U, rng), x)

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """A function of the frequency."""
        kind = frequency_kinds(given.frequencies)
        first = torch.searchsorted(kind, kind)  # the first mode of the same frequency
        same = torch.allclose(given.gains, given.gains[first], atol=1e-9)
        yield Hypothesis("modes of equal frequency have equal gains", same)

    def predict(self, given: Given) -> list[float]:
        """In the first basis."""
        return (given.U @ (given.gains * (given.U.T @ given.x))).tolist()

    def measure(self, given: Given) -> list[float]:
        """In the second."""
        return (given.V @ (given.gains * (given.V.T @ given.x))).tolist()

    def counterexample(self, rng: Generator) -> Given:
        """A gain of its own for every mode."""
        given = self.given(rng)
        return given._replace(gains=torch.rand(self.M, generator=rng, dtype=torch.float64))

    def figure(self, given: Given) -> Figure:
        """The filter in both bases; free gains in both."""
        nodes = list(range(1, len(given.x) + 1))
        free = given._replace(gains=1.0 * (torch.arange(len(given.x)) % 2))
        marks = (
            Curve(self.predict(given), x=nodes, label="exp(−tL)x, first basis", role="predicted"),
            Points(nodes, self.measure(given), label="exp(−tL)x, second basis"),
            Curve(self.predict(free), x=nodes, label="every other mode, first basis", role="other"),
            Points(nodes, self.measure(free), label="every other mode, second basis", role="other"),
        )
        return Figure("Two bases of one Laplacian", x="node m", y="filtered signal", marks=marks)


def _turned(f: Tensor, U: Tensor, rng: Generator) -> Tensor:
    """Modes mixed by a random rotation within every eigenspace."""
    kind = frequency_kinds(f)
    V = U.clone()
    for k in range(int(kind.max()) + 1):
        which = kind == k
        n = int(which.sum())
        normal = torch.randn(n, n, generator=rng, dtype=U.dtype)
        V[:, which] = U[:, which] @ torch.linalg.qr(normal).Q
    return V
