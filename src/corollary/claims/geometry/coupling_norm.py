r"""The coupling matrix of a GCN has norm one.

.. math:: \bar A=D^{-1/2}(A+I)D^{-1/2},\quad d_m=1+\sum_na_{nm}\qquad\Longrightarrow\qquad
   \|\bar A\|_2=1,\quad \bar AD^{1/2}\mathbf{1}=D^{1/2}\mathbf{1}

for every graph: activations cannot grow because of the coupling, however deep the network is, and
the direction :math:`D^{1/2}\mathbf{1}` never fades.

:source: Perez Jensen (2025), Deep Learning, Section 7.4; Kipf and Welling (2017),
    "Semi-supervised classification with graph convolutional networks".
:kind: theorem
:uses: normalised_laplacian_spectrum
:covers: gcn-coupling-matrix
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from corollary.core import Claim, Kept, Suppose, Trial, equals, near, option
from corollary.core.picture import Histogram, Level, Marks, picture
from corollary.data.graphs import erdos_renyi
from corollary.theory.geometry.graph import Graph
from corollary.theory.geometry.normalised_adjacency import gcn_norm


class Given(NamedTuple):
    graph: Graph
    A: Float[Tensor, "M M"]  # its coupling matrix

    @property
    def d(self) -> Float[Tensor, " M"]:
        return (1 + self.graph.degrees).double()


def no_loops_in_d(given: Given) -> Given:
    """If the degrees do not count the self-loops, the norm exceeds 1."""
    root = (given.d / (given.d - 1).clamp(min=1)).sqrt()
    return given._replace(A=given.A * torch.outer(root, root))


class CouplingNorm(Claim[Given]):
    M: int = option(120, low=2, high=1000)  # nodes
    density: float = option(0.05, low=0.0, high=1.0)  # probability of an edge

    relation = equals(ulps=4096)  # an eigenvalue of a matrix of a hundred rows
    supposes = Suppose(
        "the degrees count the loops",
        lambda g: near(g.d * g.A.diagonal(), g.d[0] * g.A[0, 0]),  # equal entries
        without=no_loops_in_d,
    )
    symbols = "1", "gain of Ā"
    predicts = [1.0, 1.0]
    rows = "largest |λ| of Ā", "gain along √d"

    def given(self, rng: Generator) -> Given:
        graph = erdos_renyi(self.M, self.density, rng=rng)  # isolated nodes included
        return Given(graph, gcn_norm(graph).to_dense())

    def measure(self, given: Given) -> Kept:
        spectrum, root = torch.linalg.eigvalsh(given.A), given.d.sqrt()
        gain = (given.A @ root).norm() / root.norm()
        return Kept([float(spectrum.abs().max()), float(gain)], spectrum=spectrum)

    @picture("Spectrum of the coupling matrix", x="eigenvalue", y="density")
    def marks(self, trial: Trial[Given]) -> Marks:
        yield Histogram(trial.kept.spectrum, label="eigenvalues of Ā", bins=30)
        for b in trial.without:
            yield Histogram(b.kept.spectrum, label=b.words, bins=30, role="other")
        yield Level(1.0, label="1", axis="x")
        yield Level(-1.0, label="−1", axis="x")
