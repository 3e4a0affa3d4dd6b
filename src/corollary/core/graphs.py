"""Graphs of PyTorch Geometric. One graph is one sample; a mask says which nodes count.

No package is imported for this: any object with an ``edge_index`` is a graph, and graphs are merged
into one by the package that defines them.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from corollary.core.batch import Batch, shape_of
from corollary.errors import InputError

BY_PLACE = ("x", "edge_index", "batch")  # the order in which layers of graphs take their inputs


def is_graph(value: Any) -> bool:
    """Whether this is one graph, or a batch of graphs merged into one.

    Raises:
        InputError: if it is a graph with several kinds of nodes.
    """
    if isinstance(value, Tensor | Mapping | list | tuple):
        return False
    if hasattr(value, "edge_types") and hasattr(value, "node_types"):
        raise InputError(
            "expected a homogeneous graph, got a heterogeneous graph; pass graph.to_homogeneous()"
        )
    return isinstance(getattr(value, "edge_index", None), Tensor)


def graphs_of(value: Any) -> list[Any]:
    """The graphs that were merged into this one, or this graph alone."""
    split = getattr(value, "to_data_list", None)
    return list(split()) if callable(split) else [value]


@dataclass(frozen=True)
class GraphBatch(Batch):
    """Some graphs, merged into one for the call; the first axis of their tensors is the nodes."""

    graphs: tuple[Any, ...] = ()
    takes: tuple[str, ...] | None = None  # forward's arguments; None if it takes the graph itself
    by_place: bool = False
    mask: str = "train_mask"  # which nodes have a target, if there are such
    nodes: Tensor | None = None

    @property
    def size(self) -> int:
        """Number of graphs."""
        return len(self.graphs)

    def keys(self) -> list[str]:
        """Names of the tensors of a graph, such as ``x`` and ``edge_index``."""
        names = getattr(self.graphs[0], "keys", None) or list(vars(self.graphs[0]))
        return list(names() if callable(names) else names)

    def slice(self, which: slice | Tensor) -> "GraphBatch":
        """Chosen graphs."""
        if isinstance(which, slice):
            graphs: Sequence[Any] = self.graphs[which]
        else:
            graphs = [self.graphs[i] for i in which.tolist()]
        return graph_batch(graphs, self.takes, by_place=self.by_place, mask=self.mask)

    def to(self, device: torch.device) -> "GraphBatch":
        """The same graphs on ``device``."""
        if self.graphs[0].edge_index.device == device:
            return self
        graphs = [graph.to(device) for graph in self.graphs]
        return graph_batch(graphs, self.takes, by_place=self.by_place, mask=self.mask)

    def describe(self) -> dict[str, str]:
        """Nodes and edges, and shapes and types."""
        whole = self.graphs[0]
        graph = {name: getattr(whole, name, None) for name in (*BY_PLACE[:2], "edge_attr")}
        shapes = {f"graph.{k}": shape_of(v) for k, v in graph.items() if isinstance(v, Tensor)}
        return shapes | {k: v for k, v in super().describe().items() if k == "target"}

    def answers(self, raw: Any) -> Any:
        """The output at the nodes that have a target."""
        if self.nodes is None:
            return raw
        nodes = self.nodes

        def at_nodes(value: Any) -> Any:
            fits = isinstance(value, Tensor) and value.dim() > 0 and len(value) == len(nodes)
            return value[nodes] if fits else value

        if isinstance(raw, list | tuple):
            return type(raw)(map(at_nodes, raw))
        return at_nodes(raw)


def graph_batch(
    graphs: Sequence[Any],
    takes: tuple[str, ...] | None = None,
    *,
    by_place: bool = False,
    mask: str = "train_mask",
) -> GraphBatch:
    """The input of a module for graphs: the merged graph, or some of its tensors."""
    whole = graphs[0] if len(graphs) == 1 else _merged(graphs)
    target, nodes = getattr(whole, "y", None), getattr(whole, mask, None)
    if not isinstance(nodes, Tensor) or not isinstance(target, Tensor) or len(nodes) != len(target):
        nodes = None
    if isinstance(target, Tensor) and nodes is not None:
        target = target[nodes]
    inputs: tuple[Any, ...] = (whole,)
    named: dict[str, Any] = {}
    if takes is not None:
        tensors = {name: _tensor(whole, name) for name in takes}
        inputs, named = (tuple(tensors.values()), {}) if by_place else ((), tensors)
    return GraphBatch(inputs, named, target, tuple(graphs), takes, by_place, mask, nodes)


def held_out_nodes(batch: Batch) -> Batch:
    """For held-out graphs with masks, the test nodes; other batches unchanged."""
    if not isinstance(batch, GraphBatch) or batch.nodes is None or "test_mask" not in batch.keys():
        return batch
    return graph_batch(batch.graphs, batch.takes, by_place=batch.by_place, mask="test_mask")


def _tensor(graph: Any, name: str) -> Any:
    """A tensor of a graph; if a graph was not merged, all its nodes have ``batch`` 0."""
    found = getattr(graph, name, None)
    if found is None and name == "batch":
        return torch.zeros(len(graph.x), dtype=torch.long, device=graph.x.device)
    return found


def _merged(graphs: Sequence[Any]) -> Any:
    kind: Any = type(graphs[0])
    if not hasattr(kind, "from_data_list"):
        kind = getattr(sys.modules.get("torch_geometric.data"), "Batch", None)
    if kind is None:
        raise InputError(
            f"graphs of the type {type(graphs[0]).__name__} cannot be merged into one batch; "
            "pass one graph, or graphs of torch_geometric.data"
        )
    return kind.from_data_list(list(graphs))
