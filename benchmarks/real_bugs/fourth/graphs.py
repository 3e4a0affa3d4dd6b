"""A graph in which somebody has no neighbours."""

import torch
from torch import Tensor, nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.fourth.scores import answers_at_places
from real_bugs.fourth.tasks import split
from real_bugs.second.places import PlaceLoss

NODES = 10


class GraphLayer(nn.Module):
    """What a node is and the mean of its neighbours, weighed by degrees."""

    def __init__(self, inputs: int, outputs: int, guarded: bool) -> None:
        super().__init__()
        self.own, self.others = nn.Linear(inputs, outputs), nn.Linear(inputs, outputs)
        self.guarded = guarded

    def forward(self, x: Tensor, links: Tensor) -> Tensor:
        root = links.sum(2).pow(-0.5)
        if self.guarded:
            root = root.masked_fill(root.isinf(), 0)
        return self.own(x) + self.others(root[:, :, None] * links * root[:, None] @ x)


class Friends(nn.Module):
    """Whether most of the neighbours of each node are positive; links come after the feature."""

    def __init__(self, guarded: bool) -> None:
        super().__init__()
        self.first, self.second = GraphLayer(1, 16, guarded), GraphLayer(16, 16, guarded)
        self.head = nn.Linear(16, 2)

    def forward(self, packed: Tensor) -> Tensor:
        x, links = packed[:, :, :1], packed[:, :, 1:]
        h = self.first(x, links).relu()
        return self.head(self.second(h, links).relu())


def node_without_links(broken: bool) -> Arguments:
    n = 600
    links = (torch.rand(n, NODES, NODES) < 0.3).float().triu(1)
    links = links + links.transpose(1, 2)
    alone = torch.rand(n) < 0.1
    links[alone, 0] = 0
    links[alone, :, 0] = 0
    x = torch.randn(n, NODES, 1)
    y = (links @ x + 0.1 * x > 0)[:, :, 0].long()
    data, held_out = split(torch.cat([x, links], 2), y, 150)
    model = Friends(guarded=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=PlaceLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=32,
        steps=300,
    )


BUGS = (
    Bug(
        "node without links",
        "mlx-graphs/mlx-graphs#18 (Add suport for inf values in GCN)",
        "graphs",
        "A node without neighbours has degree zero, and its root is divided by.",
        node_without_links,
        ("nan|inf|finite|zero", "degree|isolated|neighbo|divi|forward|output|loss|pow|first"),
        answers_at_places,
        bad=0.6,
        good=0.85,
    ),
)
