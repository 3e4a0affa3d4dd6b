"""Graphs with the attributes of PyTorch Geometric."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from corollary.core import Subject
from corollary.errors import InputError
from corollary.examine.examiner import examine

X = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
EDGES = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 5]])


class Graph(SimpleNamespace):
    """A graph, or several merged to one."""

    def keys(self):
        return list(vars(self))

    @classmethod
    def from_data_list(cls, graphs):
        starts = [sum(len(g.x) for g in graphs[:i]) for i in range(len(graphs))]
        pairs = list(zip(graphs, starts, strict=True))
        return Merged(
            x=torch.cat([g.x for g in graphs]),
            edge_index=torch.cat([g.edge_index + start for g, start in pairs], dim=1),
            y=torch.cat([g.y for g in graphs]),
            batch=torch.cat([torch.full((len(g.x),), i) for i, g in enumerate(graphs)]),
            graphs=graphs,
        )


class Merged(Graph):
    def to_data_list(self):
        return self.graphs


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 3)

    def nodes(self, x, edges):
        h = torch.relu(self.first(x))
        return self.second(h.index_add(0, edges[1], h[edges[0]]))


class TakesGraph(Convolution):
    def forward(self, data):
        return self.nodes(data.x, data.edge_index)


class TakesNames(Convolution):
    def forward(self, x, edge_index, edge_weight=None):
        return self.nodes(x, edge_index)


class TakesPlaces(Convolution):
    def forward(self, h, edges):
        return self.nodes(h, edges)


class Pooled(Convolution):
    def forward(self, x, edge_index, batch):
        h = self.nodes(x, edge_index)
        return h.new_zeros(int(batch.max()) + 1, 3).index_add(0, batch, h)


def with_masks():
    train = torch.tensor([1, 1, 1, 1, 0, 0]).bool()
    y = torch.arange(6) % 3
    return Graph(x=X, edge_index=EDGES, y=y, train_mask=train, test_mask=~train)


def small(i):
    return Graph(x=X + i, edge_index=EDGES, y=torch.tensor([i % 3]))


@pytest.mark.parametrize("kind", [TakesGraph, TakesNames, TakesPlaces])
def test_the_nodes_of_the_mask_are_asked_for(kind):
    model, graph = kind(), with_masks()
    subject = Subject(model, graph, held_out=graph)
    out = model.nodes(X, EDGES)
    assert torch.equal(subject.output(subject.data()), out[:4])
    assert subject.data().size == 1 and subject.data().target.tolist() == [0, 1, 2, 0]
    assert torch.equal(subject.call(subject.held_out), out[4:])


MANY = {
    "list": lambda: [small(i) for i in range(5)],
    "merged": lambda: Graph.from_data_list([small(i) for i in range(5)]),
    "loader": lambda: iter([Graph.from_data_list([small(0), small(1)]), small(2), small(3)]),
}


@pytest.mark.parametrize("form", MANY)
def test_a_sample_is_a_graph(form):
    model = Pooled()
    few = Subject(model, MANY[form]()).data().slice(torch.tensor([3, 1]))
    alone = [model(X + i, EDGES, torch.zeros(6, dtype=torch.long)) for i in (3, 1)]
    torch.testing.assert_close(Subject(model, few).call(few), torch.cat(alone))
    assert few.target.tolist() == [0, 1] and few.size == 2


def test_a_single_graph_has_a_batch_of_its_own():
    subject = Subject(Pooled(), small(1))
    assert subject.output(subject.data()).shape == (1, 3)


def test_graphs_that_are_not_taken_are_one_sentence():
    with pytest.raises(InputError, match="expected a homogeneous graph"):
        Subject(TakesGraph(), SimpleNamespace(edge_types=[], node_types=[]))
    with pytest.raises(InputError, match="cannot be merged into one batch"):
        plain = [SimpleNamespace(x=X, edge_index=EDGES)] * 2
        Subject(TakesGraph(), plain)


def test_an_examination_of_graphs_ends_without_a_failure():
    done = examine(TakesNames(), with_masks(), only="soundness", effort="quick", progress=False)
    assert not [f for f in done.findings if f.status.value == "failed"]
    assert done.subject["data"]["graph.edge_index"] == "2×5 int64"
