r"""Chebyshev filters on citation graphs.

This is the two-layer network of the graph convolution, with polynomials of degree 2 or 3 of the
normalised Laplacian instead of one hop. It has 16 hidden units and dropout 0.5, and is trained by
Adam with learning rate 0.01 for 200 steps, with weight decay 5e-4 on the first layer.

:source: Defferrard, Bresson and Vandergheynst (2016), "Convolutional neural networks on graphs with
    fast localized spectral filtering"; measured on these graphs by Kipf and Welling (2017),
    "Semi-supervised classification with graph convolutional networks", Table 3.
:cost: minutes
"""

from typing import Literal

import torch
from torch import Tensor, nn

from corollary.core import Experiment, Outcome, Published, Row
from corollary.data.planetoid import planetoid
from corollary.experiments.graphs._nodes import node_accuracy
from corollary.models.dropout import SparseDropout
from corollary.models.polynomial_conv import ChebConv
from corollary.theory.geometry.graph import Graph
from corollary.theory.seeding import as_generator

TABLE_3 = "Kipf and Welling (2017), Table 3"


class ChebNet(nn.Module):
    """Two Chebyshev layers with a ReLU and dropout."""

    def __init__(self, d: int, hidden: int, k: int, K: int, *, rng: int) -> None:
        super().__init__()
        draw = as_generator(rng)
        kind = {"normalized": True, "rng": draw, "dtype": torch.float32}
        self.first = ChebConv(d, hidden, K, **kind)
        self.second = ChebConv(hidden, k, K, **kind)
        self.dropout = SparseDropout(0.5)

    def forward(self, x: Tensor, graph: Graph) -> Tensor:
        """Logits of each node."""
        h = self.first(self.dropout(x), graph).relu()
        logits: Tensor = self.second(self.dropout(h), graph)
        return logits


class CitationChebNet(Experiment):
    data: Literal["cora", "citeseer"] = "cora"  # which graph
    degree: int = 3  # of the polynomials
    steps: int = 200  # at most

    metric = "test accuracy in %"
    rows = (
        Row("ChebNet of degree 3, Cora", Published(79.5, TABLE_3), data="cora"),
        Row("ChebNet of degree 2, Cora", Published(81.2, TABLE_3), data="cora", degree=2),
        Row("ChebNet of degree 3, Citeseer", Published(69.8, TABLE_3), data="citeseer"),
        Row("ChebNet of degree 2, Citeseer", Published(69.6, TABLE_3), data="citeseer", degree=2),
    )
    quick = {"steps": 10}

    def run(self, seed: int) -> Outcome:
        data = planetoid(self.data)
        net = ChebNet(data.x.shape[1], 16, int(data.y.max()) + 1, self.degree, rng=seed)
        groups = [
            {"params": net.first.parameters(), "weight_decay": 5e-4},
            {"params": net.second.parameters(), "weight_decay": 0.0},
        ]
        adam = torch.optim.Adam(groups, lr=0.01)
        return node_accuracy(net, data, adam, steps=self.steps, patience=200, seed=seed)
