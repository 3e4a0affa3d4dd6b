r"""Graph convolution on citation graphs.

The network has two layers, 16 hidden units, ReLU, and dropout 0.5 before each layer. It is trained
by Adam with learning rate 0.01 for 200 steps, with weight decay 5e-4 on the first layer. The step
with the smallest validation loss counts.

:source: Kipf and Welling (2017), "Semi-supervised classification with graph convolutional
    networks", Section 5 and Table 2.
:cost: seconds
"""

from typing import Literal

import torch
from torch import nn

from corollary.core import Experiment, Outcome, Published, Row
from corollary.data.planetoid import planetoid
from corollary.experiments.graphs._nodes import node_accuracy
from corollary.models.gcn import GCN

TABLE_2 = "Kipf and Welling (2017), Table 2"


class CitationGCN(Experiment):
    data: Literal["cora", "citeseer"] = "cora"  # which graph
    hidden: int = 16  # units
    steps: int = 200  # at most

    metric = "test accuracy in %"
    rows = (
        Row("GCN, Cora", Published(81.5, TABLE_2), data="cora"),
        Row("GCN, Citeseer", Published(70.3, TABLE_2), data="citeseer"),
    )
    quick = {"steps": 60}

    def run(self, seed: int) -> Outcome:
        data = planetoid(self.data)
        widths = [data.x.shape[1], self.hidden, int(data.y.max()) + 1]
        net = GCN(widths, dropout=0.5, rng=seed, dtype=torch.float32)
        return node_accuracy(net, data, _adam(net), steps=self.steps, patience=200, seed=seed)


def _adam(net: GCN) -> torch.optim.Optimizer:
    first, *others = net.layers
    groups = [
        {"params": first.parameters(), "weight_decay": 5e-4},
        {"params": nn.ModuleList(others).parameters(), "weight_decay": 0.0},
    ]
    return torch.optim.Adam(groups, lr=0.01)
