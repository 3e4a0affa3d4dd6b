r"""The coupling matrix of a GCN has norm one.

.. math:: \bar A=D^{-1/2}(A+I)D^{-1/2},\quad d_m=1+\sum_na_{nm}\qquad\Longrightarrow\qquad
   \|\bar A\|_2=1,\quad \bar AD^{1/2}\mathbf{1}=D^{1/2}\mathbf{1}

for every graph: activations cannot grow because of the coupling, however deep the network is, and
the direction :math:`D^{1/2}\mathbf{1}` never fades.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Kipf and Welling (2017),
    "Semi-supervised classification with graph convolutional networks".
:kind: theorem
:cost: instant
:covers: gcn-coupling-matrix
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Figure, Histogram, Hypothesis, Level, equals, option
from corollary.data.graphs import erdos_renyi
from corollary.theory.geometry.graph import Graph


class Given(NamedTuple):
    """A graph, and the degrees it is divided by."""

    graph: Graph
    d: Float[Tensor, " M"]


class CouplingNorm(Claim[Given]):
    M: int = option(120, low=2, high=1000)  # nodes
    density: float = option(0.05, low=0.0, high=1.0)  # probability of an edge
    relation = equals(ulps=4096)  # an eigenvalue of a matrix of a hundred rows

    def given(self, rng: Generator) -> Given:
        """A random graph, isolated nodes included."""
        graph = erdos_renyi(self.M, self.density, rng=rng)
        return Given(graph, (1 + graph.degrees).double())

    def hypotheses(self, given: Given) -> Iterator[Hypothesis]:
        """Loops are counted."""
        counted = bool((given.d == 1 + given.graph.degrees).all())
        yield Hypothesis("the degrees count the loops", counted)

    def predict(self, given: Given) -> list[float]:
        """One, twice."""
        return [1.0, 1.0]

    def measure(self, given: Given) -> list[float]:
        """Largest modulus of an eigenvalue, and the gain of the direction of root degrees."""
        A, root = _coupling(given), given.d.sqrt()
        largest = torch.linalg.eigvalsh(A).abs().max()
        return [float(largest), float((A @ root).norm() / root.norm())]

    def counterexample(self, rng: Generator) -> Given:
        """Loops in the matrix, but not in the degrees."""
        given = self.given(rng)
        return given._replace(d=given.graph.degrees.clamp(min=1).double())

    def figure(self, given: Given) -> Figure:
        """All eigenvalues."""
        plain = given._replace(d=given.graph.degrees.clamp(min=1).double())
        marks = (
            Histogram(torch.linalg.eigvalsh(_coupling(given)), label="eigenvalues of Ā", bins=30),
            Histogram(torch.linalg.eigvalsh(_coupling(plain)), bins=30, role="other",
                      label="loops left out of the degrees"),
            Level(1.0, label="1", axis="x"),
            Level(-1.0, label="−1", axis="x"),
        )  # fmt: skip
        return Figure("Spectrum of the coupling matrix", x="eigenvalue", y="density", marks=marks)


def _coupling(given: Given) -> Tensor:
    A = given.graph.dense() + torch.eye(given.graph.M, dtype=torch.float64)
    return A / (given.d[:, None] * given.d).sqrt()
