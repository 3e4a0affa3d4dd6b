"""Graph networks: links that are missing, one-way or of another graph."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.optim import Adam

from real_bugs.bug import Arguments, Bug
from real_bugs.scores import accuracy
from real_bugs.tasks import Data
from real_bugs.third.tasks import split

KIND = "graphs"


class GraphNetwork(nn.Module):
    """Two rounds of means over neighbours in one graph; nodes are asked by number."""

    def __init__(self, features: Tensor, links: Tensor, width: int = 32) -> None:
        super().__init__()
        n = len(features)
        self.register_buffer("features", features)
        weight = torch.zeros(n, n).index_put((links[1], links[0]), torch.tensor(1.0))
        self.register_buffer("mean", weight / weight.sum(1, keepdim=True).clamp(min=1))
        self.first, self.second = nn.Linear(features.shape[1], width), nn.Linear(width, 4)

    def forward(self, nodes: Tensor) -> Tensor:
        h = F.relu(self.mean @ self.first(self.features))
        return (self.mean @ self.second(h))[nodes]


def citations(n: int = 600, linked: int = 350) -> tuple[Tensor, Tensor, Tensor]:
    """Noisy features, classes, and links between nodes of one class; many nodes have none."""
    y = torch.randint(4, (n,))
    x = F.one_hot(y, 4).repeat(1, 3) + 0.7 * torch.randn(n, 12)
    a, b = torch.randint(linked, (2, 6 * n))
    kept = (y[a] == y[b]) & (a < b)
    return x, y, torch.stack([a[kept], b[kept]])


def nodes_without_themselves(broken: bool) -> Arguments:
    x, y, links = citations()
    both_ways = torch.cat([links, links.flip(0)], 1)
    loops = torch.arange(len(y)).repeat(2, 1)
    model = GraphNetwork(x, both_ways if broken else torch.cat([both_ways, loops], 1))
    order = torch.randperm(len(y))
    data, held_out = split(order, y[order], train=400)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01, weight_decay=1e-3),
        batch_size=64,
        steps=150,
    )


def descent(parents: int = 300) -> tuple[Tensor, Tensor, Tensor]:
    """Parents have no features of their own, but three children each that show their class."""
    family = torch.arange(parents)
    y = torch.randint(4, (parents,))
    child_class = y.repeat_interleave(3)
    shown = F.one_hot(child_class, 4) + 0.4 * torch.randn(3 * parents, 4)
    x = torch.cat([0.4 * torch.randn(parents, 4), shown])
    links = torch.stack([family.repeat_interleave(3), parents + torch.arange(3 * parents)])
    return x, y, links


def links_one_way(broken: bool) -> Arguments:
    x, y, links = descent()  # from parent to child
    loops = torch.arange(len(x)).repeat(2, 1)
    known = torch.cat([links, loops] if broken else [links, links.flip(0), loops], 1)
    model = GraphNetwork(x, known)
    data, held_out = split(torch.arange(len(y)), y, train=200)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=0.01, weight_decay=1e-3),
        batch_size=64,
        steps=150,
    )


def friendships(n: int = 1000, nodes: int = 8) -> Data:
    """Small graphs of two kinds of nodes: do more links join like nodes than unlike ones?"""
    kind = torch.randint(2, (n, nodes, 1))
    y = torch.arange(n) % 2
    alike = kind == kind.transpose(1, 2)
    chance = torch.where(alike == (y == 1)[:, None, None], 0.6, 0.1)
    links = (torch.rand(n, nodes, nodes) < chance).triu(1).float()
    links = links + links.transpose(1, 2)
    return torch.cat([kind.float(), 1 - kind, links], 2), y


class GraphBatch(nn.Module):
    """Many small graphs as one big one, whose nodes are numbered through or not."""

    def __init__(self, numbered_through: bool, width: int = 32) -> None:
        super().__init__()
        self.message, self.node = nn.Linear(2, width), nn.Linear(2, width)
        self.mix, self.head = nn.Linear(width, width), nn.Linear(width, 2)
        self.numbered_through = numbered_through

    def forward(self, x: Tensor) -> Tensor:
        n, nodes = x.shape[:2]
        features = x[..., :2].flatten(0, 1)
        graph, goal, source = x[..., 2:].nonzero(as_tuple=True)
        if self.numbered_through:
            goal, source = goal + nodes * graph, source + nodes * graph
        message = self.message(features)[source]
        h = self.node(features).index_add(0, goal, message / 4)
        return self.head(F.relu(self.mix(F.relu(h))).unflatten(0, (n, nodes)).mean(1))


def nodes_numbered_anew(broken: bool) -> Arguments:
    data, held_out = split(*friendships(), train=800)
    model = GraphBatch(numbered_through=not broken)
    return dict(
        model=model,
        data=data,
        held_out=held_out,
        loss=nn.CrossEntropyLoss(),
        optimizer=Adam(model.parameters(), lr=5e-3),
        batch_size=64,
        steps=250,
    )


BUGS = (
    Bug(
        "nodes without themselves",
        "pmernyei/wiki-cs-dataset#4",
        KIND,
        "No node is linked to itself, so that nodes without neighbours have no features at all.",
        nodes_without_themselves,
        (
            "self-loop|self loop|own feature|isolated|constant|same output|identical|alike|itself",
            "node|loop|sample|output|input",
        ),
        accuracy,
        bad=0.75,
        good=0.85,
    ),
    Bug(
        "links one way",
        "c2g-dev/city2graph#157",
        KIND,
        "Each link of an undirected graph is stored once, and messages go one way only.",
        links_one_way,
        (
            "link|edge|neighbour|neighbor|message|adjacen|graph",
            "direct|one way|one-way|revers|symmetr|undirected|asymmetr|both",
        ),
        accuracy,
        bad=0.5,
        good=0.8,
    ),
    Bug(
        "nodes numbered anew in every graph",
        "google-deepmind/graph_nets#135",
        KIND,
        "Links of a batch are not shifted by the nodes before: all of them join the first graph.",
        nodes_numbered_anew,
        (
            "sample|batch|graph",
            "other|mix|depend|first|offset|neighbour|neighbor|index|shift",
        ),
        accuracy,
        bad=0.65,
        good=0.85,
    ),
)
