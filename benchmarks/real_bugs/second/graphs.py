"""A graph network on the citations of Cora."""

import torch
from torch import Tensor, nn
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.second.tasks import cora

KIND = "graphs"


class GraphNetwork(nn.Module):
    """Layers that average over neighbours; papers are asked by number."""

    def __init__(self, depth: int, width: int = 16) -> None:
        super().__init__()
        words, classes, links, _, _ = cora()
        n = len(classes)
        links = torch.cat([links, torch.arange(n).repeat(2, 1)], 1)  # each paper and itself
        degree = links[0].bincount(minlength=n).float()
        self.register_buffer("words", words)
        self.register_buffer("links", links)
        self.register_buffer("weight", (degree[links[0]] * degree[links[1]]).rsqrt())
        widths = [words.shape[1], *[width] * (depth - 1), int(classes.max()) + 1]
        pairs = zip(widths, widths[1:], strict=False)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairs)

    def spread(self, h: Tensor) -> Tensor:
        source, goal = self.links
        return torch.zeros_like(h).index_add(0, goal, self.weight[:, None] * h[source])

    def forward(self, papers: Tensor) -> Tensor:
        h = self.words
        for k, layer in enumerate(self.layers):
            h = self.spread(layer(h))
            h = h.relu() if k + 1 < len(self.layers) else h
        return h[papers]


def eight_layers(broken: bool) -> Arguments:
    _, classes, _, train, test = cora()
    model = GraphNetwork(8 if broken else 2)
    return dict(
        model=model,
        data=(train, classes[train]),
        held_out=(test, classes[test]),
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01, weight_decay=5e-4),
        batch_size=140,
        steps=100,
    )


BUGS = (
    Bug(
        "eight layers of a graph",
        "DropEdge/DropEdge#8",
        KIND,
        "Eight rounds of averaging make all papers alike.",
        eight_layers,
        (
            "depth|layer|smooth|alike|collapse|signal|vanish",
            "alike|smooth|fewer|vanish|shrink|same",
        ),
        accuracy,
        bad=0.5,
        good=0.7,
    ),
)
