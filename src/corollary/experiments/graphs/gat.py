r"""Graph attention on citation graphs.

The first layer has eight heads of eight units and ELU, and the second layer has one head for the
classes. Dropout is 0.6 on inputs and attention weights. The network is trained by Adam with
learning rate 0.005 and weight decay 5e-4, until the validation loss has not fallen for 100 steps.

:source: Velickovic, Cucurull, Casanova, Romero, Lio and Bengio (2018), "Graph attention networks",
    Section 3.3 and Table 2.
:cost: seconds
"""

from functools import partial
from typing import Literal

import torch

from corollary.core import Experiment, Outcome, Published, Row
from corollary.data.planetoid import planetoid
from corollary.experiments.graphs._nodes import node_accuracy
from corollary.models.gat import GAT

TABLE_2 = "Velickovic et al. (2018), Table 2"


class CitationGAT(Experiment):
    data: Literal["cora", "citeseer"] = "cora"  # which graph
    hidden: int = 8  # units per head
    steps: int = 1000  # at most

    metric = "test accuracy in %"
    rows = (
        Row("GAT, Cora", Published(83.0, TABLE_2), data="cora"),
        Row("GAT, Citeseer", Published(72.5, TABLE_2), data="citeseer"),
    )
    quick = {"steps": 40}

    def run(self, seed: int) -> Outcome:
        data = planetoid(self.data)
        classes = int(data.y.max()) + 1
        net = GAT(data.x.shape[1], self.hidden, classes, dropout=0.6, rng=seed, dtype=torch.float32)
        adam = partial(torch.optim.Adam, lr=0.005, weight_decay=5e-4)
        return node_accuracy(net, data, adam, steps=self.steps, patience=100, seed=seed)
